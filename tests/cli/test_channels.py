"""Channels between the two games of a pair, which have the same decks or deployments: pages of files in memory."""

import json
import os
import shutil
import sys

import pytest
from cli.command_line import call, call_ok, write_tournament
from cli.test_sandboxed import BOOK, BOTS, folder

from arbiter.tournament.loading import FilesInMemory

__all__ = ["folder"]
MARKS = 1 + 40 * 6
GAMES = {"board": {"rules": "original", "setups": "book.txt"}, "cards": {"rules": "card-game"}}


def forget(folder):
    """Remove files from memory, as a restart of the machine or other programs that need memory do."""
    for path in folder.rglob("marks.bin"):
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def write_event(folder, settings):
    """Write a tournament of a pair of games between a bot that carries what it was dealt and another one."""
    home = folder / "marks"
    home.mkdir()
    (folder / "book.txt").write_text(BOOK)
    for name in ("base.py", "marks_pages.py"):
        shutil.copy(BOTS / name, home)
    with (home / "marks.bin").open("wb") as file:
        file.truncate(MARKS << 16)
    marks = {"name": "marks", "command": [sys.executable, "-ES", "./marks/marks_pages.py", "marks.bin"]}
    return write_tournament(folder, bots=(marks, "random"), games=2, jobs=1, **settings)


def count_carried(file):
    """Return how many pieces or cards the bot was dealt in a game, and how many it knew in the other game.

    In that one its opponent has them.
    """
    records = file.parent / "records"
    call("games", file, "--export", records)
    notes = []
    for path in records.iterdir():
        acts = [json.loads(line) for line in path.read_text().splitlines()]
        notes.append(next(act["note"].split(" ") for act in acts if len(act.get("note", "")) > 1))
    (dealt, _), (_, carried) = sorted(notes, key=lambda note: len(note[1]))
    return len(dealt), sum(map(str.__eq__, dealt, carried))


def play_pair(folder, monkeypatch, settings, *, is_loaded):
    """Let the bot play a pair of games, with its files removed from memory just before."""
    load = FilesInMemory.load
    called = []

    def forget_once(files, bot):
        called.append(bot)
        if len(called) == 1:
            forget(folder)
        if is_loaded:
            load(files, bot)

    monkeypatch.setattr(FilesInMemory, "load", forget_once)
    file = write_event(folder, settings)
    call_ok("run", file, "--sandbox", "full")
    assert len(called) == 4
    return count_carried(file)


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.parametrize("settings", GAMES.values(), ids=GAMES)
@pytest.mark.heavy(keep=1)
def test_no_game_sees_which_pages_the_game_before_has_read(folder, monkeypatch, settings):
    dealt, known = play_pair(folder, monkeypatch, settings, is_loaded=True)
    assert dealt in (8, 40)
    assert known == 0


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.parametrize("settings", GAMES.values(), ids=GAMES)
@pytest.mark.heavy(keep=1)
def test_a_game_sees_that_if_the_files_of_the_bot_are_not_loaded(folder, monkeypatch, settings):
    dealt, known = play_pair(folder, monkeypatch, settings, is_loaded=False)
    assert known == dealt
