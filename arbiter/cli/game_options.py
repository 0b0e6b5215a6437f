"""Options for the settings of a tournament file, the same in each command that plays without one."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from msgspec import Struct

from arbiter.cli.options import Command, add_options
from arbiter.cli.play_options import read_time, rule_change_option, rules_option, time_option
from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError, ConfigErrors, unknown_name
from arbiter.games.ruleset import Overrides
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.config.typed_toml import list_faults

_RULES: Final = Overrides.__struct_fields__
_TIME: Final = TimeSettings.__struct_fields__
_OTHERS: Final = ("on_illegal", "points", "suspend_after")
_TABLES: Final = {"rules": _RULES, "draws": _RULES, "time": _TIME}
_IN_TIME: Final = ("bank_s", "increment_s", "move_s")  # the parts of --time
MOST_MB: Final = 1_048_576
OPTIONS: Final = {"options": "option", "changes": "set"} | {
    name: name for name in ("position", "time", "start", "memory")
}
"""Parameters of these options, with the names of the options."""


class GameOptions(Struct, frozen=True, kw_only=True):
    """The options of `game_options`."""

    options: tuple[str, ...]
    changes: tuple[str, ...]
    """Settings as KEY=VALUE."""
    position: str | None
    """Position or the file that contains it."""
    time: str
    start: float | None
    memory: int | None

    @classmethod
    def take(cls, given: dict[str, Any]) -> "GameOptions":
        """Take the values of these options out of all that a command was given."""
        return cls(**{name: given.pop(name) for name in cls.__struct_fields__})

    def make_file(
        self,
        name: str,
        rules: str,
        bots: Sequence[BotEntry],
        changes: Mapping[str, object] | None = None,
        **more: object,
    ) -> TournamentFile:
        """Make the tournament file of these options; `more` are its other settings, `changes` those of the rules.

        Raises ConfigError.
        """
        tables = _read_changes(self.changes)
        overrides = {**tables.pop("rules"), **(changes or {})}
        time: dict[str, object] = msgspec.to_builtins(read_time(self.time))
        if self.start is not None:
            time["start_s"] = self.start
        raw = {
            "name": name[:200],
            "rules": {"base": rules, **overrides} if overrides else rules,
            "options": list(self.options),
            "position": None if self.position is None else _read_position(self.position),
            "bots": [self._limit(msgspec.to_builtins(bot)) for bot in bots],
            **more,
            **tables,
            "time": time | tables.pop("time"),
        }
        try:
            return msgspec.convert(raw, TournamentFile, strict=True)
        except msgspec.ValidationError as error:
            faults = list(list_faults(raw, TournamentFile)) or [str(error)]
            raise ConfigErrors(_name_option(fault) for fault in faults) from None

    def _limit(self, bot: dict[str, object]) -> dict[str, object]:
        return bot if self.memory is None else bot | {"memory_mb": self.memory}

    def check_for_rules(self, rules: Sequence[str]) -> None:
        """Check the options of a command that tests several rule sets if none is named.  Raises ConfigError."""
        tables = _read_changes(self.changes)
        for name in tables.keys() - _TABLES.keys():
            raise ConfigError(f"--set {name}: changes nothing that is tested; leave it out")
        given = [f"--option {option}" for option in self.options]
        given += [f"--set {name}" for name in tables["rules"]]
        given += ["--position"] if self.position is not None else []
        if given and not rules:
            raise ConfigError(f"{given[0]}: name the rule set that it belongs to, such as --rules us")


def _read_position(text: str) -> str:
    """Return a position as it is, or the contents of the file that has this name.  Raises ConfigError."""
    try:
        return Path(text).read_text("utf-8-sig") if Path(text).is_file() else text
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--position {text}: cannot be read: {error}") from None


def _read_changes(pairs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Read the values of `--set` into the tables of a tournament file.  Raises ConfigError."""
    tables: dict[str, Any] = {"rules": {}, "time": {}}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign:
            raise ConfigError(f"--set {pair}: must be KEY=VALUE, such as two_squares=0")
        first, _, rest = key.partition(".")
        name, _, item = (rest if first in _TABLES else key).partition(".")
        value = _read_value(text)
        if name in _TABLES.get(first, _RULES) and name in _RULES:
            if item:
                tables["rules"].setdefault(name, {})[item] = value
            else:
                tables["rules"][name] = value
        elif name in _TABLES.get(first, _TIME) and name in _TIME and not item:
            tables["time"][name] = value
        elif key in _OTHERS:
            tables[key] = value
        else:
            raise ConfigError(f"--set {pair}: {unknown_name('setting', key, (*_RULES, *_TIME, *_OTHERS))}")
    return tables


def _read_value(text: str) -> object:
    """Read a value as TOML; a word needs no quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _name_option(fault: str) -> str:
    """Put the option that sets a key in front of a fault."""
    key, _, rest = fault.partition(":")
    table, _, name = key.partition(".")
    if name in _IN_TIME:
        return f"--time, {name}:{rest}"
    return f"--set {name if table in _TABLES and name else key}:{rest}"


def game_options(rules: Callable[[Command], Command] = rules_option) -> Callable[[Command], Command]:
    """Make a decorator that adds the options to a command; `rules` is its option for the rule set."""
    return add_options(
        rules,
        rule_change_option,
        click.option(
            "--set",
            "changes",
            multiple=True,
            metavar="KEY=VALUE",
            help="Another setting of a tournament file, such as two_squares=0, army.scout=5, max_plies=500, clock=cpu, "
            "pondering=false or on_illegal=ask-again:3; may be repeated.",
        ),
        click.option("--position", metavar="POSITION|FILE", help="Start all games from this position."),
        time_option,
        click.option(
            "--start", type=click.FloatRange(0.1, 3600), help="Time limit for start-up in seconds. Default: 10."
        ),
        click.option(
            "--memory", type=click.IntRange(16, MOST_MB), metavar="MIB", help="Memory limit of each bot. Default: 2048."
        ),
    )
