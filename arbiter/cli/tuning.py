"""The file of a tuning: its settings in the first line, then one line for each iteration."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.chance import Key
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.tuning import Iteration, Parameter

_encoder: Final = msgspec.json.Encoder()


class Settings(Struct, frozen=True, kw_only=True, tag_field="type", tag="tune"):
    """The settings of a tuning; a tuning continues only with the same ones."""

    bot: str
    params: tuple[str, ...]
    rules: str
    options: tuple[str, ...]
    time: str
    setups: str | None
    games: int
    seed: int
    rate: float
    secret: Key
    """Secret of all random choices; drawn when the tuning begins."""


class TuningFile:
    """Settings and iterations as JSON lines; each iteration is on disk before the next one begins."""

    def __init__(self, path: Path, settings: Settings) -> None:
        """Open or create a file.  Raises ConfigError if it is not one, or belongs to a tuning with other settings."""
        self._path = path
        self.iterations: list[Iteration] = []
        if not path.exists():
            self.settings = settings
            self._append(settings)
            return
        self.settings = self._read(settings)

    def _read(self, asked: Settings) -> Settings:
        try:
            data = self._path.read_bytes()
        except OSError as error:
            raise ConfigError(f"{self._path}: cannot be read: {error.strerror}") from None
        whole, _, cut = data.rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        try:
            stored = msgspec.json.decode(lines[0] if lines else b"", type=Settings)
            self.iterations = [msgspec.json.decode(line, type=Iteration) for line in lines[1:]]
        except msgspec.DecodeError as error:
            raise ConfigError(f"{self._path}: is not the file of a tuning ({error}); name another file") from None
        for field in Settings.__struct_fields__:
            before, now = getattr(stored, field), getattr(asked, field)
            if field != "secret" and before != now:
                raise ConfigError(
                    f"{self._path}: belongs to a tuning with other settings ({field}: {_show(before)}, now {_show(now)}); "
                    "use the same ones to continue, or name another file with --results"
                )
        if cut:  # the last line of a killed run
            with self._path.open("r+b") as file:
                file.truncate(len(data) - len(cut))
        return stored

    def add(self, iteration: Iteration) -> None:
        """Store an iteration.  Raises ConfigError."""
        self._append(iteration)
        self.iterations.append(iteration)

    def _append(self, line: Settings | Iteration) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
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


def list_arguments(entry: BotEntry, parameters: Sequence[Parameter]) -> list[str]:
    """List the parameters that the command of a bot names."""
    words = entry.command or []
    return [one.name for one in parameters if any(f"{{{one.name}}}" in word for word in words)]
