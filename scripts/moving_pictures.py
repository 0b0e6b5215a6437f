"""Moving pictures of a game: in the terminal, and on its page."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from browser.window import Window
from msgspec import Struct
from PIL import Image
from rich.console import Console
from rich.segment import Segment, Segments

from arbiter.record import Record
from arbiter.show.boards import Square
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import find_fight
from arbiter.show.screen.screen import Screen, ScreenMoment, ScreenPainter

PLIES: Final = 14
COLUMNS, LINES = 80, 24
MOVE_MS, FIGHT_MS, RESULT_MS, LAST_MS = 500, 350, 1200, 2500
TERMINAL_SIZE, TERMINAL_SCALE = (994, 650), 0.8
PAGE_SIZE, PAGE_SCALE = (1100, 720), 0.75
ARROW_RIGHT: Final = "\ue014"
FONT_FACES: Final = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


class Shot(Struct, frozen=True):
    """One image of a moving picture, and its time."""

    png: bytes
    ms: int


def show_terminal(window: Window, record: Record, ply: int) -> bytes:
    """Show the plies up to `ply` in the terminal with their fights, then what is known of a piece, and red's view."""
    replay = Replay(record)
    painter = ScreenPainter(replay)
    window.reset()
    window.resize(*TERMINAL_SIZE, TERMINAL_SCALE)
    return join(
        [shoot_screen(window, painter.paint(moment, COLUMNS, LINES), ms) for moment, ms in list_moments(replay, ply)]
    )


def list_moments(replay: Replay, ply: int) -> Iterator[tuple[ScreenMoment, int]]:
    """List what is shown, and for how many milliseconds each."""
    last = replay.find_ply(ply)
    for number in range(replay.find_ply(ply - PLIES), last + 1):
        has_fight = find_fight(replay, number, "arbiter") is not None
        if has_fight:
            yield from ((ScreenMoment(number=number, fight_step=step), FIGHT_MS) for step in (1, 2))
        yield ScreenMoment(number=number), RESULT_MS if has_fight else MOVE_MS
    place = replay.frame(last, "arbiter").marks.dst
    selected = Square(place) if place else None
    yield ScreenMoment(number=last, selected=selected), LAST_MS
    yield ScreenMoment(number=last, viewer="red", selected=selected), LAST_MS


def shoot_screen(window: Window, screen: Screen, ms: int) -> Shot:
    """Take the picture of a terminal in a browser."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor", legacy_windows=False)
    for line in screen.lines:
        console.print(Segments([*line, Segment.line()]), end="")
    svg = console.export_svg(title="arbiter replay")
    window.run_script(f"document.body.innerHTML = {json.dumps(FONT_FACES.sub('', svg))}")
    return Shot(window.take_picture("svg", "svg"), ms)


def show_page(window: Window, page: Path, ply: int) -> bytes:
    """Show the plies up to `ply` on the page of the game, in dark colours and without animations."""
    window.reset()
    window.resize(*PAGE_SIZE, PAGE_SCALE)
    features = {"prefers-color-scheme": "dark", "prefers-reduced-motion": "reduce"}
    listed = [{"name": name, "value": value} for name, value in features.items()]
    window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": listed})
    window.visit(f"{page.as_uri()}#{ply - PLIES}")
    shots = []
    for number in range(PLIES + 1):
        if number:
            window.press(ARROW_RIGHT)
        has_fight = window.evaluate("Boolean(document.querySelector('.texts .fight'))")
        ms = LAST_MS if number == PLIES else RESULT_MS if has_fight else MOVE_MS
        shots.append(Shot(window.take_picture(".stage", ".deck"), ms))
    return join(shots)


def join(shots: list[Shot]) -> bytes:
    """Join images to a moving picture that repeats."""
    images = [Image.open(io.BytesIO(shot.png)).convert("RGB") for shot in shots]
    out = io.BytesIO()
    images[0].save(
        out,
        "WEBP",
        save_all=True,
        append_images=images[1:],
        duration=[shot.ms for shot in shots],
        loop=0,
        lossless=True,
        quality=100,
        method=4,
        minimize_size=True,
    )
    return out.getvalue()
