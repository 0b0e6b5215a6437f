"""The application driven without a terminal: takes keys and clicks, returns the screen as text."""

import asyncio
import selectors
import time

from textual import _time

from arbiter.show.watch.app import ReplayApp
from arbiter.show.watch.source import ViewSettings
from arbiter.show.watch.state import ReplayState

SMALL = (80, 24)


class JumpingSelector(selectors.DefaultSelector):
    """Let the clock of the application jump to the next timer whenever all its tasks wait, so that no test waits."""

    jumped_s = 0.0

    def select(self, timeout=None):
        found = super().select(timeout and 0)
        if timeout and not found:
            JumpingSelector.jumped_s += timeout
        return found


class JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        super().__init__(JumpingSelector())

    @staticmethod
    def time():
        return time.monotonic() + JumpingSelector.jumped_s


_time.get_time = JumpingLoop.time


def run(task):
    """Run a task of the application; its clock has no other use."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(task)


def app_for(record=None, source=None, *, playing=False, **wishes):
    """Make the application for a record, or for a source, or for both."""
    wished = ViewSettings(**{"animates": False, **wishes})
    return ReplayApp(wished, record and ReplayState(record, wished), source, playing=playing)


def drive(app, *does, size=SMALL):
    """Press keys, or carry out functions of the pilot; return the screen after each, the first before them all."""
    return run(_driven(app, does, size))


def shown(app, *does, size=SMALL):
    """Return the screen after all keys."""
    return drive(app, *does, size=size)[-1]


async def _driven(app, does, size):
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        screens = [text_of(app)]
        for one in does:
            await (pilot.press(one) if isinstance(one, str) else one(pilot))
            await pilot.pause()
            screens.append(text_of(app))
        return screens


def text_of(app):
    """Return what is on the screen, a line a line."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def click(x, y):
    """Click on a column and a line of the screen."""
    return lambda pilot: pilot.click(offset=(x, y))


def pressing(*keys):
    """Press several keys."""
    return lambda pilot: pilot.press(*keys)


def resize(size):
    """Make the screen larger or smaller."""
    return lambda pilot: pilot.resize_terminal(*size)


def take_picture(app, width, height, keys=()):
    """Run the application on a virtual screen, press keys, and return the screen as SVG."""

    async def take():
        async with app.run_test(size=(width, height)) as pilot:
            await pilot.press(*keys)
            await pilot.pause()
            return app.export_screenshot(title="arbiter replay")

    return run(take())
