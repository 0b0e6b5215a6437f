"""The screen of a game: its keys and its mouse."""

from collections.abc import Callable
from functools import partial
from typing import Final, Literal

from textual.app import ComposeResult
from textual.events import Key
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.timer import Timer

from arbiter.show.keys import IN_GAME
from arbiter.show.rate_limit import RateLimit
from arbiter.show.replay.knowledge import VIEWERS, PlayedAct, Viewer, is_attack, is_capture
from arbiter.show.watch.state import ReplayState
from arbiter.show.watch.story import StoryScreen
from arbiter.show.watch.widgets import AskPly, FailureNotice, GameView, Help, make_bindings
from protocol.words import OPPONENT

_UPDATE_EVERY_S: Final = 0.25
_REST: Final = 20  # times as long as an update took, so that keys need not wait
_UPDATES_AT_ENDING: Final = 12  # a user who follows sees an ending for so long before the next game
_FIGHT_S: Final = 0.6
_SHORTEST_FIGHT_S: Final = 0.2
_FIGHT_STEPS: Final = 3  # before the fight, the fight, its result
_DIGITS: Final = frozenset("0123456789")


OpenOther = Callable[[ReplayState, int], bool]
"""Open the game so many lines below the one of a state in the list; False if there is none."""


class GameScreen(Screen[None]):
    """A game that is replayed, or watched while it is played."""

    BINDINGS = make_bindings(IN_GAME)

    def __init__(self, state: ReplayState, opens: OpenOther | None = None, *, playing: bool = False) -> None:
        super().__init__()
        self.state = state
        self.opens = opens
        self._view = GameView(state)
        self._timer: Timer | None = None
        self._animation: Timer | None = None
        self._starts_playing = playing
        self._failures: Final = FailureNotice(self)
        self._updates_left = _UPDATES_AT_ENDING if state.in_progress else 0

    def compose(self) -> ComposeResult:
        yield self._view

    def on_mount(self) -> None:
        if self.state.in_progress:
            self.set_interval(_UPDATE_EVERY_S, partial(RateLimit(0, _REST).run, self.update_game))
        if self._starts_playing:
            self._play()

    @property
    def is_over(self) -> bool:
        """True if the ending has been shown long enough."""
        return self.state.is_at_end and self._timer is None and self._updates_left <= 0

    def _say(self, key: str, severity: SeverityLevel = "information") -> None:
        """Show a text for a moment."""
        self.notify(self.state.replay.sentences.write(key), severity=severity, markup=False)

    # --- forward and back -------------------------------------------------------------------------

    def action_step(self, acts: int) -> None:
        """Go so many acts forward, or back if negative."""
        self.action_go_to(self.state.number + acts)

    def action_first(self) -> None:
        self.action_go_to(0)

    def action_last(self) -> None:
        self.action_go_to(self.state.replay.last)

    def action_go_to(self, number: int) -> None:
        """Go to a frame."""
        self._show_frame(number, animated=number == self.state.number + 1)

    def _show_frame(self, number: int, *, animated: bool) -> None:
        self.state.go_to(number)
        self._view.show()
        if animated:
            self._animate_fight()

    def action_attack(self, step: Literal[1, -1]) -> None:
        """Go to the next or the previous attack."""
        self._jump(is_attack, step)

    def action_capture(self, step: Literal[1, -1]) -> None:
        """Go to the next or the previous capture."""
        self._jump(is_capture, step)

    def action_turning_point(self, step: Literal[1, -1]) -> None:
        """Go to the next or the previous turning point."""
        points = (number for number, _ in self.state.replay.turning_points(self.state.viewer))
        beyond = [number for number in points if (number - self.state.number) * step > 0]
        self._show_found(min(beyond, key=lambda one: one * step, default=None), step)

    def action_story(self) -> None:
        """List the turning points, and go to the one that is chosen."""
        replay = self.state.replay
        points = replay.turning_points(self.state.viewer)
        if not points:
            self._say("no_story")
            return

        def go_to(number: int | None) -> None:
            if number is not None:
                self.action_go_to(number)

        texts = [(number, f"{replay.ply(number):>4}  {one.describe(replay.sentences)}") for number, one in points]
        title = replay.sentences.write("turning_points")
        self.app.push_screen(StoryScreen(title, texts, self.state.number), go_to)

    def action_reports(self) -> None:
        """List what the bots report, or the moves."""
        self.state.shows_reports = not self.state.shows_reports
        self.state.first_turn = None
        self._view.show()

    def _jump(self, matches: Callable[[PlayedAct], bool], step: Literal[1, -1]) -> None:
        self._show_found(self.state.replay.find_nearest(self.state.number, matches, step), step)

    def _show_found(self, found: int | None, step: Literal[1, -1]) -> None:
        if found is None:
            self._say("none_after" if step > 0 else "none_before")
        else:
            self._show_frame(found, animated=step > 0)

    def action_ask_ply(self, typed: str = "") -> None:
        """Ask for a ply and go to it."""
        replay = self.state.replay

        def go_to_ply(ply: int | None) -> None:
            if ply is not None:
                self.action_go_to(self.state.replay.find_ply(ply))

        self.app.push_screen(AskPly(replay.ply(replay.last), replay.sentences, typed), go_to_ply)

    def on_key(self, event: Key) -> None:
        """Take a digit as the start of the number of a ply."""
        if event.character in _DIGITS:
            event.stop()
            self.action_ask_ply(event.character or "")

    def action_game(self, step: Literal[1, -1]) -> None:
        """Open the next or the previous game of the list."""
        if self.opens is None or not self.opens(self.state, step):
            self._say("no_next_game" if step > 0 else "no_previous_game")

    # --- fights -----------------------------------------------------------------------------------

    def action_animate(self) -> None:
        """Show fights step by step, or only their results."""
        self.state.animates = not self.state.animates
        self._say("animated" if self.state.animates else "not_animated")

    def _animate_fight(self) -> None:
        """Show the fight of the frame step by step, if it has one and there is time for it."""
        state = self.state
        if self._animation is not None:
            self._animation.stop()
        duration = _FIGHT_S if self._timer is None else min(_FIGHT_S, 1 / state.speed)
        act = state.replay.act(state.number)
        is_animated = state.animates and self.app.animation_level != "none"
        if is_animated and act is not None and is_attack(act) and duration >= _SHORTEST_FIGHT_S:
            state.fight_step = 1
            self._view.show()

            def go_on() -> None:
                if state.fight_step:  # another frame begins with the result
                    state.fight_step = (state.fight_step + 1) % _FIGHT_STEPS
                    self._view.show()

            self._animation = self.set_interval(duration / _FIGHT_STEPS, go_on, repeat=_FIGHT_STEPS - 1)

    # --- playing ----------------------------------------------------------------------------------

    def action_play(self) -> None:
        """Play on from here, or stop.  At the end, play from the setup."""
        if self._timer is not None:
            self._stop()
        else:
            if self.state.is_at_end:
                self.state.go_to(0)
            self._play()

    def action_faster(self) -> None:
        self.state.change_speed(1)
        self._play()

    def action_slower(self) -> None:
        self.state.change_speed(-1)
        self._play()

    def _play(self) -> None:
        def play_next() -> None:
            self.action_step(1)
            if self.state.is_at_end:
                self._stop()

        self._stop()
        self._timer = self.set_interval(1 / self.state.speed, play_next)
        self.state.is_playing = True
        self._view.show()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = None
        self.state.is_playing = False
        self._view.show()

    # --- a game in progress -----------------------------------------------------------------------

    def update_game(self) -> None:
        """Show the acts that were played since the last update; after the game, count down its ending."""
        if not self.state.in_progress:
            self._updates_left -= 1
            return
        before = self.state.number
        with self._failures.show_once():
            if self.state.update():
                self._view.show()
                if self.state.number == before + 1:
                    self._animate_fight()
        if not self.state.in_progress:
            self._view.show()  # even if the results cannot be read
        if self.state.live is not None and self.state.live.state == "broken off":
            self._say("broken_off", severity="warning")

    # --- the view ---------------------------------------------------------------------------------

    def action_next_viewer(self) -> None:
        self.action_view_as(VIEWERS[(VIEWERS.index(self.state.viewer) + 1) % len(VIEWERS)])

    def action_view_as(self, viewer: Viewer) -> None:
        """Show what this viewer may see."""
        self.state.viewer = viewer
        self._view.show()

    def action_flip(self) -> None:
        self.state.bottom = OPPONENT[self.state.bottom]
        self._view.show()

    def action_select(self, right: int, down: int) -> None:
        """Move the selection by so many squares."""
        self.state.move_selection(right, down)
        self._view.show()

    def action_back(self) -> None:
        """Select no square; if none was selected, go back to the list."""
        if self.state.selected is not None:
            self.state.selected = None
            self._view.show()
        elif self.opens is not None:
            self.app.pop_screen()

    def action_scroll(self, step: Literal[1, -1]) -> None:
        """Scroll the text below the board."""
        self.state.text_scrolled = max(0, self.state.text_scrolled + step)
        self._view.show()

    def action_help(self) -> None:
        self.app.push_screen(Help(IN_GAME, self.state.replay.sentences, self.state.replay))
