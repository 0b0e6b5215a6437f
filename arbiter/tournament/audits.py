"""Audits: a share of the games is played again on other workers after the last game, to find false results."""

from collections.abc import Awaitable, Iterable, Sequence
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from arbiter.games.chance import Seed, derive_seed
from arbiter.tournament.events import Attempt, Audited, Void, make_attempt
from arbiter.tournament.execution.executor import GameTask, Played
from arbiter.tournament.fixture import Fixture, find_stage
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame
from protocol.reasons import AuditDiffers

_SEEDS: Final = 1 << 53  # number of seeds that can be derived


class PlayAgain(Protocol):
    """Plays a game again on another machine than a host, or with one machine on another worker.

    Returns None if there is no other worker, or if the run is stopped before.  Raises ConfigError.
    """

    def __call__(self, task: GameTask, host: str, worker: str, /) -> Awaitable[Played | Void | None]: ...


def is_chosen(seed: Seed, game_id: str, share: float) -> bool:
    """Return True if a game is in the share that is audited; only a program that knows the seed can compute it."""
    return derive_seed(seed, "audit", game_id) < share * _SEEDS


def list_differences(game: StoredGame, other: Played) -> list[str]:
    """List the values of a stored game that another play of it does not have."""
    result = other.game.result
    values = (
        ("winner", game.winner or "none", result.winner or "none"),
        ("ending", game.ending, result.ending),
        ("plies", game.plies, result.plies or 0),
    )
    differences = [f"{name} {stored}, then {replayed}" for name, stored, replayed in values if stored != replayed]
    if game.fingerprint != other.game.unfinished.fingerprint:
        differences.append("other actions")
    return differences


class Audit(Struct, frozen=True):
    """A stored game that is to be played again."""

    game: StoredGame
    host: str
    """The machine that played it."""


class Audits:
    """The audits of a run."""

    def __init__(
        self,
        share: float,
        seed: Seed,
        games: Sequence[StoredGame],
        attempts: Iterable[Attempt],
        replay: PlayAgain,
    ) -> None:
        """Audit a share of the games, which may grow; those that differed in an earlier run are not audited again.

        `seed` is the key of the manifest, `attempts` are those of earlier runs.
        """
        self._share = share
        self._seed = seed
        self._games = games
        self._done = {attempt.id for attempt in attempts if attempt.cause == "audit"}
        self._next = 0
        self._workers: dict[str, str] = {}
        self.replay = replay
        self.same = 0
        self.differing: list[Attempt] = []
        self.left: list[StoredGame] = []
        """Games that could not be played again."""

    def note_worker(self, game_id: str, worker: str) -> None:
        """Note the worker that played a game, if the game is to be audited."""
        if is_chosen(self._seed, game_id, self._share):
            self._workers[game_id] = worker

    def find_worker(self, game_id: str) -> str:
        """Return the worker that played a game; empty if it was played in an earlier run."""
        return self._workers.get(game_id, "")

    def take(self) -> Audit | None:
        """Take the next game to audit; None if there is none left."""
        while self._next < len(self._games):
            game = self._games[self._next]
            self._next += 1
            if game.id in self._done or game.conditions is None or not game.took_place:
                continue
            if isinstance(game, RuledGame) and game.ruling.kind != "replay":  # the organiser has decided
                continue
            if is_chosen(self._seed, game.id, self._share):
                return Audit(game, game.conditions.host)
        return None

    def compare(self, game: StoredGame, other: Played, worker: str) -> Audited:
        """Compare a game with another play of it by a worker, and return the event; count it."""
        differences = list_differences(game, other)
        if not differences:
            self.same += 1
            return Audited(game)
        first = _describe_place(self.find_worker(game.id), "" if game.conditions is None else game.conditions.host)
        second = _describe_place(worker, other.conditions.host)
        reason = AuditDiffers(first, second, tuple(differences))
        attempt = replace(
            make_attempt(game, "audit", reason, other.game.unfinished.started, other.game.seconds),
            plies=other.game.result.plies or 0,
            conditions=other.conditions,
        )
        self.differing.append(attempt)
        return Audited(game, attempt)


def find_fixture(game: StoredGame) -> Fixture:
    """Return the fixture of a stored game."""
    return Fixture(game.id, game.round, game.red, game.blue, game.pair, find_stage(game.id))


def _describe_place(worker: str, host: str) -> str:
    return f"{host} ({worker})" if worker else host
