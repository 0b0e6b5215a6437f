"""Options for the settings of a tournament file, the same in each command that plays without one."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

import click
import msgspec
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import replace

from arbiter.cli.completion import complete_option, complete_path, complete_rules, complete_setting
from arbiter.cli.options import Decorator, Pattern, group_options, rare_option
from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError, ConfigErrors, unknown_name
from arbiter.games.catalogue import find_game
from arbiter.games.chance import KEY_BYTES, Key
from arbiter.games.ruleset import Overrides, RuleSet
from arbiter.sandbox.files.untrusted import read_text
from arbiter.sandbox.select import IsolationName
from arbiter.tournament.config.bot_config import BotConfig, Variable, VariableValue
from arbiter.tournament.config.tournament import choose_first
from arbiter.tournament.config.tournament_file import FirstSeat, RulesTable, TournamentFile
from arbiter.tournament.config.typed_toml import list_faults

NO_SECRET: Final[Key] = "0" * 2 * KEY_BYTES
"""Secret of events that need none, so that the seed alone repeats them."""
MOST_MB: Final = 1_048_576
_RULES: Final = Overrides.__struct_fields__
_TIME: Final = TimeSettings.__struct_fields__
_OTHERS: Final = ("deals", "first", "on_illegal", "points", "suspend_after")
_TABLES: Final = {"rules": _RULES, "draws": _RULES, "time": _TIME}
_IN_TIME: Final = ("bank_s", "increment_s", "move_s")  # the parts of --time
_TIME_CONTROL: Final = re.compile(r"(?P<bank>\d+(\.\d+)?)(\+(?P<increment>\d+(\.\d+)?))?(/(?P<move>\d+(\.\d+)?))?")
_OPTIONS: Final = {"options": "option", "changes": "set"}
"""Parameters of these options whose names differ from the names of the options."""

game_option = rare_option("Game and bots")
machine_option = rare_option("Machine")


class GameOptions(Struct, frozen=True, kw_only=True):
    """The values of `game_options`."""

    rules: tuple[str, ...]
    """The rule set; a check may have none or several."""
    options: tuple[str, ...]
    changes: tuple[str, ...]
    """Settings as KEY=VALUE."""
    position: str | None
    """Position or the file that contains it."""
    time: str
    start: float | None
    memory: int | None
    env: tuple[str, ...]
    """Environment variables as NAME=VALUE, of all bots, or of one as BOT:NAME=VALUE."""
    read: tuple[str, ...]
    """Files and folders that all bots may read, or one as BOT:PATH."""
    sandbox: IsolationName | None

    def make_file(
        self,
        name: str,
        bots: Sequence[BotConfig],
        changes: Mapping[str, object] | None = None,
        rules: str | None = None,
        **more: object,
    ) -> TournamentFile:
        """Make the tournament file of these options; `more` are its other settings, `changes` those of the rules.

        `rules` is the rule set.  Default: the one of the options.  Raises ConfigError.
        """
        tables = _read_changes(self.changes)
        overrides = {**tables.pop("rules"), **(changes or {})}
        base = rules or self.rules[0]
        position = None if self.position is None else _read_position(self.position)
        found = _TIME_CONTROL.fullmatch(self.time)
        if found is None:
            raise ConfigError(
                f"--time {self.time}: must be seconds as BANK+INCREMENT/MOVE, such as 60, 60+0.1 or 60+0.1/5"
            )
        time = {"bank_s": float(found["bank"]), "increment_s": float(found["increment"] or 0)}
        move = {"move_s": None if found["move"] is None else float(found["move"])}
        start = {} if self.start is None else {"start_s": self.start}
        raw = {
            "name": name[:200],
            "rules": {"base": base, **overrides} if overrides else base,
            "options": list(self.options),
            "position": position,
            "bots": [msgspec.to_builtins(bot) for bot in self.equip(bots)],
            **more,
            **tables,
            "time": {**time, **move, **start, **tables.pop("time")},
        }
        try:
            return msgspec.convert(raw, TournamentFile, strict=True)
        except msgspec.ValidationError as error:
            faults = list(list_faults(raw, TournamentFile)) or [str(error)]
            raise ConfigErrors(map(_name_option, faults)) from None

    def equip(self, bots: Sequence[BotConfig]) -> list[BotConfig]:
        """Return the bots with the memory limit, variables and files of these options.  Raises ConfigError."""
        limit = {} if self.memory is None else {"memory_mb": self.memory}
        equipped = [replace(bot, **limit) for bot in bots]  # a bot may be its own opponent, with the same name
        for text in self.env:
            names, pair = _split_bot(text, bots)
            variable, sign, value = pair.partition("=")
            try:
                variables = msgspec.convert({variable: value}, dict[Variable, VariableValue])
            except msgspec.ValidationError:
                sign = ""
            if not sign:
                raise ConfigError(
                    f"--env {text}: must be NAME=VALUE for all bots, or BOT:NAME=VALUE, such as DEPTH=5 or "
                    f"{bots[0].name}:DEPTH=5; NAME has letters, digits and _"
                )
            equipped = [replace(bot, env=bot.env | variables) if bot.name in names else bot for bot in equipped]
        for text in self.read:
            names, path = _split_bot(text, bots)
            if not Path(path).exists():
                raise ConfigError(f"--read {text}: there is no {path!r}; name files and folders")
            equipped = [replace(bot, read=[*bot.read, path]) if bot.name in names else bot for bot in equipped]
        return equipped

    def list_rule_changes(self, *tested: str) -> list[str]:
        """List the options that belong to a rule set, for a command that tests a bot.

        Raises ConfigError if there is a setting of tournaments, except those `tested`, that changes nothing in a test.
        """
        tables = _read_changes(self.changes)
        for name in tables.keys() - _TABLES.keys() - set(tested):
            raise ConfigError(f"--set {name}: changes nothing that is tested; leave it out")
        given = [f"--option {option}" for option in self.options] + [f"--set {name}" for name in tables["rules"]]
        return [*given, "--position"] if self.position is not None else given


class _GameTable(RulesTable, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a tournament file that change the rules."""

    first: FirstSeat | None = None


def write_game_options(file: TournamentFile) -> list[str]:
    """Return the words of a command line that select the rules, the position and the clock of a tournament."""
    words = ["--rules", file.rule_set]
    words += (word for option in file.options for word in ("--option", option))
    changes = msgspec.to_builtins(file.merge_overrides()) | ({} if file.first is None else {"first": file.first})
    for key, value in changes.items():
        items = {f"{key}.{item}": one for item, one in value.items()} if isinstance(value, dict) else {key: value}
        words += (word for name, one in items.items() for word in ("--set", f"{name}={one}"))
    if file.position is not None:
        words += ["--position", file.position]
    time = file.time
    changed = {name: value for name in _TIME if (value := getattr(time, name)) != getattr(TimeSettings(), name)}
    if [changed.pop(name) for name in _IN_TIME if name in changed]:
        words += ["--time", f"{time.bank_s:g}+{time.increment_s:g}{f'/{time.move_s:g}' if time.move_s else ''}"]
    if "start_s" in changed:
        words += ["--start", f"{changed.pop('start_s'):g}"]
    for name, value in changed.items():
        text = str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else value
        words += ["--set", f"{name}={text}"]
    return words


def refuse_game_options(file: str, *names: str) -> None:
    """Raise ConfigError if one of these options is given, because `file` sets it."""
    ctx = click.get_current_context()
    for name in names:
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise ConfigError(f"--{_OPTIONS.get(name, name)}: {file} sets it; leave it out")


def find_changed_rules(name: str, options: Sequence[str], changes: Sequence[str]) -> RuleSet:
    """Find a rule set and apply its options, and the values of `--set`.  Raises ConfigError."""
    tables = _read_changes(changes)
    raw = {"base": name, **tables.pop("rules")} | {key: tables.pop(key) for key in ["first"] if key in tables}
    others = [key for table, keys in tables.items() for key in (keys if table in _TABLES else [table])]
    if others:
        raise ConfigError(f"--set {others[0]}: is not a setting of the rules; leave it out")
    try:
        table = msgspec.convert(raw, _GameTable, strict=True)
    except msgspec.ValidationError:
        raise ConfigErrors(map(_name_option, list_faults(raw, _GameTable))) from None
    game = find_game(name, options, Overrides(**{key: getattr(table, key) for key in _RULES}))
    return game if table.first is None else choose_first(game, table.first)


def _split_bot(text: str, bots: Sequence[BotConfig]) -> tuple[list[str], str]:
    """Split the name of a bot from the start of a value; return the bots that it is for, by default all programs."""
    name, sign, rest = text.partition(":")
    programs = [bot.name for bot in bots if bot.kind == "program"]
    return ([name], rest) if sign and name in programs else (programs, text)


def _read_position(text: str) -> str:
    """Return a position as it is, or the contents of the file that has this name.  Raises ConfigError."""
    try:
        return read_text(text) if Path(text).is_file() else text
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
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except (tomllib.TOMLDecodeError, RecursionError):
            value = text  # a word needs no quotes
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


def _name_option(fault: str) -> str:
    """Put the option that sets a key in front of a fault."""
    key, _, rest = fault.partition(":")
    table, _, name = key.partition(".")
    if name in _IN_TIME:
        return f"--time, {name}:{rest}"
    return f"--set {name if table in _TABLES and name else key}:{rest}"


rules_option = click.option(
    "--rules",
    default="original",
    show_default=True,
    shell_complete=complete_rules,
    callback=lambda _ctx, _param, value: (value,),
    metavar="NAME",
    help="Rule set; see `arbiter rules`.",
)
rule_change_option = game_option(
    "--option",
    "--options",
    "options",
    multiple=True,
    shell_complete=complete_option,
    help="Option of the rule set; may be repeated.",
)
sandbox_option = machine_option(
    "--sandbox",
    type=click.Choice(get_args(IsolationName)),
    help="full: require a sandbox. process: no sandbox. Default: use one if this machine supports it.",
)


secret_option = game_option(
    "--secret",
    type=Pattern(
        "hex",
        f"[0-9a-fA-F]{{{2 * KEY_BYTES}}}",
        f"is not a secret of {2 * KEY_BYTES} hex digits; `openssl rand -hex {KEY_BYTES}` makes one, and `arbiter "
        "status` shows that of a finished tournament",
    ),
    callback=lambda _ctx, _param, value: value and value.lower(),
    metavar="HEX",
    help="Secret of all random choices, 32 hex digits; the same seed and secret repeat all games. Default: random.",
)


def make_game_options(rules: Decorator, *, offers_position: bool = True) -> Decorator:
    """Make a decorator that adds the options; the command gets a GameOptions `game`.  `rules` is the first option.

    Without `offers_position`, the command refuses --position, and its help leaves it out.
    """
    return group_options(
        "game",
        GameOptions,
        rules,
        click.option(
            "--time",
            default="60+0.1",
            show_default=True,
            metavar="BANK+INC/MOVE",
            help="Clock in seconds, e.g. 60+0.1/5.",
        ),
        rule_change_option,
        game_option(
            "--set",
            "changes",
            multiple=True,
            shell_complete=complete_setting((Overrides, _RULES), (TimeSettings, _TIME), (TournamentFile, _OTHERS)),
            metavar="KEY=VALUE",
            help="Another setting of a tournament file, such as two_squares=0, army.scout=5, max_plies=500, clock=cpu, "
            "pondering=false or on_illegal=ask-again:3; may be repeated.",
        ),
        game_option(
            "--position",
            metavar="POSITION|FILE",
            hidden=not offers_position,
            help="Start all games from this position.",
        ),
        machine_option(
            "--start",
            type=click.FloatRange(0.1, 3600),
            metavar="SECONDS",
            help="Time limit for start-up of a bot. Default: 10.",
        ),
        machine_option(
            "--memory", type=click.IntRange(16, MOST_MB), metavar="MIB", help="Memory limit of each bot. Default: 2048."
        ),
        game_option(
            "--env",
            multiple=True,
            metavar="[BOT:]NAME=VALUE",
            help="Environment variable of all bots, or of one; may be repeated.",
        ),
        game_option(
            "--read",
            multiple=True,
            shell_complete=complete_path,
            metavar="[BOT:]PATH",
            help="File or folder that all bots may read in the sandbox, or one; may be repeated.",
        ),
        sandbox_option,
    )


game_options = make_game_options(rules_option)
