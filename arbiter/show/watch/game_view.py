"""The view of a game: the board, both players, the description of the frame, the list of plies.  Knows no keys."""

from typing import Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from arbiter.show.grid import SMALLEST, Square
from arbiter.show.replay.plain_text import describe_game, make_grid
from arbiter.show.watch.painting import paint_description, paint_player, paint_title
from arbiter.show.watch.state import ReplayState
from arbiter.show.watch.widgets import BoardWidget, LineList
from arbiter.show.watch.words import (
    describe_square,
    write_description,
    write_player_lines,
    write_plots,
    write_ply,
    write_title_state,
)
from protocol.words import OPPONENT

_AROUND: Final = 6  # lines of title, players and footer
_LEAST_TEXT, _GOOD_TEXT = 4, 8  # lines below the board
_LEAST_LIST, _GOOD_LIST = 18, 34  # columns next to the board


class GameView(Vertical):
    """The state of a replay on the screen."""

    DEFAULT_CSS = """
    GameView #title { height: 1; text-style: bold; }
    GameView #middle, GameView #table, GameView BoardWidget { height: auto; }
    GameView #upper, GameView #lower { height: 2; }
    GameView LineList { width: 1fr; height: 100%; }
    GameView #scroll { height: 1fr; scrollbar-size: 1 1; }
    GameView #description { height: auto; }
    GameView #too-small { display: none; height: auto; }
    GameView.small > * { display: none; }
    GameView.small > #too-small { display: block; }
    """

    def __init__(self, state: ReplayState) -> None:
        super().__init__()
        self._state = state
        self._pace = ""
        self._selected: Square | None = None
        self._is_stale = False

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        with Horizontal(id="middle"):
            with Vertical(id="table"):
                yield Static(id="upper", markup=False)
                yield BoardWidget()
                yield Static(id="lower", markup=False)
            yield LineList(id="plies")
        with VerticalScroll(id="scroll", can_focus=False):
            yield Static(id="description", markup=False)
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        self.list_plies()

    def on_resize(self) -> None:
        """Fit the board to the screen, or show that the screen is too small."""
        grid = make_grid(self._state.frame)
        width = grid.width() + _LEAST_LIST
        height = grid.height() + _AROUND + _LEAST_TEXT
        screen = self.app.size
        self.set_class(screen.width < width or screen.height < height, "small")
        needs = f"This game needs {width} columns and {height} lines; there are {screen.width} and {screen.height}."
        self._put("too-small", Text(needs))
        self.show()

    def on_board_widget_clicked(self, event: BoardWidget.Clicked) -> None:
        """Describe the square that was clicked."""
        self._selected = event.square
        self.show()

    def list_plies(self) -> None:
        """List the plies as far as the viewer may see them."""
        state = self._state
        self.query_one(LineList).fill(
            len(state.replay), lambda number: write_ply(state.replay, number, state.viewer), state.number
        )

    def scroll_text(self, lines: int) -> None:
        """Scroll the text below the board."""
        self.query_one("#scroll").scroll_relative(y=lines, animate=False)

    def show_pace(self, pace: str) -> None:
        """Show in the title how fast the game is played."""
        self._pace = pace
        self.show()

    def show(self) -> None:
        """Show the current frame: once, even if several keys were pressed."""
        if not self._is_stale:
            self._is_stale = True
            self.call_later(self._paint)

    def _paint(self) -> None:
        self._is_stale = False
        state, replay, screen = self._state, self._state.replay, self.app.size
        frame = state.frame

        grid = make_grid(frame, state.bottom)
        width = screen.width - max(_LEAST_LIST, min(_GOOD_LIST, screen.width // 4))
        cell = grid.largest_cell(width, screen.height - _AROUND - _GOOD_TEXT)
        self._selected = self._selected and grid.find(self._selected)
        self.query_one("#table").styles.width = max(grid.width(cell), grid.width(SMALLEST))
        self.query_one(BoardWidget).show(grid, cell, replay.labels, self._selected)

        for place, seat in (("upper", OPPONENT[state.bottom]), ("lower", state.bottom)):
            self._put(place, paint_player(seat, *write_player_lines(replay.record, frame, seat), acted=frame.seat))
        title_state = write_title_state(state, self._pace)
        self._put("title", paint_title(describe_game(replay.record), title_state, self.size.width))
        selected = describe_square(self._selected, state.viewer, replay.naming) if self._selected else ""
        plots = write_plots(replay, state.number, state.viewer, screen.width - 2)
        description = (*write_description(frame, replay, selected), *plots)
        self._put("description", paint_description(*description), resizes=True)
        plies = self.query_one(LineList)
        if plies.cursor != state.number:
            plies.move_to(state.number)

    def _put(self, place: str, text: Text, *, resizes: bool = False) -> None:
        self.query_one(f"#{place}", Static).update(text, layout=resizes)
