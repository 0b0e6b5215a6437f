"""A game as a recording of the terminal viewer, in the format of asciinema (version 2)."""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Final

import msgspec

from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.plain_text import describe_players
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.board import ScreenMoment
from arbiter.show.screen.canvas import LOOKS
from arbiter.show.screen.screen import ScreenPainter
from arbiter.show.text import number
from protocol.words import BLUE, RED

WIDTH: Final = 100
HEIGHT: Final = 30
LAST_S: Final = 3.0
"""Duration of the last frame."""
_START: Final = "\x1b[?25l\x1b[2J"  # hide the cursor, clear the screen
_END: Final = "\x1b[0m\x1b[?25h"


def write_cast(replay: Replay, viewer: Viewer, numbers: Iterable[int], theme: str, *, speed: float) -> bytes:
    """Write some frames as a recording, as a viewer sees them; `speed` is the number of frames per second."""
    painter = ScreenPainter(replay)
    header = {
        "version": 2,
        "width": WIDTH,
        "height": HEIGHT,
        "title": describe_players(replay.record),
        "env": {"TERM": "xterm-256color"},
    }
    events: list[tuple[float, str, str]] = [(0.0, "o", _START)]
    shown: list[str] = []
    for step, frame in enumerate(numbers):
        moment = ScreenMoment(
            number=frame,
            viewer=viewer,
            bottom=BLUE if viewer == BLUE else RED,
            look=LOOKS[theme],
            pace=f"{number(speed)}/s",
        )
        lines = painter.paint(moment, WIDTH, HEIGHT).write_ansi().split("\n")
        pairs = enumerate(zip_longest(shown, lines, fillvalue=""), start=1)
        changes = (f"\x1b[{row};1H{new}" for row, (old, new) in pairs if old != new)
        events.append((round(step / speed, 3), "o", "".join(changes)))
        shown = lines
    events.append((events[-1][0] + LAST_S, "o", _END))
    return b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *events))
