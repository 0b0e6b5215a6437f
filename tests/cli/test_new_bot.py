"""`new-bot`: the bots play with the printed command, and files are never overwritten."""

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
from sample_bots.catalogue import TEMPLATES

FOLDER = Path(sample_bots.__file__).parent
NAMES = [template.file for template in TEMPLATES]
STRICT = {
    "cc": "-Wall -Wextra -Werror",
    "c++": "-Wall -Wextra -Werror",
    "rustc": "-D warnings",
    "javac": "-Xlint:all -Werror",
    "mcs": "-warnaserror",
}
"""Options with which compilers refuse what they would warn about."""
ENDINGS = {Path(template.file).suffix for template in TEMPLATES}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked_for(template):
    """Return the options for a template."""
    return ["--language", template.language, *(["--kit"] if template.has_kit else [])]


def printed_command(text):
    [line] = [line for line in text.splitlines() if line.startswith("    ")]
    return line.strip()


def built(line):
    """Run the build step of a printed command, in strict mode; return the arguments for the arbiter."""
    *builds, play = line.split(" && ")
    for build in builds:
        tool, _, rest = build.partition(" ")
        need(tool)
        if tool == "go":
            subprocess.run(["go", "vet", shlex.split(rest)[-1]], check=True)
        subprocess.run(f"{tool} {STRICT.get(tool, '')} {rest}", shell=True, check=True)
    words = shlex.split(play)
    assert words[0] == "arbiter"
    return words[1:]


def need(tool):
    if not tool.startswith("{") and shutil.which(tool) is None:
        pytest.skip(f"there is no {tool} here")


EACH = pytest.mark.parametrize(
    "template",
    [pytest.param(one, id=one.file, marks=[] if one.language == "c" else pytest.mark.heavy) for one in TEMPLATES],
)


def play_as_printed(template, path):
    """Play two games with the printed command; return the program."""
    need(template.command.split()[0])
    words = built(printed_command(call_ok("new-bot", *asked_for(template), "--", path)))
    result = call(*words, "--rules", "duel", "--games", "2", "--json")
    assert result.exit_code == 0, result.stderr
    games = [found for line in result.stdout.splitlines() if "ending" in (found := json.loads(line))]
    assert len(games) == 2
    assert FORFEITS.isdisjoint(game["ending"] for game in games)
    return words[1]


@EACH
def test_a_new_bot_plays_as_printed_and_passes_the_check(template):
    bot = play_as_printed(template, "mybot")
    assert call_ok("check", bot, "--rules", "duel", "--rules", "card-game").endswith("all steps passed\n")


@pytest.mark.parametrize("path", ["bots/my bot", "-x"])
@pytest.mark.parametrize("template", TEMPLATES, ids=NAMES)
@pytest.mark.slow(keep=1)
def test_a_new_bot_with_an_odd_name_plays_as_printed(template, path):
    if path.startswith("-") and template.language == "go":
        path = "x"  # the compiler of Go refuses files whose names begin with a dash
    play_as_printed(template, path)


@pytest.mark.parametrize("ending", sorted(ENDINGS))
def test_the_ending_selects_the_language(folder, ending):
    call_ok("new-bot", f"mybot{ending}")
    [template] = [one for one in TEMPLATES if Path(one.file).suffix == ending and not one.has_kit]
    text = (FOLDER / template.file).read_text(encoding="utf-8")
    assert (folder / f"mybot{ending}").read_text(encoding="utf-8") == text.replace(f'"{template.name}"', '"mybot"')


def test_without_a_language_or_an_ending_it_is_python_without_the_kit(folder):
    call_ok("new-bot", "mybot")
    assert "import json" in (folder / "mybot.py").read_text(encoding="utf-8")


def test_the_kit(folder):
    call_ok("new-bot", "mybot", "--kit")
    assert "from protocol.bot import" in (folder / "mybot.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("template", TEMPLATES, ids=NAMES)
def test_a_template_contains_its_name_once(template):
    assert (FOLDER / template.file).read_text(encoding="utf-8").count(f'"{template.name}"') == 1


@pytest.mark.parametrize(("path", "name"), [("my bot.py", "my-bot"), ('a"b.py', "a-b"), ("\N{SNOWMAN}.py", "bot")])
def test_a_bot_is_named_after_its_file(folder, path, name):
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
    assert "already exists" in call_refused("new-bot", path, *asked_for(template))
    assert path.read_text(encoding="utf-8") == "years of work"


def test_a_link_to_nowhere_is_not_followed(folder):
    (folder / "mybot.py").symlink_to(folder / "elsewhere.py")
    assert "already exists" in call_refused("new-bot", "mybot.py")
    assert not (folder / "elsewhere.py").exists()


def test_a_file_that_the_compiler_would_overwrite(folder):
    (folder / "mybot").mkdir()
    assert "the compiler output for mybot.c" in call_refused("new-bot", "mybot.c")
    assert not (folder / "mybot.c").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["mybot.rb"],
            "mybot.rb: must end in .py, .js, .c, .cpp, .rs, .go, .java, .cs; fix the ending, or add --language",
        ),
        (["mybot.py", "--language", "c"], "mybot.py: a c bot must end in .c; name it mybot.c"),
        (["mybot.js", "--kit"], "--kit: there is a kit only for python"),
        (
            ["mybot", "--language", "perl"],
            "'perl' is not one of 'python', 'javascript', 'c', 'cpp', 'rust', 'go', 'java', ",
        ),
        ([""], "is a folder; name a file in it, such as mybot.py"),
        (["."], "is a folder"),
        (["x" * 300], "cannot be written: File name too long"),
        ([], "Missing argument 'PATH'"),
    ],
)
def test_wrong_paths_and_options(folder, words, said):
    assert said in call_refused("new-bot", *words)
    assert not [path for path in folder.rglob("*") if path.is_file()]


def test_a_file_in_place_of_a_folder(folder):
    (folder / "file").write_text("", encoding="utf-8")
    assert "cannot be written" in call_refused("new-bot", "file/mybot.py")


def test_the_wheel_holds_every_template():
    settings = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = ["*.py", *settings["tool"]["setuptools"]["package-data"]["sample_bots"]]
    assert all(any(fnmatch.fnmatch(name, pattern) for pattern in patterns) for name in NAMES)
