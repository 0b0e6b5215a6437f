"""`--results DIR`: every command that reads the results of a tournament file finds them in another folder."""

import shutil

import pytest
from cli.command_line import StartedArbiter, call, call_refused

from arbiter.cli import COMMAND_NAMES as COMMANDS

GAME = "hunter~random~1"
WHY = ("--because", "the power failed", "--by", "Ada")
# The words after the tournament file, the exit code, and a part of the output or of the error.
COMMAND_LINES = {
    "status": ((), 0, "Club night: 12/12 games"),
    "stop": ((), 1, "nobody is playing {results}"),
    "withdraw": (("random",), 2, "{results}: all games are played"),
    "rule": ((GAME, "--annul", *WHY), 0, GAME),
    "disqualify": (("random", *WHY), 0, "random"),
    "reinstate": (("random", *WHY), 2, "random: is not suspended"),
    "standings": ((), 0, "The mean is 0."),
    "report": (("-o", "{folder}/pages"), 0, "12 games are in {folder}/pages/index.html"),
    "games": ((), 0, GAME),
    "replay": ((GAME, "--at", "end"), 0, "hunter"),
    "rerun": ((GAME,), 0, f"{GAME}: same game"),
    "position": ((GAME,), 0, "# the game is over: "),
    "explain": ((GAME,), 0, GAME),
    "export": ((GAME, "--record", "-"), 0, '"type":"game"'),
    "feed": ((GAME, "--as", "red"), 0, '"type":"start"'),
    "verify": ((), 0, "{results}: ok: 12 games"),
    "backup": (("{folder}/copy.sqlite",), 0, "12 games are in {folder}/copy.sqlite"),
    "setups": ((), 0, "duel"),
    "schedule": ((), 0, "Club night: pairings"),
}


@pytest.fixture
def apart(played, tmp_path):
    """Return a tournament file, and the folder of its results elsewhere."""
    shutil.copy(played, tmp_path / "club.toml")
    shutil.copytree(played.parent / "results", tmp_path / "elsewhere")
    return tmp_path / "club.toml", tmp_path / "elsewhere"


def fill_in(text, folder):
    return text.format(folder=folder, results=folder / "elsewhere" / "club.sqlite")


@pytest.mark.parametrize(("command", "line"), COMMAND_LINES.items(), ids=COMMAND_LINES)
def test_results_of_a_tournament_file_are_found(apart, command, line):
    file, elsewhere = apart
    words, code, shown = line
    words = [fill_in(word, file.parent) for word in words]
    result = call(command, file, *words, "--results", elsewhere)
    assert result.exit_code == code, result.stderr
    assert fill_in(shown, file.parent) in result.stdout + result.stderr
    if command != "schedule":  # lists what can be known without results
        assert f"there are no results at {file.parent / 'results'}" in call_refused(command, file, *words)


def test_results_are_served(apart):
    file, elsewhere = apart
    with StartedArbiter("serve", file, "--results", elsewhere, "--at", "0") as serving:
        serving.read_until(f"{elsewhere / 'club.sqlite'} is served at http://127.0.0.1:")


def test_every_command_with_results_is_tested(apart):
    """Only commands without results, and commands that play them, are left out."""
    others = {"run", "match", "play", "check", "suite", "tune", "serve"}
    others |= {"rules", "bots", "new-bot", "kit", "docs", "doctor", "worker", "certificates", "ratings"}
    assert COMMAND_LINES.keys() == set(COMMANDS) - others
    assert "--results DIR" in call("run", "--help").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    {
        "no results there": (
            ("status", "club.toml", "--results", "none"),
            "club.toml: there are no results at none/club.sqlite",
        ),
        "the file itself": (
            ("status", "club.toml", "--results", "elsewhere/club.sqlite"),
            "--results elsewhere/club.sqlite: is a file; name its folder, or name the file instead of club.toml",
        ),
        "a results file": (
            ("status", "elsewhere/club.sqlite", "--results", "elsewhere"),
            "--results elsewhere: is for a tournament file (*.toml), and elsewhere/club.sqlite is not one; leave it out",
        ),
        "a record": (("verify", "a.jsonl", "--results", "elsewhere"), "and a.jsonl is not one; leave it out"),
    }.values(),
)
def test_wrong_folders(apart, monkeypatch, words, said):
    monkeypatch.chdir(apart[0].parent)
    assert said in call_refused(*words)
