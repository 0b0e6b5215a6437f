"""Who may import whom, and what stands in one place only: read from the source, not run."""

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = sorted(path for top in ("arbiter", "protocol", "sample_bots") for path in (ROOT / top).rglob("*.py"))

# What each package may import besides itself; the longest name that matches a module decides.
MAY_IMPORT = {
    "protocol": (),
    "sample_bots": ("protocol",),
    "arbiter": (),
    "arbiter.errors": ("arbiter", "protocol"),
    "arbiter.clock": ("protocol",),
    "arbiter.games": ("arbiter.errors", "protocol"),
    "arbiter.transcript": ("arbiter.games", "protocol"),
    "arbiter.record": ("arbiter.games", "arbiter.clock", "protocol"),
    "arbiter.verify": ("arbiter.record", "arbiter.games", "arbiter.errors", "protocol"),
    "arbiter.sandbox": ("arbiter.errors", "arbiter.clock", "protocol"),
    "arbiter.referee": (
        "arbiter.sandbox",
        "arbiter.record",
        "arbiter.transcript",
        "arbiter.games",
        "arbiter.clock",
        "arbiter.errors",
        "arbiter",
        "protocol",
    ),
    "arbiter.tournament.fixture": ("protocol",),
    "arbiter.tournament.events": ("arbiter.transcript", "arbiter.tournament.fixture", "arbiter.tournament.standings"),
    "arbiter.tournament.live_values": ("arbiter.tournament.events", "arbiter.tournament.fixture"),
    "arbiter.tournament.standings": ("arbiter.tournament.fixture", "arbiter.games", "arbiter.errors", "protocol"),
    "arbiter.tournament.ratings": (
        "arbiter.tournament.standings",
        "arbiter.tournament.fixture",
        "arbiter.games",
        "arbiter.errors",
        "protocol",
    ),
    "arbiter.tournament": (
        "sample_bots",
        "arbiter.referee",
        "arbiter.sandbox",
        "arbiter.verify",
        "arbiter.record",
        "arbiter.transcript",
        "arbiter.games",
        "arbiter.clock",
        "arbiter.errors",
        "arbiter",
        "protocol",
    ),
    "arbiter.preflight.evidence": ("arbiter.games", "arbiter.errors", "protocol"),
    "arbiter.preflight.mistakes": ("arbiter.preflight.evidence", "protocol"),
    "arbiter.preflight": (
        "arbiter.referee",
        "arbiter.sandbox",
        "arbiter.verify",
        "arbiter.record",
        "arbiter.transcript",
        "arbiter.games",
        "arbiter.clock",
        "arbiter.errors",
        "protocol",
    ),
    "arbiter.show": (
        "arbiter.preflight.evidence",
        "arbiter.tournament.events",
        "arbiter.tournament.fixture",
        "arbiter.tournament.live_values",
        "arbiter.tournament.ratings",
        "arbiter.tournament.standings",
        "arbiter.verify",
        "arbiter.record",
        "arbiter.transcript",
        "arbiter.games",
        "arbiter.clock",
        "arbiter.errors",
        "arbiter",
        "protocol",
    ),
    "arbiter.serve": (
        "arbiter.transcript",
        "arbiter.show",
        "arbiter.tournament.events",
        "arbiter.tournament.standings",
        "arbiter.record",
        "arbiter.games",
        "arbiter.errors",
        "protocol",
    ),
    "arbiter.cli": (
        "sample_bots",
        "arbiter.serve",
        "arbiter.show",
        "arbiter.preflight",
        "arbiter.tournament",
        "arbiter.referee",
        "arbiter.sandbox",
        "arbiter.verify",
        "arbiter.record",
        "arbiter.transcript",
        "arbiter.games",
        "arbiter.clock",
        "arbiter.errors",
        "arbiter",
        "protocol",
    ),
    "arbiter.__main__": ("arbiter.cli",),
}
# A command imports what commands share, never another command.
COMMANDS = "arbiter.cli.commands"

# Whose business a module from outside is; nobody else imports it.
AT_HOME = {
    "trio": (
        "arbiter.sandbox",
        "arbiter.referee",
        "arbiter.tournament.arena",
        "arbiter.preflight",
        "arbiter.serve",
        "arbiter.cli.signals",
    ),
    "sqlite3": ("arbiter.tournament.results.store", "arbiter.tournament.results.database"),
    "click": ("arbiter.cli",),
    "rich": ("arbiter.show",),
    "tabulate": ("arbiter.show",),
    "textual": ("arbiter.show.watch",),
    "jinja2": ("arbiter.show.report",),
    "markupsafe": ("arbiter.show.report",),
    "networkx": ("arbiter.tournament.schedule.pairing",),
    "numpy": (
        "arbiter.tournament.ratings.bradley_terry",
        "arbiter.tournament.ratings.bootstrap",
        "arbiter.tournament.ratings.rate",
    ),
    "starlette": ("arbiter.serve",),
    "h11": ("arbiter.serve",),
    "subprocess": ("arbiter.sandbox", "arbiter.cli.serving", "sample_bots.bridges.child"),
    "random": ("arbiter.games.chance", "protocol.bot", "sample_bots"),
}
# What the rules may not know of: processes, files, clocks.
PURE = "arbiter.games"
IMPURE = {"os", "io", "pathlib", "time", "datetime", "socket", "threading", "secrets", "random", "tempfile", "trio"}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(text):
    """Return the modules that a source text imports, wherever it does; `from a import b` is `a` and `a.b`."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            found |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def within(module, package):
    return module == package or module.startswith(f"{package}.")


def package_of(module):
    """Return the longest name in MAY_IMPORT that a module belongs to."""
    names = [name for name in MAY_IMPORT if within(module, name)]
    assert names, f"{module} is in no package of MAY_IMPORT"
    return max(names, key=len)


def breaches(module, text):
    """Say which rules a module's source text breaks."""
    taken = imports(text)
    return [
        *_of_layers(module, taken),
        *(
            f"{module} imports {outside}, which is the business of {', '.join(homes)}"
            for outside, homes in AT_HOME.items()
            if any(within(name, outside) for name in taken) and not any(within(module, home) for home in homes)
        ),
        *(f"{module} imports {name}: the rules are pure" for name in sorted(taken & IMPURE - _allowed(module))),
    ]


def _allowed(module):
    if not within(module, PURE):
        return IMPURE
    return {"random"} if module == "arbiter.games.chance" else set()


def _of_layers(module, taken):
    ours = [name for name in sorted(taken) if name.split(".")[0] in {"arbiter", "protocol", "sample_bots"}]
    return [f"{module} imports {name}" for name in ours if not _may(module, name)]


def _may(module, name):
    if within(module, COMMANDS) and within(name, COMMANDS):
        return within(name, module)
    home, there = package_of(module), package_of(name)
    return any(
        there == package or (package != "arbiter" and within(there, package)) for package in (home, *MAY_IMPORT[home])
    )


def calls_and_catches(text):
    """Count calls of print and handlers that catch everything."""
    found = Counter()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            found["print"] += not any(word.arg == "file" for word in node.keywords)
        if isinstance(node, ast.ExceptHandler):
            caught = node.type.id if isinstance(node.type, ast.Name) else None
            found["except Exception"] += node.type is None or caught == "Exception"
    return found


@pytest.mark.parametrize("path", SOURCE, ids=module_name)
def test_imports(path):
    assert breaches(module_name(path), path.read_text(encoding="utf-8")) == []


def test_exceptions_of_all_kinds_are_caught_in_two_places():
    catching = {
        module_name(path): count
        for path in SOURCE
        if (count := calls_and_catches(path.read_text(encoding="utf-8"))["except Exception"])
    }
    assert catching == {"arbiter.tournament.arena": 1, "arbiter.serve.server": 1}


def test_the_arbiter_prints_through_its_command_line_only():
    printing = [
        module_name(path)
        for path in SOURCE
        if path.is_relative_to(ROOT / "arbiter") and calls_and_catches(path.read_text(encoding="utf-8"))["print"]
    ]
    assert printing == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("protocol.view", "from arbiter.games import base"),
        ("protocol.view", "import arbiter"),
        ("arbiter.games.fights", "from arbiter.record import Record"),
        ("arbiter.games.fights", "def late():\n    import arbiter.verify"),
        ("arbiter.games.fights", "import random"),
        ("arbiter.games.board.play", "from time import monotonic"),
        ("arbiter.games.board.play", "from pathlib import Path"),
        ("arbiter.record", "from arbiter.referee.timer import MoveTimer"),
        ("arbiter.referee.game", "import arbiter.tournament.results.store"),
        ("arbiter.tournament.results.store", "import arbiter.cli"),
        ("arbiter.tournament.results.store", "import trio"),
        ("arbiter.tournament.arena", "import sqlite3"),
        ("arbiter.tournament.arena", "from arbiter.show.tables.standings import games_sheet"),
        ("arbiter.show.tables.standings", "from arbiter.tournament.results.store import Store"),
        ("arbiter.show.tables.standings", "from arbiter.tournament.results import store"),
        ("arbiter.show.tables.standings", "from arbiter.tournament.config.tournament import Tournament"),
        ("arbiter.show.tables.standings", "from arbiter.referee.game import PlayedGame"),
        ("arbiter.show.tables.standings", "import click"),
        ("arbiter.cli.commands.run", "import rich.console"),
        ("arbiter.show.replay.replay", "from textual.app import App"),
        ("arbiter.cli.commands.replay", "import textual"),
        ("arbiter.show.tables.standings", "import jinja2"),
        ("arbiter.cli.commands.run", "import trio"),
        ("arbiter.cli.commands.run", "import starlette"),
        ("arbiter.serve.pages", "from arbiter.tournament.results.store import Store"),
        ("arbiter.serve.pages", "from arbiter.referee.game import PlayedGame"),
        ("arbiter.show.tables.standings", "from arbiter.serve.pages import Pages"),
        ("arbiter.referee.player", "import random"),
        ("sample_bots.hunter", "from arbiter.games import base"),
        ("sample_bots.bridges.ucc", "import subprocess"),
        ("arbiter.games.base", "import sample_bots"),
    ],
)
def test_a_breach_is_found(module, text):
    assert breaches(module, text)


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("arbiter.games.chance", "from random import Random"),
        ("arbiter.show.tables.standings", "from arbiter.tournament.standings.table import Standing"),
        ("arbiter.cli.signals", "import trio"),
        ("sample_bots.hunter", "import msgspec, json\nfrom protocol.bot import run"),
        ("arbiter.referee.game", "from arbiter import __version__"),
    ],
)
def test_what_is_allowed_is_no_breach(module, text):
    assert breaches(module, text) == []


def test_prints_and_nets_for_everything_are_found():
    text = "try:\n    print(1)\nexcept Exception:\n    print(2, file=out)\ntry: pass\nexcept: pass\n"
    assert calls_and_catches(text) == {"print": 1, "except Exception": 2}
