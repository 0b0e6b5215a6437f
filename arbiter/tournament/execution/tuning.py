"""A tuning: its file, with the settings in the first line and then one line for each iteration, and its games.

If a tuning continues with more games, its settings follow again with the new number.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.formats import FormatNumber, check_format
from arbiter.games.base import FORFEITS
from arbiter.games.chance import Key
from arbiter.referee.game import GameSpec
from arbiter.sandbox.files.entry import IGNORE_FILE
from arbiter.sandbox.files.untrusted import open_to_write, read_file
from arbiter.sandbox.isolation import Program, list_variables, write_words
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.fixture import Fixture, Fixtures, Meeting
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.tuning import Iteration, Probe, Spsa

PLUS: Final = "plus"
MINUS: Final = "minus"
SUFFIX: Final = ".jsonl"
FORMAT: Final = 1
_encoder: Final = msgspec.json.Encoder()


class TuningSettings(Struct, frozen=True, kw_only=True, tag_field="type", tag="tune"):
    """The settings of a tuning; it continues only with the same ones, except for more games."""

    format: int = FORMAT
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

    def __init__(self, path: Path, settings: TuningSettings) -> None:
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
            first = lines[0] if lines else b""
            check_format(msgspec.json.decode(first, type=FormatNumber).format, FORMAT, self._path)
            stored = msgspec.json.decode(first, type=TuningSettings)
            for line in lines[1:]:
                found = msgspec.json.decode(line, type=Iteration | TuningSettings)
                if isinstance(found, TuningSettings):
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
        for field in TuningSettings.__struct_fields__:
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

    def _append(self, line: TuningSettings | Iteration) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(open_to_write(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as file:
                file.write(_encoder.encode(line) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ConfigError(f"{self._path}: cannot be written: {error.strerror}") from None


def locate_tuned_files(program: Program, values: Mapping[str, str]) -> Program:
    """Return a program in whose command the files that a value names have absolute paths, as other files have.

    Raises ConfigError if such a file is neither in the folder of the bot nor declared: no sandbox would show it.
    """
    base = program.base or program.folder
    places = [os.path.normpath(place) for place in (program.folder, *program.read)]

    def locate(word: str) -> str:
        [written] = write_words([word], values)
        path = Path(os.path.normpath(base / written))
        if written == word or "/" not in written or not path.exists():
            return word
        if not any(path.is_relative_to(place) for place in places):
            where = path.parent.relative_to(base) if path.is_relative_to(base) else path.parent
            raise ConfigError(
                f"bot: its command names {written}, which is not in its folder {program.folder}; add --read {where}, "
                "or move the file there; a tuning that is stored already must then begin again in another file"
            )
        return str(base / word)

    return replace(program, argv=tuple(map(locate, program.argv)), inner=tuple(map(locate, program.inner)))


def _show(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def with_parameters(entry: BotConfig, name: str, values: Mapping[str, str]) -> BotConfig:
    """Return a bot with values of its parameters, under another name, as `with_values` does with its program."""
    words = entry.command or []
    return replace(
        entry,
        name=name,
        command=entry.command and write_words(words, values),
        env=entry.env | list_variables(words, values),
    )


class TuningGames:
    """The games of a tuning, as a source of fixtures: one iteration after the other.

    In each of them, a bot with all values moved by a step plays against itself with the opposite step.
    """

    def __init__(self, file: TuningFile, spsa: Spsa, pairs: int, report: Callable[[Iteration], object]) -> None:
        """Play the iterations that are left, of `pairs` pairs of games; store each in a file, and report it."""
        self._file = file
        self._spsa = spsa
        self._pairs = pairs
        self._report = report
        self._probe: Probe | None = None
        self._left: Iterator[Fixture] = iter(())
        self._games: list[StoredGame] = []

    def take(self) -> Fixture | None:
        """Take the next game to play; None if others must finish first."""
        spsa = self._spsa
        if self._probe is None and spsa.pairs < spsa.total_pairs:
            self._probe = spsa.probe(self._pairs)
            self._left = iter(Fixtures((Meeting(PLUS, MINUS, 1, spsa.pairs + 1),), self._probe.pairs))
        return next(self._left, None)

    def adapt(self, fixture: Fixture, spec: GameSpec) -> GameSpec:
        """Choose the values of a game of this iteration."""
        probe = self._probe
        assert probe is not None  # noqa: S101 - its games are not over
        values = {seat: probe.plus if bot == PLUS else probe.minus for seat, bot in fixture.bots.items()}
        return replace(spec, values=values)

    def add(self, game: StoredGame) -> None:
        """Add a finished game; the last one of an iteration moves the values.

        Raises ConfigError if a side has lost all of its games by forfeit, because its values do not work at all.
        """
        self._games.append(game)
        probe = self._probe
        if probe is None or len(self._games) < 2 * probe.pairs:
            return
        games, self._games = self._games, []
        self._probe = None
        for bot, values in ((PLUS, probe.plus), (MINUS, probe.minus)):
            if all(bot in one.forfeiters for one in games):
                written = ", ".join(f"{name} {value}" for name, value in values.items())
                raise ConfigError(f"the bot lost all games of an iteration by forfeit with {written}: {game.why}")
        winners = Counter(None if one.winner is None else getattr(one, one.winner) for one in games)
        forfeits = Counter[str](one.ending for one in games if one.ending in FORFEITS)
        self._file.add(self._spsa.update(probe, winners[PLUS], winners[None], winners[MINUS], forfeits))
        self._report(self._file.iterations[-1])
