"""All frames of a record, from any seat, each made when it is asked for; refereed once, before the first."""

from bisect import bisect_left
from collections.abc import Callable
from itertools import chain
from typing import Final, Literal

from msgspec.structs import replace

from arbiter.clock import Clock
from arbiter.errors import ConfigError
from arbiter.record import Record, RecordError
from arbiter.show.names import DEFAULT_LANGUAGE, labels, naming
from arbiter.show.replay.acts import PlayedAct, play_acts
from arbiter.show.replay.frame import Frame, frame_of_act, frame_of_setup, tell_ending
from arbiter.show.replay.knowledge import KnowledgeHistory, View, Viewer, is_visible, sees_secrets_of, view_of
from arbiter.verify import Disagreement, with_facts
from protocol.words import RED, SEATS, Deployed, Stop


class Replay:
    """A game to be wound forth and back; frame 0 is the setup, then comes a frame an act.

    Of a game `under_way` the last frame tells no ending: its record goes on.
    Raises RecordError where a record cannot be refereed at all, ConfigError where it names rules or `lang` a
    language that do not exist.
    """

    def __init__(self, record: Record, lang: str = DEFAULT_LANGUAGE, *, under_way: bool = False) -> None:
        self.under_way = under_way
        self.naming = naming(record.header.rules, lang)
        self.labels = labels(record.header.rules, lang)
        self.record, self._fault = with_facts(record)
        header = self.record.header
        self.rules: Final = header.game().describe(header.first or RED)
        try:
            self._known = KnowledgeHistory(self.rules, header.facts or ())
        except (ValueError, LookupError) as error:
            raise RecordError(f"the facts of the header cannot be: {error}") from None
        self._acts: list[PlayedAct] = []
        self._last_views: dict[Viewer, tuple[int, View]] = {}
        self._read_acts()

    def go_on(self, record: Record) -> None:
        """Show what has joined the record of a game under way, too."""
        self.record, self._fault = with_facts(record)
        self._read_acts()

    def _read_acts(self) -> None:
        self._acts = list(play_acts(self.record))
        for number, act in enumerate(self._acts[len(self._known) :], start=len(self._known) + 1):
            try:
                self._known.add(act)
            except (ValueError, LookupError) as error:
                self._fault = Disagreement("facts", f"its facts do not fit the acts before it: {error}", number)
                del self._acts[number - 1 :]
                break
        self._deployments = sum(act.is_setup for act in self._acts[: len(SEATS)])

    @property
    def is_set_up(self) -> bool:
        """Say whether the setup is over: of a game under way its frame changes until then."""
        facts = chain(self.record.header.facts or (), *(act.facts for act in self._acts[: len(SEATS)]))
        return any(isinstance(one.fact, Deployed) for one in facts)

    def __len__(self) -> int:
        return 1 + len(self._acts) - self._deployments

    @property
    def last(self) -> int:
        """The number of the last frame."""
        return len(self) - 1

    def fault(self, viewer: Viewer) -> RecordError | None:
        """Say how the act behind the last frame departs from the rules, if one does."""
        fault = self._fault
        # What the rules forbid loses the game, which a record under way is yet to tell.
        if fault is None or self.under_way:
            return None
        # A refusal may name the piece that cannot do it.
        why = str(fault) if viewer == "arbiter" else "it is against the rules"
        return RecordError(f"act {fault.act} cannot be shown: {why}")

    def act(self, number: int) -> PlayedAct | None:
        """Return the act of a frame; None for the setup."""
        return self._acts[self._deployments + number - 1] if number else None

    def is_noticed(self, number: int, viewer: Viewer) -> bool:
        """Say whether a viewer notices that there was an act: a rescue that is declined is nobody else's business."""
        act = self.act(number)
        return (
            act is None
            or not isinstance(act.entry.action, Stop)
            or sees_secrets_of(viewer, act.entry.seat)
            or any(is_visible(viewer, one) for one in act.facts)
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

    def nearest(self, number: int, wanted: Callable[[PlayedAct], bool], step: Literal[1, -1]) -> int | None:
        """Find the nearest frame after a frame, or before it, whose act is wanted."""
        numbers = range(number + step, len(self) if step > 0 else 0, step)
        return next((other for other in numbers if (act := self.act(other)) and wanted(act)), None)

    def frame(self, number: int, viewer: Viewer) -> Frame:
        """Show a frame as the viewer may see it."""
        position = self._deployments + number
        if number:
            before = self._view(position - 1, viewer)
            act, after = self._acts[position - 1], self._view(position, viewer)
            frame = frame_of_act(act, before, after, viewer, rules=self.rules, naming=self.naming)
        else:
            time = self.record.header.time
            banks = {} if time is None else Clock(time).bank_ms
            view = self._view(position, viewer)
            frame = frame_of_setup(self._acts[:position], view, viewer, rules=self.rules, banks=banks)
        if number < self.last or self._fault or self.under_way:
            return frame
        return replace(frame, ending=tell_ending(self.record, viewer))

    def _view(self, position: int, viewer: Viewer) -> View:
        """Return what a viewer sees after so many acts; the last view of each viewer is kept for the next frame."""
        if viewer not in self._last_views or self._last_views[viewer][0] != position:
            view = view_of(viewer, self._known.views(position), self.rules)
            self._last_views[viewer] = position, view
        return self._last_views[viewer][1]
