"""Random positions with both sides close together, so that powers and rescues happen, for every game that has any."""

from itertools import combinations
from random import Random

import pytest
from drawing import draw, start
from games.reference import LAND, spot

from protocol.words import BLUE, RED, SEATS

OPTIONS = ("aggressor-advantage", "silent-defence", "rescue")
SIDES = {
    "us": ["spy", "scout", "miner", "miner", "sergeant", "lieutenant", "lieutenant", "marshal", "bomb"],
    "infiltrator": ["spy", "scout", "scout", "miner", "lieutenant", "marshal", "infiltrator", "infiltrator", "bomb"],
    "clone-wars-powers": [
        *("spy", "scout", "miner", "sergeant", "lieutenant", "colonel", "marksman", "berserker", "berserker", "general")
    ],
}
GAMES = [
    *(("us", OPTIONS), ("infiltrator", ()), ("clone-wars-powers", ())),
    *(("us", chosen) for size in range(3) for chosen in combinations(OPTIONS, size)),
]
every_game = pytest.mark.parametrize(("rules", "options"), GAMES, ids=[" ".join((name, *rest)) for name, rest in GAMES])


def start_battle(rules, options, seed):
    """Start a game from a random position; return the play, its pieces, its limits and the random generator."""
    rng = Random(f"{rules} {options} {seed}")
    limits = {
        "two_squares": rng.choice((0, 1, 2, 3)),
        "more_squares": rng.choice(("off", "chase", "game", "book")),
        "no_attack_plies": rng.choice((0, 6, 20)),
        "max_plies": rng.choice((12, 25, 50)),
    }
    pieces, first = random_pieces(rules, rng), rng.choice(SEATS)
    return start(draw(pieces), rules, first=first, options=options, **limits), pieces, limits, rng


def random_pieces(rules, rng):
    """Put some pieces of both sides together in a corner, or on the left side of the board."""
    rows = rng.choice((range(1, 5), range(1, 5), range(1, 11), range(7, 11)))
    squares = [square for square in LAND if square[0] in "abcd" and spot(square)[1] in rows]
    rng.shuffle(squares)
    pieces = {"j1": (RED, "flag"), "j10": (BLUE, "flag")}
    for _ in range(rng.choice((4, 6, 8))):
        for seat in SEATS:
            pieces[squares.pop()] = seat, rng.choice(SIDES[rules])
    return pieces
