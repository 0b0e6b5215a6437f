"""Bots to learn from and to play against.  They import protocol and nothing of the arbiter."""

from typing import Final

from msgspec import Struct


class SampleBot(Struct, frozen=True):
    """A bot that comes with the arbiter: what it is called, the module that runs it, what it does."""

    name: str
    module: str
    description: str


SAMPLE_BOTS: Final[dict[str, SampleBot]] = {
    bot.name: bot
    for bot in (
        SampleBot("random", "sample_bots.random_player", "plays any legal action; the floor every bot must beat"),
        SampleBot("hunter", "sample_bots.hunter", "weighs every move by what it may win, and keeps coming"),
        SampleBot("tracker", "sample_bots.tracker", "keeps track of what each hidden piece may be; minds the answer"),
        SampleBot("strategist", "sample_bots.strategist", "the tracker with a longer look and more insight"),
        SampleBot(
            "cards", "sample_bots.cards_player", "made for the card game: looks, counts, keeps its flag in the hand"
        ),
        SampleBot("stdlib", "sample_bots.stdlib_player", "one file, standard library only: the one to begin from"),
        SampleBot("kit", "sample_bots.kit_player", "the same on the kit for Python"),
    )
}


class Template(Struct, frozen=True):
    """A bot of this folder to begin one's own from, in one file that plays every rule set as it is.

    `name` is what it calls itself, in quotes in its text; `build` and `command` are what makes a program of it and
    what starts it, where {source} and {program} stand for the file and for the file without its ending.
    """

    language: str
    file: str
    name: str
    command: str
    description: str
    build: str | None = None
    has_kit: bool = False


TEMPLATES: Final = (
    Template("python", "stdlib_player.py", "stdlib", "{source}", "in Python, with the standard library only"),
    Template("python", "kit_player.py", "kit", "{source}", "in Python, on the kit", has_kit=True),
    Template("javascript", "javascript_player.js", "javascript", "node {source}", "in JavaScript, without packages"),
    Template(
        "c", "c_player.c", "c", "{program}", "in C, with the C library only", build="cc -O2 -o {program} {source}"
    ),
)
