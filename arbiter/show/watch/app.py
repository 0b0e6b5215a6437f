"""The terminal application: a game, or the list of the games of a tournament to filter, open and follow."""

import asyncio
import os
import signal
from functools import partial
from typing import ClassVar, Final, Literal

from rich.cells import set_cell_size
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.theme import Theme as TextualTheme
from textual.widgets import Footer, Input, Static

from arbiter.show.keys import IN_LIST
from arbiter.show.language import SentenceWriter
from arbiter.show.rate_limit import RateLimit
from arbiter.show.text import plain
from arbiter.show.theme import THEMES, Theme
from arbiter.show.watch.game_list import (
    Following,
    LineList,
    ListedGame,
    count_games,
    explain_empty,
    explain_list,
    filter_games,
    name_width,
    write_game,
    write_head,
)
from arbiter.show.watch.game_screen import GameScreen
from arbiter.show.watch.source import GameSource, OngoingGames, ViewSettings, open_game
from arbiter.show.watch.state import ReplayState
from arbiter.show.watch.widgets import FailureNotice, Help, make_bindings
from arbiter.tournament.standings.game_status import COUNTS
from protocol.words import RED, Seat

_UPDATE_EVERY_S: Final = 1.0
_REST: Final = 20  # times as long as an update took, so that keys need not wait


class GamesScreen(Screen[None]):
    """The list of games."""

    CSS = """
    GamesScreen #title, GamesScreen #head, GamesScreen #note { height: 1; }
    GamesScreen #title { text-style: bold; background: $surface; }
    GamesScreen #head { color: $secondary; }
    GamesScreen Input { height: 1; border: none; padding: 0; display: none; }
    GamesScreen.filtering Input { display: block; }
    GamesScreen LineList { height: 1fr; }
    """
    AUTO_FOCUS = ""  # the filter takes no keys before it is opened

    def __init__(self, source: GameSource, settings: ViewSettings) -> None:
        super().__init__()
        self._source = source
        self._settings = settings
        self._sentences = SentenceWriter(settings.lang)
        self._version = source.version()
        self._games = source.games()
        self._uncounted = source.uncounted()
        self._ongoing_games = OngoingGames(source)
        self._ongoing = self._ongoing_games.list()
        self._shown: list[ListedGame] = []
        self._following: Following | None = None
        self._failures: Final = FailureNotice(self)

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Input(placeholder=self._sentences.write("filter_hint"), compact=True)
        yield Static(id="head", markup=False)
        yield LineList(id="games")
        yield Static(id="note", markup=False)
        yield Footer(show_command_palette=False)

    def on_resize(self) -> None:
        self._list_games()

    def on_mount(self) -> None:
        """Update the list every second, also behind a game on the screen."""
        self.set_interval(_UPDATE_EVERY_S, partial(RateLimit(0, _REST).run, self.update_games))

    @property
    def _chosen(self) -> ListedGame | None:
        cursor = self.query_one(LineList).cursor
        return self._shown[cursor] if cursor < len(self._shown) else None

    def _list_games(self) -> None:
        before = self._chosen
        wanted = self.query_one(Input).value
        shown = self._shown = filter_games([*self._ongoing, *self._games], wanted, self._uncounted, self._sentences)
        width = name_width(self.size.width, shown, self._uncounted, self._sentences)
        cursor = next((number for number, game in enumerate(shown) if before and game.id == before.id), 0)

        def write(number: int) -> str:
            game = shown[number]
            return write_game(game, width, self._uncounted.get(game.id, COUNTS), self._sentences)

        self.query_one(LineList).fill(len(shown), write, cursor)
        self.query_one("#head", Static).update(write_head(width, self._sentences))
        count = count_games(len(shown), len(self._games), len(self._ongoing), self._sentences)
        room = max(0, self.size.width - len(count) - 2)
        self.query_one("#title", Static).update(Text(f"{set_cell_size(plain(self._source.title), room)}  {count}"))
        is_live = self._source.can_be_watched()
        note = explain_list(self._sentences, is_live=is_live, is_followed=self._following is not None)
        is_empty = wanted.strip() and not shown
        self.query_one("#note", Static).update(explain_empty(wanted.strip(), self._sentences) if is_empty else note)

    # --- keys -------------------------------------------------------------------------------------

    def action_open(self) -> None:
        """Open the game under the cursor."""
        if self._chosen is not None:
            self._open(self._chosen)

    def action_move(self, lines: int) -> None:
        """Move the cursor so many lines down, or up if negative."""
        games = self.query_one(LineList)
        games.move_to(games.cursor + lines)

    def action_page(self, step: Literal[1, -1]) -> None:
        self.action_move(step * self.query_one(LineList).size.height)

    def action_edge(self, step: Literal[1, -1]) -> None:
        """Move the cursor to the first or the last game."""
        self.action_move(step * len(self._shown))

    def action_filter(self) -> None:
        """Open the filter."""
        self.add_class("filtering")
        self.query_one(Input).focus()

    def action_follow(self) -> None:
        """Follow the tournament, or stop."""
        self._following = None if self._following else Following(self._games)
        self._list_games()

    def action_help(self) -> None:
        self.app.push_screen(Help(IN_LIST, self._sentences))

    def action_clear(self) -> None:
        """Show all games again."""
        self.query_one(Input).value = ""
        self._close_filter()

    def _close_filter(self) -> None:
        self.set_class(bool(self.query_one(Input).value), "filtering")
        self.set_focus(None)

    # --- games that start and finish --------------------------------------------------------------

    def update_games(self) -> None:
        """Show new games in the list; a user who follows and has seen the last game is shown the next one."""
        with self._failures.show_once():
            version = self._source.version()
            has_changed = version != self._version
            if has_changed:
                self._games = self._source.games()
                self._uncounted = self._source.uncounted()
                self._version = version
            before = self._ongoing
            self._ongoing = self._ongoing_games.list()
            if has_changed or self._ongoing != before:
                self._list_games()
                self._failures.forget()
        if self._following is not None:
            self._following.update(self._games, self._ongoing, is_live=self._source.can_be_watched())
            screen = self.app.screen
            # While a filter is typed, or a dialog or a game is looked at, the next game waits.
            is_free = self.focused is None if screen is self else isinstance(screen, GameScreen) and screen.is_over
            if is_free and (game := self._following.next()):
                self._open(game, playing=True)

    def open_other(self, state: ReplayState, step: int) -> bool:
        """Open the game so many lines below that of a state, seen in the same way; return False if there is none."""
        numbers = [number for number, game in enumerate(self._shown) if game.id == state.replay.record.header.id]
        number = (numbers[0] if numbers else self.query_one(LineList).cursor) + step
        if not 0 <= number < len(self._shown):
            return False
        self.query_one(LineList).move_to(number)
        self._settings = state.settings
        self._open(self._shown[number], bottom=state.bottom)
        return True

    def _open(self, game: ListedGame, *, playing: bool = False, bottom: Seat = RED) -> None:
        with self._failures.show_once():
            record, live = open_game(self._source, game.id)
            state = ReplayState(record, self._settings, live, self._source.log(game.id))
            state.bottom = bottom
            screen = GameScreen(state, self.open_other, playing=playing and not state.in_progress)
            if self.app.screen is self:
                self.app.push_screen(screen)
            else:
                self.app.switch_screen(screen)

    # --- the filter -------------------------------------------------------------------------------

    def on_input_changed(self) -> None:
        self._list_games()

    def on_input_submitted(self) -> None:
        self._close_filter()


def make_games_screen(source: GameSource, settings: ViewSettings) -> GamesScreen:
    """Make the list of games, with the words of its footer in the language of the settings."""
    bindings = make_bindings(IN_LIST, SentenceWriter(settings.lang))
    screen: type[GamesScreen] = type(
        GamesScreen.__name__, (GamesScreen,), {"BINDINGS": bindings}
    )  # the name in its CSS
    return screen(source, settings)


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
        games = None if self._source is None else make_games_screen(self._source, self._settings)
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
        sentences = SentenceWriter(self._settings.lang)
        text = sentences.write("colours_are", name=sentences.write_theme(self.theme))
        self.notify(text, timeout=2, markup=False)


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
