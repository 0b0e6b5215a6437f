"""Finished games as a store lists them."""

from msgspec.structs import replace

from arbiter.tournament.standings.stored_game import StoredGame

PLAIN = StoredGame("g1", 1, 1, "hunter", "mine", "red", "flag_taken", None, 30, 6, 1, "2026", 1.0)


def stored(number, **other):
    """Return a finished game."""
    return replace(PLAIN, id=f"g{number}", **other)


GAMES = [
    stored(1),
    stored(2, red="mine", blue="hunter", winner="blue"),
    stored(3, blue="random", ending="timeout", round=2),
    stored(4, winner=None, ending="no_attack_limit", round=11),
    stored(5, winner=None, ending="annulled"),
]
