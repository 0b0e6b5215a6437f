"""Recordings for asciinema: played back, each event shows the screen of its frame, at its time."""

import json
import re

import pytest
from show.report.sample_reports import GOLDEN

from arbiter.record import read_record
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.board import ScreenMoment
from arbiter.show.screen.canvas import LOOKS
from arbiter.show.screen.screen import HEIGHT, LAST_S, WIDTH, ScreenPainter, write_cast


@pytest.mark.parametrize("name", ["duel", "card-game"])
def test_each_event_shows_the_screen_of_its_frame(name):
    replay = Replay(read_record(next(path for path in GOLDEN if path.stem == name).read_bytes()))
    numbers = (0, 1, 2, 5, replay.last)
    header, start, *events, end = map(
        json.loads, write_cast(replay, "blue", numbers, "night", speed=4).decode().splitlines()
    )
    assert (header["version"], header["width"], header["height"]) == (2, WIDTH, HEIGHT)
    assert [time for time, _, _ in events] == [0, 0.25, 0.5, 0.75, 1]
    assert (start[0], end[0]) == (0, 1 + LAST_S)
    painter = ScreenPainter(replay)
    screen = {}
    for number, (_, kind, text) in zip(numbers, events, strict=True):
        assert kind == "o"
        parts = re.split(r"\x1b\[(\d+);1H", text)
        assert parts[0] == ""
        screen |= zip(map(int, parts[1::2]), parts[2::2], strict=True)
        moment = ScreenMoment(number=number, viewer="blue", bottom="blue", look=LOOKS["night"], pace="4/s")
        lines = painter.paint(moment, WIDTH, HEIGHT).write_ansi().split("\n")
        assert [screen[row] for row in range(1, HEIGHT + 1)] == lines
    assert len(events[1][2]) < len(events[0][2])
