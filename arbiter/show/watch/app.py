"""The terminal application: a game, or a list of games to choose from."""

import asyncio
import os
import signal
from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import App
from textual.binding import Binding, BindingType
from textual.theme import Theme as TextualTheme

from arbiter.show.theme import THEMES, Theme
from arbiter.show.watch.game_screen import GameScreen
from arbiter.show.watch.games_screen import GamesScreen
from arbiter.show.watch.source import GameSource, ViewSettings
from arbiter.show.watch.state import ReplayState

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
        # With colours of the terminal itself, textual leaves out all of them if NO_COLOR is set.
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        for name, theme in THEMES.items():
            self.register_theme(make_textual_theme(name, theme))
        self.theme = settings.theme
        self._settings = settings
        self._state = state
        self._source = source
        self._playing = playing

    def on_mount(self) -> None:
        """Open the first screen; restore the terminal even if the program is ended by a signal."""
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.action_interrupt)
        games = None if self._source is None else GamesScreen(self._source, self._settings)
        if games is not None:
            self.push_screen(games)
        if self._state is not None:
            opens = None if games is None else games.open_other
            self.push_screen(GameScreen(self._state, opens, playing=self._playing))

    def action_leave(self) -> None:
        self.exit()

    def action_interrupt(self) -> None:
        """Quit with the exit code of an interrupted program."""
        self.exit(return_code=INTERRUPTED)

    def action_next_theme(self) -> None:
        """Show everything in the colours of the next theme."""
        names = list(THEMES)
        self.theme = names[(names.index(self.theme) + 1) % len(names)]
        self.notify(f"Colours: {THEMES[self.theme].label}", timeout=2, markup=False)


def make_textual_theme(name: str, theme: Theme) -> TextualTheme:
    """Make a theme of textual from the colours of a theme."""
    return TextualTheme(
        name=name,
        primary=theme.link,
        secondary=theme.soft,
        accent=theme.accent,
        warning=theme.warn,
        error=theme.warn,
        success=theme.win,
        foreground=theme.ink,
        background=theme.paper,
        surface=theme.card,
        panel=theme.card,
        dark=theme.dark,
        variables={
            "footer-background": theme.card,
            "footer-foreground": theme.ink,
            "footer-description-foreground": theme.ink,
            "footer-key-foreground": theme.accent,
            "input-cursor-background": theme.ink,
        },
    )


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
