"""All frames of a record, from any seat, each made when it is asked for; refereed once, before the first."""

from bisect import bisect_left
from collections.abc import Callable
from typing import Final, Literal

from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.record import Record, RecordError
from arbiter.show.names import DEFAULT_LANGUAGE, labels, naming
from arbiter.show.replay.acts import Played, Refereed
from arbiter.show.replay.frame import Frame, Heard, frame_of_act, frame_of_setup, tell_ending
from arbiter.show.replay.knowledge import View, Viewer, ViewerKnowledge, has_eyes_of, is_visible
from protocol.messages import Rules
from protocol.words import SEATS, AnyFact, Stop

_KEEP_EVERY: Final = 250  # acts: to go back costs at most so many folds, which is a few milliseconds


class _Memory:
    """What a viewer knew after so many acts; it goes forth by hearing on, and back from copies it keeps."""

    def __init__(self, game: Refereed, viewer: Viewer) -> None:
        self._game = game
        self._viewer: Viewer = viewer
        self._sight = ViewerKnowledge(viewer, game.rules)
        self._sight.hear(game.opening)
        self._heard = 0
        self._view: View | None = None
        self._kept = [self._sight.copy()]  # after 0, 250, 500 .. acts

    def view(self) -> View:
        """Return what is known now."""
        if self._view is None:
            self._view = self._sight.view()
        return self._view

    def wind_to(self, heard: int) -> None:
        """Know what was known after so many acts."""
        kept = min(heard // _KEEP_EVERY, len(self._kept) - 1)
        if not kept * _KEEP_EVERY <= self._heard <= heard:
            self._sight, self._heard, self._view = self._kept[kept].copy(), kept * _KEEP_EVERY, None
        while self._heard < heard:
            self._hear_next()

    def hear_next(self) -> Heard:
        """Hear of the next act."""
        return Heard(self._viewer, before=self.view(), facts=tuple(self._hear_next()), after=self.view())

    def _hear_next(self) -> list[AnyFact]:
        played = self._game.acts[self._heard]
        self._sight.did(played.entry.seat, played.entry.action)
        facts = self._sight.hear(played.told)
        self._heard, self._view = self._heard + 1, None
        if self._heard == len(self._kept) * _KEEP_EVERY:
            self._kept.append(self._sight.copy())
        return facts


class Replay:
    """A game to be wound forth and back; frame 0 is the setup, then comes a frame an act.

    Of a game `under_way` the last frame tells no ending: its record goes on.
    Raises RecordError where a record cannot be refereed at all, ConfigError where it names rules or `lang` a
    language that do not exist.
    """

    def __init__(self, record: Record, lang: str = DEFAULT_LANGUAGE, *, under_way: bool = False) -> None:
        self.record = record
        self.under_way = under_way
        self.naming = naming(record.header.rules, lang)
        self.labels = labels(record.header.rules, lang)
        self._game = Refereed(record)
        self._memories: dict[Viewer, _Memory] = {}

    def go_on(self, record: Record) -> None:
        """Show what has joined the record of a game under way, too."""
        self.record = record
        self._game.go_on(record)

    @property
    def _deployments(self) -> int:
        return sum(played.sets_up for played in self._game.acts[: len(SEATS)])

    @property
    def is_set_up(self) -> bool:
        """Say whether the setup is over: of a game under way its frame changes until then."""
        return self._game.is_set_up

    def __len__(self) -> int:
        return 1 + len(self._game.acts) - self._deployments

    @property
    def rules(self) -> Rules:
        """The rules of the game, as a bot is told them."""
        return self._game.rules

    @property
    def last(self) -> int:
        """The number of the last frame."""
        return len(self) - 1

    def fault(self, viewer: Viewer) -> RecordError | None:
        """Say how the act behind the last frame departs from the rules, if one does."""
        fault = self._game.fault
        # What the rules forbid loses the game, which a record under way is yet to tell.
        if fault is None or self.under_way:
            return None
        # A refusal may name the piece that cannot do it.
        why = str(fault) if viewer == "arbiter" else "it is against the rules"
        return RecordError(f"act {fault.act} cannot be shown: {why}")

    def act(self, number: int) -> Played | None:
        """Return the act of a frame; None for the setup."""
        return self._game.acts[self._deployments + number - 1] if number else None

    def is_noticed(self, number: int, viewer: Viewer) -> bool:
        """Say whether a viewer notices that there was an act: a rescue that is declined is nobody else's business."""
        act = self.act(number)
        return (
            act is None
            or not isinstance(act.entry.action, Stop)
            or has_eyes_of(viewer, act.entry.seat)
            or any(is_visible(viewer, one) for one in act.told)
        )

    def ply(self, number: int) -> int:
        """Return how many plies have been played in a frame."""
        act = self.act(number)
        return act.ply if act else 0

    def of_ply(self, ply: int) -> int:
        """Find the first frame of a ply; the last frame where there is no such ply."""
        return min(bisect_left(range(len(self)), ply, key=self.ply), self.last)

    def checked(self, ply: int) -> int:
        """Return a ply that the game has.  Raises ConfigError where it has not so many."""
        if ply > self.ply(self.last):
            raise ConfigError(f"ply {ply}: the game has plies 0 to {self.ply(self.last)}")
        return ply

    def nearest(self, number: int, wanted: Callable[[Played], bool], step: Literal[1, -1]) -> int | None:
        """Find the nearest frame after a frame, or before it, whose act is wanted."""
        numbers = range(number + step, len(self) if step > 0 else 0, step)
        return next((other for other in numbers if (act := self.act(other)) and wanted(act)), None)

    def frame(self, number: int, viewer: Viewer) -> Frame:
        """Show a frame as the viewer may see it."""
        if viewer not in self._memories:
            self._memories[viewer] = _Memory(self._game, viewer)
        memory = self._memories[viewer]
        frame = self._frame_of_act(memory, number) if number else self._frame_of_setup(memory, viewer)
        if number < self.last or self._game.fault or self.under_way:
            return frame
        return replace(frame, ending=tell_ending(self.record, self._game.outcome, viewer))

    def _frame_of_setup(self, memory: _Memory, viewer: Viewer) -> Frame:
        memory.wind_to(self._deployments)
        return frame_of_setup(self._game, self._game.acts[: self._deployments], memory.view(), viewer)

    def _frame_of_act(self, memory: _Memory, number: int) -> Frame:
        before_it = self._deployments + number - 1
        memory.wind_to(before_it)
        return frame_of_act(self._game.acts[before_it], memory.hear_next(), self._game.rules, self.naming)
