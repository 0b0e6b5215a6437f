"""Who may import whom, and what stands in one place only: read from the source, not run."""

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = sorted(path for top in ("arbiter", "protocol", "sample_bots") for path in (ROOT / top).rglob("*.py"))

# A layer sees itself and those before it; the longest name that fits a module says which layer it is of.
LAYERS = (
    {"protocol"},
    {"arbiter", "arbiter.errors", "arbiter.time_control", "arbiter.games"},
    {"arbiter.record", "arbiter.verify"},
    {"arbiter.referee"},
    {"arbiter.tournament"},
    {"arbiter.preflight"},
    {"arbiter.serve"},
    {"arbiter.cli", "arbiter.__main__"},
)
# Text for people is made of values: of records, and of these of a tournament.
SHOW = "arbiter.show"
SHOWN = {
    "arbiter.tournament.bracket",
    "arbiter.tournament.byes",
    "arbiter.tournament.repeats",
    "arbiter.tournament.crosstable",
    "arbiter.tournament.events",
    "arbiter.tournament.standings",
    "arbiter.tournament.stored",
    "arbiter.tournament.tie_breaks",
    "arbiter.tournament.under_way",
    "arbiter.tournament.points",
    "arbiter.preflight.finding",
    "arbiter.preflight.seen",
    "arbiter.tournament.ratings",
    "arbiter.tournament.sprt",
}
SERVE = "arbiter.serve"
SAMPLE_BOTS = "sample_bots"

# Whose business a module from outside is; nobody else imports it.
AT_HOME = {
    "trio": (
        "arbiter.referee",
        "arbiter.tournament.arena",
        "arbiter.preflight",
        "arbiter.serve",
        "arbiter.cli.signals",
    ),
    "sqlite3": ("arbiter.tournament.store", "arbiter.tournament.database"),
    "click": ("arbiter.cli",),
    "rich": ("arbiter.show",),
    "tabulate": ("arbiter.show",),
    "textual": ("arbiter.show.watch",),
    "jinja2": ("arbiter.show.report",),
    "markupsafe": ("arbiter.show.report",),
    "networkx": ("arbiter.tournament.schedule.pairing",),
    "numpy": ("arbiter.tournament.fit", "arbiter.tournament.bootstrap", "arbiter.tournament.rate"),
    "starlette": ("arbiter.serve",),
    "h11": ("arbiter.serve",),
    "subprocess": ("arbiter.referee", "arbiter.cli.serving", "sample_bots.bridges.child"),
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


def layer_of(module):
    """Return the number of a module's layer, None where it is in none; the longest name decides."""
    named = [(len(name), number) for number, layer in enumerate(LAYERS) for name in layer if within(module, name)]
    return max(named)[1] if named else None


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
    if within(module, SAMPLE_BOTS):
        return within(name, "protocol") or within(name, SAMPLE_BOTS)
    if within(name, SAMPLE_BOTS):
        return within(module, "arbiter.tournament") or within(module, "arbiter.cli")
    if within(module, SHOW):
        return within(name, SHOW) or any(within(name, value) for value in SHOWN) or _layer(name) <= 2
    if within(name, SHOW):
        return within(module, "arbiter.cli") or within(module, SERVE)
    if within(module, SERVE):  # it is shown values, and fetches nothing itself
        return within(name, SERVE) or any(within(name, value) for value in SHOWN) or _layer(name) <= 2
    return _layer(name) <= _layer(module)


def _layer(module):
    number = layer_of(module)
    assert number is not None, f"{module} is in no layer"
    return number


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
        ("arbiter.record", "from arbiter.referee.clock import Clock"),
        ("arbiter.referee.match", "import arbiter.tournament.store"),
        ("arbiter.tournament.store", "import arbiter.cli"),
        ("arbiter.tournament.store", "import trio"),
        ("arbiter.tournament.arena", "import sqlite3"),
        ("arbiter.tournament.arena", "from arbiter.show.tables import games_sheet"),
        ("arbiter.show.tables", "from arbiter.tournament.store import Store"),
        ("arbiter.show.tables", "from arbiter.tournament import store"),
        ("arbiter.show.tables", "from arbiter.tournament.config import Tournament"),
        ("arbiter.show.tables", "from arbiter.referee.match import Report"),
        ("arbiter.show.tables", "import click"),
        ("arbiter.cli.run", "import rich.console"),
        ("arbiter.show.reel", "from textual.app import App"),
        ("arbiter.cli.replay", "import textual"),
        ("arbiter.show.tables", "import jinja2"),
        ("arbiter.cli.run", "import trio"),
        ("arbiter.cli.run", "import starlette"),
        ("arbiter.serve.pages", "from arbiter.tournament.store import Store"),
        ("arbiter.serve.pages", "from arbiter.referee.match import Report"),
        ("arbiter.show.tables", "from arbiter.serve.pages import Pages"),
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
        ("arbiter.show.tables", "from arbiter.tournament.standings import Standing"),
        ("arbiter.cli.signals", "import trio"),
        ("sample_bots.hunter", "import msgspec, json\nfrom protocol.bot import run"),
        ("arbiter.referee.match", "from arbiter import __version__"),
    ],
)
def test_what_is_allowed_is_no_breach(module, text):
    assert breaches(module, text) == []


def test_prints_and_nets_for_everything_are_found():
    text = "try:\n    print(1)\nexcept Exception:\n    print(2, file=out)\ntry: pass\nexcept: pass\n"
    assert calls_and_catches(text) == {"print": 1, "except Exception": 2}
