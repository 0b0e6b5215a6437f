"""`arbiter docs [PAGE]`: the pages of documentation that are installed with the arbiter."""

import shutil
import sys
from importlib.resources import files
from typing import Final

import click

from arbiter.cli.options import command, format_options
from arbiter.cli.terminal import has_colour, print_facts
from arbiter.show.page import draw_page

PAGES: Final = {
    "first-bot": ("sample_bots", "README.md", "Your first bot in ten minutes."),
    "protocol": ("protocol", "README.md", "The messages between the arbiter and bots."),
    "kit": ("protocol", "KIT.md", "The kit for bots in Python."),
    "bot-authors": ("arbiter", "pages/bot-authors.md", "Matches, tests of strength, logs, replaying a lost game."),
    "debugging": ("arbiter", "pages/debugging.md", "Find a bug: what you see, and which tool shows the cause."),
    "learning": ("arbiter", "pages/learning.md", "Games in one Python process, and reinforcement learning."),
    "tournaments": ("arbiter", "pages/tournaments.md", "Every key of the tournament file."),
    "positions": ("arbiter", "pages/positions.md", "Positions: how to write, check, draw and convert them."),
    "organisers": ("arbiter", "pages/organisers.md", "Running a tournament, rulings, the sandbox."),
    "arena": ("arbiter", "pages/arena.md", "A club evening with a ladder, authors, people and guests."),
    "scaling": ("arbiter", "pages/scaling.md", "Worker processes, clusters, and their speed."),
    "standings": ("arbiter", "pages/standings.md", "How standings and ratings are calculated."),
    "numbers": ("arbiter", "pages/numbers.md", "Simulations of ratings, intervals and sequential tests."),
    "watching": ("arbiter", "pages/watching.md", "Watching games, and playing against a bot."),
    "stability": ("arbiter", "pages/stability.md", "What stays the same until version 2.0."),
    "rules": ("arbiter", "games/README.md", "The sources of the rules, and decisions where the rule books are silent."),
}
"""Package, file in the package, and description of each page."""


@command
@click.argument("page", metavar="[PAGE]", type=click.Choice(list(PAGES)), required=False)
@format_options
def docs(page: str | None, form: str) -> None:
    """List the pages of documentation, or show PAGE.

    A terminal shows PAGE in its pager; a file or a pipe receives the page as Markdown.
    """
    if page is None:
        width = max(map(len, PAGES))
        pages = [{"page": name, "description": description} for name, (_, _, description) in PAGES.items()]
        lines = (f"{one['page']:<{width}}  {one['description']}" for one in pages)
        print_facts("Pages", pages, form, lambda: "\n".join(lines))
        return
    package, file, _ = PAGES[page]
    text = files(package).joinpath(file).read_text("utf-8")
    if sys.stdout.isatty():
        colour = has_colour()
        click.echo_via_pager(draw_page(text, shutil.get_terminal_size().columns, colour=colour), color=colour)
    else:
        click.echo(text, nl=False)
