"""Which games of a list, finished or under way, fit what was typed to filter it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from rich.cells import set_cell_size

from arbiter.show.tables.standings import winner_of
from arbiter.show.text import plain
from arbiter.show.watch.ongoing import Ongoing
from arbiter.tournament.standings.stored_game import StoredGame

Listed = StoredGame | Ongoing


def _winner(game: Listed) -> str:
    return "" if isinstance(game, Ongoing) else winner_of(game)


# What `KEY:word` looks at; a word without a key is looked for in all of them.
FIELDS: Final[Mapping[str, Callable[[Listed], str]]] = {
    "id": lambda game: game.id,
    "round": lambda game: str(game.round),
    "red": lambda game: game.red,
    "blue": lambda game: game.blue,
    "winner": _winner,
    "ending": lambda game: game.ending,
}
_LEAST_NAME, _LONGEST_NAME = 4, 40
_WHOLE: Final = frozenset({"round"})  # round:1 is not round 11


def picked(games: Iterable[Listed], text: str) -> list[Listed]:
    """Pick the games that hold every word of a text, in whatever case: `hunter timeout`, `red:mine round:2`."""
    words = text.lower().split()
    return [game for game in games if all(_holds(game, word) for word in words)]


def _holds(game: Listed, word: str) -> bool:
    key, colon, wanted = word.partition(":")
    if not colon or key not in FIELDS:
        return any(word in written(game).lower() for written in FIELDS.values())
    value = FIELDS[key](game).lower()
    return wanted == value if wanted and key in _WHOLE else wanted in value


def name_width(width: int) -> int:
    """Return the width of a name where a line has so many columns."""
    return max(_LEAST_NAME, min(_LONGEST_NAME, (width - len(head_line(0)) - 1) // 2))


def game_line(game: Listed, width: int) -> str:
    """Write a game's line in the list, its names cut or filled to a width."""
    red, blue = (set_cell_size(plain(name), width) for name in (game.red, game.blue))
    plies = "" if game.plies is None else game.plies
    return f"{game.round:>5}  {red}  {blue}  {_winner(game):<6}  {game.ending:<15}  {plies:>5}"


def head_line(width: int) -> str:
    """Write the line above the list."""
    return f"round  {'red':<{width}}  {'blue':<{width}}  winner  {'ending':<15}  plies"
