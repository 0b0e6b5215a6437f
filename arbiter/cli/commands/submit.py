"""`arbiter submit ADDRESS BOT`: submit a program to a tournament."""

import os
import re
import shlex
import sys
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from msgspec.structs import asdict

from arbiter.cli.completion import complete_bot
from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.options import command, format_options
from arbiter.cli.terminal import print_each, print_facts
from arbiter.errors import ConfigError, write_count
from arbiter.sandbox.isolation import Program
from arbiter.show.text import plain
from arbiter.submissions.client import Checked, Limits, Own, Promoted, SubmissionServer
from arbiter.submissions.store import BUILD, COMMAND
from arbiter.tournament.config.bot_config import NAME_PATTERN, find_program, parse_bot, rebase_command
from arbiter.tournament.entries import open_entries
from arbiter.tournament.execution.portable import make_portable
from arbiter.tournament.programs import ProgramDigests

TOKEN: Final = "ARBITER_TOKEN"  # noqa: S105 - the name of an environment variable
_ASK_EVERY_S: Final = 1.0


@command
@click.argument("address")
@click.argument("bot", metavar="BOT", required=False, shell_complete=complete_bot)
@click.option("--build", metavar="COMMAND", help="Build BOT there, in a sandbox without a network, as with 'make'.")
@click.option("--no-wait", is_flag=True, help="Do not wait for the check.")
@click.option("--list", "lists", is_flag=True, help="List your programs.")
@click.option("--promote", type=click.IntRange(1), metavar="NUMBER", help="Let this program of yours play.")
@click.option(
    "--rollback", type=click.IntRange(1), metavar="NUMBER", help="Let the version before this one play again."
)
@format_options
def submit(
    address: str,
    bot: str | None,
    build: str | None,
    form: str,
    promote: int | None,
    rollback: int | None,
    *,
    no_wait: bool,
    lists: bool,
) -> None:
    """Submit the program BOT at the ADDRESS of a tournament, and show its check step by step.

    BOT is given as for `arbiter match`, and the files that `arbiter entry` lists are sent. The token of the invitation
    is asked for, or is read from the environment variable ARBITER_TOKEN. Exit code: 0 if all steps pass, 1 if not.
    """
    if (bot is not None) + lists + (promote is not None) + (rollback is not None) != 1:
        raise ConfigError("give one of BOT, --list, --promote and --rollback")
    if build is not None and bot is None:
        raise ConfigError("--build: is for a BOT that is submitted; leave it out")
    packed = None if bot is None else _pack(bot, Path.cwd(), builds=build is not None)
    server = SubmissionServer(address, _read_token())
    if packed is not None:
        _submit_files(server, *packed, _split("--build", build or ""), form, waits=not no_wait)
    elif lists:
        own = server.ask(Own, "/own").programs
        rows = []
        for one in own:
            state = "plays" if one.plays else "quarantine" if one.crashed_in else one.state
            why = f"crashed in {', '.join(one.crashed_in)}" if one.crashed_in else one.why
            rows.append(f"{one.number:>4}  {state:10} {one.created}  {why}")
        text = "\n".join(map(plain, rows)) or "You have submitted no program."
        print_facts("Programs", [asdict(one) for one in own], form, lambda: text)
    else:
        what = f"/{rollback}/rollback" if promote is None else f"/{promote}/promote"
        found = server.ask(Promoted, what, b"")
        instead = f" instead of {found.instead_of}" if found.instead_of else ""
        print_facts("Versions", [asdict(found)], form, lambda: plain(f"{found.plays} plays{instead}"))


def _split(option: str, command: str) -> list[str]:
    """Split the command of an option into words.  Raises ConfigError."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"{option}: {error}") from None


def _submit_files(
    server: SubmissionServer, words: Sequence[str], archive: bytes, build: Sequence[str], form: str, *, waits: bool
) -> None:
    """Submit the files of a bot, and show its check.  Raises ConfigError."""
    limits = server.ask(Limits)
    if len(archive) > limits.max_mb << 20:
        raise ConfigError(f"BOT: its files have {len(archive) >> 20} MiB compressed; {limits.max_mb} are accepted")
    commands = {COMMAND: words} | ({BUILD: build} if build else {})
    headers = {name: msgspec.json.encode(command).decode("ascii", "strict") for name, command in commands.items()}
    found = server.ask(Checked, "", archive, headers)
    with print_each("Steps", form) as show:
        if form == "table":
            click.echo(plain(f"{found.bot}: submitted as number {found.number}"))
        if not waits:
            return
        found = _follow(server, found, show, shows_place=form == "table")
    if found.state == "refused":
        raise ConfigError(plain(f"number {found.number} is refused: {found.why}"))
    if form == "table":
        click.echo(f"\n{'all steps passed' if found.state == 'passed' else 'the check failed'}")
    if found.state != "passed":
        sys.exit(EXIT_NEGATIVE)


def _follow(
    server: SubmissionServer, found: Checked, show: Callable[[Mapping[str, Any], str], None], *, shows_place: bool
) -> Checked:
    """Show the steps of a check as they end; return what is known of the program at last.  Raises ConfigError."""
    shown = 0
    before = 0
    while True:
        for step in found.steps[shown:]:
            text = "\n".join(map(plain, str(step.get("text", "")).split("\n")))
            show({key: value for key, value in step.items() if key != "text"}, text)
        shown = len(found.steps)
        if found.is_over:
            return found
        if shows_place and found.before not in (0, before):
            click.echo(f"{write_count(found.before, 'program')} in the queue before it")
        before = found.before
        time.sleep(_ASK_EVERY_S)
        found = server.ask(Checked, f"/{found.number}")


def _pack(text: str, here: Path, *, builds: bool) -> tuple[list[str], bytes]:
    """Return the command of a bot, relative to its folder, and its compressed files; a build makes its program here.

    Raises ConfigError.
    """
    if builds:
        name, sign, command = text.partition("=")
        words = _split("BOT", command if sign and re.fullmatch(NAME_PATTERN, name) else text)
        if not words:
            raise ConfigError("BOT: is empty; name the program that --build makes, as in ./mybot")
        program = Program(name=text, argv=(*words,), folder=here)
    else:
        entry = parse_bot(text, here)
        program = find_program(entry, here)
        words = rebase_command(entry.command or [], here, program.folder)
    digests = ProgramDigests([program])
    with open_entries(None, digests) as entries:
        bot = make_portable(program, digests, entries)
    if bot.archive is None:
        raise ConfigError(f"BOT: {program.name} is part of the arbiter; submit a bot of your own")
    if bot.named:
        raise ConfigError(f"BOT: {next(iter(bot.named))} is outside its folder {program.folder}; put it there")
    compressor = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    return words, compressor.compress(bot.archive) + compressor.flush()


def _read_token() -> str:
    """Read the token from the environment, or ask for it.  Raises ConfigError."""
    if found := os.environ.get(TOKEN, "").strip():
        return found
    if not sys.stdin.isatty():
        raise ConfigError(f"{TOKEN}: is not set; it is the token of your invitation")
    asked: str = click.prompt("Token of your invitation", hide_input=True, err=True)
    return asked.strip()
