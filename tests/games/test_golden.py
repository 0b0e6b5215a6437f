"""The golden games: one whole game of each rule set, whose facts must never change."""

from pathlib import Path

import pytest

from arbiter.games.catalogue import RULE_SETS
from arbiter.record import read_record
from arbiter.verify import verify

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("rules", [ruleset.name for ruleset in RULE_SETS])
def test_a_golden_game_still_has_the_same_facts(rules):
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
