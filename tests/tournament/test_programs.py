import os
import shutil
import sys
from pathlib import Path

import pytest

from arbiter.sandbox.files import interpreters
from arbiter.sandbox.files.interpreters import describe_interpreter, find_interpreter
from arbiter.tournament import environments, programs
from arbiter.tournament.config.bot_config import BotConfig, find_program
from arbiter.tournament.programs import ProgramDigests

NODE = shutil.which("node")
PERL = shutil.which("perl")


@pytest.fixture
def folder(tmp_path):
    """Make a folder with a bot in each language, and what they need."""
    home = tmp_path / "bots"
    (home / "lib").mkdir(parents=True)
    (home / "bot.py").write_text("import lib.book\n")
    (home / "lib" / "book.py").write_text("MOVES = []\n")
    (home / "bot.js").write_text("// a bot\n")
    binary = home / "bot"
    binary.write_bytes(b"\x7fELF and more")
    binary.chmod(0o755)
    (home / "link").symlink_to("bot.py")
    return home


COMMANDS = {
    "python": ["bots/bot.py"],
    "python with options": [sys.executable, "bots/bot.py", "--depth", "3"],
    "node": ["node", "bots/bot.js"],
    "c": ["bots/bot"],
    "folder": [sys.executable, "-m", "bots", "./bots"],
    "link": [sys.executable, "bots/link"],
}


def digest(folder, command, **entry):
    program = find_program(BotConfig(name="mine", command=command, **entry), folder.parent)
    found = ProgramDigests([program]).digest("mine")
    assert len(bytes.fromhex(found.digest)) == 32
    return found


def commands():
    return [
        pytest.param(
            words,
            id=name,
            marks=pytest.mark.skipif(name == "node" and NODE is None, reason="allowed: there is no node"),
        )
        for name, words in COMMANDS.items()
    ]


CHANGES = {
    "content of the program": lambda home: [
        path.write_text("x") for path in (home / "bot.py", home / "bot.js", home / "bot")
    ],
    "a file next to it": lambda home: (home / "lib" / "book.py").write_text("MOVES = [1]\n"),
    "a new file": lambda home: (home / "weights.bin").write_bytes(b"\x00"),
    "a removed file": lambda home: (home / "lib" / "book.py").unlink(),
    "a renamed file": lambda home: (home / "lib" / "book.py").rename(home / "lib" / "cook.py"),
    "the executable bit": lambda home: (home / "lib" / "book.py").chmod(0o755),
    "a module without its source": lambda home: (home / "lib" / "book.pyc").write_text("x"),
    "compiled modules of a package": lambda home: (
        (home / "venv/lib/site-packages/numpy/__pycache__").mkdir(parents=True),
        (home / "venv/lib/site-packages/numpy/__pycache__/x.pyc").write_text("x"),
    ),
    "the target of a link": lambda home: ((home / "link").unlink(), (home / "link").symlink_to("./bot.py")),
    "a file that becomes a link": lambda home: ((home / "bot.js").unlink(), (home / "bot.js").symlink_to("bot.py")),
}
NO_CHANGES = {
    "times": lambda home: os.utime(home / "bot.py", (1, 1)),
    "compiled modules": lambda home: ((home / "__pycache__").mkdir(), (home / "__pycache__" / "x.pyc").write_text("x")),
    "version control": lambda home: ((home / ".git").mkdir(), (home / ".git" / "index").write_text("x")),
    "a log": lambda home: (home / "bot.log").write_text("x"),
    "a note": lambda home: (home / "notes.txt").write_text("x"),
    "a copy that an editor makes": lambda home: (home / "bot.py~").write_text("x"),
    "a record": lambda home: (home / "played.jsonl").write_text('{"type":"game","format":1}'),
    "a report": lambda home: [(home / "report").mkdir(), (home / "report" / ".arbiter-report").touch(), (home / "report" / "index.html").touch()],
    "results": lambda home: [(home / name).write_bytes(SQLITE) for name in ("x.sqlite", "x.sqlite-wal", "x.sqlite.running", "x.sqlite.running.new", "x.void.txt", "x.invites", "x.invites-lock", "x.matches")],
    "submissions": lambda home: [(home / "x.sqlite").write_bytes(SQLITE), (home / "x.submissions").mkdir(), (home / "x.submissions" / "journal.jsonl").touch()],
}  # fmt: skip
SQLITE = b"SQLite format 3\0" + bytes(52) + b"SARB" + bytes(100)


@pytest.mark.parametrize("command", commands())
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_program(folder, command, change):
    before = digest(folder, command)
    CHANGES[change](folder)
    after = digest(folder, command)
    assert after.digest != before.digest
    assert after.describe_replacement("mine", before).startswith(
        f"the program of mine has changed from {before.digest[:16]} to {after.digest[:16]} ("
    )


@pytest.mark.parametrize("change", NO_CHANGES)
def test_what_does_not_change_the_program(folder, change):
    before = digest(folder, COMMANDS["python"])
    NO_CHANGES[change](folder)
    assert digest(folder, COMMANDS["python"]) == before


def test_modules_that_python_compiles_make_no_other_program(folder):
    package = folder / "venv" / "lib" / "python3.11" / "site-packages" / "kit"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    before = digest(folder, COMMANDS["python"])
    (package / "__pycache__").mkdir()
    compiled = package / "__pycache__" / "__init__.cpython-311.pyc"
    compiled.write_bytes(b"compiled")
    after = digest(folder, COMMANDS["python"])
    assert before.digest != after.digest
    assert after.is_same(before)
    assert not before.is_same(after)  # then it was taken away
    compiled.write_bytes(b"another")
    assert not digest(folder, COMMANDS["python"]).is_same(after)
    compiled.write_bytes(b"compiled")
    (package / "new.py").write_text("")
    assert not digest(folder, COMMANDS["python"]).is_same(before)


def test_the_same_program_elsewhere_has_the_same_digest(folder, tmp_path):
    other = tmp_path / "elsewhere" / "bots"
    shutil.copytree(folder, other, symlinks=True)
    for name in ("python", "c", "folder"):
        assert digest(other, COMMANDS[name]).digest == digest(folder, COMMANDS[name]).digest


def test_the_files_that_a_bot_may_read_count(folder, tmp_path):
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "one.txt").write_text("1")
    before = digest(folder, COMMANDS["python"], read=["books"])
    assert before.listing.keys() >= {"bot.py", "read0:one.txt"}
    (tmp_path / "books" / "one.txt").write_text("2")
    after = digest(folder, COMMANDS["python"], read=["books"])
    assert "(read0:one.txt)" in after.describe_replacement("mine", before)


def test_a_command_with_a_program_outside_the_folder(folder, tmp_path):
    engine = tmp_path / "engine"
    engine.write_text("1")
    words = ["bots/bot", str(engine)]
    before = digest(folder, words)
    engine.write_text("2")
    assert digest(folder, words).digest != before.digest


def test_in_a_shared_folder_only_the_named_files_count(folder, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: folder)
    found = digest(folder, COMMANDS["python"])
    assert list(found.listing) == ["bot.py"]


def test_limits_are_reported(folder, monkeypatch):
    monkeypatch.setattr(programs, "MOST_SIZE", 20)
    (folder / "big.bin").write_bytes(bytes(1000))
    found = digest(folder, COMMANDS["python"])
    assert found.left_out.startswith("the contents of ")
    (folder / "big.bin").write_bytes(bytes(999) + b"1")
    assert digest(folder, COMMANDS["python"]).digest == found.digest
    (folder / "bot.py").write_text("import lib.cook\n")
    assert digest(folder, COMMANDS["python"]).digest != found.digest
    monkeypatch.setattr(programs, "MOST_FILES", 3)
    assert digest(folder, COMMANDS["python"]).left_out.endswith("all but 3 files")


@pytest.mark.timeout(60)
def test_a_program_of_40_gib_is_not_read_to_its_end(folder, monkeypatch):
    assert programs.MOST_BYTES == 256 * 2**20
    monkeypatch.setattr(programs, "MOST_BYTES", 2**20)
    os.truncate(folder / "bot", 40 * 2**30)
    found = digest(folder, COMMANDS["c"])
    assert found.left_out.startswith("the contents of 1 files (40959 MiB)")
    os.truncate(folder / "bot", 41 * 2**30)
    assert digest(folder, COMMANDS["c"]).digest != found.digest


def test_an_interpreter_of_40_gib_is_not_read_to_its_end(tmp_path, monkeypatch):
    assert interpreters.MOST_BYTES == 256 * 2**20
    monkeypatch.setattr(interpreters, "MOST_BYTES", 2**20)
    (tmp_path / "python3").touch()
    os.truncate(tmp_path / "python3", 40 * 2**30)
    assert describe_interpreter(tmp_path / "python3").startswith("python3 ")


@pytest.mark.skipif(PERL is None, reason="allowed: there is no perl")
def test_the_version_is_found_below_an_empty_line():
    assert describe_interpreter(Path(PERL)).startswith("perl This is perl 5")


def test_special_files_and_links_out_of_the_folder_are_not_opened(folder, tmp_path):
    before = digest(folder, COMMANDS["python"])
    os.mkfifo(folder / "fifo")
    (folder / "secret").symlink_to("/etc/shadow")
    (folder / "loop").symlink_to(".")
    found = digest(folder, COMMANDS["python"])
    assert found.files == before.files + 3
    assert found.listing["fifo"].startswith("special")


def test_strange_names(folder):
    for name in (b"\xff\xfe", "über.txt".encode(), b"new\nline", b"\x1b[2J"):
        (Path(os.fsdecode(os.fsencode(folder) + b"/" + name))).write_text("x")
    assert digest(folder, COMMANDS["python"]).files == digest(folder, COMMANDS["c"]).files


@pytest.mark.parametrize(
    ("command", "interpreter"),
    [
        (COMMANDS["python"], f"Python {sys.version.split()[0]}"),
        (COMMANDS["c"], ""),
        (["sh", "bots/bot"], "sh "),
        *([(COMMANDS["node"], "node v")] if NODE else []),
    ],
)
def test_the_interpreter_counts(folder, command, interpreter):
    found = digest(folder, command).interpreter
    assert found.startswith(interpreter)
    assert bool(found) == bool(interpreter)


@pytest.mark.parametrize(
    "line", ["#!/usr/bin/env python3\n", "#!/usr/bin/python3 -I\n", "#!/usr/bin/env -S python3 -I\n"]
)
def test_the_interpreter_of_a_script(folder, line):
    (folder / "bot").write_text(line)
    program = find_program(BotConfig(name="mine", command=["bots/bot"]), folder.parent)
    assert "python" in find_interpreter(program).name


def test_an_interpreter_that_a_bot_brings_is_never_run(folder, tmp_path):
    fake = folder / "python3"
    fake.write_text(f"#!/bin/sh\ntouch {tmp_path / 'was-run'}\n")
    fake.chmod(0o755)
    digest(folder, ["bots/python3", "bots/bot.py"])
    shutil.copy(fake, tmp_path / "node")
    digest(folder, [str(tmp_path / "node"), "bots/bot.js"])
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize(
    "line", ["#!/usr/bin/env -S mine/python3\n", "#!/usr/bin/env mine/python3\n", "#!{}/python3\n"]
)
def test_a_program_of_the_system_that_a_bot_chooses_is_never_run(folder, tmp_path, monkeypatch, line):
    """It would run outside the sandbox, with the rights of the arbiter."""
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "mine"
    mine.mkdir()
    for link in (mine / "python3", folder / "python3"):
        link.symlink_to(shutil.which("tail"))
    (folder / "bot").write_text(line.format(mine))
    interpreter = digest(folder, ["bots/bot"]).interpreter
    assert bool(interpreter) == ("env" in line)
    assert "coreutils" not in interpreter
    assert "coreutils" not in digest(folder, ["bots/python3", "bots/bot.py"]).interpreter


def test_only_changed_files_are_read_again(folder, monkeypatch):
    program = find_program(BotConfig(name="mine", command=COMMANDS["python"]), folder.parent)
    digests = ProgramDigests([program])
    read = []
    digest_content = programs._digest_content
    monkeypatch.setattr(
        programs,
        "_digest_content",
        lambda path, mode: read.append(str(path.relative_to(folder))) or digest_content(path, mode),
    )
    monkeypatch.setattr(programs, "_CHECK_SHARE", 0)
    first = digests.digest("mine")
    assert sorted(read) == ["bot", "bot.js", "bot.py", "lib/book.py", "link"]
    read.clear()
    assert digests.digest("mine") == first
    assert read == []
    (folder / "lib" / "book.py").write_text("MOVES = [1]\n")
    assert digests.digest("mine") != first
    assert read == ["lib/book.py"]


# --- environments outside the folder --------------------------------------------------------------


@pytest.fixture
def environment(tmp_path):
    """Make an environment outside the folder of the bot, with a package."""
    home = tmp_path / "env"
    for name in ("bin", "lib/python3.11/site-packages/numpy/core", "lib/python3.11/site-packages/numpy-2.0.dist-info"):
        (home / name).mkdir(parents=True)
    (home / "bin" / "python3").symlink_to(sys.executable)
    (home / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}\n")
    packages = home / "lib/python3.11/site-packages"
    (packages / "numpy" / "core" / "add.py").write_text("def add(a, b): return a + b\n")
    (packages / "numpy-2.0.dist-info" / "RECORD").write_text("numpy/core/add.py,,\n")
    return home


def packages_of(home):
    return home / "lib/python3.11/site-packages"


def same_time(path, text):
    """Change a file without its size and its time."""
    found = path.stat()
    path.write_text(text)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


ENVIRONMENT_CHANGES = {
    "environment:numpy": [
        lambda home: same_time(packages_of(home) / "numpy/core/add.py", "def add(a, b): return a - b\n"),
        lambda home: (packages_of(home) / "numpy" / "more.py").touch(),
        lambda home: (packages_of(home) / "numpy/core/add.py").rename(packages_of(home) / "numpy/core/sum.py"),
        lambda home: (packages_of(home) / "numpy/core/add.py").chmod(0o755),
    ],
    "environment:spy.pth": [lambda home: (packages_of(home) / "spy.pth").write_text("import os\n")],
    "environment:torch": [
        lambda home: ((packages_of(home) / "torch").mkdir(), (packages_of(home) / "torch/x.py").touch())
    ],
}


@pytest.mark.parametrize(
    ("name", "change"), [(name, change) for name, changes in ENVIRONMENT_CHANGES.items() for change in changes]
)
def test_a_change_of_an_environment_outside_the_folder(folder, environment, name, change):
    command = [str(environment / "bin" / "python3"), "bots/bot.py"]
    program = find_program(BotConfig(name="mine", command=command), folder.parent)
    digests = ProgramDigests([program])
    before = digests.digest("mine")
    assert {"environment:numpy", "environment:numpy-2.0.dist-info"} <= before.listing.keys()
    digests.hold("mine", "mine")  # also while a copy of the bot's own files plays
    change(environment)
    after = digests.digest_now("mine")
    assert not after.is_same(before)
    assert after.list_differences(before) == name
    assert digest(folder, command) == after


def test_modules_that_python_compiles_in_an_environment_do_not_count(folder, environment):
    command = [str(environment / "bin" / "python3"), "bots/bot.py"]
    before = digest(folder, command)
    (packages_of(environment) / "numpy" / "__pycache__").mkdir()
    (packages_of(environment) / "numpy" / "__pycache__" / "x.pyc").touch()
    assert digest(folder, command) == before


def test_an_environment_in_the_folder_belongs_to_the_entry(folder, environment):
    shutil.move(environment, folder / "venv")
    found = digest(folder, ["bots/venv/bin/python3", "bots/bot.py"])
    assert not any(name.startswith("environment:") for name in found.listing)
    assert "venv/lib/python3.11/site-packages/numpy/core/add.py" in found.listing


def test_limits_of_environments_are_reported(folder, environment, monkeypatch):
    command = [str(environment / "bin" / "python3"), "bots/bot.py"]
    monkeypatch.setattr(environments, "MOST_SIZE", 20)
    assert digest(folder, command).left_out == "the contents of 1 files of packages (0 MiB)"
    monkeypatch.setattr(environments, "_MOST_FILES", 1)
    assert digest(folder, command).left_out.endswith("all but 1 files of packages")


def test_a_change_of_declared_files_is_seen_while_a_copy_plays(folder, tmp_path):
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "one.txt").write_text("1")
    program = find_program(BotConfig(name="mine", command=COMMANDS["python"], read=["books"]), folder.parent)
    digests = ProgramDigests([program])
    before = digests.digest("mine")
    digests.hold("mine", "mine")
    (folder / "bot.py").write_text("import lib.cook\n")
    assert digests.digest_now("mine") == before
    (tmp_path / "books" / "one.txt").write_text("2")
    assert digests.digest_now("mine").list_differences(before) == "read0:one.txt"


def test_a_person_has_no_program():
    assert ProgramDigests([]).digest("ann") is None
