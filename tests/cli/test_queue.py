"""`queue`: tests of versions from git are matches; they are stopped, resumed, ordered and listed."""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from cli.command_line import StartedArbiter, call, call_ok, call_refused, write_program
from cli.test_tune import BOT

GAMES = ("--rules", "duel", "--seed", "5")
TEST = (*GAMES, "--sprt", "0,300", "--alpha", "0.1", "--beta", "0.1")
RUN = ("run", "--sandbox", "process", "--jobs", "1")
BROKEN = "print('no message')\n"
WAIT = """\
import time
from pathlib import Path
def list_lines():
    games = 0
    for line in sys.stdin:
        games += '"start"' in line
        while games > 2 and Path(GATE).exists():
            time.sleep(0.01)
        yield line
"""

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="allowed: needs git")


def git(folder, *words):
    nobody = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    identity = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", *words], cwd=folder, env=os.environ | nobody | identity, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def write_bot(strength, gate):
    """Write a bot that resigns more or less often; its process waits from its third game on while there is a gate."""
    text = re.sub("strength = .*", f"strength = {strength}", BOT)
    text = text.replace("for _ in range(count)]", "for _ in range(count)]; rng.shuffle(army)")
    head, _, rest = text.replace("in sys.stdin", "in list_lines()").partition("\n")
    return f"{head}\nGATE = {str(gate)!r}\n{WAIT}{rest}"


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """Return a repository of a bot with a branch for each version."""
    folder = tmp_path_factory.mktemp("author") / "mybot"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    gate = folder.with_name("closed")
    for branch, program in (("main", write_bot(5, gate)), ("dev", write_bot(90, gate)), ("broken", BROKEN)):
        git(folder, "checkout", "-q", "-B", branch)
        write_program(folder / "mybot.py", program)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", f"Play as {branch}")
    git(folder, "checkout", "-q", "main")
    return folder


@pytest.fixture
def author(repository, tmp_path, monkeypatch):
    """Work in a copy of the repository, next to which is no queue."""
    shutil.copytree(repository, tmp_path / "mybot", symlinks=True)
    monkeypatch.chdir(tmp_path / "mybot")
    return tmp_path


@pytest.fixture
def gate(repository):
    """Return a file that exists: while it does, no process of a bot plays a third game."""
    path = repository.with_name("closed")
    path.touch()
    yield path
    path.unlink(missing_ok=True)


def name(branch):
    return f"{branch}-{git('.', 'rev-parse', '--short=7', branch)}"


def queue(*words):
    return call_ok("queue", *words)


def add(branch, *words, baseline="main"):
    return json.loads(queue("add", f"./mybot.py@{branch}", "--baseline", baseline, *words, "--json"))["test"]


def run(*words, code=0):
    done = call("queue", *RUN, *words)
    assert done.exit_code == code, done.stderr
    return done


def listed():
    return {one["test"]: one for one in map(json.loads, queue("--json", "--all").splitlines())}


@pytest.fixture(scope="module")
def decided(repository, tmp_path_factory):
    """Play the same match of the two programs with `arbiter match`; return its result."""
    folder = tmp_path_factory.mktemp("match")
    for branch in ("dev", "main"):
        (folder / branch).mkdir()
        write_program(folder / branch / "mybot.py", git(repository, "show", f"{branch}:mybot.py") + "\n")
    names = {branch: f"{branch}-{git(repository, 'rev-parse', '--short=7', branch)}" for branch in ("dev", "main")}
    bots = [f"{names[branch]}={folder / branch / 'mybot.py'}" for branch in ("dev", "main")]
    return json.loads(call_ok("match", *bots, *TEST, "--jobs", "1", "--json").splitlines()[-1])


def compare(row, match):
    assert row["sprt"] == match["sprt"]
    assert (row["elo"], row["games"], row["won"] + row["drawn"] / 2) == (match["elo"], match["games"], match["score"])


def test_a_test_is_a_match_and_survives_a_kill(author, decided, gate):
    assert add("dev", *TEST, "--note", "plays to win") == 1
    row = listed()[1]
    assert (row["version"], row["baseline"], row["state"], row["games"]) == (name("dev"), name("main"), "waiting", 0)
    with StartedArbiter("queue", *RUN) as running:
        running.read_until("game 2/")
        running.popen.send_signal(signal.SIGKILL)
        running.popen.wait()
    gate.unlink()
    begun = listed()[1]
    assert (begun["state"], begun["games"]) == ("begun", 2)
    assert begun["games_left"] > 0 < begun["seconds_left"]
    run()
    row = listed()[1]
    assert (row["state"], row["note"], row["games_left"], row["forfeits"]) == ("H1", "plays to win", 0, {})
    compare(row, decided)
    path = author / "mybot-queue" / "results" / "test-1.sqlite"
    assert row["path"] == str(path)
    call_ok("verify", path)
    played = json.loads(call_ok("standings", path, "--json").splitlines()[0])
    assert played["bot"] == name("dev")
    text = queue()
    assert "passed" in text
    assert "plays to win" in text
    assert f"{decided['sprt']['llr']:.2f} (-2.20, 2.20)" in text
    versions = [json.loads(line) for line in queue("history", "--json").splitlines()]
    assert [one["version"] for one in versions] == [name("main"), name("dev")]
    assert versions[0]["elo"]["elo"] == 0 < versions[1]["elo"]["elo"]
    assert [one["subject"] for one in versions] == ["Play as main", "Play as dev"]
    assert "Versions in duel, 60+0.1" in queue("history")


@pytest.mark.heavy
def test_the_highest_priority_is_played_first_even_if_it_is_added_later_and_ctrl_c_stops_the_queue(author, gate):
    add("dev", *GAMES, "--games", "4000")
    with StartedArbiter("queue", *RUN) as running:
        running.read_until("game 2/")
        assert "is playing this queue" in call_refused("queue", *RUN)
        assert add("dev", "--rules", "duel", "--games", "2", "--priority", "1", baseline="random") == 2
        gate.unlink()
        running.read_until("test 2, priority 1")
        gate.touch()
        running.read_until("game 2/2")
        running.read_until("test 1, priority 0")
        running.read_until("game ")
        running.popen.send_signal(signal.SIGINT)
        gate.unlink()
        code, err = running.finish()
    assert code == 130
    assert "test 1 stops: test 2 goes first" in err
    assert [one["state"] for one in listed().values()] == ["begun", "finished"]
    with StartedArbiter("queue", *RUN) as running:
        running.read_until("test 1, priority 0")
        running.read_until("game ")
        assert "cancelled" in queue("cancel", "1")
        code, err = running.finish()
    assert code == 0
    assert "test 1 stops: cancelled" in err
    tests = listed()
    assert [tests[number]["state"] for number in (1, 2)] == ["cancelled", "finished"]
    assert tests[2]["baseline"] == "random"
    for change in ("pause", "resume"):
        assert "TEST 2: is over; nothing was changed" in call_refused("queue", change, "1", "2")
    queue("resume", "1")
    queue("pause", "1")
    assert listed()[1]["state"] == "paused"
    queue("priority", "1", "--to", "-3")
    assert listed()[1]["priority"] == -3
    run()  # a paused test is not played


@pytest.mark.heavy
def test_a_version_that_forfeits_stops_its_test_alone(author):
    add("broken", *GAMES, "--sprt", "0,10", "--games", "12")
    add("dev", *GAMES, "--games", "2")
    done = run(code=1)
    assert f"test 1 stops: {name('broken')} forfeited 5 of the last 5 games" in done.stderr
    assert "run again" not in done.stderr
    assert "arbiter queue resume 1" in done.stdout
    [command] = re.findall(r"^check it: arbiter check (\S+) --rules duel", done.stdout, re.MULTILINE)
    assert Path(command).is_file()
    tests = listed()
    assert [tests[number]["state"] for number in (1, 2)] == ["stopped", "finished"]
    assert tests[1]["forfeits"] == {name("broken"): 5}
    text = queue()
    assert "Test 1 was stopped" in text
    assert "arbiter explain" in text
    assert "To play on: arbiter queue resume 1" in text
    queue("resume", "1")
    run()
    assert (listed()[1]["state"], listed()[1]["games"]) == ("finished", 12)
    assert f"Test 1 shows little about strength: forfeits ({name('broken')} 12) of 12 games" in queue()


def test_versions_are_built_once_and_never_changed(author):
    git(".", "checkout", "-q", "-b", "feature/built", "dev")
    git(".", "mv", "mybot.py", "source.py")
    git(".", "commit", "-q", "-m", "Compile")
    versions = author / "mybot-queue" / "versions"
    test = ("queue", "add", "./mybot.py@feature/built", "--baseline", "./mybot.py@main", *GAMES, "--games", "2")
    assert "a version has the files that are committed, or --build COMMAND makes them" in call_refused(*test)
    failed = call(*test, "--build", "seq 1 100; exit 3")
    assert failed.exit_code == 2
    assert "failed on " in failed.stderr
    assert "arbiter: 100\n" in failed.stderr
    assert "arbiter: 80\n" not in failed.stderr
    assert list(versions.iterdir()) == []  # nothing of a test that was refused stays
    build = ("--build", "test -e mybot.py || cp source.py mybot.py; echo built >> ../builds.log; sleep 100 &")
    assert "builds " in call(*test, *build).stderr
    assert call("queue", "add", *test[2:], *build, "--seed", "6").stderr == ""
    assert (versions / "builds.log").read_text() == "built\n" * 2  # once for each version
    run()
    assert [one["state"] for one in listed().values()] == ["finished"] * 2
    row = listed()[1]
    assert row["version"].startswith("feature-built-")
    built = next(path for path in versions.glob("*/source.py")).with_name("mybot.py")
    built.write_text(BROKEN)
    queue("add", *test[2:], *build, "--seed", "7")
    assert "has changed from" in run(code=1).stderr
    shutil.rmtree(built.parent)
    run()
    assert listed()[3]["state"] == "finished"


def test_uncommitted_changes_are_reported(author):
    write_program(author / "mybot" / "mybot.py", BROKEN)
    (author / "mybot" / "new.py").touch()
    done = call("queue", "add", "./mybot.py", "--baseline", "dev", *GAMES)
    assert done.stderr == "arbiter: main: uncommitted changes are not tested: mybot.py, new.py\n"
    assert call("queue", "add", "./mybot.py@broken", "--baseline", "dev", *GAMES).stderr == ""


REFUSED = [
    (("./mybot.py@deu", "--baseline", "main"), "unknown branch or commit 'deu': did you mean 'dev'?"),
    (("./mybot.py@dev", "--baseline", "nothing"), "unknown branch or commit 'nothing': there is broken, dev, main"),
    (("./mybot.py@--help", "--baseline", "main"), "unknown branch or commit '--help'"),
    (("./other.py@dev", "--baseline", "main"), "other.py; a version has the files that are committed"),
    (("./mybot.py@dev", "--baseline", "dev"), "is the same program as the baseline"),
    (("hunter", "--baseline", "main"), "is a sample bot, which has no versions"),
    (("./mybot.py@dev", "--baseline", "main", "--sprt", "30,0"), "--sprt 30,0: must be two numbers of Elo"),
    (("./mybot.py@dev", "--baseline", "main", "--alpha", "0.1"), "--alpha: is a setting of --sprt"),
    (("./mybot.py@dev", "--baseline", "main", "--rules", "chess"), "unknown rule set 'chess'"),
    (("./mybot.py@dev", "--baseline", "main", "--games", "3"), "games: is 3, must be an even number"),
    (("./mybot.py@dev", "--baseline", "main", "--env", "x"), "such as DEPTH=5 or new:DEPTH=5"),
]


@pytest.mark.parametrize(("words", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_a_wrong_test_is_refused(author, words, why):
    assert why in call_refused("queue", "add", *words)
    assert not (author / "mybot-queue" / "queue.json").exists()


def test_the_same_test_is_added_once(author):
    add("dev", *TEST)
    again = ("queue", "add", "./mybot.py@dev", "--baseline", "main", *TEST)
    assert "test 1 is the same; for other games, change a setting such as --seed" in call_refused(*again)
    add("dev", *TEST, "--seed", "6")
    add("dev", *TEST, "--env", "new:LEVEL=2")
    assert listed()[3]["version"] == f"{name('dev')}-2"  # the same program with another setting
    assert "TEST 4: is not in the queue; there are tests 1 to 3" in call_refused("queue", "cancel", "1", "4")
    assert listed()[1]["state"] == "waiting"
    queue("cancel", "1")
    assert add("dev", *TEST) == 4


def test_a_queue_is_found_and_checked(author, monkeypatch):
    assert "mybot-queue: is not a queue; `arbiter queue add " in call_refused("queue")
    add("dev", *GAMES, "--queue", author / "other")
    assert "main" in queue("list", "--queue", author / "other")
    monkeypatch.chdir(author / "other")
    assert "main" in queue()
    (author / "other" / "queue.json").write_text("{")
    assert "is not the list of a queue" in call_refused("queue")
    (author / "other" / "queue.json").write_text('{"format":2,"tests":7}')
    assert "queue.json: has format 2, but this arbiter reads format 1; use the arbiter" in call_refused("queue")
    monkeypatch.chdir(author)
    assert "not a git repository" in call_refused("queue", "run")
