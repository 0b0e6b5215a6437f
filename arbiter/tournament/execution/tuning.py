"""Play a tuning: its file, with the settings in the first line and then one line for each iteration, and its games.

If a tuning continues with more games, its settings follow again with the new number.
"""

import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS
from arbiter.games.chance import Key, Seed, derive_key
from arbiter.sandbox.files.entry import IGNORE_FILE
from arbiter.sandbox.files.untrusted import open_to_write, read_file
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.events import Void
from arbiter.tournament.execution.executor import GameSpecs
from arbiter.tournament.execution.local import Surroundings, try_game
from arbiter.tournament.fixture import Fixture, Fixtures, Meeting
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.tuning import Iteration, Probe, Spsa

PLUS: Final = "plus"
MINUS: Final = "minus"
SUFFIX: Final = ".jsonl"
_encoder: Final = msgspec.json.Encoder()


class Settings(Struct, frozen=True, kw_only=True, tag_field="type", tag="tune"):
    """The settings of a tuning; it continues only with the same ones, except for more games."""

    bot: str
    params: tuple[str, ...]
    rules: str
    options: tuple[str, ...]
    changes: tuple[str, ...] = ()
    """Other settings of the games, as KEY=VALUE."""
    position: str | None = None
    time: str
    start: float | None = None
    memory: int | None = None
    env: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    setups: str | None
    games: int
    seed: int
    rate: float
    secret: Key
    """Secret of all random choices; drawn when the tuning begins."""
    program: ProgramDigest | None = None
    """The program that is tuned; None if it has no files."""


class TuningFile:
    """Settings and iterations as JSON lines; each iteration is on disk before the next one begins."""

    def __init__(self, path: Path, settings: Settings) -> None:
        """Open or create a file.  Raises ConfigError if it is not one, or belongs to a tuning with other settings."""
        self._path = path
        self.iterations: list[Iteration] = []
        self.settings = settings
        if not path.exists():
            self._append(settings)
            return
        try:
            data = read_file(self._path)
        except OSError as error:
            raise ConfigError(f"{self._path}: cannot be read: {error.strerror}") from None
        whole, _, cut = data.rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        try:
            stored = msgspec.json.decode(lines[0] if lines else b"", type=Settings)
            for line in lines[1:]:
                found = msgspec.json.decode(line, type=Iteration | Settings)
                if isinstance(found, Settings):
                    stored = found
                else:
                    self.iterations.append(found)
        except msgspec.DecodeError as error:
            raise ConfigError(f"{self._path}: is not the file of a tuning ({error}); name another file") from None
        if stored.program is not None and settings.program is not None and not settings.program.is_same(stored.program):
            change = settings.program.describe_replacement(settings.bot, stored.program)
            raise ConfigError(
                f"{self._path}: {change}; name files that do not belong to the bot in {IGNORE_FILE}, or tune the new "
                "program with another file (--results)"
            )
        for field in Settings.__struct_fields__:
            before, now = getattr(stored, field), getattr(settings, field)
            if field not in ("secret", "program", "games") and before != now:
                raise ConfigError(
                    f"{self._path}: belongs to a tuning with other settings "
                    f"({field}: {_show(before)}, now {_show(now)}); "
                    "use the same ones to continue, or name another file with --results"
                )
        if cut:  # the last line of a killed run
            os.truncate(self._path, len(data) - len(cut))
        self.settings = stored

    def extend(self, games: int) -> None:
        """Continue with this number of games in all.  Raises ConfigError if they are fewer than before."""
        before = self.settings.games
        if games < before:
            raise ConfigError(
                f"--games {games}: the tuning in {self._path} has {before} games; write {before} to continue it, or "
                "more, or add --finish to end it"
            )
        if games > before:
            self.settings = replace(self.settings, games=games)
            self._append(self.settings)

    def add(self, iteration: Iteration) -> None:
        """Store an iteration.  Raises ConfigError."""
        self._append(iteration)
        self.iterations.append(iteration)

    def _append(self, line: Settings | Iteration) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(open_to_write(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as file:
                file.write(_encoder.encode(line) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ConfigError(f"{self._path}: cannot be written: {error.strerror}") from None


def _show(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def with_values(entry: BotEntry, name: str, values: Mapping[str, str]) -> BotEntry:
    """Return a bot with values of parameters, under another name.

    {NAME} in its command is replaced by the value; values that its command does not name become environment variables.
    """
    command = entry.command
    used = set()
    for parameter, value in values.items():
        place = f"{{{parameter}}}"
        if command is not None and any(place in word for word in command):
            command = [word.replace(place, value) for word in command]
            used.add(parameter)
    variables = {parameter: value for parameter, value in values.items() if parameter not in used}
    return replace(entry, name=name, command=command, env=entry.env | variables)


class Tuning:
    """A tuning: in each iteration a bot with all values moved by a step plays against itself with the opposite step."""

    def __init__(self, base: TournamentFile, folder: Path, spsa: Spsa) -> None:
        """Set up a tuning of the first bot of a file, whose paths are relative to `folder`.  Raises ConfigError."""
        self._base = base
        self._folder = folder
        self._spsa = spsa
        self.enter: Callable[[Program], Program] | None = None
        """Returns a program as it plays.  Default: as it is."""
        self.first = self._resolve(spsa.probe(1))
        """The tournament of the first iteration, which shows faults before anything is written."""

    def _resolve(self, probe: Probe) -> Tournament:
        entry = self._base.bots[0]
        bots = [with_values(entry, PLUS, probe.plus), with_values(entry, MINUS, probe.minus)]
        tournament = resolve(replace(self._base, bots=bots), self._folder)
        if self.enter is None:
            return tournament
        return replace(tournament, programs=tuple(map(self.enter, tournament.programs)))

    async def play(
        self, file: TuningFile, isolation: Isolation, jobs: int, pairs: int, report: Callable[[Iteration], None]
    ) -> None:
        """Play the iterations that are left, store each in a file, and report it.

        Raises ConfigError if a side loses all of its games by forfeit, because its values do not work at all.
        """
        spsa = self._spsa
        while spsa.pairs < spsa.total_pairs:
            probe = spsa.probe(pairs)
            seed = derive_key(file.settings.secret, "iteration", spsa.pairs)
            score = await play_pairs(self._resolve(probe), seed, probe.pairs, isolation, jobs)
            for count, values in ((score.forfeited, probe.plus), (score.forfeited_by_opponent, probe.minus)):
                if count == 2 * probe.pairs:
                    written = ", ".join(f"{name} {value}" for name, value in values.items())
                    raise ConfigError(f"the bot lost all games of an iteration by forfeit with {written}: {score.why}")
            file.add(spsa.update(probe, score.won, score.drawn, score.lost, score.endings))
            report(file.iterations[-1])


# --- pairs of games that are not stored -----------------------------------------------------------


_TRIES: Final = 3


class Score(Struct, frozen=True, kw_only=True):
    """Results of games as the first bot sees them."""

    won: int
    drawn: int
    lost: int
    forfeited: int
    """Games that the first bot lost by forfeit, alone or with the other one."""
    forfeited_by_opponent: int
    endings: Mapping[str, int]
    """Numbers of forfeited games, of either bot, by their endings."""
    why: str = ""
    """Reason of the last forfeit."""


async def play_pairs(tournament: Tournament, seed: Seed, pairs: int, isolation: Isolation, jobs: int) -> Score:
    """Play pairs of games between the two bots of a tournament, `jobs` games at a time.

    Raises ConfigError if a game is voided again and again.
    """
    one, two = tournament.file.bot_names
    specs = GameSpecs(tournament, seed)
    results: list[tuple[str | None, str, str]] = []  # winner, ending and reason of each game
    failures: list[ConfigError] = []
    limit = trio.CapacityLimiter(jobs)

    async def play(fixture: Fixture, nursery: trio.Nursery) -> None:
        async with limit:
            why = ""
            for _ in range(_TRIES):
                played = await try_game(fixture, specs.make(fixture), isolation, Surroundings(jobs))
                if isinstance(played, Void):
                    why = played.attempt.why.strip().rpartition("\n")[2]
                else:
                    result = played.game.result
                    results.append(
                        (None if result.winner is None else fixture.bots[result.winner], result.ending, result.why)
                    )
                    return
        failures.append(ConfigError(f"a game was voided {_TRIES} times: {why}"))
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        for fixture in Fixtures((Meeting(one, two, 1),), pairs):
            nursery.start_soon(play, fixture, nursery)
    if failures:
        raise failures[0]
    forfeits = [(winner, ending, why) for winner, ending, why in results if ending in FORFEITS]
    return Score(
        won=sum(winner == one for winner, _, _ in results),
        drawn=sum(winner is None for winner, _, _ in results),
        lost=sum(winner == two for winner, _, _ in results),
        forfeited=sum(winner != one for winner, _, _ in forfeits),
        forfeited_by_opponent=sum(winner != two for winner, _, _ in forfeits),
        endings=Counter(ending for _, ending, _ in forfeits),
        why=forfeits[-1][2] if forfeits else "",
    )
