"""A fault of the arbiter's own makes a void game: kept out of everything, reported, played by the next run."""

import json
import sys
from pathlib import Path

import pytest
import trio
from cli import command_line
from cli.command_line import call, call_ok, write_tournament

from arbiter.cli import playing
from arbiter.cli.voided_games import tell_voids
from arbiter.sandbox.process import ProcessIsolation
from arbiter.sandbox.select import SelectedIsolation
from arbiter.show.text import plain
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.tournament import load
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Finished, Void
from arbiter.tournament.fixture import make_fixture

BOTS = Path(__file__).parent.parent / "bots"


class Ailing(ProcessIsolation):
    """An isolation that cannot start some programs, each the first few times."""

    def __init__(self, *, of, times):
        self._of = of
        self._left = times

    def launch(self, program, mark):
        if program.name == self._of and self._left:
            self._left -= 1
            raise OSError(12, "Cannot allocate memory")
        return super().launch(program, mark)


def played(folder, isolation):
    """Play a tournament of three bots in an isolation; return the arena and the ids in the order they were told."""
    tournament = load(write_tournament(folder, bots=("hunter", "random", "stdlib")))
    kept, told = [], []
    arena = Arena(tournament, 17, isolation, lambda game, *_: kept.append(game.id))
    gate = Dispatcher(tournament.schedule(17))
    trio.run(arena.play, gate, 1, lambda event: told.append(event.game.id) if isinstance(event, Finished) else None)
    assert kept == told
    return arena, gate, told


def test_a_game_that_fails_once_is_played_again(tmp_path):
    arena, gate, told = played(tmp_path, Ailing(of="stdlib", times=1))
    assert arena.voids == gate.held == []
    assert len(told) == 6


def test_a_game_that_fails_again_is_void_and_its_pairing_waits(tmp_path):
    arena, gate, told = played(tmp_path, Ailing(of="stdlib", times=1000))
    assert sorted(told) == ["hunter~random~1", "random~hunter~1"]
    assert len(arena.voids) == len(gate.held) == 2
    assert all("stdlib" in fixture.id for fixture in gate.held)
    assert all("Cannot allocate memory" in void.trace for void in arena.voids)
    assert all("stdlib" in void.fixture.id for void in arena.voids)


def test_void_games_are_reported_and_played_by_the_next_run(tmp_path, monkeypatch):
    file = write_tournament(tmp_path, bots=("hunter", "random", "stdlib"))
    log = tmp_path / "results" / "club.void.txt"
    monkeypatch.setattr(playing, "select_isolation", lambda *_: SelectedIsolation(Ailing(of="stdlib", times=1000)))
    result = call("run", file)
    assert result.exit_code == 1
    waiting, complaint, where = result.stderr.splitlines()
    assert waiting == (
        "arbiter: 2 games held back, as others of the same bots came to nothing: "
        "random against stdlib, hunter against stdlib; run again to try them"
    )
    assert complaint.startswith("arbiter: 2 games came to nothing through a fault of the arbiter: ")
    assert where == f"arbiter: the traces are in {log}; run again to play these games"
    assert "Cannot allocate memory" in log.read_text()
    assert {row["bot"]: row["games"] for row in standings(file)} == {"hunter": 2, "random": 2, "stdlib": 0}
    monkeypatch.undo()
    assert "2 of them played before" in call_ok("run", file)
    assert [row["games"] for row in standings(file)] == [4, 4, 4]


class Falling(ProcessIsolation):
    """An isolation in which bots cannot be started any more once all is to end, as by a Ctrl-C that reaches their gates."""

    def __init__(self):
        self.playing = trio.CancelScope()

    def launch(self, program, mark):
        if program.name == "random":
            self.playing.cancel()
            raise OSError(4, "Interrupted system call")
        return super().launch(program, mark)


def test_what_fails_while_all_is_being_stopped_is_no_fault(tmp_path):
    isolation, tournament = Falling(), load(write_tournament(tmp_path))
    arena = Arena(tournament, 17, isolation)

    async def main():
        with isolation.playing:
            await arena.play(Dispatcher(tournament.schedule(17)), 1, print)

    trio.run(main)
    assert isolation.playing.cancelled_caught
    assert arena.voids == []


def at_a_loss_for_words(status):
    raise ZeroDivisionError(f"status {status}")


class Buggy(ProcessIsolation):
    """An isolation that fails when it is to say how a bot ended."""

    def launch(self, program, mark):
        launch = super().launch(program, mark)
        launch.handle.describe_exit = at_a_loss_for_words
        return launch


def test_what_was_said_before_the_fault_stands_with_the_trace(tmp_path, monkeypatch):
    crashes = {"name": "crashes", "command": [sys.executable, "-ES", str(BOTS / "crashes.py")]}
    file = write_tournament(tmp_path, rules="original", bots=(crashes, "random"))
    monkeypatch.setattr(playing, "select_isolation", lambda *_: SelectedIsolation(Buggy()))
    assert call("run", file).exit_code == 1
    text = (tmp_path / "results" / "club.void.txt").read_text().splitlines()
    assert any("ZeroDivisionError: status 1" in line for line in text)
    assert any('  to red     {"type":"hello"' in line for line in text)
    assert any('  from red   {"type": "act", "ask": 1' in line for line in text)
    assert "--- stderr of red" in text
    assert any("KeyError: 'the best move'" in line for line in text)


def void(game, *, stalled):
    return Void(make_fixture(*game.split("~"), 1, 1), f"what came of {game}\x1b[2J", stalled=stalled)


FAULT = "arbiter: {} came to nothing through a fault of the arbiter: {}"
STALL = "arbiter: {} came to nothing because the arbiter stood still in each try (fewer --jobs may help): {}"
ONE, TWO = void("a~b", stalled=False), void("a~c", stalled=False)
STILL = void("b~c", stalled=True)


@pytest.mark.parametrize(
    ("voids", "told"),
    [
        ([ONE], [FAULT.format("1 game", "a~b~1")]),
        ([ONE, TWO], [FAULT.format("2 games", "a~b~1, a~c~1")]),
        ([STILL], [STALL.format("1 game", "b~c~1")]),
        ([STILL, ONE], [FAULT.format("1 game", "a~b~1"), STALL.format("1 game", "b~c~1")]),
    ],
)
def test_a_fault_and_standing_still_are_told_apart(voids, told, capsys, tmp_path):
    tell_voids(voids, None)
    lines = capsys.readouterr().err.splitlines()
    traces = [line for one in voids for line in (one.fixture.id, plain(one.trace))]
    assert lines == [*told, *traces]
    tell_voids(voids, tmp_path / "club.void.txt")
    assert capsys.readouterr().err.splitlines()[:-1] == told
    assert (tmp_path / "club.void.txt").read_text().splitlines() == traces


def standings(file: Path):
    return [json.loads(line) for line in command_line.call_ok("standings", file, "--json").splitlines()]
