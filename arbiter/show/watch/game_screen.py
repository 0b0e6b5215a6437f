"""The screen of a game: what the keys and the mouse do."""

from collections.abc import Callable
from functools import partial
from typing import Final, Literal

from textual.app import ComposeResult
from textual.events import Key
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer

from arbiter.show.replay.acts import PlayedAct, is_attack, is_capture
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.watch.board import BoardWidget
from arbiter.show.watch.game_view import GameView
from arbiter.show.watch.keys import IN_GAME, bindings
from arbiter.show.watch.lookout import Lookout
from arbiter.show.watch.overlays import AskPly, Help
from arbiter.show.watch.rows import Rows
from arbiter.show.watch.state import ReplayState

_LOOK_EVERY_S: Final = 0.25
_ENDING_LOOKS: Final = 12  # for so long an ending is to be seen before one who follows is shown another game
_BROKEN_OFF: Final = "The game was broken off: it is not played any more, and the results do not have it."
_DIGITS: Final = frozenset("0123456789")


class GameScreen(Screen[None]):
    """A game being watched."""

    BINDINGS = bindings(IN_GAME)

    def __init__(self, viewing: ReplayState, *, playing: bool = False) -> None:
        super().__init__()
        self.viewing = viewing
        self._view = GameView(viewing)
        self._timer: Timer | None = None
        self._plays_at_once = playing
        self._lookout: Final = Lookout(self._look, partial(self.notify, severity="error", markup=False))
        self._ending_looks = _ENDING_LOOKS if viewing.is_under_way else 0

    def compose(self) -> ComposeResult:
        """Lay it out."""
        yield self._view
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Follow a game that is under way; play, if that was wished."""
        if self.viewing.is_under_way:
            self.set_interval(_LOOK_EVERY_S, self._lookout.look_at_times)
        if self._plays_at_once:
            self._play()

    @property
    def is_over(self) -> bool:
        """Say whether it stands still at the end, which has been seen."""
        return self.viewing.is_at_end and self._timer is None and self._ending_looks <= 0

    # --- forth and back ---------------------------------------------------------------------------

    def action_step(self, acts: int) -> None:
        """Go so many acts forth or back."""
        self._go(self.viewing.number + acts)

    def action_first(self) -> None:
        """Go to the setup."""
        self._go(0)

    def action_last(self) -> None:
        """Go to the end."""
        self._go(self.viewing.reel.last)

    def _go(self, number: int) -> None:
        self.viewing.go(number)
        self._view.show()

    def action_attack(self, step: Literal[1, -1]) -> None:
        """Go to the next attack, or the one before."""
        self._jump("attack", is_attack, step)

    def action_capture(self, step: Literal[1, -1]) -> None:
        """Go to the next capture, or the one before."""
        self._jump("capture", is_capture, step)

    def _jump(self, what: str, wanted: Callable[[PlayedAct], bool], step: Literal[1, -1]) -> None:
        if self.viewing.jump(wanted, step):
            self._view.show()
        else:
            self.notify(f"There is no {what} {'after' if step > 0 else 'before'} this ply.", markup=False)

    def action_ask_ply(self, begun: str = "") -> None:
        """Ask which ply to go to."""
        reel = self.viewing.reel
        self.app.push_screen(AskPly(reel.ply(reel.last), begun), self._go_to_ply)

    def _go_to_ply(self, ply: int | None) -> None:
        if ply is not None:
            self._go(self.viewing.reel.of_ply(ply))

    def on_key(self, event: Key) -> None:
        """Let a digit begin the number of a ply."""
        if event.character in _DIGITS:
            event.stop()
            self.action_ask_ply(event.character or "")

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        """Go to the ply that was clicked."""
        self._go(event.number)

    def on_board_widget_wheeled(self, event: BoardWidget.Wheeled) -> None:
        """Go forth and back."""
        self.action_step(event.step)

    # --- by itself --------------------------------------------------------------------------------

    def action_play(self) -> None:
        """Play on from here, or stop; at the end, play from the beginning."""
        if self._timer is not None:
            self._stop()
        else:
            if self.viewing.is_at_end:
                self.viewing.go(0)
            self._play()

    def action_faster(self) -> None:
        """Play faster."""
        self.viewing.faster()
        self._play()

    def action_slower(self) -> None:
        """Play slower."""
        self.viewing.slower()
        self._play()

    def _play(self) -> None:
        self._stop()
        self._timer = self.set_interval(1 / self.viewing.speed, self._play_on)
        self._view.tell_pace(f"{self.viewing.speed:g} plies a second, ")

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = None
        self._view.tell_pace("")

    def _play_on(self) -> None:
        self.action_step(1)
        if self.viewing.is_at_end:
            self._stop()

    # --- while it is under way --------------------------------------------------------------------

    def _look(self) -> None:
        """Show what was played meanwhile, and at last the ending for a while."""
        if not self.viewing.is_under_way:
            self._ending_looks -= 1
            return
        with self._lookout.told():
            if self.viewing.look():
                self._see_anew()
        if not self.viewing.is_under_way:
            self._see_anew()  # also where the results cannot be read
        if self.viewing.is_broken_off:
            self.notify(_BROKEN_OFF, severity="warning", markup=False)

    # --- how it is seen ---------------------------------------------------------------------------

    def action_switch_seat(self) -> None:
        """Take the next seat."""
        self.viewing.switch_seat()
        self._see_anew()

    def action_seat(self, viewer: Viewer) -> None:
        """Take a seat."""
        self.viewing.viewer = viewer
        self._see_anew()

    def _see_anew(self) -> None:
        self._view.list_plies()
        self._view.show()

    def action_flip(self) -> None:
        """Turn the board."""
        self.viewing.flip()
        self._view.show()

    def action_scroll(self, step: Literal[1, -1]) -> None:
        """Scroll the text beneath the board."""
        self._view.scroll_tale(step)

    def action_help(self) -> None:
        """Show all keys, signs and names."""
        self.app.push_screen(Help(IN_GAME, self.viewing.reel))
