"""`arbiter submissions FILE`: the programs that authors have handed in."""

from pathlib import Path
from typing import Final

import click

from arbiter.cli.files import results_option
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import print_facts
from arbiter.director.files import results_file
from arbiter.errors import ConfigError
from arbiter.show.text import plain
from arbiter.submissions.store import SUFFIX, Submissions

_DIGITS: Final = 12  # of a digest


@command
@click.argument("file", type=PATH)
@click.argument("number", type=click.IntRange(1), required=False)
@results_option
@format_options
def submissions(file: Path, number: int | None, place: Path | None, form: str) -> None:
    """List the programs that were handed in for a tournament FILE, or show the check of the one with NUMBER."""
    known = Submissions(results_file(file, place).with_suffix(SUFFIX))
    if number is not None:
        if known.find(number) is None:
            raise ConfigError(f"NUMBER: no program with number {number} was handed in")
        steps = known.list_steps(number)
        print_facts("Steps", steps, form, lambda: "\n".join(str(step["text"]) for step in steps))
        return
    keys = ("number", "bot", "state", "created", "digest", "why")
    facts = [{key: getattr(one, key) for key in keys} for one in known.list_all()]
    rows = [
        f"{one['number']:>4}  {one['bot']:20} {one['state']:9} {one['created']}  {one['digest'][:_DIGITS]} {one['why']}"
        for one in facts
    ]
    print_facts("Submissions", facts, form, lambda: "\n".join(map(plain, rows)) or "Nobody has handed in a program.")
