"""Games of a tournament: as sheets, sentences, objects and PGN."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from arbiter.errors import write_count
from arbiter.games.base import FORFEITS
from arbiter.languages.phrase import heading
from arbiter.languages.sentences import describe_ending, write_ending, write_reason
from arbiter.show.tables.run.incidents import describe_attempt, describe_ruling
from arbiter.show.tables.sheet import JSON, Coded, Column, Sheet
from arbiter.show.text import number, plain, tidied
from arbiter.tournament.events import Void
from arbiter.tournament.standings.game_status import COUNTS, GameStatus
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame
from arbiter.tournament.standings.table import Standing
from protocol.words import OPPONENT, RED, Seat

NO_STATES: Final[Mapping[str, GameStatus]] = {}
Rank = Callable[[], Sequence[Standing]]


def winner_of(game: StoredGame) -> str:
    """Return the winner of a game, or the reason why there is none."""
    if game.winner:
        return game.winner
    if game.ending == "annulled":
        return "annulled"
    return "nobody" if game.ending in FORFEITS or game.ending == "double_loss" else "draw"


_GAMES: Final[tuple[Column[StoredGame], ...]] = (
    Column("id", align="left", width="keep"),
    Column("round"),
    Column("red", align="left", width="spare"),
    Column("blue", align="left", width="spare"),
    Column("winner", text=winner_of, align="left"),
    Column("ending", value=lambda game: Coded(game.ending, game.ending_words), align="left"),
    Column("reason", on=JSON),
    Column("why", on=JSON),
    Column("plies"),
)
_NUMBERED_GAMES: Final = (
    replace(_GAMES[0], width="spare"),
    *(replace(column, width=None) if column.width == "spare" else column for column in _GAMES[1:]),
)


def _number_column(numbers: Mapping[str, int]) -> Column[StoredGame]:
    # On the left, the number alone identifies a row.
    return Column("number", "no", value=lambda game: numbers.get(game.id), align="left", width="keep")


_RULING: Final[Column[StoredGame]] = Column(
    "ruling",
    value=lambda game: (
        {field: getattr(game.ruling, field) for field in ("number", "kind", "by", "at", "reason")}
        | {"why": write_reason(game.ruling.reason)}
        | {
            "as_played": {
                field: getattr(game.as_played, field) for field in ("id", "winner", "ending", "reason", "why")
            }
        }
        if isinstance(game, RuledGame)
        else None
    ),
    text=lambda game: game.ruling.number if isinstance(game, RuledGame) else None,
)


def games_sheet(
    games: Iterable[StoredGame],
    uncounted: Mapping[str, GameStatus] = NO_STATES,
    numbers: Mapping[str, int] | None = None,
    *,
    has_rulings: bool = False,
) -> Sheet:
    """Make the sheet of a list of games, with the states of those that do not count and their numbers, by their ids.

    With numbers, the ids are left out of a table of text that is too wide.  A part of a list has the same columns as
    its other parts, `has_rulings` if one of them may need a column for these.
    """
    games = tuple(games)

    def find_state(game: StoredGame) -> GameStatus:
        return uncounted.get(game.id, COUNTS)

    def count(game: StoredGame, points: float) -> float | None:
        return tidied(points) if find_state(game).counts else None

    state = Column[StoredGame]("state", value=lambda game: Coded(find_state(game).code, find_state(game).words))
    others = replace(state, text=lambda game: None if find_state(game).counts else find_state(game).words)
    columns: tuple[Column[StoredGame], ...] = (
        *(_GAMES if numbers is None else (_number_column(numbers), *_NUMBERED_GAMES)),
        Column("red_points", "red points", value=lambda game: count(game, game.red_points), on=("csv", "page")),
        Column("blue_points", "blue points", value=lambda game: count(game, game.blue_points), on=("csv", "page")),
        Column(
            "points",
            value=lambda game: {"red": count(game, game.red_points), "blue": count(game, game.blue_points)},
            text=lambda game: (
                f"{number(game.red_points)}\N{EN DASH}{number(game.blue_points)}" if find_state(game).counts else None
            ),
            on=("text", "json", "progress"),
        ),
        Column("conditions", on=JSON),
        replace(state, align="left", on=("csv", "json")),
        replace(others, align="left", is_optional=True, on=("text", "page", "progress")),
        Column("state_by", value=lambda game: find_state(game).by, on=JSON),
    )
    rulings = {game.ruling.number: game.ruling for game in games if isinstance(game, RuledGame)}
    return Sheet(
        title=heading("games"),
        columns=(*columns, _RULING) if rulings or has_rulings else columns,
        items=games,
        kind="game",
        notes=tuple(map(describe_ruling, rulings.values())),
    )


def describe_game(game: StoredGame) -> str:
    """Describe the result of a game in a sentence."""
    names: dict[Seat, str] = {"red": plain(game.red), "blue": plain(game.blue)}
    red, blue = names.values()
    if game.ending == "annulled":
        return f"the game of {red} and {blue} is annulled"
    how = plain(describe_ending(game.winner, game.ending, game.reason, names))
    if game.ending in FORFEITS:
        how = write_ending(game.ending)
    after = f" after {write_count(game.plies, 'ply')}" if game.plies else ""
    if game.winner:
        return f"{names[game.winner]} beats {names[OPPONENT[game.winner]]}{after}: {how}"
    if game.ending in FORFEITS or game.ending == "double_loss":
        return f"{red} and {blue} both lose{after}: {how}"
    return f"{red} and {blue} draw{after}: {how}"


def describe_forfeit(game: StoredGame) -> str:
    """Describe a forfeit or walkover in a sentence."""
    how = write_ending(game.ending)
    if game.winner is None:
        return plain(f"{game.red} and {game.blue} both forfeit ({how}): {game.why}")
    loser, winner = (game.blue, game.red) if game.winner == RED else (game.red, game.blue)
    return plain(f"{loser} forfeits against {winner} ({how}): {game.why}")


def describe_void(event: Void) -> str:
    """Describe a voided game in a sentence."""
    players = f"{plain(event.fixture.red)} and {plain(event.fixture.blue)}"
    return f"the game of {players} is voided: {describe_attempt(event.attempt)}"


def game_object(game: StoredGame) -> Mapping[str, object]:
    """Return a game as an object for programs."""
    return games_sheet([game]).objects[0]


# --- PGN, for programs that rate chess games, such as Ordo and BayesElo ---------------------------

_RESULTS = {"red": "1-0", "blue": "0-1", None: "1/2-1/2"}


def write_pgn(games: Iterable[StoredGame], event: str) -> Iterator[str]:
    """Yield each game as PGN without moves: red is White."""
    for game in games:
        result = _RESULTS[game.winner]
        tags = {
            "Event": event,
            "Site": "?",
            "Date": game.started[:10].replace("-", "."),
            "Round": f"{game.round}.{game.pair}",
            "White": game.red,
            "Black": game.blue,
            "Result": result,
            "Termination": game.ending,
            "PlyCount": str(game.plies),
        }
        texts = {tag: plain(text).replace("\\", "\\\\").replace('"', '\\"') for tag, text in tags.items()}
        yield "".join(f'[{tag} "{text}"]\n' for tag, text in texts.items()) + f"\n{result}\n\n"
