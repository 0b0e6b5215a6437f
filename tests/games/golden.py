"""Write a rule set's golden game anew: `python tests/games/golden.py NAME`.

It is the first short random game that the flag decides and in which every power of the rule set is used,
all options being in force.
"""

import sys
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

from msgspec import UNSET
from wanderers import PowerLover, set_up, wander

from arbiter.games.catalogue import find_game, find_ruleset
from arbiter.games.chance import Seeded
from arbiter.record import ActEntry, GameHeader, GameResult, RecordWriter

FOLDER = Path(__file__).parent / "golden"
SHORT = 120


def golden(rules):
    """Return the first record that shows enough."""
    return next(record for record in (played(rules, seed) for seed in count(1)) if record is not None)


def played(rules, seed):
    """Play a random game from a seed; return its record, or None where it shows too little."""
    options = tuple(find_ruleset(rules).offers)
    game, rng = find_game(rules, options), Random(seed)
    chance = Seeded(seed)
    play = game.start(chance)
    header = GameHeader(
        id=f"golden-{rules}",
        rules=rules,
        options=options,
        first=play.first,
        seed=seed,
        decks=dict(chance.shuffles) or UNSET,
        facts=play.opening,
    )
    writer, used = RecordWriter(header), set()
    terms = game.describe(play.first)
    choose = partial(wander, rng=rng) if terms.board is UNSET else PowerLover(rng).choose
    while play.to_act and play.plies < SHORT:
        seat = play.to_act[0]
        action = set_up(play, terms, seat, rng) if play.phase == "setup" else choose(play)
        used.add((play.phase, type(action)))
        before = len(chance.shuffles)
        facts = play.act(seat, action)
        deck = chance.shuffles[-1][1] if len(chance.shuffles) > before else UNSET
        writer.act(ActEntry(seat=seat, action=action, deck=deck, facts=facts))
    wanted = {(power.phase, power.action) for power in game.powers}
    if play.outcome is None or play.outcome.ending != "flag_taken" or not wanted <= used:
        return None
    outcome = play.outcome
    return writer.finish(GameResult(winner=outcome.winner, ending=outcome.ending, why=outcome.why, plies=play.plies))


if __name__ == "__main__":
    (name,) = sys.argv[1:]
    (FOLDER / f"{name}.jsonl").write_bytes(golden(name))
