"""The terminal application: a game, or a list of games to choose from."""

import asyncio
import signal
from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import App
from textual.binding import Binding, BindingType

from arbiter.show.watch.game_screen import GameScreen
from arbiter.show.watch.games_screen import GamesScreen
from arbiter.show.watch.source import GameSource
from arbiter.show.watch.state import ReplayState, ViewSettings

INTERRUPTED: Final = 130


class ReplayApp(App[None]):
    """Shows a game, or the list of the games of a source.  The list stays open behind a game chosen from it."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "interrupt", show=False, priority=True)]

    def __init__(
        self,
        settings: ViewSettings,
        state: ReplayState | None = None,
        source: GameSource | None = None,
        *,
        playing: bool = False,
    ) -> None:
        # The colours of the terminal itself; without any (NO_COLOR), nothing is lost.
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"
        self._settings = settings
        self._state = state
        self._source = source
        self._playing = playing

    def on_mount(self) -> None:
        """Open the first screen; restore the terminal even if the program is ended by a signal."""
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.action_interrupt)
        if self._source is not None:
            self.push_screen(GamesScreen(self._source, self._settings))
        if self._state is not None:
            self.push_screen(GameScreen(self._state, playing=self._playing))

    def action_leave(self) -> None:
        self.exit()

    def action_interrupt(self) -> None:
        """Quit with the exit code of an interrupted program."""
        self.exit(return_code=INTERRUPTED)

    def action_to_list(self) -> None:
        """Go back to the list of games, if there is one."""
        if self._source is not None:
            self.pop_screen()


def watch(
    settings: ViewSettings,
    state: ReplayState | None = None,
    source: GameSource | None = None,
    *,
    playing: bool = False,
) -> int:
    """Run the application on the terminal and return its exit code.  Raises ConfigError if the source does."""
    app = ReplayApp(settings, state, source, playing=playing)
    app.run()
    return app.return_code or 0


def take_picture(app: ReplayApp, *, width: int, height: int, keys: Sequence[str] = ()) -> str:
    """Run the application on a virtual screen, press keys, and return the screen as SVG."""

    async def run() -> str:
        async with app.run_test(size=(width, height)) as pilot:
            await pilot.press(*keys)
            await pilot.pause()
            return app.export_screenshot(title="arbiter replay")

    return asyncio.run(run())
