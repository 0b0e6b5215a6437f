import shutil
import sys
from pathlib import Path

import pytest

from arbiter.errors import ConfigError
from arbiter.sandbox.files.interpreters import find_interpreter
from arbiter.tournament.config import bot_config
from arbiter.tournament.config.bot_config import BotConfig, find_program, parse_bot

PYTHON = sys.executable
SH = shutil.which("sh")


@pytest.fixture
def folder(tmp_path):
    for name in ("mybot.py", "native", "sub/bot.js", "sub/run", "two words.py", "hunter"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


COMMANDS = [
    (["./mybot.py"], (PYTHON, "{}/mybot.py"), "{}"),
    (["mybot.py", "--level", "3"], (PYTHON, "{}/mybot.py", "--level", "3"), "{}"),
    (["native"], ("{}/native",), "{}"),
    (["sub/run", "x"], ("{}/sub/run", "x"), "{}/sub"),
    (["sh", "sub/bot.js"], (SH, "{}/sub/bot.js"), "{}/sub"),
    ([SH, "sub/bot.js"], (SH, "{}/sub/bot.js"), "{}/sub"),
    ([PYTHON, "sub/bot.js"], (PYTHON, "{}/sub/bot.js"), "{}/sub"),
    (["sh", "-c", "exec ./native"], (SH, "-c", "exec ./native"), "{}"),
    (["sh", "native"], (SH, "native"), "{}"),
    (["sh", "./sub"], (SH, "{}/sub"), "{}/sub"),
    (["sh", "elsewhere.py"], (SH, "elsewhere.py"), "{}"),
    (["{}/sub/run"], ("{}/sub/run",), "{}/sub"),
]


@pytest.mark.parametrize(("command", "argv", "home"), COMMANDS)
def test_commands_are_resolved(folder, command, argv, home):
    ready = find_program(BotConfig(name="mine", command=[word.format(folder) for word in command]), folder)
    assert ready.argv == tuple(word.format(folder) for word in argv)
    assert str(ready.folder) == home.format(folder)


def test_a_program_of_the_system_is_not_part_of_a_bot_whatever_the_path(folder, tmp_path_factory, monkeypatch):
    programs = tmp_path_factory.mktemp("programs")
    (programs / "sh").symlink_to(SH)
    monkeypatch.setenv("PATH", str(programs))
    for word, found in (("sh", programs / "sh"), ("/bin/sh", Path("/bin/sh"))):
        program = find_program(BotConfig(name="mine", command=[word, "./sub/run"]), folder)
        assert (program.argv, program.folder) == ((str(found), str(folder / "sub" / "run")), folder / "sub")
        assert find_interpreter(program) == found


ENVIRONMENTS = [
    (["./alice/venv/bin/python", "./alice/src/bot.py"], "alice/src"),
    (["./alice/venv/bin/python", "-m", "bot"], "alice"),
    (["alice/.venv/bin/python3.12", "-m", "bot"], "alice"),
    (["venv/bin/python", "-m", "bot"], "."),
    (["./alice/bin/python", "-m", "bot"], "alice"),
    (["./alice/bin/python"], "alice/bin"),
    (["./alice/bin/bot", "-m", "bot"], "alice/bin"),
    (["./alice/node", "-m", "bot"], "alice"),
    (["./alice/node", "./alice/src/bot.py"], "alice/src"),
]


@pytest.mark.parametrize(("command", "home"), ENVIRONMENTS)
@pytest.mark.parametrize("mark", [None, "pyvenv.cfg", "include/node", "lib/modules"])
def test_the_folder_follows_from_the_command_and_not_from_marks_in_it(tmp_path, command, home, mark):
    for word in command:
        if "/" in word:
            path = tmp_path / word
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o755)
            for folder in path.relative_to(tmp_path).parents if mark else ():
                (tmp_path / folder / mark).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / folder / mark).touch()
    ready = find_program(BotConfig(name="mine", command=command), tmp_path)
    assert ready.folder == tmp_path / home
    assert ready.base == tmp_path


UCC = (PYTHON, "-I", "-m", "sample_bots.bridges.ucc")
BRIDGED = [
    (["ucc-bridge", "./native", "-x"], (*UCC, "--"), ("{}/native", "-x"), "{}"),
    (["ucc-bridge", "--", "./sub/run"], (*UCC, "--"), ("{}/sub/run",), "{}/sub"),
    (["ucc-bridge", "--repair", "mybot.py"], (*UCC, "--repair", "--"), (PYTHON, "{}/mybot.py"), "{}"),
    (["ucc-bridge", "--repair", "--", "sh", "sub/bot.js"], (*UCC, "--repair", "--"), (SH, "{}/sub/bot.js"), "{}/sub"),
    (["infinibattle-bridge", "./native"], (PYTHON, "-I", "-m", "sample_bots.bridges.infinibattle", "--"), ("{}/native",), "{}"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "bridge", "inner", "home"), BRIDGED)
def test_a_bridge_starts_the_program_after_it(folder, command, bridge, inner, home):
    ready = find_program(BotConfig(name="mine", command=command), folder)
    assert ready.inner == tuple(word.format(folder) for word in inner)
    assert ready.argv == (*bridge, *ready.inner)
    assert str(ready.folder) == home.format(folder)
    assert not ready.trusted


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (["ucc-bridge"], 'command: ucc-bridge starts another program; name it, as in ["ucc-bridge", "./it"]'),
        (["ucc-bridge", "--repair", "--"], "command: ucc-bridge starts another program; name it"),
        (["ucc-bridge", "--repare", "./native"], "unknown option of ucc-bridge '--repare': did you mean '--repair'?"),
        (["ucc-bridge", "./gone"], "command: there is no program {}/gone"),
        (["ucc-brige", "./native"], "command: there is no program 'ucc-brige' in {} or on the PATH"),
    ],
)
def test_invalid_bridge_commands(folder, command, complaint):
    with pytest.raises(ConfigError) as caught:
        find_program(BotConfig(name="mine", command=command), folder)
    assert complaint.format(folder) in str(caught.value)


def test_files_to_read_are_relative_to_the_tournament_file(folder):
    ready = find_program(BotConfig(name="mine", command=["./native"], read=["sub", str(folder / "hunter")]), folder)
    assert ready.read == (folder / "sub", folder / "hunter")


def test_sample_bots_and_marked_entries_are_trusted(folder):
    entries = (
        BotConfig(name="hunter"),
        BotConfig(name="mine", command=["./native"]),
        BotConfig(name="ours", command=["./native"], trusted=True),
    )
    assert [find_program(entry, folder).trusted for entry in entries] == [True, False, True]


@pytest.mark.parametrize(
    ("text", "name", "argv"),
    [
        ("random", "random", (PYTHON, "-I", "-m", "sample_bots.random_player")),
        ("hunter", "hunter", (PYTHON, "-I", "-m", "sample_bots.hunter")),
        ("./hunter", "hunter", ("{}/hunter",)),
        ("mybot.py", "mybot", (PYTHON, "{}/mybot.py")),
        ("./mybot.py", "mybot", (PYTHON, "{}/mybot.py")),
        ("native", "native", ("{}/native",)),
        ("two words.py", "two-words", (PYTHON, "{}/two words.py")),
        ("mybot.py --deep 'a b'", "mybot", (PYTHON, "{}/mybot.py", "--deep", "a b")),
        ("sh sub/bot.js", "bot", (SH, "{}/sub/bot.js")),
        ("sh -c true", "sh", (SH, "-c", "true")),
        ("ucc-bridge --repair ./native x", "native", (*UCC, "--repair", "--", "{}/native", "x")),
        ("ucc-bridge sh -c true", "sh", (*UCC, "--", SH, "-c", "true")),
    ],
)
def test_bots_of_the_command_line(folder, text, name, argv):
    entry = parse_bot(text, folder)
    assert entry.name == name
    assert find_program(entry, folder).argv == tuple(word.format(folder) for word in argv)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("huntr", "unknown bot 'huntr': did you mean 'hunter'? If not, name your own program by its path"),
        ("./gone.py", "bot './gone.py': command: there is no program {}/gone.py"),
        ("sh 'open", 'bot "sh \'open": no closing quotation; close the quotes'),
        ("./sub", "bot './sub': command: {}/sub is a folder; name the program in it"),
        ("", "bot '': is empty; name a sample bot, the path of a program, or a command in quotes"),
        (" \t", "bot ' \\t': is empty; "),
        ("''", "bot \"''\": is empty; "),
        ("ucc-bridge", "bot 'ucc-bridge': command: ucc-bridge starts another program"),
        ("' '", 'unknown bot "'),
    ],
)
def test_bots_that_cannot_be_started(folder, text, complaint):
    with pytest.raises(ConfigError) as caught:
        parse_bot(text, folder)
    assert complaint.format(folder) in str(caught.value)


SOURCES = [
    ("sub/bot.c", "", 0o644, "{} is source code; compile it and name the compiled program: cc -O2 -o sub/bot sub/bot.c"),
    ("./bot.cpp", "int main() {}", 0o755, "c++ -O2 -o ./bot ./bot.cpp"),
    ("./my bot.rs", "", 0o755, "rustc -O --crate-name bot -o './my bot' './my bot.rs'"),
    ("./Bot.java", "", 0o755, '{} is not started by itself; write a command in quotes, such as "java ./Bot.java"'),
    ("sub/Bot.class", "", 0o644, '"java -cp sub Bot"'),
    ("bot.js", "", 0o644, "{} is not executable; run: chmod +x {}"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "text", "mode", "complaint"), SOURCES, ids=[row[0] for row in SOURCES])
def test_source_code_is_not_started(folder, file, text, mode, complaint):
    path = folder / file
    path.write_text(text)
    path.chmod(mode)
    with pytest.raises(ConfigError) as caught:
        find_program(BotConfig(name="mine", command=[file]), folder)
    assert complaint.format(path, path) in str(caught.value)


BY_ENDING = "enabled\ninterpreter /usr/bin/dotnet\nflags: \nextension .dll\n"
BY_MAGIC = "enabled\ninterpreter /usr/bin/dotnet\nflags: \noffset 2\nmagic cafe\nmask fff0\n"


@pytest.mark.parametrize(
    ("entry", "start", "is_known"),
    [
        (None, b"MZ", False),
        (BY_ENDING, b"MZ", True),
        (BY_ENDING.replace("enabled", "disabled"), b"MZ", False),
        (BY_ENDING.replace(".dll", ".jar"), b"MZ", False),
        (BY_MAGIC, b"MZ\xca\xf1", True),
        (BY_MAGIC, b"MZ\xca\xe1", False),
        (BY_MAGIC, b"MZ\xca", False),
    ],
)
def test_an_executable_file_that_linux_cannot_run_is_not_started(folder, monkeypatch, entry, start, is_known):
    formats = folder / "formats"
    formats.mkdir()
    for name, text in (("status", "enabled\n"), ("register", BY_ENDING), ("foreign", entry)):
        if text is not None:
            (formats / name).write_text(text)
    monkeypatch.setattr(bot_config, "_FORMATS", formats)
    (folder / "bot.dll").write_bytes(start)
    (folder / "bot.dll").chmod(0o755)
    bot = BotConfig(name="mine", command=["bot.dll"])
    if is_known:
        assert find_program(bot, folder).argv == (f"{folder}/bot.dll",)
        return
    with pytest.raises(ConfigError) as caught:
        find_program(bot, folder)
    assert 'is not started by itself; write a command in quotes, such as "dotnet bot.dll"' in str(caught.value)


@pytest.mark.parametrize("start", ["#!/usr/bin/tcc -run\n", "//usr/bin/env go run $0; exit\n"])
def test_source_code_that_is_a_script_is_started(folder, start):
    (folder / "bot.c").write_text(start)
    (folder / "bot.c").chmod(0o755)
    assert find_program(BotConfig(name="mine", command=["bot.c"]), folder).argv == (f"{folder}/bot.c",)


def test_odd_file_names_give_valid_bot_names(tmp_path):
    for file, name in {"--x.py": "x", "é.py": "bot", "a" * 60 + ".py": "a" * 40, "v1.2.py": "v1.2"}.items():
        (tmp_path / file).write_text("")
        assert parse_bot(f"./{file}", tmp_path).name == name
