"""The use of pieces and of time by bots: moves and attacks by rank, choices, and answers by phase.

A rating does not show that a bot never moves one of its pieces, forgets ranks that it has seen, or takes the first of
several actions that it likes equally.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from msgspec import UNSET, Struct

from arbiter.errors import ConfigError
from arbiter.games.base import Addressed, Play, visible_to
from arbiter.record import ActEntry, Record, RecordError
from arbiter.tournament.ratings.parts import PHASES, Phase, find_phase
from arbiter.verify import Disagreement, begin, replay
from protocol.view import BoardKnowledge
from protocol.words import RED, SEATS, AnyAction, AnyFact, Deploy, Move, RankId, Removed, Seat

_LEAST_CHOICES: Final = 2  # legal actions, without which there is no choice


class PieceUse(Struct, kw_only=True):
    """The pieces of one rank of a bot in all of its games."""

    bot: str
    rank: RankId
    pieces: int = 0
    """Number of deployed pieces."""
    moved: int = 0
    """Number of those that moved at least once."""
    moves: int = 0
    """Number of moves, attacks included."""
    attacks: int = 0
    won: int = 0
    """Attacks in which only the attacked piece was removed."""
    lost: int = 0
    """Attacks in which only the attacker was removed."""
    known_lost: int = 0
    """Attacks lost against a piece whose rank the bot had seen."""


class ChoiceUse(Struct, kw_only=True):
    """The choices of a bot among its legal actions in all of its games."""

    bot: str
    choices: int = 0
    """Number of answers with at least two legal actions, without deployments."""
    first: int = 0
    """Number of those that are the first action of `legal`."""
    expected: float = 0.0
    """Number of those that would be the first one by chance."""


class TimeUse(Struct, kw_only=True):
    """The answers of a bot in one phase of all of its games, without deployments."""

    bot: str
    phase: Phase
    ms: list[float] = []
    """Time of each answer."""


class EvalUse(Struct, kw_only=True):
    """The evaluations of a bot with one colour in one phase of its decided games."""

    bot: str
    colour: Seat
    phase: Phase
    won: list[float] = []
    """Each evaluation in a game that the bot won."""
    lost: list[float] = []

    @property
    def right(self) -> float | None:
        """The share of evaluations, without zeros, whose sign is that of the result; None if there are none."""
        signs = [value > 0 for value in self.won if value] + [value < 0 for value in self.lost if value]
        return sum(signs) / len(signs) if signs else None


class Habits:
    """The habits of bots, counted record by record."""

    def __init__(self) -> None:
        self.pieces: dict[tuple[str, RankId], PieceUse] = {}
        self.choices: dict[str, ChoiceUse] = {}
        self.times: dict[tuple[str, Phase], TimeUse] = {}
        self.evals: dict[tuple[str, Seat, Phase], EvalUse] = {}

    def add(self, record: Record, names: Mapping[Seat, str]) -> None:
        """Count the acts of a record by the names of the bots; a record without a board or that is damaged is skipped.

        A damaged one is counted up to its first fault.
        """
        try:
            contest, chance = begin(record)
        except (ConfigError, RecordError):
            return
        rules = record.header.game().describe(RED)
        if rules.board is UNSET or record.header.position:
            return
        for bot in names.values():
            self.choices.setdefault(bot, ChoiceUse(bot=bot))
            for phase in PHASES:
                self.times.setdefault((bot, phase), TimeUse(bot=bot, phase=phase))
                for seat in SEATS:
                    self.evals.setdefault((bot, seat, phase), EvalUse(bot=bot, colour=seat, phase=phase))
            for rank in rules.ranks:
                self.pieces.setdefault((bot, rank.id), PieceUse(bot=bot, rank=rank.id))
        with suppress(Disagreement):
            self._count_acts(record, contest.play, replay(contest, chance, record), names)

    def _count_acts(
        self,
        record: Record,
        play: Play,
        accepted: Iterator[tuple[ActEntry, tuple[Addressed, ...]]],
        names: Mapping[Seat, str],
    ) -> None:
        """Count the accepted acts of a record.  Raises Disagreement."""
        known = {seat: BoardKnowledge(seat) for seat in SEATS}
        placed = lost = 0
        winner = None if record.result is None else record.result.winner
        for entry in record.acts:
            bot = names[entry.seat]
            legal = play.legal_actions(entry.seat)
            _, facts = next(accepted, (entry, None))
            if facts is None:  # the rules refused it
                return
            if isinstance(entry.action, Deploy):
                placed += len(entry.action.pieces or ())
            else:
                phase = find_phase(lost, placed)
                if entry.ms is not None:
                    self.times[bot, phase].ms.append(entry.ms)
                if entry.eval is not None and winner is not None:
                    evals = self.evals[bot, entry.seat, phase]
                    (evals.won if winner == entry.seat else evals.lost).append(entry.eval)
            lost += sum(isinstance(one.fact, Removed) for one in facts)
            if len(legal) >= _LEAST_CHOICES and entry.action in legal:
                choices = self.choices[bot]
                choices.choices += 1
                choices.first += entry.action == legal[0]
                choices.expected += 1 / len(legal)
            self._count_pieces(bot, entry.action, known[entry.seat], visible_to(entry.seat, facts))
            known[entry.seat].note_action(entry.action)
            for seat in SEATS:
                for fact in visible_to(seat, facts):
                    known[seat].note_fact(fact)

    def _count_pieces(self, bot: str, action: AnyAction, known: BoardKnowledge, facts: Sequence[AnyFact]) -> None:
        """Count a deployment or a move, and its facts, by what the bot knew before it."""
        if isinstance(action, Deploy) and action.pieces is not UNSET:
            for rank in action.pieces.values():
                self.pieces[bot, rank].pieces += 1  # type: ignore[index]
        if not isinstance(action, Move):
            return
        pieces = {piece.place: piece for piece in known.view().pieces}
        mover, target = pieces.get(action.src), pieces.get(action.dst)
        if mover is None or mover.rank is None:
            return
        use = self.pieces[bot, mover.rank]
        use.moved += not mover.moved
        use.moves += 1
        if target is not None:
            removed = {fact.seat for fact in facts if isinstance(fact, Removed)}
            use.attacks += 1
            use.won += removed == {target.seat}
            use.lost += removed == {mover.seat}
            use.known_lost += removed == {mover.seat} and target.rank is not None
