"""Under which conditions a bot is examined, and the games that it is to play, as values."""

from typing import Final

from msgspec import Struct

from arbiter.clock import TimeSettings
from arbiter.games.base import Game
from arbiter.games.catalogue import find_game
from arbiter.games.chance import derive
from arbiter.games.overrides import NO_OVERRIDES, Overrides
from arbiter.record import GameHeader, PlayerName
from arbiter.referee.session import GameSettings
from arbiter.sandbox.isolation import Isolation
from arbiter.sandbox.program import Program
from protocol.words import OPPONENT, SEATS, Seat

BOT: Final = "bot"
OTHER: Final = "opponent"


class Conditions(Struct, frozen=True, kw_only=True):
    """The program examined, whom it plays, in which tier, on which clock, from which seed, how many whole games."""

    program: Program
    opponent: Program
    tier: Isolation
    time: TimeSettings
    seed: int
    games: int


class Chosen(Struct, frozen=True):
    """A rule set by its name, and the options in force."""

    name: str
    options: tuple[str, ...] = ()

    def game(self) -> Game:
        """Find its rules.  Raises ConfigError."""
        return find_game(self.name, self.options)


class CheckGame(Struct, frozen=True, kw_only=True):
    """A game that the bot is to play: the rules and what is changed of them, its seat, which of several it is."""

    rules: Chosen
    seat: Seat
    about: str
    overrides: Overrides = NO_OVERRIDES
    position: str | None = None


def header(bout: CheckGame, conditions: Conditions) -> GameHeader:
    """Make the header of a bout's record."""
    names = {bout.seat: PlayerName(BOT), OPPONENT[bout.seat]: PlayerName(OTHER)}
    return GameHeader(
        id=f"check-{bout.about}",
        rules=bout.rules.name,
        options=bout.rules.options,
        overrides=bout.overrides,
        position=bout.position,
        first=None if bout.position is None else bout.seat,
        seed=derive(conditions.seed, bout.about),
        seats={seat: names[seat] for seat in SEATS},
        time=conditions.time,
    )


def terms(head: GameHeader, conditions: Conditions, *, last: bool) -> GameSettings:
    """Make the terms of the game that a header tells of."""
    seed = head.seed or 0
    return GameSettings(
        name=f"g{derive(seed, 'name'):014x}", game=head.game(), seed=seed, time=conditions.time, last=last
    )
