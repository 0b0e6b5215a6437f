"""Records of a season: the longest unbeaten run, the most wins, and others that stored games show."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from arbiter.games.base import WON_ON_BOARD
from arbiter.tournament.ratings.pairs import find_score
from arbiter.tournament.season.table import EventResult, SeasonStanding
from arbiter.tournament.standings.stored_game import StoredGame


class SeasonRecord(Struct, frozen=True, kw_only=True):
    """A record and the bots that hold it."""

    kind: str
    bots: tuple[str, ...]
    value: float
    event: str | None = None
    """Title of the event, if the record is one of a single event."""
    game: str | None = None
    """Id of the game, if the record is one of a single game."""


def find_records(events: Sequence[EventResult], rows: Sequence[SeasonStanding]) -> tuple[SeasonRecord, ...]:
    """Find the records of all games that were played; games of an event are in the order in which they began."""
    games = [
        game
        for event in events
        for game in sorted(event.games, key=lambda one: (one.started, one.id))
        if find_score(game, game.red) is not None
    ]
    runs = [
        ("unbeaten", _find_runs(games, lambda score: score > 0)),
        ("winning", _find_runs(games, lambda score: score == 1)),
        ("games_won", Counter(bot for game in games for bot, score in _list_scores(game) if score == 1)),
        ("events_won", Counter(bot for event in events if event.is_finished for bot in event.list_first())),
        ("games_played", Counter(bot for game in games for bot, _ in _list_scores(game))),
    ]
    records = [_find_most(kind, counts) for kind, counts in runs]
    records += [_find_best_event(events, rows), *_find_extreme_games(events)]
    return tuple(record for record in records if record is not None)


def _list_scores(game: StoredGame) -> Iterator[tuple[str, float]]:
    score = find_score(game, game.red)
    if score is not None:
        yield game.red, score
        yield game.blue, 1 - score


def _find_runs(games: Iterable[StoredGame], counts: Callable[[float], bool]) -> Counter[str]:
    """Return the longest run of games of each bot in which every score counts."""
    current = Counter[str]()
    longest = Counter[str]()
    for game in games:
        for bot, score in _list_scores(game):
            current[bot] = current[bot] + 1 if counts(score) else 0
            longest[bot] = max(longest[bot], current[bot])
    return longest


def _find_most(kind: str, counts: Counter[str]) -> SeasonRecord | None:
    most = max(counts.values(), default=0)
    holders = tuple(sorted(bot for bot, count in counts.items() if count == most))
    return SeasonRecord(kind=kind, bots=holders, value=most) if most else None


def _find_best_event(events: Sequence[EventResult], rows: Sequence[SeasonStanding]) -> SeasonRecord | None:
    """Find the highest share of the points of a finished event."""
    found = [
        (100 * one.score / (event.points.win * event.most_games), -number, row.bot, event.title)
        for row in rows
        for number, (event, one) in enumerate(zip(events, row.shares, strict=True))
        if one is not None and event.is_finished and event.points and event.points.win * event.most_games > 0
    ]
    if not found:
        return None
    value, _, _, title = max(found, key=lambda one: one[:2])
    holders = tuple(sorted(bot for share, _, bot, other in found if (share, other) == (value, title)))
    return SeasonRecord(kind="best_event", bots=holders, value=round(value, 1), event=title)


def _find_extreme_games(events: Sequence[EventResult]) -> Iterator[SeasonRecord]:
    """Find the shortest game that was won on the board, and the longest game."""
    played = [(event.title, game) for event in events for game in event.games if game.was_played]
    won = [(title, game) for title, game in played if game.winner and game.ending in WON_ON_BOARD]
    if won:
        title, game = min(won, key=lambda one: one[1].plies)
        winner = getattr(game, game.winner or "red")
        yield SeasonRecord(kind="shortest_win", bots=(winner,), value=game.plies, event=title, game=game.id)
    if played:
        title, game = max(played, key=lambda one: one[1].plies)
        yield SeasonRecord(kind="longest_game", bots=(game.red, game.blue), value=game.plies, event=title, game=game.id)
