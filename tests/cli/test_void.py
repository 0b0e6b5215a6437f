"""An internal error of the arbiter voids a game: it is not stored, is reported, and is played in the next run."""

import json
import sys
from pathlib import Path

import pytest
import trio
from cli import command_line
from cli.command_line import call, call_ok, write_tournament
from msgspec import structs
from msgspec.structs import replace
from tournament.stored_games import void

from arbiter.cli.output import report_voids
from arbiter.director import venue
from arbiter.sandbox.process import GroupHandle, ProcessIsolation
from arbiter.sandbox.select import SelectedIsolation
from arbiter.show.text import plain
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Finished
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.new_results import NewGame
from protocol.reasons import ArbiterFailed

BOTS = Path(__file__).parent.parent / "bots"


class FailingIsolation(ProcessIsolation):
    """An isolation that fails to start a program the first few times."""

    def __init__(self, *, of, times):
        self._of = of
        self._left = times

    def launch(self, program, mark):
        if program.name == self._of and self._left:
            self._left -= 1
            raise OSError(12, "Cannot allocate memory")
        return super().launch(program, mark)


def list_games(results):
    return [result.game.id for result in results if isinstance(result, NewGame)]


def played(folder, isolation, bots):
    """Play a tournament of three bots; return the arena and the ids in the order of their events."""
    tournament = load_tournament(write_tournament(folder, bots=bots))
    kept, told = [], []
    arena = Arena(tournament, 17, LocalExecutor(isolation, 1), lambda results: kept.extend(list_games(results)))
    gate = Dispatcher(tournament.schedule(17))
    trio.run(arena.play, gate, lambda event: told.append(event.game.id) if isinstance(event, Finished) else None)
    assert kept == told
    return arena, gate, told


def test_a_game_that_fails_once_is_played_again(tmp_path, quick):
    arena, gate, told = played(tmp_path, FailingIsolation(of="stdlib", times=1), quick)
    assert arena.voids == gate.held == []
    assert len(told) == 6


def test_a_game_that_fails_repeatedly_is_voided_and_its_pairing_is_paused(tmp_path, quick):
    arena, gate, told = played(tmp_path, FailingIsolation(of="stdlib", times=1000), quick)
    assert sorted(told) == ["hunter~random~1", "random~hunter~1"]
    assert len(arena.voids) == len(gate.held) == 2
    assert all("stdlib" in fixture.id for fixture in gate.held)
    assert all("Cannot allocate memory" in one.attempt.why for one in arena.voids)
    assert all("stdlib" in one.fixture.id for one in arena.voids)


def test_voided_games_are_reported_and_played_by_the_next_run(tmp_path, monkeypatch, quick):
    file = write_tournament(tmp_path, bots=quick)
    log = tmp_path / "results" / "club.void.txt"
    monkeypatch.setattr(
        venue,
        "select_isolation",
        lambda _asked, programs, *_: SelectedIsolation(FailingIsolation(of="stdlib", times=1000), programs),
    )
    result = call("run", file)
    assert result.exit_code == 1
    waiting, complaint, where = result.stderr.splitlines()
    assert waiting == (
        "arbiter: 2 games not played, because other games of the same bots were voided: "
        "random against stdlib, hunter against stdlib; run again to play them"
    )
    assert complaint.startswith("arbiter: 2 games voided by an internal error of the arbiter: ")
    assert where == f"arbiter: the details are in {log}; run again to play these games"
    assert "Cannot allocate memory" in log.read_text()
    assert {row["bot"]: row["games"] for row in standings(file)} == {"hunter": 2, "random": 2, "stdlib": 0}
    monkeypatch.undo()
    assert "2 of them played before" in call_ok("run", file)
    assert [row["games"] for row in standings(file)] == [4, 4, 4]


class StoppingIsolation(ProcessIsolation):
    """An isolation that fails because the run is being stopped, as by a Ctrl-C that reaches the bots."""

    def __init__(self):
        self.playing = trio.CancelScope()

    def launch(self, program, mark):
        if program.name == "random":
            self.playing.cancel()
            raise OSError(4, "Interrupted system call")
        return super().launch(program, mark)


def test_a_failure_while_the_run_is_stopped_voids_no_game(tmp_path, quick):
    isolation, tournament = StoppingIsolation(), load_tournament(write_tournament(tmp_path, bots=quick[:2]))
    arena = Arena(tournament, 17, LocalExecutor(isolation, 1))

    async def main():
        with isolation.playing:
            await arena.play(Dispatcher(tournament.schedule(17)), print)

    trio.run(main)
    assert isolation.playing.cancelled_caught
    assert arena.voids == []


class BuggyHandle(GroupHandle):
    """A handle that fails when it describes the exit of a bot."""

    def find_signal(self, status):
        raise ZeroDivisionError(f"status {status}")


class BuggyIsolation(ProcessIsolation):
    """An isolation whose handles fail."""

    def launch(self, program, mark):
        launch = super().launch(program, mark)
        return replace(launch, handle=BuggyHandle(**structs.asdict(launch.handle)))


def test_the_messages_before_the_error_are_written_with_the_trace(tmp_path, monkeypatch, quick):
    crashes = {"name": "crashes", "command": [sys.executable, "-ES", str(BOTS / "crashes.py")]}
    file = write_tournament(tmp_path, rules="original", bots=(crashes, quick[1]))
    monkeypatch.setattr(
        venue, "select_isolation", lambda _asked, programs, *_: SelectedIsolation(BuggyIsolation(), programs)
    )
    assert call("run", file).exit_code == 1
    text = (tmp_path / "results" / "club.void.txt").read_text().splitlines()
    assert any("ZeroDivisionError: status 1" in line for line in text)
    assert any('  to red       {"type":"hello"' in line for line in text)
    assert any('  from red     {"type": "act", "ask": 1' in line for line in text)
    assert any("  stderr red   KeyError: 'the best move'" in line for line in text)


FAULT = "arbiter: {} voided by an internal error of the arbiter: {}"
ONE, TWO = (void(f"a~{name}~1", reason=ArbiterFailed("what went wrong\x1b[2J")) for name in "bc")


@pytest.mark.parametrize(
    ("voids", "messages"),
    [([ONE], [FAULT.format("1 game", "a~b~1")]), ([ONE, TWO], [FAULT.format("2 games", "a~b~1, a~c~1")])],
)
def test_internal_errors_are_reported(voids, messages, capsys, tmp_path):
    report_voids(voids, None)
    lines = capsys.readouterr().err.splitlines()
    traces = [line for one in voids for line in (one.fixture.id, plain(one.attempt.why))]
    assert lines == [*messages, *traces]
    report_voids(voids, tmp_path / "club.void.txt")
    assert capsys.readouterr().err.splitlines()[:-1] == messages
    assert (tmp_path / "club.void.txt").read_text().splitlines() == traces


def standings(file: Path):
    return [json.loads(line) for line in command_line.call_ok("standings", file, "--json").splitlines()]
