"""The consequences of a ruling: the games, bots and pairings that differ between the schedules without and with it."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from msgspec import Struct

from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.game_status import COUNTS, GameStatus
from arbiter.tournament.standings.stored_game import Ruling, StoredGame
from arbiter.tournament.standings.table import Standing


class CountedGame(Struct, frozen=True):
    """A stored game as a schedule counts it."""

    game: StoredGame
    state: GameStatus

    @property
    def result(self) -> tuple[object, ...]:
        """The values that a ruling can change."""
        game = self.game
        return game.winner, game.ending, game.red_points, game.blue_points, self.state


class GameChange(Struct, frozen=True):
    """A stored game that counts differently."""

    id: str
    before: CountedGame
    after: CountedGame


class BotChange(Struct, frozen=True):
    """A bot whose row in the final ranking differs."""

    bot: str
    before: Standing
    after: Standing

    @property
    def keeps_place(self) -> bool:
        """True if only its points and games change."""
        return (self.before.rank, self.before.status) == (self.after.rank, self.after.status)


class RoundChange(Struct, frozen=True):
    """A round with other pairings."""

    number: int
    before: tuple[str, ...]
    """The pairings and byes, with the additional pairs of a knockout; empty if it is not paired."""
    after: tuple[str, ...]


class Consequences(Struct, frozen=True):
    """The consequences of a ruling."""

    games: tuple[GameChange, ...]
    bots: tuple[BotChange, ...]
    rounds: tuple[RoundChange, ...]
    to_play: tuple[str, ...]
    """Ids of games that are not played yet, and were not to be played before."""

    def go_beyond(self, ruling: Ruling) -> bool:
        """Return True if more changes than the game or the bot that a ruling names, and the points of its bots."""
        named = {ruling.game, ruling.bot}
        changed = [one for one in self.games if one.id == ruling.game]
        players = named | {bot for one in changed for bot in (one.before.game.red, one.before.game.blue)}
        return (
            bool(self.rounds)
            or len(self.to_play) > 1
            or any(one.id not in named for one in self.games)
            or any(one.bot not in players for one in self.bots)
            or any(not one.keeps_place and one.bot != ruling.bot for one in self.bots)
        )


def find_consequences(before: Schedule, after: Schedule) -> Consequences:
    """Compare the schedules of a tournament without and with a ruling."""
    games = [GameChange(game.id, _count(before, game), _count(after, game)) for game in after.history.as_played]
    rows = {one.bot: one for one in before.rank_all()}
    bots = (BotChange(one.bot, rows[one.bot], one) for one in after.rank_all())
    known = set(_list_waiting(before))
    old, new = map(_list_pairings, (before, after))
    rounds: list[RoundChange] = []
    for number in sorted({*old, *new}):
        if old[number] != new[number]:
            written = (
                tuple(one if count == 1 else f"{one} ({count} times)" for one, count in side[number].items())
                for side in (old, new)
            )
            rounds.append(RoundChange(number, *written))
    return Consequences(
        games=tuple(one for one in games if one.before.result != one.after.result),
        bots=tuple(one for one in bots if _list_values(one.before) != _list_values(one.after)),
        rounds=tuple(rounds),
        to_play=tuple(game_id for game_id in _list_waiting(after) if game_id not in known),
    )


def _count(schedule: Schedule, game: StoredGame) -> CountedGame:
    return CountedGame(schedule.history.apply(game) or game, schedule.uncounted.get(game.id, COUNTS))


def _list_values(one: Standing) -> tuple[object, ...]:
    return one.rank, one.points, one.games, one.status, one.withdrawn


def _list_waiting(schedule: Schedule) -> Iterator[str]:
    """Yield the ids of the games known so far that are not played."""
    stored = {game.id for game in schedule.history.as_played}
    return (fixture.id for fixture in schedule.fixtures if fixture.id not in stored)


def _list_pairings(schedule: Schedule) -> defaultdict[int, Counter[str]]:
    """Return the pairings and byes by the number of their round."""
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for one in (one for stage in schedule.stages for one in stage.rounds):
        for meeting in one.fixtures.meetings:
            found[meeting.round][f"{meeting.one} - {meeting.two}"] += 1
        for bye in one.byes:
            found[bye.round][f"{bye.bot}: {'absent' if bye.requested else 'bye'}"] += 1
    return found
