"""Files that unknown people may have made or named are opened in one module, `arbiter/sandbox/files/untrusted.py`."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
FUNCTIONS = {"open", "fdopen", "copyfile", "ZipFile"}
METHODS = FUNCTIONS | {"read_text", "read_bytes", "write_text", "write_bytes"}
KERNEL = "files of the kernel and of control groups"
PACKAGE = "files of the installed package"
OUTPUT = "output that the operator names"
OWN = "folders and files that this process has made"
FOLDERS = "folders, with O_DIRECTORY and O_NOFOLLOW, or with O_PATH"
NO_FILE = "a method of that name that opens no file"
ALLOWED = {
    "arbiter/sandbox/files/untrusted.py": "this is the module",
    "arbiter/cli/commands/docs.py": PACKAGE,
    "arbiter/cli/commands/new_bot.py": PACKAGE,
    "arbiter/cli/failures.py": "/dev/null",
    "arbiter/cli/play_options.py": OUTPUT,
    "arbiter/cluster/addresses.py": "the file of a scheduler, which the operator names",
    "arbiter/certificates.py": OWN,
    "arbiter/cluster/games.py": NO_FILE,
    "arbiter/submissions/unwheel.py": "it runs alone, in the sandbox",
    "arbiter/submissions/wheels.py": PACKAGE,
    "arbiter/tournament/execution/machines.py": KERNEL,
    "arbiter/director/bundle.py": "ZIP files in memory",
    "arbiter/director/files.py": "streams and output that the operator names",
    "arbiter/kit.py": PACKAGE,
    "arbiter/languages/catalogue.py": PACKAGE,
    "arbiter/preflight/mistakes/__init__.py": PACKAGE,
    "arbiter/referee/thread_link.py": "pipes that this process has made",
    "arbiter/resources.py": KERNEL,
    "arbiter/sandbox/cgroups.py": KERNEL,
    "arbiter/sandbox/cores.py": KERNEL,
    "arbiter/sandbox/files/archive.py": "archives in memory",
    "arbiter/sandbox/files/identity.py": FOLDERS,
    "arbiter/sandbox/full.py": KERNEL,
    "arbiter/sandbox/memory.py": KERNEL,
    "arbiter/sandbox/process.py": KERNEL,
    "arbiter/sandbox/seccomp.py": PACKAGE,
    "arbiter/sandbox/select.py": KERNEL,
    "arbiter/sandbox/usage.py": KERNEL,
    "arbiter/serve/front.py": NO_FILE,
    "arbiter/serve/server.py": KERNEL,
    "arbiter/serve/authors.py": "descriptors of that module",
    "arbiter/submissions/store.py": "descriptors of that module",
    "arbiter/show/play/files.py": PACKAGE,
    "arbiter/show/report/files.py": PACKAGE,
    "arbiter/show/report/games.py": PACKAGE,
    "arbiter/show/theme.py": PACKAGE,
    "arbiter/tournament/arena.py": NO_FILE,
    "arbiter/tournament/config/bot_config.py": KERNEL,
    "arbiter/tournament/entries.py": "copies that this process makes",
    "arbiter/tournament/execution/tuning.py": "descriptors of that module",
    "arbiter/tournament/machine.py": KERNEL,
    "arbiter/tournament/loading.py": "descriptors of that module",
    "arbiter/tournament/results/live_files.py": "descriptors of that module",
    "arbiter/tournament/schedule/format.py": NO_FILE,
}
"""The modules that may open files themselves, and what they open."""


def find_calls(source):
    """Yield the line of each call that opens a file, or has the name of one that does."""
    for node in ast.walk(ast.parse(source if any(name in source for name in METHODS) else "")):
        if isinstance(node, ast.Call) and (
            getattr(node.func, "attr", None) in METHODS or getattr(node.func, "id", None) in FUNCTIONS
        ):
            yield node.lineno


def test_files_are_opened_only_in_known_modules():
    sources = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in (ROOT / "arbiter").rglob("*.py")}
    found = {name: lines for name, source in sources.items() if (lines := list(find_calls(source)))}
    unknown = {name: lines for name, lines in found.items() if name not in ALLOWED}
    assert unknown == {}, "use arbiter.sandbox.files.untrusted, or give the reason in ALLOWED"
    assert ALLOWED.keys() - found.keys() == set(), "these modules open no files any more"


def test_calls_are_found():
    source = "open('a')\nPath('a').read_text()\nos.open('a', 0)\nZipFile('a')\nprint('open')\nopen_to_read('a')"
    assert list(find_calls(source)) == [1, 2, 3, 4]
