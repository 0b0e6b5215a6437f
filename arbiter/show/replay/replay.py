"""A replay: the frames of a record for every viewer, in any order."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import chain
from typing import Final, Literal, cast

from msgspec import UNSET

from arbiter.clock import Clock
from arbiter.errors import ConfigError
from arbiter.languages.catalogue import DEFAULT_LANGUAGE
from arbiter.record import Record, RecordError
from arbiter.show.language import SentenceWriter
from arbiter.show.replay.card_story import find_card_story
from arbiter.show.replay.frame import (
    Frame,
    describe_ending,
    describe_facts,
    find_marks,
    get_evaluation,
    get_notes,
    write_visible_action,
)
from arbiter.show.replay.knowledge import (
    Banks,
    KnowledgeHistory,
    PlayedAct,
    View,
    Viewer,
    combine_views,
    is_visible,
    list_known_places,
    play_acts,
    sees_secrets_of,
)
from arbiter.show.replay.moments import Moments
from arbiter.show.replay.runs import RunHistory
from arbiter.show.replay.turning_points import Story, TurningPoint, find_story
from arbiter.show.text import plain
from arbiter.transcript import GameLog
from arbiter.verify import Disagreement, with_facts
from protocol.view import BoardKnowledge
from protocol.words import RED, SEATS, Deploy, Deployed, Move, Moved, Place, Seat, Stop

NO_LOG: Final = GameLog()


class Replay:
    """The frames of a record: frame 0 is the setup, then comes one frame for each act.

    They are made from the facts in the record; the rules are run only if facts are missing.  The lines of
    stderr come from the log.
    The last frame of a game in progress shows no ending.
    Raises RecordError if the record cannot be replayed at all, ConfigError for unknown rules or an unknown language.
    """

    def __init__(
        self, record: Record, lang: str = DEFAULT_LANGUAGE, log: GameLog = NO_LOG, *, in_progress: bool = False
    ) -> None:
        self.in_progress = in_progress
        self._log = log
        self.sentences = SentenceWriter(lang, record.header.rules)
        self.labels = self.sentences.labels()
        self.record, self._fault = with_facts(record)
        header = self.record.header
        self.rules: Final = header.game().describe(header.first or RED)
        try:
            self._known = KnowledgeHistory(self.rules, header.facts or ())
            self._runs = RunHistory()
        except (ValueError, LookupError) as error:
            raise RecordError(f"the facts of the header do not fit the game: {error}") from None
        self._last_views: dict[Viewer, tuple[int, View]] = {}
        self._read_acts()

    def extend(self, record: Record) -> None:
        """Take the record of a game in progress again, with the acts that were added to it."""
        self.record, self._fault = with_facts(record)
        self._read_acts()

    def _read_acts(self) -> None:
        self._story: tuple[int, Story] | None = None  # up to a frame
        self._acts = list(play_acts(self.record))
        for number, act in enumerate(self._acts[len(self._known) :], start=len(self._known) + 1):
            try:
                self._known.add(act)
            except (ValueError, LookupError) as error:
                self._fault = Disagreement("facts", f"its facts do not fit the acts before it: {error}", number)
                del self._acts[number - 1 :]
                break
        self._runs.add(self._acts[len(self._runs) :])
        self._deployments = sum(
            isinstance(act.entry.action, Deploy) and not act.ply for act in self._acts[: len(SEATS)]
        )
        self.last = len(self._acts) - self._deployments
        """The number of the last frame."""

    def __len__(self) -> int:
        return 1 + self.last

    @property
    def is_set_up(self) -> bool:
        """True if both players have set up; until then, the frame of the setup changes while the game is played."""
        facts = chain(self.record.header.facts or (), *(act.facts for act in self._acts[: len(SEATS)]))
        return any(isinstance(one.fact, Deployed) for one in facts)

    def fault(self, viewer: Viewer) -> RecordError | None:
        """Return why the act after the last frame cannot be shown, if there is one."""
        # A game in progress has no result yet, so a refused act at its end is not a fault.
        if self._fault is None or self.in_progress:
            return None
        # A refusal may name a piece that the viewer does not know.
        why = str(self._fault) if viewer == "arbiter" else "it is against the rules"
        return RecordError(f"act {self._fault.act} cannot be shown: {why}")

    def act(self, number: int) -> PlayedAct | None:
        """Return the act of a frame; None for the setup."""
        return self._acts[self._deployments + number - 1] if number else None

    def is_noticed(self, number: int, *viewers: Viewer) -> bool:
        """Return True if one of the viewers can notice the act of a frame.

        Only its player sees that a rescue is declined.
        """
        act = self.act(number)
        if act is None or type(act.entry.action) is not Stop:
            return True
        return any(
            sees_secrets_of(viewer, act.entry.seat) or any(is_visible(viewer, one) for one in act.facts)
            for viewer in viewers
        )

    def is_plain_move(self, number: int) -> bool:
        """Return True if the act of a frame is a move to an empty square that everyone sees and nothing else.

        The frame has neither lines of stderr nor an ending.
        """
        act = self.act(number)
        if act is None or len(act.facts) != 1 or type(act.entry.action) is not Move:
            return False
        only = act.facts[0]
        is_alone = number != self.last and number not in self._stderr
        return is_alone and type(only.fact) is Moved and only.to == SEATS

    def board_act(self, number: int) -> PlayedAct | None:
        """Return the act of a frame on a board without lines of stderr; else None."""
        return None if self.rules.board is UNSET or number in self._stderr else self.act(number)

    def wind_board(self, number: int) -> Mapping[Seat, BoardKnowledge]:
        """Return what both players know on a board at a frame, which is valid until the next call."""
        return cast("Mapping[Seat, BoardKnowledge]", self._known.wind_to(self._deployments + number))

    def banks(self, number: int) -> Banks:
        """Return the milliseconds left on both clocks at a frame; empty if the record does not contain all times."""
        act = self.act(number)
        time = self.record.header.time
        return act.banks if act else Clock(time).bank_ms if time else {}

    def ply(self, number: int) -> int:
        """Return the plies that were played up to a frame."""
        act = self.act(number)
        return act.ply if act else 0

    def find_ply(self, ply: int) -> int:
        """Return the number of the first frame of a ply, or of the last frame if the game is shorter."""
        return min(bisect_left(range(len(self)), ply, key=self.ply), self.last)

    def find_ply_end(self, ply: int) -> int:
        """Return the number of the last frame of a ply, or of the last frame if the game is shorter."""
        return bisect_right(range(len(self)), ply, key=self.ply) - 1

    def check_ply(self, ply: int) -> int:
        """Return the ply.  Raises ConfigError if the game is shorter."""
        if ply > self.ply(self.last):
            raise ConfigError(f"ply {ply}: the game has plies 0 to {self.ply(self.last)}")
        return ply

    def find_nearest(self, number: int, matches: Callable[[PlayedAct], bool], step: Literal[1, -1]) -> int | None:
        """Return the nearest frame after a frame (or before it, by step -1) whose act matches."""
        numbers = range(number + step, len(self) if step > 0 else 0, step)
        return next((other for other in numbers if (act := self.act(other)) and matches(act)), None)

    def frame(self, number: int, viewer: Viewer) -> Frame:
        """Return a frame with what the viewer may see."""
        position = self._deployments + number
        act = self.act(number)
        acts = self._acts[:position] if act is None else [act]
        facts = () if act is None else tuple(one.fact for one in act.facts if is_visible(viewer, one))
        before = self._view(position - bool(number), viewer)
        view = self._view(position, viewer)
        written = self._stderr.get(number, {})
        return Frame(
            ply=self.ply(number),
            seat=None if act is None else act.entry.seat,
            action=self.sentences.write("setup") if act is None else write_visible_action(act.entry, viewer),
            story=describe_facts(facts, before, view, viewer, self.sentences),
            shape=None if self.rules.board is UNSET else self.rules.board,
            view=view,
            marks=find_marks(facts),
            ms={one.entry.seat: one.entry.ms for one in acts if one.entry.ms is not None},
            banks=self.banks(number),
            notes={seat: note for one in acts for seat, note in get_notes(one.entry, viewer).items()},
            evals={seat: value for one in acts for seat, value in get_evaluation(one.entry, viewer).items()},
            stderr={seat: lines for seat, lines in written.items() if sees_secrets_of(viewer, seat)},
            known=self.known_places(number, viewer),
            ran=tuple(sorted(self.runner_places(number))),
            ending=self.ending(number, viewer),
        )

    def ending(self, number: int, viewer: Viewer) -> tuple[str, ...]:
        """Describe the end of the game as a viewer may know it, if a frame shows it: the last one."""
        has_ended = number == self.last and not self._fault and not self.in_progress
        return describe_ending(self.record, viewer, self.sentences) if has_ended else ()

    def view(self, number: int, viewer: Viewer) -> View:
        """Return what a viewer sees at a frame: the board or the cards."""
        return self._view(self._deployments + number, viewer)

    def turning_points(self, viewer: Viewer, last: int | None = None) -> tuple[tuple[int, TurningPoint], ...]:
        """Return the turning points that a viewer may know, with the numbers of their frames.

        With `last`, they follow from the acts up to this frame alone.
        """
        if last is None or last >= self.last:
            last = self.last
        finder = self._follow_story(last)
        points = ((one.act - self._deployments, one) for one in finder.points if one.is_visible(viewer))
        return tuple((number, one) for number, one in points if 0 < number <= last)

    @property
    def moments(self) -> Moments:
        """The moments of the whole game; a card game has none."""
        return self._follow_story(self.last).moments

    def _follow_story(self, last: int) -> Story:
        """Follow the game up to a frame; the result of the last call is kept."""
        if self._story is None or self._story[0] != last:
            acts = self._acts[: self._deployments + last]
            result = self.record.result if last == self.last else None
            if self.rules.board is UNSET:
                self._story = last, find_card_story(acts, result, self.rules)
            else:
                self._story = last, find_story(self.record.header.facts or (), acts, result)
        return self._story[1]

    def known_places(self, number: int, viewer: Viewer) -> tuple[Place, ...]:
        """List the places of pieces whose rank their opponent knows at a frame, as far as a viewer may know it."""
        return list_known_places(viewer, self._known.views(self._deployments + number))

    def runner_places(self, number: int) -> frozenset[Place]:
        """Return the places of pieces that have moved over several squares at once, so that they are runners."""
        return self._runs.after(self._deployments + number)

    @cached_property
    def _stderr(self) -> dict[int, dict[Seat, tuple[str, ...]]]:
        """The lines of stderr by frame and seat.

        Each question was answered by an act, except the last one if its answer was late or wrong.
        """
        found: dict[int, dict[Seat, tuple[str, ...]]] = {}
        for seat in self._log.stderr_marks:
            numbers = [
                max(0, number - self._deployments + 1)
                for number, act in enumerate(self._acts)
                if act.entry.seat == seat
            ]
            for line in self._log.stderr_lines(seat):
                if line.mark is None:
                    continue
                ask = line.mark.ask
                frame = 0 if not ask else numbers[ask - 1] if ask <= len(numbers) else self.last
                lines = found.setdefault(frame, {})
                lines[seat] = (*lines.get(seat, ()), plain(line.text))
        return found

    def _view(self, position: int, viewer: Viewer) -> View:
        """Return what a viewer sees after so many acts.  The last view is kept: it comes before the next frame."""
        if viewer not in self._last_views or self._last_views[viewer][0] != position:
            view = combine_views(viewer, self._known.views(position), self.rules)
            self._last_views[viewer] = position, view
        return self._last_views[viewer][1]


def drop_unnoticed_acts(replay: Replay, viewer: Viewer) -> Record:
    """Return the record of a replay without the acts that a viewer cannot notice, which hides their number too."""
    record = replay.record
    setup = len(record.acts) - replay.last
    noticed = [act for number, act in enumerate(record.acts, 1 - setup) if replay.is_noticed(max(0, number), viewer)]
    return Record(record.header, tuple(noticed), record.result)
