"""`rerun`: the same game, the first difference, or an error."""

import json
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from cli.command_line import StartedArbiter, bot, call, call_ok, call_refused, write_program, write_tournament
from cli.sleeping_bot import wait_until_asleep
from cli.terminal import Terminal
from cli.test_void import FailingIsolation
from msgspec.structs import replace
from tournament.stored_games import game

import sample_bots
from arbiter.director import venue
from arbiter.sandbox.select import SelectedIsolation
from arbiter.tournament.config.bot_config import OWN_PACKAGES, PACKAGES
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.store import Store
from arbiter.verify import verify
from sample_bots.bridges import BRIDGES

SAMPLE = Path(sample_bots.__path__[0]) / "stdlib_player.py"
SAME = "walker~mine~1: same game: 6 plies, nobody wins (limit of 6 plies reached)\n"
# Plays like the walker, but another third move if there is a file `otherwise` next to it.
FICKLE = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent.parent / "bots")!r})
from base import Bot, move
HERE = Path(__file__).parent
class Fickle(Bot):
    def choose_action(self, ask):
        walked = super().choose_action(ask)
        return move("e7", "e6") if self.turns == 3 and (HERE / "otherwise").exists() else walked
Fickle().run()
"""


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Play a tournament of two walkers; one may change a move."""
    folder = tmp_path_factory.mktemp("walked")
    write_program(folder / "mine.py", FICKLE)
    entries = [bot("base") | {"name": "walker"}, {"name": "mine", "command": ["./mine.py"]}]
    path = write_tournament(folder, rules="original", bots=entries, draws={"max_plies": 6})
    call_ok("run", path)
    return path


@pytest.fixture
def file(walked, tmp_path):
    """Return a copy of the tournament, as if it had been played there."""
    shutil.copytree(walked.parent, tmp_path, dirs_exist_ok=True)
    change_head(tmp_path / "results" / "club.sqlite", f"json_set(manifest, '$.folder', '{tmp_path}')")
    return tmp_path / walked.name


def test_the_same_again(file):
    results = file.parent / "results" / "club.sqlite"
    before = results.read_bytes()
    for named, *options in ([file], [results, "--trust-commands"], [results.parent, "--trust-commands"]):
        result = call("rerun", named, "walker~mine~1", *options)
        assert (result.exit_code, result.stdout, result.stderr) == (0, SAME, "")
    assert results.read_bytes() == before


@pytest.mark.parametrize("game", ["random~hunter~1", "stdlib~random~1"])
def test_sample_bots_play_the_same_again(played, game):
    result = call("rerun", played, game, "--json")
    assert (result.exit_code, json.loads(result.stdout)["same"]) == (0, True)


def test_a_forfeit_is_the_same(tmp_path):
    path = write_tournament(tmp_path, rules="original", bots=[bot("base"), bot("crashes")])
    call_ok("run", path)
    result = call("rerun", path, "base~crashes~1", "--log")
    assert result.exit_code == 0
    verdict, *log = result.stdout.splitlines()
    assert verdict == "base~crashes~1: same game: 1 ply, red wins (program crashed)"
    assert any('  to blue      {"type":"ask"' in line for line in log)
    assert any(line.endswith("  stderr blue  KeyError: 'the best move'") for line in log)


def test_the_first_difference(file, tmp_path):
    (tmp_path / "otherwise").touch()
    result = call("rerun", file, "walker~mine~1")
    assert result.exit_code == 1
    assert result.stdout == (
        "walker~mine~1: different from ply 6 (act 8) on; the rerun: 6 plies, nobody wins (limit of 6 plies reached)\n"
        "  before: blue j6-j7\n"
        "  now:    blue e7-e6\n"
    )
    assert json.loads(call("rerun", file, "walker~mine~1", "--json").stdout) == {
        "id": "walker~mine~1",
        "same": False,
        "winner": None,
        "ending": "ply_limit",
        "plies": 6,
        "act": 8,
        "ply": 6,
        "record": "blue j6-j7",
        "rerun": "blue e7-e6",
    }


def test_the_new_record_can_be_written(file, tmp_path):
    (tmp_path / "otherwise").touch()
    assert call("rerun", file, "walker~mine~1", "--record", tmp_path / "new" / "game.jsonl").exit_code == 1
    record = (tmp_path / "new" / "game.jsonl").read_bytes()
    assert verify(record).ok
    assert b'"src":"e7"' in record


def test_a_match_is_found_where_it_was_played(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    shutil.copy(SAMPLE, "mine.py")
    call_ok("match", "./mine.py", "random", "--games", 2, "--rules", "duel", "--results", "m.sqlite")
    monkeypatch.chdir(tmp_path / "there")
    assert call("rerun", "../here/m.sqlite", "mine~random~1", "--trust-commands").exit_code == 0


@pytest.fixture
def moved(file):
    """Move the bot of the tournament to another folder; return its new entry."""
    (file.parent / "elsewhere").mkdir()
    (file.parent / "mine.py").rename(file.parent / "elsewhere" / "mine.py")
    return {"name": "mine", "command": ["elsewhere/mine.py"]}


@pytest.mark.usefixtures("moved")
def test_a_missing_bot(file):
    assert call_refused("rerun", file, "walker~mine~1") == (
        f"arbiter: bots.mine: command: there is no program {file.parent}/mine.py; put it back, or name a tournament "
        "file with its new place with --file"
    )


def test_a_bot_of_another_tournament_file(file, moved):
    other = write_tournament(file.parent, name="other", bots=(bot("base") | {"name": "walker"}, moved, "random"))
    assert call("rerun", file, "walker~mine~1", "--file", other).stdout == SAME


def test_another_file_must_have_the_bot(file, moved):
    other = write_tournament(file.parent, name="other", bots=("random", moved))
    told = call_refused("rerun", file, "walker~mine~1", "--file", other)
    assert told == f"arbiter: {other}: unknown bot 'walker': there is random, mine"


def test_another_file_must_be_there(file):
    assert "no.toml" in call_refused("rerun", file, "walker~mine~1", "--file", file.parent / "no.toml")


@pytest.fixture
def infected(file):
    """Replace a command in the results by one that leaves a file; return the results and that file."""
    results = file.parent / "results" / "club.sqlite"
    trace = file.parent / "trace"
    command = json.dumps(["/bin/sh", "-c", f"touch {trace}"])
    change_head(results, f"json_set(manifest, '$.tournament.bots[1].command', json('{command}'))")
    change_head(results, "json_set(manifest, '$.tournament.bots[1].trusted', json('true'))")
    return results, trace


def test_a_command_in_results_is_not_run_without_a_sandbox(infected, file):
    results, trace = infected
    for named in (results, results.parent, file):
        told = call_refused("rerun", named, "walker~mine~1")
        assert f"{results}: contains commands that would run without a sandbox: " in told
        assert (
            f"mine: /bin/sh -c 'touch {trace}', in the folder {file.parent}; if you trust them, add --trust-commands"
            in told
        )
        assert not trace.exists()


def test_a_trusted_command_in_results_is_run(infected):
    results, trace = infected
    assert call("rerun", results, "walker~mine~1", "--trust-commands").exit_code == 1
    assert trace.exists()


@pytest.mark.parametrize("isolation", ["process", "full"])
def test_the_environment_in_results_counts_as_code(file, isolation, request):
    """The bot writes its environment; variables of linkers and interpreters never come from results."""
    if isolation == "full":
        request.getfixturevalue("sandbox")
        file.parent.chmod(0o755)
    results = file.parent / "results" / "club.sqlite"
    env = json.dumps({"LD_PRELOAD": "/tmp/evil.so", "PYTHONPATH": "/tmp", "DEPTH": "3"})
    command = json.dumps(["/bin/sh", "-c", "echo PRE=$LD_PRELOAD PATH=$PYTHONPATH DEPTH=$DEPTH >&2"])
    change_head(results, f"json_set(manifest, '$.tournament.bots[1].env', json('{env}'))")
    for named in (results, file):
        told = call_refused("rerun", named, "walker~mine~1", "--sandbox", isolation)
        assert "with LD_PRELOAD=/tmp/evil.so PYTHONPATH=/tmp DEPTH=3; " in told.replace("'", "")
    change_head(results, f"json_set(manifest, '$.tournament.bots[1].command', json('{command}'))")
    done = call("rerun", results, "walker~mine~1", "--trust-commands", "--log", "--sandbox", isolation)
    assert "PRE= PATH= DEPTH=3" in done.stdout
    assert f"mine gets no LD_PRELOAD, PYTHONPATH, which only {results} names" in done.stderr
    own = json.dumps(dict([OWN_PACKAGES]))
    change_head(results, f"json_set(manifest, '$.tournament.bots[1].env', json('{own}'))")
    done = call("rerun", results, "walker~mine~1", "--trust-commands", "--log", "--sandbox", isolation)
    assert f"PRE= PATH={PACKAGES} DEPTH=" in done.stdout
    assert "gets no" not in done.stderr


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [("read", ["/etc/passwd"], "reads /etc/passwd"), ("command", [next(iter(BRIDGES)), "./mine.py"], "which starts ")],
)
def test_what_a_program_reads_and_starts_counts_as_code(file, key, value, shown):
    results = file.parent / "results" / "club.sqlite"
    change_head(results, f"json_set(manifest, '$.tournament.bots[1].{key}', json('{json.dumps(value)}'))")
    assert shown in call_refused("rerun", file, "walker~mine~1")


@pytest.mark.parametrize(("typed", "code"), [("n", 2), ("", 2), ("y", 1)])
@pytest.mark.slow(keep=1)
def test_on_a_terminal_rerun_asks(infected, typed, code):
    results, trace = infected
    with Terminal("rerun", results, "walker~mine~1", "--sandbox", "process") as terminal:
        terminal.read_until("Do you trust them? [y/N]")
        assert not trace.exists()
        terminal.press(f"{typed}\r")
        assert terminal.finish() == code
    assert trace.exists() == (typed == "y")


def test_a_missing_game(file):
    assert "there is no game 'a~b~1'" in call_refused("rerun", file, "a~b~1")


def test_results_without_a_folder(file):
    results = file.parent / "results" / "club.sqlite"
    change_head(results, "json_remove(manifest, '$.folder')")
    assert call("rerun", file, "walker~mine~1").stdout == SAME


def test_a_person_is_not_asked_to_play_again(file):
    results = file.parent / "results" / "club.sqlite"
    change_head(results, "json_set(manifest, '$.tournament.bots[1].kind', 'person')")
    told = call_refused("rerun", results, "walker~mine~1")
    assert told == (
        f'arbiter: {results}: mine has kind = "person"; only games between programs of this machine can be played again'
    )


def test_a_game_that_was_not_played(file):
    results = file.parent / "results" / "club.sqlite"
    lost = replace(game("walker", "mine", None, "walkover", pair=9), id="walker~mine~9")
    with Store.read(results) as reader:
        head, record = reader.manifest, reader.record("walker~mine~1")
    header = record.splitlines()[0]
    end = b'{"type":"result","winner":"red","ending":"walkover"}'
    with Store.create_or_resume(results, head) as store:
        store.add([NewGame(lost, b"\n".join([header, end]))])
    assert "is a walkover" in call_refused("rerun", results, "walker~mine~9")


def change_head(results, how):
    """Change the manifest of results by SQL."""
    with closing(sqlite3.connect(results, isolation_level=None)) as connection:
        connection.execute(f"UPDATE series SET manifest = {how}")


def test_a_voided_rerun_is_an_error(file, monkeypatch):
    monkeypatch.setattr(
        venue,
        "select_isolation",
        lambda _asked, programs, *_: SelectedIsolation(FailingIsolation(of="mine", times=3), programs),
    )
    result = call("rerun", file, "walker~mine~1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "1 game voided by an internal error of the arbiter: walker~mine~1" in result.stderr
    assert "Cannot allocate memory" in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="allowed: needs /proc")
def test_ctrl_c_ends_it(file, tmp_path):
    write_program(
        tmp_path / "mine.py", "import time\nfrom pathlib import Path\nPath('asleep.log').touch()\ntime.sleep(3600)\n"
    )
    with StartedArbiter("rerun", file, "walker~mine~1") as running:
        wait_until_asleep(tmp_path)
        running.popen.send_signal(signal.SIGINT)
        code, message = running.finish()
        assert code == 130
        assert message.startswith("arbiter: the game was played by mine with the digest ")
        assert len(message.splitlines()) == 1
    assert running.lines == []


def test_a_difference_may_come_from_earlier_games_in_the_same_process(tmp_path):
    """The bot counts its games, and plays another third move in each but the first."""
    text = FICKLE.replace('(HERE / "otherwise").exists()', "self.games > 1").replace(
        "class Fickle(Bot):", "class Fickle(Bot):\n    games = 0"
    )
    text = text.replace(
        "    def choose_action", "    def end_game(self, message):\n        self.games += 1\n    def choose_action"
    )
    write_program(tmp_path / "mine.py", text)
    entries = [bot("base") | {"name": "walker"}, {"name": "mine", "command": ["./mine.py"]}]
    settings = {"processes": "reused", "draws": {"max_plies": 6}, "games": 6}
    path = write_tournament(tmp_path, rules="original", bots=entries, **settings)
    assert "; processes: reused; " in call_ok("run", path)
    same = call("rerun", path, "walker~mine~1")
    assert (same.exit_code, same.stderr) == (0, "")
    other = call("rerun", path, "walker~mine~2")
    assert other.exit_code == 1
    assert "the process of mine had already played 2 games" in other.stderr
    found = json.loads(call("rerun", path, "walker~mine~2", "--json").stdout)
    assert (found["same"], found["earlier_games"]) == (False, {"walker": 2, "mine": 2})
