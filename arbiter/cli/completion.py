"""Completion of words by the shell: bots, rule sets and their options, and what results contain."""

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem
from msgspec import Struct
from msgspec.inspect import BoolType, LiteralType, UnionType, type_info

from arbiter.director.files import TOML, find_results
from arbiter.errors import ConfigError
from arbiter.games.catalogue import RULE_SETS, find_ruleset
from arbiter.tournament.config.entrants import read_tournament_file
from arbiter.tournament.results.store import Store
from sample_bots.bridges import BRIDGES
from sample_bots.catalogue import SAMPLE_BOTS

Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

SHIPPED_SUITE: Final = "first"
"""Name of the suite of positions that comes with the arbiter."""
_RESULTS: Final = ("results", "source", "named", "file")
"""Parameters that name results, in the commands that have one."""


_PLAIN: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+~-]*")
"""Words that mean themselves in every shell: names of bots, ids of games, and most names of files."""


def _select(words: Iterable[CompletionItem], incomplete: str) -> list[CompletionItem]:
    """Select the words that continue an incomplete one.

    bash inserts them as they are, so a word that it would expand or run is never offered: the file that
    names it may come from anybody.  Shells also split descriptions at the ends of lines.
    """
    plain = (word for word in words if _PLAIN.fullmatch(word.value) and (word.help or "").isprintable())
    return [word for word in plain if word.value.startswith(incomplete)]


def complete_path(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a path."""
    return [CompletionItem(incomplete, type="file")]


def complete_bot(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a sample bot or a bridge, or a path; files of this folder need no slash.

    The shell completes names of files that it has to quote.
    """
    if os.sep in incomplete:
        return complete_path(ctx, param, incomplete)
    bots = [CompletionItem(bot.name, help=bot.description) for bot in SAMPLE_BOTS.values()]
    bridges = [CompletionItem(bridge.name, help=bridge.description) for bridge in BRIDGES.values()]
    files = [
        CompletionItem(path.name)
        for path in sorted(Path().iterdir())
        if (path.suffix in (".py", TOML) or os.access(path, os.X_OK))
        and path.is_file()
        and not path.name.startswith(".")
    ]
    return _select([*bots, *bridges, *files], incomplete) or complete_path(ctx, param, incomplete)


def complete_rules(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a rule set."""
    return _select((CompletionItem(ruleset.name, help=ruleset.title) for ruleset in RULE_SETS), incomplete)


def complete_option(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete an option of the rule sets that `--rules` or the argument of that name contains."""
    named = ctx.params.get("rules") or ctx.args  # an argument is not assigned if an option still lacks its value
    options: dict[str, None] = {}
    for name in (named,) if isinstance(named, str) else named:
        with suppress(ConfigError):
            options |= dict.fromkeys(find_ruleset(name).offers)
    return _select(map(CompletionItem, options), incomplete)


def complete_setting(*keys: tuple[type[Struct], Iterable[str]]) -> Completion:
    """Return a function that completes KEY=VALUE: these fields of structs, and those of their values that are words."""

    def complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        words = []
        for kind, names in keys:
            for info in (field for field in type_info(kind).fields if field.name in names):  # type: ignore[attr-defined]
                words.append(f"{info.name}=")
                for one in info.type.types if isinstance(info.type, UnionType) else [info.type]:
                    values = one.values if isinstance(one, LiteralType) else ()
                    words += [f"{info.name}={value}" for value in ("true", "false")[: 2 * isinstance(one, BoolType)]]
                    words += [f"{info.name}={value}" for value in values]
        return [CompletionItem(word) for word in words if word.startswith(incomplete) and word != incomplete]

    return complete


def complete_suite(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of the suite that comes with the arbiter, or a path."""
    files = [CompletionItem(path.name) for path in sorted(Path().glob(f"*{TOML}"))]
    return _select([CompletionItem(SHIPPED_SUITE), *files], incomplete) or complete_path(ctx, param, incomplete)


def complete_game(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the id of a game in the results that the command line names."""

    def list_games(path: Path) -> list[CompletionItem]:
        file = find_results(path, ctx.params.get("place"))
        games = Store.read(file, ctx.params.get("series")).games()
        return [CompletionItem(game.id, help=f"{game.red} - {game.blue}") for game in games]

    return _select(_read_results(ctx, list_games), incomplete)


def complete_entrant(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a bot in the tournament that the command line names."""

    def list_entrants(path: Path) -> list[CompletionItem]:
        if path.suffix == TOML:
            names = list(read_tournament_file(path).bot_names)
        else:
            names = [bot.name for bot in Store.read(find_results(path)).manifest.tournament.bots]
        return [CompletionItem(name) for name in names]

    return _select(_read_results(ctx, list_entrants), incomplete)


def _read_results(ctx: click.Context, read: Callable[[Path], list[CompletionItem]]) -> list[CompletionItem]:
    """Read the results that the command line names; they contain nothing if they cannot be read."""
    named = (found for name in _RESULTS if (found := ctx.params.get(name)))
    # If an option still lacks its value, click has not assigned the arguments.
    path = next(map(Path, chain(named, ctx.args)), None)
    if path is None:
        return []
    try:
        return read(path)
    except (ConfigError, OSError, ValueError, KeyError, TypeError):
        return []  # a shell that completes a word has no place for an error
