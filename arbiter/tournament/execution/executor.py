"""The games of a tournament as tasks, and an executor that plays them: this process, or a cluster."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol, Self, TypeGuard, get_args

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError
from arbiter.games.chance import Seed, derive_seed
from arbiter.games.ruleset import RuleSet
from arbiter.record import Follow, GameHeader, PlayerName
from arbiter.referee.game import GameSpec, PlayedGame
from arbiter.referee.pool import SharedParts
from arbiter.referee.session import GameSettings
from arbiter.referee.thread_link import Converse
from arbiter.remote.hub import NetworkPlayer
from arbiter.sandbox.isolation import Program
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.deals import draw_deal
from arbiter.tournament.events import Attempt, Void, VoidCause
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.machine import PlayingConditions
from protocol.reasons import KillEvidence
from protocol.words import SEATS

LAST_NOTE_S: Final = 5.0
"""Time to store that a game was stopped, if another program keeps the results locked."""

# --- excuses for killed bots ----------------------------------------------------------------------

# One replay for each game, and one for each bot if it may have done it itself.


_CERTAIN: Final = "sandbox_killed"  # no bot can cause it


def is_kill(cause: VoidCause) -> TypeGuard[KillEvidence]:
    """Return True if an attempt was voided because a bot was killed."""
    return cause in get_args(KillEvidence)


class UsedExcuses(Struct, frozen=True):
    """The replays that the bots of one game have used up."""

    in_game: frozenset[str] = frozenset()
    """Bots that have used the one of the game."""
    in_tournament: frozenset[str] = frozenset()
    """Bots that have used the one of the tournament."""


class Excuses:
    """The replays that killed bots have used up in a tournament.

    A bot can kill itself, use so much memory that the machine kills it, or lose its connection together with those of
    other authors.  So it has one such replay in the whole tournament: otherwise it could void each game that it is
    losing.  A kill that no bot can cause is excused in every game, but only once.
    """

    def __init__(self, attempts: Iterable[Attempt] = ()) -> None:
        """Count the voided attempts of earlier runs."""
        self._games: set[tuple[str, str]] = set()
        self._bots: set[str] = set()
        for attempt in attempts:
            if is_kill(attempt.cause) and attempt.bot is not None:
                self._note(attempt.id, attempt.bot, attempt.cause)

    def use(self, game_id: str, bot: str, evidence: KillEvidence) -> bool:
        """Return True if the game is voided because a bot was killed; False if the bot loses it."""
        if (game_id, bot) in self._games or (evidence != _CERTAIN and bot in self._bots):
            return False
        self._note(game_id, bot, evidence)
        return True

    def list_used(self, game_id: str, bots: Collection[str]) -> UsedExcuses:
        """List what the bots of a game have used up."""
        return UsedExcuses(
            frozenset(bot for bot in bots if (game_id, bot) in self._games), frozenset(self._bots.intersection(bots))
        )

    @classmethod
    def of_game(cls, game_id: str, used: UsedExcuses) -> Self:
        """Make the excuses of one game from what its bots have used up."""
        excuses = cls()
        excuses._games = {(game_id, bot) for bot in used.in_game}
        excuses._bots = set(used.in_tournament)
        return excuses

    def _note(self, game_id: str, bot: str, cause: VoidCause) -> None:
        self._games.add((game_id, bot))
        if cause != _CERTAIN:
            self._bots.add(bot)


# --- executors ------------------------------------------------------------------------------------


NoteVoid = Callable[[Void], Awaitable[None]]
"""Stores and announces a voided game."""


class Played(Struct, frozen=True):
    """A game that an executor has played."""

    game: PlayedGame
    conditions: PlayingConditions


class GameTask(Struct, frozen=True, kw_only=True):
    """A game for an executor to play, and what happens meanwhile."""

    fixture: Fixture
    make_spec: Callable[[float | None], GameSpec]
    """Makes the game for a machine of a speed; None if the speed was not measured."""
    excuses: Excuses
    """Decide if the game is voided when a bot is killed."""
    began: Callable[[str, str], None]
    """Called when the game begins, maybe long after it was handed over, with the host and the address of its worker."""
    is_wanted: Callable[[], bool]
    """Returns False if the game is not to begin any more, for example because the run is being stopped."""
    note: NoteVoid
    """Awaited if the game is voided, even if the run is stopped."""
    takes_place: bool = True
    """False for a game of a person, which lasts long and needs little of the processor."""
    follow: Follow | None = None
    """Called with each line of the record while the game is played."""
    played_by: Callable[[str], object] | None = None
    """Called with the address of the worker that has played the game, if a worker did."""


class Executor(Protocol):
    """A place where games are played."""

    isolation: str
    """Name of the isolation of the bots."""

    @property
    def plays_pairs(self) -> bool:
        """True if both games of a pair are to be handed over together, because one machine plays both."""

    @property
    def capacity(self) -> int:
        """The number of games that take a place and can be handed over now, including those in progress."""

    def open(
        self, changed: Callable[[], None], fail: Callable[[ConfigError], None], /
    ) -> AbstractAsyncContextManager[None]:
        """Prepare to play, and clean up at the end.

        `changed` is called when the capacity has changed, `fail` when no more games can be played.
        """

    @property
    def restarts(self) -> Mapping[str, int]:
        """For each bot, how often a process that had played a game could not play another one."""

    def discard(self, bots: Collection[str], /) -> None:
        """End the processes of bots that wait for another game."""

    async def try_games(self, tasks: Sequence[GameTask]) -> Sequence[Played | Void | None]:
        """Try once to play a game, or both games of a pair.

        The outcome of a game is None if it has not begun: it is not wanted any more, or that before it was voided.
        When this returns or is cancelled, the bots have ended.  Raises ConfigError.
        """


# --- the game of a fixture ------------------------------------------------------------------------


class GameSpecs:
    """Makes the games of a tournament."""

    def __init__(
        self, tournament: Tournament, seed: Seed, others: Mapping[str, NetworkPlayer | Converse] | None = None
    ) -> None:
        """Make games with `seed`, the key of the manifest; `others` are the players of other kinds, by name."""
        self._tournament = tournament
        self._kinds = {bot.name: bot.kind for bot in tournament.file.bots}
        self._seed = seed
        self._players: dict[str, Program | NetworkPlayer | Converse] = {
            program.name: program for program in tournament.programs
        }
        self._players |= others or {}

    def make(self, fixture: Fixture, speed: float | None = None, attempt: int = 0) -> GameSpec:
        """Make the game of a fixture after so many voided attempts; `speed` is that of the machine, if measured."""
        tournament = self._tournament
        names = fixture.bots
        deal = draw_deal(tournament, self._seed, fixture, attempt)
        shared: SharedParts | None = None
        if tournament.has_revealing_pairs or tournament.deployments:
            shared = SharedParts(deal.pair_seed, deal.parts)
        header = GameHeader(
            id=fixture.id,
            rules=tournament.file.rule_set,
            options=tuple(tournament.file.options),
            overrides=tournament.overrides,
            first=deal.first,
            position=deal.position,
            seed=deal.seed,
            bot_seeds=deal.bot_seeds,
            attempt=attempt or UNSET,
            seats={seat: PlayerName(names[seat], kind=self._kinds[names[seat]]) for seat in SEATS},
            time=tournament.file.time_at(speed),
        )
        game = header.game() if tournament.deployments else tournament.game
        spec = make_game_spec(header, game, tournament.file.time, tournament.retries, self._players)
        return replace(spec, shared=shared)


def strip_header(header: GameHeader) -> GameHeader:
    """Return the header of a record without what the players and the game fill in, to play the game again."""
    seats = {seat: PlayerName(header.seats[seat].name) for seat in SEATS}
    return replace(header, first=None, decks=UNSET, facts=None, seats=seats)


def make_game_spec(
    header: GameHeader,
    game: RuleSet,
    time: TimeSettings,
    retries: int,
    players: Mapping[str, Program | NetworkPlayer | Converse],
) -> GameSpec:
    """Make the game of a header; `time` is for a header without one, `retries` the illegal actions allowed."""
    seed = header.seed or 0
    return GameSpec(
        header=header,
        settings=GameSettings(
            name=f"g{derive_seed(seed, 'name', header.id):014x}",
            game=game,
            seed=seed,
            bot_seeds=header.bot_seeds or {},
            time=header.time or time,
            tries=retries,
        ),
        programs={seat: players[header.seats[seat].name] for seat in SEATS},
    )
