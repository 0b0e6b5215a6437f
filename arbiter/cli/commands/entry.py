"""`arbiter entry BOT`: the files that belong to a bot, and its digest."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from arbiter.cli.completion import complete_bot
from arbiter.cli.options import command, format_options
from arbiter.cli.terminal import print_sheets
from arbiter.director.programs import digest_program
from arbiter.show.tables.sheet import Column, Sheet
from arbiter.tournament.config.bot_config import find_program, parse_bot
from arbiter.tournament.environments import LABEL

_ENTRY: Final[tuple[Column[Mapping[str, Any]], ...]] = (
    Column("bot", align="left"),
    Column("files", width="keep"),
    Column("size", "bytes", width="keep"),
    Column("interpreter", align="left"),
    Column("digest", align="left", width="keep"),
)
_FILES: Final[tuple[Column[Mapping[str, Any]], ...]] = (
    Column("file", align="left"),
    Column("kind", align="left"),
    Column("size", "bytes"),
    Column("digest", "start of its digest", align="left", width="keep"),
)


@command
@click.argument("bot", metavar="BOT", shell_complete=complete_bot)
@format_options
def entry(bot: str, form: str) -> None:
    """List the files that belong to BOT, and its digest.

    A match or a tournament plays with a copy of these files, and a bot in a sandbox sees no other files of its
    folder. BOT is given as for `arbiter match`. Caches, logs, notes, files of editors and what the arbiter writes are
    left out, and so is what a file .arbiterignore in the folder names, in the syntax of .gitignore.
    """
    here = Path.cwd()
    program = find_program(parse_bot(bot, here), here)
    found, files = digest_program(program)
    facts = {"bot": program.name, "files": found.files, "size": found.size, "interpreter": found.interpreter}
    rows = []
    for file in files:
        kind, _, digest = found.listing.get(file.name, "left out ").rpartition(" ")
        rows.append({"file": file.name, "kind": kind, "size": file.size, "digest": digest})
    for name, what in found.listing.items():
        if name.startswith(LABEL):
            kind, _, digest = what.rpartition(" ")
            rows.append({"file": name, "kind": kind, "size": None, "digest": digest})
    notes = (f"left out of the digest: {found.left_out}",) if found.left_out else ()
    sheets = [
        Sheet(title="Entry", kind="entry", columns=_ENTRY, items=[facts | {"digest": found.digest}], notes=notes),
        Sheet(title="Files", kind="file", columns=_FILES, items=rows),
    ]
    print_sheets(sheets, form)
