"""Whole games of the bot between two processes, refereed as in a tournament."""

from collections.abc import Mapping

from msgspec import Struct

from arbiter.preflight.collect import collect_evidence, is_fault_of
from arbiter.preflight.conditions import CheckGame, Conditions, header, terms
from arbiter.preflight.evidence import Evidence
from arbiter.record import ActEntry, GameResult, read_record
from arbiter.referee.game import GameSpec, PlayedGame, play_game
from arbiter.sandbox.program import Program
from protocol.words import OPPONENT, SEATS, Seat


class WholeGame(Struct, frozen=True):
    """A game that was played: what was ordered, what came of it."""

    bout: CheckGame
    report: PlayedGame

    @property
    def result(self) -> GameResult:
        """How it ended."""
        return self.report.result

    def acts(self, seat: Seat) -> list[ActEntry]:
        """List the acts of a seat."""
        return [act for act in read_record(self.report.record).acts if act.seat == seat]


async def play_against(bout: CheckGame, conditions: Conditions, opponent: Program) -> WholeGame:
    """Play a game between the bot and an opponent, each in a process of its own.

    Raises Stalled, and an ExceptionGroup of OSError where a program's gate cannot be started.
    """
    head = header(bout, conditions)
    programs: Mapping[Seat, Program] = {bout.seat: conditions.program, OPPONENT[bout.seat]: opponent}
    order = GameSpec(
        header=head,
        settings=terms(head, conditions, last=True),
        programs={seat: programs[seat] for seat in SEATS},
    )
    return WholeGame(bout, await play_game(order, conditions.tier))


def fault_in(game: WholeGame, conditions: Conditions, seats: tuple[Seat, ...]) -> Evidence | None:
    """Return what was seen of the bot where it lost a game by its own fault at one of some seats."""
    report = game.report
    for seat in seats:
        if is_fault_of(seat, report.result):
            return collect_evidence(
                conditions.program,
                report.result.ending,
                report.result.why,
                report.log.wire[seat].lines,
                stderr=report.log.stderr.get(seat, ""),
                seat=seat,
                record=report.record,
            )
    return None
