"""A fault of the arbiter's own makes a void game: kept out of everything, reported, played by the next run."""

import json
from pathlib import Path

import trio
from cli import desk
from cli.desk import call, well, write_tournament

from arbiter.cli import playing
from arbiter.referee.choice import Choice
from arbiter.referee.process import ProcessTier
from arbiter.tournament.arena import Arena
from arbiter.tournament.config import load, programs, schedule
from arbiter.tournament.manifest import new_manifest


class Ailing(ProcessTier):
    """A tier that cannot start some programs, each the first few times."""

    def __init__(self, *, of, times):
        self._of = of
        self._left = times

    def launch(self, program, private, mark):
        if program.name == self._of and self._left:
            self._left -= 1
            raise OSError(12, "Cannot allocate memory")
        return super().launch(program, private, mark)


def played(folder, tier):
    """Play a tournament of three bots in a tier; return the arena and the ids in the order they were told."""
    tournament = load(write_tournament(folder, bots=("hunter", "random", "stdlib")))
    kept, told = [], []
    arena = Arena(
        new_manifest(tournament, tier.name),
        programs(tournament, folder),
        tier,
        lambda game, *_: kept.append(game.id),
    )
    trio.run(arena.play, schedule(tournament, 17), 2, lambda game: told.append(game.id))
    assert kept == told
    return arena, told


def test_a_game_that_fails_once_is_played_again(tmp_path):
    arena, told = played(tmp_path, Ailing(of="stdlib", times=1))
    assert arena.voids == []
    assert len(told) == 6


def test_a_game_that_fails_again_is_void(tmp_path):
    arena, told = played(tmp_path, Ailing(of="stdlib", times=1000))
    assert sorted(told) == ["hunter~random~1", "random~hunter~1"]
    assert len(arena.voids) == 4
    assert all("Cannot allocate memory" in void.trace for void in arena.voids)
    assert all("stdlib" in void.fixture.id for void in arena.voids)


def test_void_games_are_reported_and_played_by_the_next_run(tmp_path, monkeypatch):
    file = write_tournament(tmp_path, bots=("hunter", "random", "stdlib"))
    log = tmp_path / "results" / "club.void.txt"
    monkeypatch.setattr(playing, "choose_tier", lambda *_: Choice(Ailing(of="stdlib", times=1000)))
    result = call("run", file)
    assert result.exit_code == 1
    complaint, where = result.stderr.splitlines()
    assert complaint.startswith("arbiter: 4 games came to nothing through a fault of the arbiter: ")
    assert where == f"arbiter: the traces are in {log}; run again to play these games"
    assert "Cannot allocate memory" in log.read_text()
    assert {row["bot"]: row["games"] for row in standings(file)} == {"hunter": 2, "random": 2, "stdlib": 0}
    monkeypatch.undo()
    assert "2 of them played before" in well("run", file)
    assert [row["games"] for row in standings(file)] == [4, 4, 4]


def standings(file: Path):
    return [json.loads(line) for line in desk.well("standings", file, "--json").splitlines()]
