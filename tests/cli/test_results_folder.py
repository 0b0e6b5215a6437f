"""`--results PATH`: a file or a folder, in every command that writes or reads results."""

import shutil

import pytest
from cli.command_line import StartedArbiter, call, call_ok, call_refused, write_tournament

from arbiter.cli import COMMAND_NAMES as COMMANDS

GAME = "hunter~random~1"
WHY = ("--because", "the power failed", "--by", "Ada")
# The words after the tournament file, the exit code, and a part of the output or of the error.
COMMAND_LINES = {
    "status": ((), 0, "Club night: 12/12 games"),
    "stop": ((), 1, "nobody is playing {results}"),
    "withdraw": (("random",), 2, "all games are played; there is nothing to withdraw from"),
    "rule": ((GAME, "--result", "annulled", *WHY), 0, GAME),
    "disqualify": (("random", *WHY), 0, "random"),
    "reinstate": (("random", *WHY), 2, "random: is not suspended"),
    "standings": ((), 0, "The mean is 0."),
    "report": (("-o", "{folder}/pages"), 0, "12 games in {folder}/pages/index.html"),
    "games": ((), 0, GAME),
    "replay": ((GAME, "--at", "end"), 0, "hunter"),
    "rerun": ((GAME,), 0, f"{GAME}: same game"),
    "position": ((GAME,), 0, "# the game is over: "),
    "explain": ((GAME,), 0, GAME),
    "export": ((GAME, "--record", "-"), 0, '"type":"game"'),
    "feed": ((GAME, "--as", "red"), 0, '"type":"start"'),
    "verify": ((), 0, "{results}: ok: 12 games"),
    "backup": (("{folder}/copy.sqlite",), 0, "12 games in {folder}/copy.sqlite"),
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
    if command in ("games", "status", "verify"):  # the same file by its own name
        assert call(command, file, *words, "--results", elsewhere / "club.sqlite").stdout == result.stdout
    if command != "schedule":  # lists what can be known without results
        assert f"there are no results at {file.parent / 'results'}" in call_refused(command, file, *words)


def test_results_are_served(apart):
    file, elsewhere = apart
    with StartedArbiter("serve", file, "--results", elsewhere, "--at", "0") as serving:
        serving.read_until(f"{elsewhere / 'club.sqlite'} is served at http://127.0.0.1:")


def test_every_command_with_results_is_tested(apart):
    """Only commands without results, and commands that play them, are left out."""
    others = {"run", "match", "play", "check", "suite", "tune", "serve"}
    others |= {
        "rules",
        "bots",
        "new-bot",
        "kit",
        "docs",
        "doctor",
        "worker",
        "scheduler",
        "certificates",
        "keys",
        "entry",
        "ratings",
        "season",
        "new-tournament",
        "queue",
        "ladder",
        "invite",
        "submit",
        "submissions",
    }
    assert COMMAND_LINES.keys() == set(COMMANDS) - others
    assert "--results PATH" in call("run", "--help").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    {
        "no results there": (
            ("status", "club.toml", "--results", "none"),
            "club.toml: there are no results at none/club.sqlite",
        ),
        "no such file": (
            ("status", "club.toml", "--results", "elsewhere/other.sqlite"),
            "club.toml: there are no results at elsewhere/other.sqlite",
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


FOUND = {"some.sqlite": "some.sqlite", "new/deep": "new/deep/NAME.sqlite", "old.d/": "old.d/NAME.sqlite"}


@pytest.mark.parametrize("place", FOUND)
def test_the_option_means_the_same_for_a_tournament_and_a_match(tmp_path, monkeypatch, quick, quick_words, place):
    match = ("match", *quick_words[:2], "--rules", "duel", "--games", 2)
    commands = {"club": ("run", write_tournament(tmp_path, bots=quick[:2])), "match": match}
    for name, words in commands.items():
        folder = tmp_path / name
        (folder / "old.d").mkdir(parents=True)
        monkeypatch.chdir(folder)
        call_ok(*words, "--results", place)
        assert (folder / FOUND[place].replace("NAME", name)).is_file()
