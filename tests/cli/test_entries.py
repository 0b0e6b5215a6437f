"""Entries: a bot plays from a copy of the files that belong to it, whatever happens in its folder."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from cli.command_line import ARBITER, StartedArbiter, call, call_ok, call_refused, write_program, write_tournament
from cli.test_sandboxed import folder

from arbiter.sandbox.files import entry

__all__ = ["folder"]
BASE = (Path(__file__).parent.parent / "bots" / "base.py").read_text()
SHORT = ("--rules", "original", "--set", "max_plies=4")
# Writes what it finds in its folder on stderr.
LISTS = f"""#!{sys.executable} -ES
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from base import Bot
here = os.path.dirname(os.path.abspath(__file__))
found = sorted(os.path.relpath(os.path.join(place, name), here) for place, _, names in os.walk(here) for name in names)
print("FOUND", found, sys.version_info[:0], open(__file__).read().count("# edited"), file=sys.stderr)
Bot().run()
"""


@pytest.fixture
def bot(folder):
    home = folder / "mine"
    home.mkdir()
    (home / "base.py").write_text(BASE)
    write_program(home / "bot.py", LISTS)
    return home / "bot.py"


@pytest.fixture
def match(bot, fast_bot):
    """Return a function that returns the words of a match against a bot that answers at once."""

    def match(*words, player=bot):
        return ("match", player, f"random={shlex.join(fast_bot)}", *SHORT, "--sandbox", "full", "--json", *words)

    return match


def list_found(results, game):
    log = call_ok("games", results, "--id", game, "--log")
    return re.findall(r"FOUND (\[.*?\]) \(\) (\d)", log)


@pytest.mark.usefixtures("sandboxes")
def test_output_and_notes_in_the_folder_of_the_bot_begin_no_series(bot, match):
    out, kept = bot.parent / "scores.dat", bot.parent / "kept.sqlite"
    for games in (2, 4):
        with out.open("w") as file:
            words = [ARBITER, *map(str, match("--games", games, "--results", kept))]
            done = subprocess.run(words, check=False, cwd=bot.parent, stdout=file, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stderr
        assert "series" not in done.stderr
        assert f'"games":{games}' in out.read_text()
        (bot.parent / ".git").mkdir(exist_ok=True)
        for name in ("notes.txt", "README.md", "bot.log", "bot.py~", ".bot.py.swp", ".git/index"):
            (bot.parent / name).write_text("x")
    ids = [json.loads(line)["id"] for line in call_ok("games", kept, "--json").splitlines()]
    assert sorted(ids) == ["bot~random~1", "bot~random~2", "random~bot~1", "random~bot~2"]


@pytest.mark.usefixtures("sandboxes")
def test_a_bot_sees_only_what_belongs_to_it(bot, match):
    for name in ("weights.bin", "data/book.txt", "data/big.tmp", "__pycache__/base.cpython-311.pyc", ".git/index"):
        (bot.parent / name).parent.mkdir(exist_ok=True)
        (bot.parent / name).write_text("x")
    (bot.parent / "trace.log").write_text("x")
    (bot.parent / ".arbiterignore").write_text("*.tmp\n/weights.bin\n!trace.log\n")
    kept = bot.parent / "results" / "kept.sqlite"
    call_ok(*match("--games", 2, "--fresh", "--keep-logs", "--results", kept))
    assert list_found(kept, "bot~random~1") == [("['base.py', 'bot.py', 'data/book.txt', 'trace.log']", "1")]
    rows = [json.loads(line) for line in call_ok("entry", bot, "--json").splitlines()]
    assert sorted(row["file"] for row in rows[1:]) == ["base.py", "bot.py", "data/book.txt", "trace.log"]

    assert (kept.parent / "kept.sqlite.entries" / rows[0]["digest"] / "bot" / "data" / "book.txt").exists()


@pytest.mark.parametrize("patterns", ["*\n", "bot.py\n", "/bot.py\n!base.py\n"])
def test_no_pattern_hides_the_program(bot, patterns):
    """The digest covers the program, whatever files the bot leaves out."""
    (bot.parent / ".arbiterignore").write_text(patterns)
    before, after = [], []
    for found in (before, after):
        rows = [json.loads(line) for line in call_ok("entry", bot, "--json").splitlines()]
        assert "bot.py" in [row["file"] for row in rows[1:]]
        found.append(rows[0]["digest"])
        bot.write_text(bot.read_text() + "# edited\n")
    assert before != after


@pytest.mark.heavy
@pytest.mark.usefixtures("sandboxes")
def test_editing_and_compiling_during_a_match_changes_nothing(bot, match):
    """The bot is edited, replaced, removed and made again while 6 games are played with new processes."""
    kept = bot.parent / "kept.sqlite"
    text = bot.read_text()
    with StartedArbiter(*match("--games", 6, "--fresh", "--keep-logs", "--results", kept)) as running:
        while not kept.exists() and running.popen.poll() is None:
            time.sleep(0.01)
        for number in range(100):
            if running.popen.poll() is not None:
                break
            bot.unlink(missing_ok=True)
            write_program(bot, f"{text}\n# edited\n" if number % 2 else "garbage")
            (bot.parent / "base.py").write_text("garbage")
            (bot.parent / f"made{number}.o").write_bytes(bytes(10_000))
            time.sleep(0.02)
        code, message = running.finish()
    assert (code, message) == (0, "")
    games = [json.loads(line)["id"] for line in call_ok("games", kept, "--json").splitlines()]
    found = {one for game in games for one in list_found(kept, game)}
    assert {edited for _, edited in found} == {"1"}
    assert len({files for files, _ in found}) == 1
    assert ": ok: 6 games" in call_ok("verify", kept)


@pytest.mark.usefixtures("sandboxes")
def test_a_virtual_environment_plays_at_its_usual_path(bot, match):
    """The interpreter, the first lines of its scripts and its packages name the path of the environment."""
    home = bot.parent
    python = home / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "venv"], check=True)
    (package,) = (home / "venv").glob("lib/python*/site-packages")
    (package / "walks").mkdir()
    (package / "walks" / "__init__.py").write_text(BASE)
    subprocess.run([python, "-m", "compileall", "-q", package / "walks"], check=True)
    write_program(
        bot,
        f"#!{python}\nimport sys, walks\nprint('FROM', sys.prefix, walks.__cached__, file=sys.stderr)\nwalks.Bot().run()\n",
    )
    kept = home / "kept.sqlite"
    for number, command in enumerate((f"{python} {bot}", f"{home}/run")):
        shutil.copy(bot, home / "run")
        call_ok(*match("--games", 2, "--keep-logs", "--results", kept, player=f"v{number}={command}"))
        log = call_ok("games", kept, "--id", f"s{number + 1}~v{number}~random~1" if number else "v0~random~1", "--log")
        cached = next((package / "walks" / "__pycache__").iterdir())
        assert f"FROM {home / 'venv'} {cached}" in log
        (entry,) = [path for path in (home / "kept.sqlite.entries").glob("*/bot") if (path / "run").exists()][:1]
        assert (entry / cached.relative_to(home)).exists()


@pytest.mark.usefixtures("sandboxes")
def test_a_run_continues_with_the_entries_that_it_made(folder, bot):
    def play(games):
        bots = [{"name": name, "command": ["mine/bot.py"]} for name in ("one", "two")]
        file = write_tournament(folder, rules="original", bots=bots, draws={"max_plies": 4}, games=games)
        call_ok("run", file, "--sandbox", "full")

    play(2)
    store = folder / "results" / "club.sqlite.entries"
    (made,) = store.glob("?" * 64)
    inode = (made / "bot" / "bot.py").stat().st_ino
    (store / "new-0123").mkdir()
    (store / ("0" * 64)).mkdir()
    play(4)
    assert sorted(path.name for path in store.iterdir()) == sorted([made.name, "known"])
    assert (made / "bot" / "bot.py").stat().st_ino == inode
    (made / "bot" / "bot.py").chmod(0o644)  # somebody damages it
    (made / "bot" / "bot.py").write_text("garbage")
    made.chmod(0o711)
    play(6)
    assert (made / "bot" / "bot.py").read_text() == LISTS
    assert made.stat().st_mode & 0o007 == 0


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.parametrize("words", [("check", "--rules", "duel", "--games", 1), ("suite", "first", "--only", "defence")])
def test_commands_without_results_leave_no_entry(bot, words, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    command, *more = words
    place = [bot, *more] if command == "check" else [more[0], bot, *more[1:]]
    done = call(command, *place, "--sandbox", "full")
    assert done.exit_code in (0, 1), done.stderr
    assert "no_start" not in done.stdout
    assert list(tmp_path.glob("arbiter-entries-*")) == []


def test_without_a_sandbox_a_change_is_reported(bot):
    write_program(bot, LISTS.replace("Bot().run()", "open(here + '/book.txt', 'a').write('x'); Bot().run()"))
    done = call("match", bot, "random", *SHORT, "--games", 2)
    assert "the program of bot has changed from" in done.stderr
    assert "(book.txt)" in done.stderr


FAULTS = {
    "a pattern with many stars": ({".arbiterignore": "*a*b*c\n"}, "has more than 4 stars"),
    "a long list": ({".arbiterignore": "a\n" * 300}, "is longer than 200 lines"),
    "no pattern": ({".arbiterignore": "a\n!\n"}, ", line 2: is not a pattern in git's syntax"),
    "a large file": ({"big.bin": ""}, "files of 3.0 GiB, more than an entry"),
    "many files": ({f"{number}.js": "" for number in range(60)}, "more than 50 files"),
}


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.parametrize(("files", "fault"), FAULTS.values(), ids=FAULTS)
def test_what_is_no_entry_is_refused(bot, monkeypatch, files, fault):
    monkeypatch.setattr(entry, "MOST_FILES", 50)
    for name, text in files.items():
        (bot.parent / name).write_text(text)
    if "big.bin" in files:
        os.truncate(bot.parent / "big.bin", 3 << 30)
    assert fault in call_refused("match", bot, "random", *SHORT, "--sandbox", "full")
    assert fault in call_refused("entry", bot)


@pytest.mark.usefixtures("sandboxes")
def test_patterns_in_a_file_that_is_no_file_are_not_waited_for(bot, match):
    os.mkfifo(bot.parent / ".arbiterignore")
    call_ok(*match("--games", 2))
