"""The board on the screen, its squares to be clicked, the wheel over it to go forth and back."""

from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.widgets import Static

from arbiter.show.grid import SMALLEST, Cell, Grid, Square
from arbiter.show.names import Labels
from arbiter.show.watch.painting import paint_grid


class BoardWidget(Static):
    """A grid, painted."""

    class Clicked(Message):
        """A square was clicked; None beside them all."""

        def __init__(self, square: Square | None) -> None:
            super().__init__()
            self.square = square

    class Wheeled(Message):
        """The wheel was turned: forth (1) or back (-1)."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._grid = Grid(0, (), ())
        self._cell = SMALLEST

    def show(self, grid: Grid, cell: Cell, labels: Labels, looked_at: Square | None) -> None:
        """Paint a grid with squares of a size, one of which may be looked at."""
        resized = cell != self._cell or not self._grid.rows
        self._grid, self._cell = grid, cell
        self.update(paint_grid(grid, cell, labels, looked_at), layout=resized)

    def on_click(self, event: Click) -> None:
        """Tell which square was clicked."""
        self.post_message(self.Clicked(self._grid.square_at(event.x, event.y, self._cell)))

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Tell that the wheel goes forth."""
        event.stop()
        self.post_message(self.Wheeled(1))

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Tell that the wheel goes back."""
        event.stop()
        self.post_message(self.Wheeled(-1))
