"""The application: a game, or a list of games to pick one from."""

import asyncio
import signal
from typing import ClassVar, Final

from textual.app import App
from textual.binding import Binding, BindingType

from arbiter.show.watch.game_screen import GameScreen
from arbiter.show.watch.games_screen import GamesScreen
from arbiter.show.watch.source import GameSource
from arbiter.show.watch.state import ReplayState, ViewSettings

INTERRUPTED: Final = 130


class ReplayApp(App[None]):
    """Watches a game, or games of a source that are picked from a list; behind a game of a source is its list."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "interrupt", show=False, priority=True)]

    def __init__(
        self,
        wishes: ViewSettings,
        viewing: ReplayState | None = None,
        source: GameSource | None = None,
        *,
        playing: bool = False,
    ) -> None:
        # The terminal's own colours, so that without any (NO_COLOR) nothing is lost.
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"
        self._wishes = wishes
        self._viewing = viewing
        self._source = source
        self._playing = playing

    def on_mount(self) -> None:
        """Show what is to be seen first, and leave the terminal clean even when ended from outside."""
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.action_interrupt)
        if self._source is not None:
            self.push_screen(GamesScreen(self._source, self._wishes))
        if self._viewing is not None:
            self.push_screen(GameScreen(self._viewing, playing=self._playing))

    def action_leave(self) -> None:
        """Leave."""
        self.exit()

    def action_interrupt(self) -> None:
        """Leave as an interrupted program does."""
        self.exit(return_code=INTERRUPTED)

    def action_to_list(self) -> None:
        """Go back to the list of games, where there is one."""
        if self._source is not None:
            self.pop_screen()


def watch(
    wishes: ViewSettings, viewing: ReplayState | None = None, source: GameSource | None = None, *, playing: bool = False
) -> int:
    """Take the terminal over until one leaves; returns an exit code.  Raises ConfigError where the source does."""
    app = ReplayApp(wishes, viewing, source, playing=playing)
    app.run()
    return app.return_code or 0
