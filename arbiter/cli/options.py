"""Options of commands: help in two lengths, groups of options as one value, and options of many commands."""

import os
import re
from collections.abc import Callable
from functools import partial, reduce, wraps
from math import isfinite
from pathlib import Path
from typing import Any, Final

import click
from msgspec import Struct

from arbiter.errors import write_count
from arbiter.languages.catalogue import DEFAULT_LANGUAGE, LANGUAGES
from arbiter.show.tables.sheet import FORMATS

WIDE: Final = "arbiter.wide"  # in the context of a command: True if tables may be wider than the terminal
END: Final = "end"  # the last ply of a game
HELP_ALL: Final = "--help-all"
_IS_WHOLE: Final = "arbiter.help-all"  # in the context of a command: True if its help shows all options

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]


class _FilePath(click.Path):
    """A path that is not another option, which would be taken for the value that an option before it lacks."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        if isinstance(value, str) and value.startswith("--"):
            self.fail(f"{value!r} is an option; name a file before it, or write ./{value}", param, ctx)
        return super().convert(value, param, ctx)


PATH: Final = _FilePath(path_type=Path)


# --- commands and their help ----------------------------------------------------------------------


class Command(click.Command):
    """A command with help in two lengths: `--help` leaves out the options that are under a heading."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), _help_all_option]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; for an unknown option, suggest the option that has its name as a value."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            word = error.option_name.lstrip("-")
            choices = (one for one in self.params if isinstance(one.type, click.Choice) and word in one.type.choices)
            if found := " or ".join(f"'{one.opts[0]} {word}'" for one in choices):
                ctx.fail(f"No such option {error.option_name!r}. Did you mean {found}?")
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(param, "heading", "Options"), []).append(record)
        rare = {heading: records for heading, records in sections.items() if heading != "Options"}
        for heading, records in (sections if ctx.meta.get(_IS_WHOLE) else {"Options": sections["Options"]}).items():
            with formatter.section(heading):
                formatter.write_dl(records)
        if rare and not ctx.meta.get(_IS_WHOLE):
            count = sum(map(len, rare.values()))
            formatter.write(f"\n{ctx.command_path} {HELP_ALL} shows {write_count(count, 'more option')}.\n")


class Group(click.Group):
    """A command with subcommands, which have the rare options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--help"] if args == [HELP_ALL] else args)


class _HelpAllOption(click.Option):
    """The option for the whole help, which the help itself mentions in its last line."""

    def get_help_record(self, ctx: click.Context) -> None:
        return None

    def process_value(self, ctx: click.Context, value: object) -> object:
        """Show the help and exit, if the option is given."""
        if value and not ctx.resilient_parsing:
            ctx.meta[_IS_WHOLE] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().process_value(ctx, value)


_help_all_option: Final = _HelpAllOption(
    [HELP_ALL], is_flag=True, is_eager=True, expose_value=False, help="Show all options."
)


def command(function: Function) -> click.Command:
    """Make a command of a function."""
    return click.command(cls=Command)(function)


class _RareOption(click.Option):
    """An option that only the whole help shows, under a heading."""

    def __init__(self, *words: Any, heading: str, **settings: Any) -> None:  # noqa: ANN401 - those of click
        super().__init__(*words, **settings)
        self.heading = heading


def rare_option(heading: str) -> Callable[..., Decorator]:
    """Return `click.option` for options that only the whole help shows, under a heading."""
    return partial(click.option, cls=_RareOption, heading=heading)


def add_options(*options: Decorator) -> Decorator:
    """Make a decorator that adds several options to a command, in the given order."""
    return lambda function: reduce(lambda decorated, option: option(decorated), reversed(options), function)


def group_options(name: str, kind: type[Struct], *options: Decorator) -> Decorator:
    """Make a decorator that adds options; the command receives their values as one struct, in the parameter `name`."""

    def decorate(function: Function) -> Function:
        @wraps(function)
        def with_group(**given: Any) -> object:  # noqa: ANN401 - the values of options
            values = {field: given.pop(field) for field in fields}
            return function(**{name: kind(**values)}, **given)

        inner = len(getattr(function, "__click_params__", ()))  # the options of the function itself
        decorated = add_options(*options)(with_group)
        fields = [option.name for option in vars(decorated)["__click_params__"][inner:]]
        return decorated

    return decorate


# --- output ---------------------------------------------------------------------------------------

output_option = rare_option("Output")


class _Format(click.Choice[str]):
    """The format of a table."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == "html" and value not in self.choices:
            self.fail("'html' is not a table format; `arbiter report RESULTS -o DIR` writes web pages", param, ctx)
        return super().convert(value, param, ctx)


def make_format_options(*more: str, default: str | None = "table") -> Decorator:
    """Make a decorator that adds --format, --json and --wide; the command receives the format as `form`.

    `more` are formats that only this command has.
    """
    names = [*FORMATS, *more]

    def with_form(function: Function) -> Function:
        @wraps(function)
        def call(*, form: str | None, as_json: bool, **given: object) -> object:
            if as_json and form not in (None, "json"):
                raise click.UsageError(f"--json: is short for --format json; leave out --format {form}")
            return function(form="json" if as_json else form or default, **given)

        return call

    return lambda function: add_options(
        click.option(
            "--format",
            "form",
            type=_Format(names),
            metavar="FORMAT",
            help=f"{', '.join(names[:-1])} or {names[-1]}." + (f"  [default: {default}]" if default else ""),
        ),
        click.option("--json", "as_json", is_flag=True, help="Short for --format json."),
        output_option(
            "--wide",
            is_flag=True,
            expose_value=False,
            callback=lambda ctx, _param, value: ctx.meta.update({WIDE: value}),
            help="Show whole tables, even if they are wider than the terminal.",
        ),
    )(with_form(function))


format_options = make_format_options()
lang_option = output_option(
    "--lang",
    type=click.Choice(LANGUAGES),
    default=DEFAULT_LANGUAGE,
    show_default=True,
    help="Language of pages, of texts about a game, and of the page of rules.",
)


# --- games and positions of results ---------------------------------------------------------------

selection_option = rare_option("Selection")
series_option = selection_option(
    "--series", type=click.IntRange(1), help="Only this match of a results file with several. Default: all of them."
)


class Pattern(click.ParamType[str]):
    """A text that matches a pattern; `fault` describes in a message any other text."""

    def __init__(self, name: str, pattern: str, fault: str) -> None:
        self.name = name
        self._pattern = re.compile(pattern)
        self._fault = fault

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not self._pattern.fullmatch(value):
            self.fail(f"{value!r} {self._fault}", param, ctx)
        return value


PLY: Final = Pattern("ply", f"{END}|[0-9]{{1,9}}", f"is neither the number of a ply nor {END!r}")


class Speed(click.FloatRange):
    """Plies per second; nan is not allowed."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        speed: float = super().convert(value, param, ctx)
        return speed if isfinite(speed) else self.fail(f"{value} is not a number", param, ctx)
