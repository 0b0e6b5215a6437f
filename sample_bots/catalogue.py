"""The sample bots and the templates of `arbiter new-bot`, by name.  Bots do not import this file, to start fast."""

from typing import Final

from msgspec import Struct


class SampleBot(Struct, frozen=True):
    """A bot that comes with the arbiter."""

    name: str
    module: str
    """The module that runs it."""
    description: str


SAMPLE_BOTS: Final[dict[str, SampleBot]] = {
    bot.name: bot
    for bot in (
        SampleBot(
            "random", "sample_bots.random_player", "plays any legal action; the minimum that every bot must beat"
        ),
        SampleBot("hunter", "sample_bots.hunter", "scores every move by its expected gain and keeps attacking"),
        SampleBot("tracker", "sample_bots.tracker", "estimates hidden ranks and considers the enemy's answer"),
        SampleBot("strategist", "sample_bots.strategist", "the tracker with a deeper search and better estimates"),
        SampleBot("searcher", "sample_bots.searcher", "searches possible games, with the arbiter's rules"),
        SampleBot(
            "cards", "sample_bots.cards_player", "made for the card game: looks, counts, keeps its flag in the hand"
        ),
        SampleBot("resigner", "sample_bots.resigner", "resigns at once: the opponent if only one answer is asked for"),
        SampleBot("stdlib", "sample_bots.stdlib_player", "one file, standard library only: the one to start from"),
        SampleBot("kit", "sample_bots.kit_player", "the same, built on the kit for Python"),
    )
}


class Template(Struct, frozen=True):
    """A bot of this folder to start your own from: one file that plays every rule set.

    In `command` and `build`, {source} is replaced by the file and {program} by the file without its suffix.
    """

    language: str
    file: str
    name: str
    """The name that the bot gives itself, in quotes in its text."""
    command: str
    """The command that starts the bot."""
    description: str
    build: str | None = None
    """The command that compiles the bot, if it needs one."""
    has_kit: bool = False
    """True if the bot uses the kit for Python."""


TEMPLATES: Final = (
    Template("python", "stdlib_player.py", "stdlib", "{source}", "in Python, with the standard library only"),
    Template("python", "kit_player.py", "kit", "{source}", "in Python, with the kit", has_kit=True),
    Template("javascript", "javascript_player.js", "javascript", "node {source}", "in JavaScript, without packages"),
    Template(
        "c", "c_player.c", "c", "{program}", "in C, with the C library only", build="cc -O2 -o {program} {source}"
    ),
    Template(
        "cpp",
        "cpp_player.cpp",
        "cpp",
        "{program}",
        "in C++, with the C++ library only",
        build="c++ -std=c++17 -O2 -o {program} {source}",
    ),
    Template(
        "rust",
        "rust_player.rs",
        "rust",
        "{program}",
        "in Rust, without crates",
        build="rustc -O --crate-name bot -o {program} {source}",
    ),
    Template("go", "go_player.go", "go", "{program}", "in Go, without modules", build="go build -o {program} {source}"),
    Template(
        "java",
        "java_player.java",
        "java",
        "java -cp {program} Bot",
        "in Java, without libraries",
        build="javac -d {program} {source}",
    ),
    Template(
        "csharp",
        "csharp_player.cs",
        "csharp",
        "mono {program}",
        "in C#, with the .NET library only",
        build="mcs -out:{program} {source}",
    ),
)
