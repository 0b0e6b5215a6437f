"""What is to be seen of a game: the board, both players, what happened, the list of plies; it knows no keys."""

from typing import Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from arbiter.show.grid import SMALLEST, Square
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.plain_text import about, grid_of
from arbiter.show.watch.board import BoardWidget
from arbiter.show.watch.painting import paint_player, paint_tale, paint_title
from arbiter.show.watch.rows import Rows
from arbiter.show.watch.state import ReplayState
from arbiter.show.watch.words import player_lines, ply_line, seen_on, tale, title_state
from protocol.words import OPPONENT

_AROUND: Final = 6  # lines of title, players and footer
_LEAST_TALE, _GOOD_TALE = 4, 8  # lines beneath the board
_LEAST_LIST, _GOOD_LIST = 18, 34  # columns beside it


class GameView(Vertical):
    """A viewing on the screen."""

    DEFAULT_CSS = """
    GameView #title { height: 1; text-style: bold; }
    GameView #middle, GameView #table, GameView BoardWidget { height: auto; }
    GameView #upper, GameView #lower { height: 2; }
    GameView Rows { width: 1fr; height: 100%; }
    GameView #tale { height: 1fr; scrollbar-size: 1 1; }
    GameView #told { height: auto; }
    GameView #too-small { display: none; height: auto; }
    GameView.small > * { display: none; }
    GameView.small > #too-small { display: block; }
    """

    def __init__(self, viewing: ReplayState) -> None:
        super().__init__()
        self._viewing = viewing
        self._pace = ""
        self._looked_at: Square | None = None
        self._is_stale = False

    def compose(self) -> ComposeResult:
        """Lay it out."""
        yield Static(id="title", markup=False)
        with Horizontal(id="middle"):
            with Vertical(id="table"):
                yield Static(id="upper", markup=False)
                yield BoardWidget()
                yield Static(id="lower", markup=False)
            yield Rows(id="plies")
        with VerticalScroll(id="tale", can_focus=False):
            yield Static(id="told", markup=False)
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        """List the plies."""
        self.list_plies()

    def on_resize(self) -> None:
        """Make the board as large as there is room for, or say that there is none."""
        grid = grid_of(self._viewing.frame)
        width, height = grid.width() + _LEAST_LIST, grid.height() + _AROUND + _LEAST_TALE
        screen = self.app.size
        self.set_class(screen.width < width or screen.height < height, "small")
        needs = f"This game needs {width} columns and {height} lines; there are {screen.width} and {screen.height}."
        self._put("too-small", Text(needs))
        self.show()

    def on_board_widget_clicked(self, event: BoardWidget.Clicked) -> None:
        """Say what stands on the square that was clicked."""
        self._looked_at = event.square
        self.show()

    def list_plies(self) -> None:
        """List the plies as the viewer may see them."""
        viewing = self._viewing
        self.query_one(Rows).fill(
            len(viewing.reel), lambda number: ply_line(viewing.reel, number, viewing.viewer), viewing.number
        )

    def scroll_tale(self, lines: int) -> None:
        """Scroll the text beneath the board."""
        self.query_one("#tale").scroll_relative(y=lines, animate=False)

    def tell_pace(self, pace: str) -> None:
        """Say how fast the game plays, if it does."""
        self._pace = pace
        self.show()

    def show(self) -> None:
        """Show the frame where the viewing stands: once, however many keys were pressed meanwhile."""
        if not self._is_stale:
            self._is_stale = True
            self.call_later(self._paint)

    def _paint(self) -> None:
        self._is_stale = False
        viewing, frame = self._viewing, self._viewing.frame
        self._paint_board(frame)
        for place, seat in (("upper", OPPONENT[viewing.bottom]), ("lower", viewing.bottom)):
            self._put(place, paint_player(seat, *player_lines(viewing.reel.record, frame, seat), acted=frame.seat))
        state = title_state(viewing, self._pace)
        self._put("title", paint_title(about(viewing.reel.record), state, self.size.width))
        self._put("told", paint_tale(*tale(frame, viewing.reel, self._seen())), resizes=True)
        self.query_one(Rows).point_at(viewing.number)

    def _paint_board(self, frame: Frame) -> None:
        grid = grid_of(frame, self._viewing.bottom)
        width = self.app.size.width - max(_LEAST_LIST, min(_GOOD_LIST, self.app.size.width // 4))
        cell = grid.largest_cell(width, self.app.size.height - _AROUND - _GOOD_TALE)
        self._looked_at = self._looked_at and grid.find(self._looked_at)
        self.query_one("#table").styles.width = max(grid.width(cell), grid.width(SMALLEST))
        self.query_one(BoardWidget).show(grid, cell, self._viewing.reel.labels, self._looked_at)

    def _seen(self) -> str:
        viewing = self._viewing
        return seen_on(self._looked_at, viewing.viewer, viewing.reel.naming) if self._looked_at else ""

    def _put(self, place: str, text: Text, *, resizes: bool = False) -> None:
        self.query_one(f"#{place}", Static).update(text, layout=resizes)
