"""`new-bot`: what it writes plays as it says, and nothing is ever overwritten."""

import fnmatch
import json
import os
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from cli.command_line import call, call_ok, call_refused

import sample_bots
from arbiter.games.base import FORFEITS
from sample_bots import TEMPLATES

FOLDER = Path(sample_bots.__file__).parent
NAMES = [template.file for template in TEMPLATES]
ENDINGS = {Path(template.file).suffix for template in TEMPLATES}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked_for(template):
    """Return the words that ask for a template."""
    return ["--language", template.language, *(["--kit"] if template.has_kit else [])]


def printed_command(text):
    [line] = [line for line in text.splitlines() if line.startswith("    ")]
    return line.strip()


def run_as_printed(line):
    """Run a printed line as a shell would, but two short games."""
    return call(*built(line), "--rules", "duel", "--games", "2", "--json")


def built(line):
    """Build what a printed line builds; return the words that it calls the arbiter with."""
    *builds, play = line.split(" && ")
    for build in builds:
        need(shlex.split(build)[0])
        subprocess.run(build, shell=True, check=True)
    words = shlex.split(play)
    assert words[0] == "arbiter"
    return words[1:]


def need(tool):
    if not tool.startswith("{") and shutil.which(tool) is None:
        pytest.skip(f"there is no {tool} here")


@pytest.mark.parametrize("path", ["mybot", "bots/my bot", "-x"])
@pytest.mark.parametrize("template", TEMPLATES, ids=NAMES)
def test_a_new_bot_plays_as_printed(template, path):
    need(template.command.split()[0])
    result = run_as_printed(printed_command(call_ok("new-bot", *asked_for(template), "--", path)))
    assert result.exit_code == 0, result.stderr
    games = [found for line in result.stdout.splitlines() if "ending" in (found := json.loads(line))]
    assert len(games) == 2
    assert FORFEITS.isdisjoint(game["ending"] for game in games)


@pytest.mark.parametrize("template", TEMPLATES, ids=NAMES)
def test_a_new_bot_is_found_to_be_well(template):
    need(template.command.split()[0])
    _match, bot, _opponent = built(printed_command(call_ok("new-bot", *asked_for(template), "mybot")))
    assert call_ok("check", bot, "--rules", "duel", "--rules", "card-game").endswith("all is well\n")


@pytest.mark.parametrize("ending", sorted(ENDINGS))
def test_the_ending_tells_the_language(folder, ending):
    call_ok("new-bot", f"mybot{ending}")
    [template] = [one for one in TEMPLATES if Path(one.file).suffix == ending and not one.has_kit]
    text = (FOLDER / template.file).read_text(encoding="utf-8")
    assert (folder / f"mybot{ending}").read_text(encoding="utf-8") == text.replace(f'"{template.name}"', '"mybot"')


def test_without_a_language_or_an_ending_it_is_python_without_the_kit(folder):
    call_ok("new-bot", "mybot")
    assert "import json" in (folder / "mybot.py").read_text(encoding="utf-8")


def test_the_kit_is_taken_where_it_is_asked_for(folder):
    call_ok("new-bot", "mybot", "--kit")
    assert "from protocol.bot import" in (folder / "mybot.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("template", TEMPLATES, ids=NAMES)
def test_a_template_says_its_name_once(template):
    assert (FOLDER / template.file).read_text(encoding="utf-8").count(f'"{template.name}"') == 1


@pytest.mark.parametrize(("path", "name"), [("my bot.py", "my-bot"), ('a"b.py', "a-b"), ("\N{SNOWMAN}.py", "bot")])
def test_a_bot_is_called_after_its_file_as_far_as_a_name_may_be(folder, path, name):
    call_ok("new-bot", path)
    assert f'\nNAME = "{name}"\n' in (folder / path).read_text(encoding="utf-8")


def test_a_script_can_be_run_and_a_source_cannot(folder):
    for path in ("one.py", "two.js", "three.c"):
        call_ok("new-bot", path)
    assert [os.access(folder / path, os.X_OK) for path in ("one.py", "two.js", "three.c")] == [True, True, False]


@pytest.mark.parametrize("template", TEMPLATES, ids=NAMES)
def test_nothing_is_overwritten(folder, template):
    path = folder / f"mine{Path(template.file).suffix}"
    path.write_text("years of work", encoding="utf-8")
    assert "is there already" in call_refused("new-bot", path, *asked_for(template))
    assert path.read_text(encoding="utf-8") == "years of work"


def test_a_link_to_nowhere_is_not_followed(folder):
    (folder / "mybot.py").symlink_to(folder / "elsewhere.py")
    assert "is there already" in call_refused("new-bot", "mybot.py")
    assert not (folder / "elsewhere.py").exists()


def test_what_the_compiler_would_overwrite_is_named(folder):
    (folder / "mybot").mkdir()
    assert "mybot.c would be compiled to it" in call_refused("new-bot", "mybot.c")
    assert not (folder / "mybot.c").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mybot.rb"], "mybot.rb: ends in none of .py, .js, .c; mend the ending, or leave it out"),
        (["mybot.py", "--language", "c"], "mybot.py: a bot in c ends in .c; name it mybot.c"),
        (["mybot.js", "--kit"], "--kit: there is a kit for python only"),
        (["mybot", "--language", "rust"], "'rust' is not one of 'python', 'javascript', 'c'"),
        ([""], "is a folder; name a file in it, as in mybot.py"),
        (["."], "is a folder"),
        (["x" * 300], "cannot be written: File name too long"),
        ([], "Missing argument 'PATH'"),
    ],
)
def test_what_cannot_be_written_is_refused(folder, words, said):
    assert said in call_refused("new-bot", *words)
    assert not [path for path in folder.rglob("*") if path.is_file()]


def test_a_folder_on_the_way_that_is_a_file_is_named(folder):
    (folder / "file").write_text("", encoding="utf-8")
    assert "cannot be written" in call_refused("new-bot", "file/mybot.py")


def test_the_wheel_holds_every_template():
    settings = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = ["*.py", *settings["tool"]["setuptools"]["package-data"]["sample_bots"]]
    assert all(any(fnmatch.fnmatch(name, pattern) for pattern in patterns) for name in NAMES)
