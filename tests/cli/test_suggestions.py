"""Commands that the output suggests: each can be copied into a shell, even if names contain spaces."""

import re
import shlex
from pathlib import Path

import pytest
from cli.command_line import call, call_ok, write_program, write_tournament

from arbiter.errors import write_command

COMMAND = re.compile(r"(?:: |`)(arbiter (?:run|replay|games|rule|withdraw|disqualify) [^`\n]*)")
GAME = "hunter~random~1"
WHY = ("--because", "the power failed")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Play a tournament in a folder with a space and a quote in its name; one bot crashes."""
    folder = tmp_path_factory.mktemp("suggestions") / "ada's club night"
    folder.mkdir()
    write_program(folder / "crashes.py", "raise SystemExit(3)\n")
    crashes = {"name": "random", "command": ["./crashes.py"]}
    return write_tournament(folder, bots=("hunter", crashes), name="club 1")


def suggested(*words):
    """Call `arbiter WORDS` and return the commands that its output suggests."""
    result = call(*words)
    return [found.replace(" ID ", f" {GAME} ") for found in COMMAND.findall(result.stdout + result.stderr)]


def run_suggested(commands):
    for command in commands:
        result = call(*shlex.split(command)[1:])
        assert result.exit_code == 0, f"{command}: {result.stderr}"


def test_suggested_commands_can_be_run(file):
    results = file.parent / "results" / "club 1.sqlite"
    (run,) = suggested("status", file)
    assert run == f"arbiter run {shlex.quote(str(file))}"
    shown = suggested(*shlex.split(run)[1:])
    # Of two forfeited games, and at the end one to watch and one log.
    assert [shlex.split(command)[1] for command in shown] == ["games", "games", "replay", "games"]
    run_suggested(shown)
    for words in (
        ("games", results),
        ("games", results, "--id", "none~such~1"),
        ("replay", results, "--plain"),
        ("rule", results, GAME, "--undo", *WHY),
        ("rule", results, "no such game", "--result", "annulled", *WHY),
        ("rule", results, "--result", "annulled"),
    ):
        commands = suggested(*words)
        assert len(commands) == 1, words
        run_suggested(commands)
    call_ok("disqualify", results, "random", *WHY)
    run_suggested(suggested("reinstate", results, "random", *WHY))
    assert suggested("reinstate", results, "random", *WHY) == []


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("games", Path("club.sqlite")), "arbiter games club.sqlite"),
        (("games", Path("my club.sqlite"), "--id", "a~b~1"), "arbiter games 'my club.sqlite' --id a~b~1"),
        (("run", Path("ada's.toml")), "arbiter run 'ada'\"'\"'s.toml'"),
        (("run", Path("$(rm -r x).toml")), "arbiter run '$(rm -r x).toml'"),
        (("run", Path("-x.toml"), "--live"), "arbiter run ./-x.toml --live"),
    ],
)
def test_words_of_a_command_are_quoted(words, command):
    assert write_command(*words) == command
    assert shlex.split(command)[2].removeprefix("./") == str(words[1])
