"""A picture of the application as SVG, taken without a terminal."""

import asyncio
from collections.abc import Sequence

from arbiter.show.watch.app import ReplayApp


def take_picture(app: ReplayApp, *, width: int, height: int, keys: Sequence[str] = ()) -> str:
    """Start the application on a screen of so many columns and lines, press keys and return what it shows as SVG."""
    return asyncio.run(_taken(app, (width, height), keys))


async def _taken(app: ReplayApp, size: tuple[int, int], keys: Sequence[str]) -> str:
    async with app.run_test(size=size) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
        return app.export_screenshot(title="arbiter replay")
