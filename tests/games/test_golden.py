"""One whole game a rule set, written down once: it must be refereed the same for ever."""

from pathlib import Path

import pytest

from arbiter.games.catalogue import RULE_SETS
from arbiter.record import read_record
from arbiter.verify import verify

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("rules", [ruleset.name for ruleset in RULE_SETS])
def test_a_golden_game_is_refereed_as_it_was(rules):
    data = (GOLDEN / f"{rules}.jsonl").read_bytes()
    verdict = verify(data)
    record = read_record(data)
    assert verdict.ok, verdict.why
    assert record.header.rules == rules
    assert (verdict.plies, verdict.winner, verdict.ending) == (
        record.result.plies,
        record.result.winner,
        record.result.ending,
    )
    assert all(isinstance(act.facts, tuple) for act in record.acts)
