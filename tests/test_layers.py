"""The layers: allowed imports, and constructs that only one module uses, read from the source code."""

import ast
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = sorted(path for top in ("arbiter", "protocol", "sample_bots") for path in (ROOT / top).rglob("*.py"))


def read_table(text):
    """Return the lines `name: word word` of a text; others begin with `#`."""
    lines = [line.partition(":") for line in text.strip().splitlines() if not line.startswith("#")]
    return {name: tuple(words.split()) for name, _, words in lines}


# The imports that each package may have besides its own modules; the longest matching name applies.
MAY_IMPORT = read_table("""
protocol:
sample_bots: protocol
# The bot that shows how to search with the wheel of `arbiter kit --rules`.
sample_bots.searcher: sample_bots protocol arbiter.api
arbiter:
arbiter.errors: arbiter protocol
arbiter.arrays:
arbiter.clock: protocol
arbiter.resources:
arbiter.languages: arbiter.clock arbiter.errors protocol
arbiter.games: arbiter.languages arbiter.errors protocol
arbiter.beliefs: arbiter.games arbiter.errors protocol
arbiter.packing:
arbiter.signatures: arbiter.errors
arbiter.certificates: arbiter.errors
arbiter.kit: arbiter
arbiter.transcript: arbiter.games protocol
arbiter.formats: arbiter.errors
arbiter.record: arbiter.languages arbiter.formats arbiter.games arbiter.packing arbiter.clock protocol
arbiter.verify: arbiter.languages arbiter.record arbiter.games arbiter.errors protocol
arbiter.api: arbiter.languages arbiter.publish arbiter.director arbiter.tournament arbiter.record arbiter.beliefs arbiter.games arbiter.errors protocol
arbiter.learning: arbiter.arrays arbiter.games arbiter.errors protocol
arbiter.sandbox: arbiter.errors arbiter.clock arbiter.resources protocol
arbiter.remote: arbiter.sandbox arbiter.clock arbiter.errors protocol
arbiter.referee: arbiter.languages arbiter.remote arbiter.sandbox arbiter.packing arbiter.record arbiter.transcript arbiter.games arbiter.clock arbiter.errors arbiter protocol
arbiter.tournament.fixture: protocol
arbiter.tournament.machine: arbiter.clock arbiter.errors arbiter.resources arbiter protocol
arbiter.tournament.config.event_data: arbiter.record
arbiter.tournament.new_results: arbiter.games arbiter.packing arbiter.transcript arbiter.tournament.events arbiter.tournament.standings protocol
arbiter.tournament.tuning: arbiter.games arbiter.errors
arbiter.tournament.events: arbiter.languages arbiter.transcript arbiter.tournament.machine arbiter.tournament.fixture arbiter.tournament.standings protocol
arbiter.tournament.schedule: arbiter.languages arbiter.tournament arbiter.games arbiter.errors protocol
arbiter.tournament.config.tournament: sample_bots arbiter.tournament arbiter.sandbox arbiter.record arbiter.games arbiter.clock arbiter.errors protocol
arbiter.tournament.prizes: arbiter.tournament arbiter.errors
arbiter.tournament.queue: arbiter.tournament arbiter.sandbox arbiter.games arbiter.errors protocol
arbiter.tournament.season: arbiter.tournament arbiter.errors
arbiter.tournament.results.manifest: arbiter.tournament arbiter.games arbiter.errors arbiter
arbiter.tournament.results.snapshot: arbiter.tournament protocol
arbiter.tournament.results.reader: arbiter.tournament arbiter.record arbiter.errors
arbiter.tournament.standings: arbiter.languages arbiter.tournament.machine arbiter.tournament.fixture arbiter.games arbiter.errors protocol
arbiter.tournament.ratings: arbiter.tournament.standings arbiter.tournament.fixture arbiter.record arbiter.games arbiter.arrays arbiter.errors protocol
arbiter.tournament: arbiter.languages sample_bots arbiter.formats arbiter.remote arbiter.referee arbiter.sandbox arbiter.verify arbiter.packing arbiter.record arbiter.transcript arbiter.games arbiter.clock arbiter.resources arbiter.errors arbiter protocol
arbiter.cluster: arbiter.languages sample_bots arbiter.tournament arbiter.referee arbiter.sandbox arbiter.verify arbiter.packing arbiter.record arbiter.transcript arbiter.games arbiter.clock arbiter.resources arbiter.errors arbiter protocol
arbiter.director: arbiter.languages sample_bots arbiter.formats arbiter.remote arbiter.cluster arbiter.tournament arbiter.referee arbiter.sandbox arbiter.verify arbiter.packing arbiter.signatures arbiter.record arbiter.transcript arbiter.resources arbiter.games arbiter.clock arbiter.errors arbiter protocol
arbiter.preflight.evidence: arbiter.languages arbiter.games arbiter.errors protocol
arbiter.preflight.suite: arbiter.languages arbiter.games arbiter.errors protocol
arbiter.preflight.suite_games: arbiter.languages arbiter.preflight.suite arbiter.tournament arbiter.referee arbiter.record arbiter.games arbiter.errors protocol
arbiter.preflight.mistakes: arbiter.preflight.evidence arbiter.errors protocol
arbiter.preflight: arbiter.languages arbiter.referee arbiter.sandbox arbiter.verify arbiter.record arbiter.transcript arbiter.games arbiter.clock arbiter.errors protocol
arbiter.show: arbiter.languages arbiter.preflight.evidence arbiter.preflight.suite arbiter.tournament.config.event_data arbiter.tournament.events arbiter.tournament.fixture arbiter.tournament.machine arbiter.tournament.prizes arbiter.tournament.ratings arbiter.tournament.season arbiter.tournament.standings arbiter.tournament.tuning arbiter.verify arbiter.record arbiter.transcript arbiter.games arbiter.clock arbiter.errors arbiter protocol
# The modules that make sheets and reports from the values of a whole tournament; they know no store either.
arbiter.show.results: arbiter.languages arbiter.show arbiter.tournament.events arbiter.tournament.config.tournament arbiter.tournament.prizes arbiter.tournament.results.snapshot arbiter.tournament.ratings arbiter.tournament.results.manifest arbiter.tournament.schedule arbiter.tournament.standings arbiter
arbiter.show.consequences: arbiter.show arbiter.tournament.schedule arbiter.tournament.standings arbiter.errors
arbiter.show.schedule: arbiter.show arbiter.tournament.config.tournament arbiter.tournament.fixture arbiter.tournament.schedule arbiter.tournament.standings arbiter.clock
arbiter.show.queue: arbiter.languages arbiter.show arbiter.tournament.queue arbiter.tournament.ratings arbiter.clock arbiter.errors protocol
arbiter.show.formats.trf: arbiter.tournament.config.tournament arbiter.tournament.fixture arbiter.tournament.schedule arbiter.tournament.standings arbiter.errors arbiter protocol
arbiter.tournament.schedule.unrated: arbiter.tournament arbiter.sandbox arbiter.errors protocol
arbiter.show.tables.ladder: arbiter.show arbiter.tournament.standings arbiter.tournament.schedule.unrated
# Pages of a ladder are made from its state.
arbiter.show.report.ladder: arbiter.show arbiter.tournament.ratings arbiter.tournament.schedule arbiter.tournament.standings
# Terms that are over, for commands and pages.
arbiter.director.ladder: arbiter.director arbiter.tournament arbiter.errors
arbiter.serve.results: arbiter.director.ladder arbiter.tournament.schedule.unrated arbiter.kit arbiter.show arbiter.tournament.ratings arbiter.tournament.results.manifest arbiter.tournament.results.reader arbiter.tournament.results.snapshot arbiter.tournament.standings protocol
arbiter.submissions.store: arbiter.languages arbiter.sandbox arbiter.errors protocol
arbiter.submissions.client: arbiter.show arbiter.errors
arbiter.submissions.desk: arbiter.languages arbiter.submissions arbiter.submissions.store arbiter.tournament arbiter.errors
arbiter.submissions.organiser: arbiter.languages arbiter.submissions arbiter.remote arbiter.errors
arbiter.serve.organisers: arbiter.serve arbiter.submissions arbiter.remote arbiter.sandbox arbiter.errors
arbiter.submissions: arbiter.languages arbiter.resources arbiter.show arbiter.director protocol arbiter.preflight arbiter.tournament arbiter.sandbox arbiter.games arbiter.errors sample_bots
arbiter.serve: arbiter.languages arbiter.kit arbiter.resources arbiter.submissions.desk arbiter.submissions.store arbiter.remote arbiter.sandbox arbiter.transcript arbiter.show arbiter.tournament.events arbiter.tournament.fixture arbiter.tournament.standings arbiter.record arbiter.games arbiter.errors protocol
arbiter.publish: arbiter.languages arbiter.show arbiter.director arbiter.tournament arbiter.packing arbiter.errors arbiter
arbiter.cli: arbiter.languages arbiter.submissions arbiter.remote arbiter.publish arbiter.kit sample_bots arbiter.serve arbiter.show arbiter.preflight arbiter.director arbiter.cluster arbiter.certificates arbiter.tournament arbiter.referee arbiter.sandbox arbiter.signatures arbiter.verify arbiter.record arbiter.transcript arbiter.games arbiter.clock arbiter.resources arbiter.errors arbiter protocol
arbiter.__main__: arbiter.cli
""")
# A command imports modules that commands share, never another command.
COMMANDS = "arbiter.cli.commands"

# The only packages that may import a module of the standard library or of a dependency.
ONLY_IN = read_table("""
trio: arbiter.remote arbiter.sandbox arbiter.referee arbiter.tournament.arena arbiter.tournament.execution.local arbiter.tournament.execution.portable arbiter.tournament.result_writer arbiter.cluster arbiter.director.interface arbiter.director.run arbiter.preflight arbiter.submissions arbiter.serve arbiter.cli.signals
distributed: arbiter.cluster
dask: arbiter.cluster
sqlite3: arbiter.tournament.results
cryptography: arbiter.certificates arbiter.signatures
click: arbiter.cli arbiter.cluster.worker
rich: arbiter.show
tabulate: arbiter.show
textual: arbiter.show.watch
jinja2: arbiter.show.report
markupsafe: arbiter.show.report
PIL: arbiter.show.pictures.pixels
gymnasium: arbiter.learning.environment arbiter.learning.vector
pettingzoo: arbiter.learning.environment
networkx: arbiter.tournament.schedule.pairing
numpy: arbiter.arrays
starlette: arbiter.serve
# A replay is made of the facts of a record; only `verify` runs the rules, also to fill in missing facts.
arbiter.verify: arbiter.languages arbiter.show.replay.replay arbiter.preflight arbiter.tournament.execution.arrival arbiter.tournament.results.integrity arbiter.director.bundle arbiter.cli.commands.verify
arbiter.games.contest: arbiter.api arbiter.beliefs arbiter.verify arbiter.referee arbiter.preflight
h11: arbiter.serve
wsproto: arbiter.serve
subprocess: arbiter.submissions arbiter.director.versions arbiter.sandbox arbiter.serve.background protocol.connect sample_bots.bridges.child
random: arbiter.api arbiter.beliefs arbiter.learning arbiter.games.chance protocol.bot sample_bots
""")
# The rules may not use processes, files or clocks.
PURE = "arbiter.games"
IMPURE = {"os", "io", "pathlib", "time", "datetime", "socket", "threading", "secrets", "random", "tempfile", "trio"}


@cache
def walk(text):
    return [*ast.walk(ast.parse(text))]


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def list_imports(text):
    """Return all modules that a source text imports; `from a import b` counts as `a` and `a.b`."""
    found = set()
    for node in walk(text):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            found |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def is_within(module, package):
    return module == package or module.startswith(f"{package}.")


def find_package(module):
    """Return the longest name in MAY_IMPORT that a module belongs to."""
    names = [name for name in MAY_IMPORT if is_within(module, name)]
    assert names, f"{module} is in no package of MAY_IMPORT"
    return max(names, key=len)


def find_violations(module, text):
    """Report the rules of this file that a module's source text breaks."""
    imported = list_imports(text)
    ours = [name for name in sorted(imported) if name.split(".")[0] in {"arbiter", "protocol", "sample_bots"}]
    violations = [f"{module} imports {name}" for name in ours if not may_import(module, name)]
    for outside, packages in ONLY_IN.items():
        used = any(is_within(name, outside) for name in imported)
        if used and not any(is_within(module, package) for package in packages):
            violations.append(f"{module} imports {outside}; only {', '.join(packages)} may do so")
    if is_within(module, PURE):
        allowed = {"random"} if module == "arbiter.games.chance" else set()
        violations += [f"{module} imports {name}: the rules are pure" for name in sorted(imported & IMPURE - allowed)]
    return violations


def may_import(module, name):
    if is_within(module, COMMANDS) and is_within(name, COMMANDS):
        return is_within(name, module)
    package = find_package(module)
    target = find_package(name)
    return any(
        target == allowed or (allowed != "arbiter" and is_within(target, allowed))
        for allowed in (package, *MAY_IMPORT[package])
    )


def count_prints_and_catches(text):
    """Count calls of `print` without a file, and handlers that catch all exceptions."""
    found = Counter()
    for node in walk(text):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            found["print"] += not any(word.arg == "file" for word in node.keywords)
        if isinstance(node, ast.ExceptHandler):
            caught = (
                [one.id for one in ast.walk(node.type) if isinstance(one, ast.Name)] if node.type else ["Exception"]
            )
            found["except Exception"] += "Exception" in caught
    return found


def test_each_module_imports_only_what_it_may():
    texts = {module_name(path): path.read_text(encoding="utf-8") for path in SOURCE}
    assert [fault for module, text in texts.items() for fault in find_violations(module, text)] == []


def test_few_modules_catch_all_exceptions():
    catching = {
        module_name(path): count
        for path in SOURCE
        if (count := count_prints_and_catches(path.read_text(encoding="utf-8"))["except Exception"])
    }
    assert catching == {
        "arbiter.tournament.execution.local": 1,
        "arbiter.cluster.games": 1,
        "arbiter.cluster.worker": 1,
        "arbiter.serve.front": 1,
    }


def test_no_module_of_the_arbiter_calls_print():
    printing = [
        module_name(path)
        for path in SOURCE
        if path.is_relative_to(ROOT / "arbiter") and count_prints_and_catches(path.read_text(encoding="utf-8"))["print"]
    ]
    assert printing == []


def list_public_types(text, *, aliases):
    """List the public classes of a source text, and its public aliases of types if wanted."""
    found = [node.name for node in walk(text) if isinstance(node, ast.ClassDef)]
    targets = [node.targets[0] for node in ast.parse(text).body if aliases and isinstance(node, ast.Assign)]
    found += [name.id for name in targets if isinstance(name, ast.Name) and not name.id.isupper()]
    return [name for name in found if not name.startswith("_")]


def test_each_public_type_has_a_name_of_its_own():
    places = defaultdict(list)
    for path in SOURCE:
        for name in list_public_types(path.read_text(), aliases=module_name(path).startswith("protocol.")):
            places[name].append(module_name(path))
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}
    assert list_public_types("class Ab: ...\nclass _C: ...\nDe = int\nF = 1", aliases=True) == ["Ab", "De"]


def test_a_forbidden_import_is_found():
    forbidden = [
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
        ("arbiter.show.replay.frame", "from arbiter.verify import with_facts"),
        ("arbiter.show.replay.replay", "from arbiter.games.contest import Contest"),
        ("arbiter.cli.commands.replay", "import textual"),
        ("arbiter.show.tables.standings", "import jinja2"),
        ("arbiter.cli.commands.run", "import trio"),
        ("arbiter.cli.commands.run", "import starlette"),
        ("arbiter.serve.pages", "from arbiter.tournament.results.store import Store"),
        ("arbiter.serve.pages", "from arbiter.referee.game import PlayedGame"),
        ("arbiter.show.tables.standings", "from arbiter.serve.pages import Pages"),
        ("arbiter.director.run", "import click"),
        ("arbiter.director.run", "from arbiter.show.text import plain"),
        ("arbiter.director.run", "from arbiter.serve.server import serve"),
        ("arbiter.director.run", "from arbiter.cli.signals import Stop"),
        ("arbiter.tournament.arena", "from arbiter.director.run import Run"),
        ("arbiter.referee.player", "import random"),
        ("sample_bots.hunter", "from arbiter.games import base"),
        ("sample_bots.bridges.ucc", "import subprocess"),
        ("arbiter.games.base", "import sample_bots"),
    ]
    assert [(module, text) for module, text in forbidden if not find_violations(module, text)] == []


def test_an_allowed_import_is_not_reported():
    allowed = [
        ("arbiter.games.chance", "from random import Random"),
        ("arbiter.show.tables.standings", "from arbiter.tournament.standings.table import Standing"),
        ("arbiter.cli.signals", "import trio"),
        ("sample_bots.hunter", "import msgspec, json\nfrom protocol.bot import run"),
        ("arbiter.referee.game", "from arbiter import __version__"),
    ]
    assert [fault for module, text in allowed for fault in find_violations(module, text)] == []


def test_prints_and_general_exception_handlers_are_counted():
    text = "try:\n    print(1)\nexcept Exception:\n    print(2, file=out)\ntry: pass\nexcept: pass\n"
    assert count_prints_and_catches(text) == {"print": 1, "except Exception": 2}
