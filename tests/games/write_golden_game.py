"""Write the golden game of a rule set again: `python tests/games/write_golden_game.py NAME`.

It is the first short random game, with all options in force, in which every power of the rule set is used and the
flag is taken.
"""

import sys
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

from msgspec import UNSET
from random_players import PowerPlayer, random_action, random_setup

from arbiter.games.catalogue import find_game, find_ruleset
from arbiter.games.chance import SeededChance
from arbiter.record import ActEntry, GameHeader, GameResult, RecordWriter

FOLDER = Path(__file__).parent / "golden"
MAX_PLIES = 120


def find_golden_game(rules):
    """Return the record of the first suitable game."""
    return next(record for record in (play_game(rules, seed) for seed in count(1)) if record is not None)


def play_game(rules, seed):
    """Play a random game from a seed; return its record, or None if it is not suitable."""
    options = tuple(find_ruleset(rules).offers)
    game, rng = find_game(rules, options), Random(seed)
    chance = SeededChance(seed)
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
    description = game.describe(play.first)
    choose = partial(random_action, rng=rng) if description.board is UNSET else PowerPlayer(rng).choose
    while play.to_act and play.plies < MAX_PLIES:
        seat = play.to_act[0]
        action = random_setup(play, description, seat, rng) if play.phase == "setup" else choose(play)
        used.add((play.phase, type(action)))
        before = len(chance.shuffles)
        facts = play.act(seat, action)
        deck = chance.shuffles[-1][1] if len(chance.shuffles) > before else UNSET
        writer.act(ActEntry(seat=seat, action=action, deck=deck, facts=facts))
    wanted = {(power.phase, power.action) for power in game.powers}
    if play.outcome is None or play.outcome.ending != "flag_taken" or not wanted <= used:
        return None
    outcome = play.outcome
    return writer.finish(
        GameResult(winner=outcome.winner, ending=outcome.ending, reason=outcome.reason, plies=play.plies)
    )


if __name__ == "__main__":
    (name,) = sys.argv[1:]
    (FOLDER / f"{name}.jsonl").write_bytes(find_golden_game(name))
