"""The list of games: its filter, its lines, and which game to show next to a user who follows the tournament."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from rich.cells import set_cell_size

from arbiter.show.tables.games import winner_of
from arbiter.show.text import plain
from arbiter.show.watch.source import OngoingGame
from arbiter.tournament.standings.stored_game import StoredGame

ListedGame = StoredGame | OngoingGame


def write_ending_of(game: ListedGame) -> str:
    """Write the ending of a game, or that it is in progress."""
    return game.ending if isinstance(game, OngoingGame) else game.ending_words


def _winner(game: ListedGame) -> str:
    return "" if isinstance(game, OngoingGame) else winner_of(game)


# What `KEY:word` is compared with; a word without a key is searched for in all of them.
FIELDS: Final[Mapping[str, Callable[[ListedGame], str]]] = {
    "id": lambda game: game.id,
    "round": lambda game: str(game.round),
    "red": lambda game: game.red,
    "blue": lambda game: game.blue,
    "winner": _winner,
    "ending": lambda game: f"{write_ending_of(game)} {game.ending}",
}
_WHOLE: Final = frozenset({"round"})  # round:1 does not match round 11
_SHORTEST_NAME, _LONGEST_NAME = 4, 40
_ENDING_WIDTH: Final = 27  # of most endings, such as a limit of plies without an attack


def filter_games(games: Iterable[ListedGame], text: str) -> list[ListedGame]:
    """Return the games that match every word of a text, ignoring case: `hunter timeout`, `red:mine round:2`."""
    words = text.lower().split()
    return [game for game in games if all(_matches(game, word) for word in words)]


def _matches(game: ListedGame, word: str) -> bool:
    key, colon, wanted = word.partition(":")
    if not colon or key not in FIELDS:
        return any(word in field(game).lower() for field in FIELDS.values())
    value = FIELDS[key](game).lower()
    return wanted == value if wanted and key in _WHOLE else wanted in value


def name_width(width: int) -> int:
    """Return the width of a name in a line of so many columns."""
    others = len(write_head(0)) - len("ending") + _ENDING_WIDTH
    return max(_SHORTEST_NAME, min(_LONGEST_NAME, (width - others - 1) // 2))


def write_head(width: int) -> str:
    """Write the heading of the list, with names of a width."""
    return f"round  {'red':<{width}}  {'blue':<{width}}  winner  plies  ending"


def write_game(game: ListedGame, width: int) -> str:
    """Write the line of a game, with names cut or filled to a width."""
    red, blue = (set_cell_size(plain(name), width) for name in (game.red, game.blue))
    plies = "" if game.plies is None else game.plies
    return f"{game.round:>5}  {red}  {blue}  {_winner(game):<6}  {plies:>5}  {plain(write_ending_of(game))}"


class Following:
    """Chooses the next game for a user who follows a tournament.

    It is the latest game in progress if games are live, else the latest one that has finished.
    """

    def __init__(self, finished: Iterable[StoredGame]) -> None:
        self._known = {game.id for game in finished}
        self._shown: set[tuple[str, str]] = set()  # id and start: a voided game starts again under its id
        self._latest: ListedGame | None = None

    def update(self, finished: Iterable[StoredGame], ongoing: Iterable[OngoingGame], *, is_live: bool) -> None:
        """Take the games that there are now."""
        new = [game for game in finished if game.id not in self._known]
        self._known |= {game.id for game in new}
        if is_live:
            begun = [one for one in ongoing if one.plies is not None and (one.id, one.started) not in self._shown]
            self._latest = max(begun, key=lambda game: game.started, default=None)
        elif new or isinstance(self._latest, OngoingGame):
            self._latest = max(new, key=lambda game: game.started, default=None)

    def next(self) -> ListedGame | None:
        """Return the game to show next; a second call returns None."""
        latest, self._latest = self._latest, None
        if isinstance(latest, OngoingGame):
            self._shown.add((latest.id, latest.started))
            self._known.add(latest.id)
        return latest
