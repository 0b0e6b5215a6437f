"""The screen of a tournament: its games, finished and under way, to be filtered and picked from, or followed."""

from functools import partial
from typing import Final, Literal

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from arbiter.show.text import plain
from arbiter.show.watch.following import Following
from arbiter.show.watch.game_screen import GameScreen
from arbiter.show.watch.keys import IN_LIST, bindings
from arbiter.show.watch.lookout import Lookout
from arbiter.show.watch.ongoing import PlyCount, open_game
from arbiter.show.watch.overlays import Help
from arbiter.show.watch.painting import paint_title
from arbiter.show.watch.picking import Listed, game_line, head_line, name_width, picked
from arbiter.show.watch.rows import Rows
from arbiter.show.watch.source import GameSource
from arbiter.show.watch.state import ReplayState, ViewSettings
from arbiter.show.watch.words import count_games, explain_list

_LOOK_EVERY_S: Final = 1.0


class GamesScreen(Screen[None]):
    """A list of games to pick from."""

    CSS = """
    GamesScreen #title, GamesScreen #head, GamesScreen #note { height: 1; }
    GamesScreen #title { text-style: bold; }
    GamesScreen #head { text-style: dim; }
    GamesScreen Input { height: 1; border: none; padding: 0; display: none; }
    GamesScreen.filtering Input { display: block; }
    GamesScreen Rows { height: 1fr; }
    """
    AUTO_FOCUS = ""  # the filter waits for its key
    BINDINGS = bindings(IN_LIST)

    def __init__(self, source: GameSource, wishes: ViewSettings) -> None:
        super().__init__()
        self._source = source
        self._wishes = wishes
        self._games = source.games()
        self._tally = PlyCount(source)
        self._under_way = self._tally.take()
        self._shown: list[Listed] = []
        self._following: Following | None = None  # while one follows
        self._lookout: Final = Lookout(self._look, partial(self.notify, severity="error", markup=False))

    def compose(self) -> ComposeResult:
        """Lay it out."""
        yield Static(id="title", markup=False)
        yield Input(placeholder="words, or red:NAME blue:NAME winner: ending: round: id:", compact=True)
        yield Static(id="head", markup=False)
        yield Rows(id="games")
        yield Static(id="note", markup=False)
        yield Footer(show_command_palette=False)

    def on_resize(self) -> None:
        """Write the lines anew, in the new width."""
        self._list()

    def on_mount(self) -> None:
        """Look for new games from time to time, behind a game that is watched too."""
        self.set_interval(_LOOK_EVERY_S, self._lookout.look_at_times)

    @property
    def _chosen(self) -> Listed | None:
        cursor = self.query_one(Rows).cursor
        return self._shown[cursor] if cursor < len(self._shown) else None

    def _list(self) -> None:
        before = self._chosen
        shown = self._shown = picked([*self._under_way, *self._games], self.query_one(Input).value)
        width = name_width(self.size.width)
        cursor = next((number for number, game in enumerate(shown) if before and game.id == before.id), 0)
        self.query_one(Rows).fill(len(shown), lambda number: game_line(shown[number], width), cursor)
        self.query_one("#head", Static).update(head_line(width))
        count = count_games(len(shown), len(self._games), len(self._under_way))
        self.query_one("#title", Static).update(paint_title(plain(self._source.title), count, self.size.width))
        note = explain_list(is_live=self._source.is_live(), is_followed=self._following is not None)
        self.query_one("#note", Static).update(note)

    # --- keys -------------------------------------------------------------------------------------

    def action_open(self) -> None:
        """Watch the game under the cursor."""
        if self._chosen is not None:
            self._watch(self._chosen)

    def action_move(self, lines: int) -> None:
        """Move the cursor so many lines."""
        rows = self.query_one(Rows)
        rows.move_to(rows.cursor + lines)

    def action_page(self, step: Literal[1, -1]) -> None:
        """Move the cursor a page."""
        self.action_move(step * self.query_one(Rows).size.height)

    def action_edge(self, step: Literal[1, -1]) -> None:
        """Move the cursor to the first or the last game."""
        self.action_move(step * len(self._shown))

    def action_filter(self) -> None:
        """Take words that games must hold."""
        self.add_class("filtering")
        self.query_one(Input).focus()

    def action_follow(self) -> None:
        """Follow the tournament, or stop."""
        self._following = None if self._following else Following(self._games)
        self._list()

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(Help(IN_LIST))

    def action_clear(self) -> None:
        """Show all games again."""
        self.query_one(Input).value = ""
        self._stop_typing()

    def _stop_typing(self) -> None:
        self.set_class(bool(self.query_one(Input).value), "filtering")
        self.set_focus(None)

    # --- games that begin and finish --------------------------------------------------------------

    def _look(self) -> None:
        """Let new games join the list, and show the latest to one who follows and has seen the one before."""
        with self._lookout.told():
            self._look_for_games()
        if self._following is not None:
            self._following.hear(self._games, self._under_way, is_live=self._source.is_live())
            if self._is_free() and (game := self._following.next()):
                self._watch(game, playing=True)

    def _look_for_games(self) -> None:
        if has_changed := self._source.has_changed():
            self._games = self._source.games()
        before, self._under_way = self._under_way, self._tally.take()
        if has_changed or self._under_way != before:
            self._list()
            self._lookout.is_well()

    def _is_free(self) -> bool:
        """Say whether nothing else is being looked at."""
        screen = self.app.screen
        if screen is self:
            return self.focused is None  # else a filter is being typed
        return isinstance(screen, GameScreen) and screen.is_over

    def _watch(self, game: Listed, *, playing: bool = False) -> None:
        with self._lookout.told():
            record, live = open_game(self._source, game.id)
            viewing = ReplayState(record, self._wishes, live)
            screen = GameScreen(viewing, playing=playing and not viewing.is_under_way)
            if self.app.screen is self:
                self.app.push_screen(screen)
            else:
                self.app.switch_screen(screen)

    # --- the filter and the mouse -----------------------------------------------------------------

    def on_input_changed(self) -> None:
        """Show the games that fit so far."""
        self._list()

    def on_input_submitted(self) -> None:
        """Go from the filter to the list."""
        self._stop_typing()

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        """Watch the game that was clicked."""
        event.rows.move_to(event.number)
        self.action_open()
