"""Explanation of a stored game: the end, and for each bot its mistake or its answers."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from msgspec import Struct

from arbiter.clock import write_clock
from arbiter.errors import write_count
from arbiter.preflight.evidence import Finding
from arbiter.record import Record
from arbiter.show.replay.frame import describe_ending
from arbiter.show.replay.knowledge import play_acts
from arbiter.show.tables.checks import finding_object, write_details
from arbiter.show.tables.run.incidents import describe_ruling
from arbiter.show.tables.sheet import wrap_words
from arbiter.show.text import plain, write_evaluation
from arbiter.tournament.standings.game_status import GameStatus
from arbiter.tournament.standings.stored_game import Ruling
from protocol.words import SEATS, Seat


class LargestDrop(Struct, frozen=True):
    """The largest drop between two evaluations of a bot in a row."""

    ply: int
    """The ply of the lower one."""
    before: float
    after: float


class SeatSummary(Struct, frozen=True, kw_only=True):
    """The answers of one bot."""

    answers: int
    mean_ms: float | None
    longest_ms: float | None
    longest_ply: int | None
    """The ply of the longest answer; 0 for the deployment."""
    left_ms: float | None
    """Left in its bank at the end."""
    largest_drop: LargestDrop | None


def summarise(record: Record, seat: Seat) -> SeatSummary:
    """Summarise the answers of a bot."""
    acts = [act for act in record.acts if act.seat == seat]
    times = [act.ms for act in acts if act.ms is not None]
    played = list(play_acts(record))
    rated = [(act.ply, act.entry.eval) for act in played if act.entry.seat == seat and act.entry.eval is not None]
    drops = [LargestDrop(ply, before, after) for (_, before), (ply, after) in pairwise(rated) if after < before]
    return SeatSummary(
        answers=len(acts),
        mean_ms=sum(times) / len(times) if times else None,
        longest_ms=max(times, default=None),
        longest_ply=next(
            (act.ply for act in played if act.entry.seat == seat and times and act.entry.ms == max(times)), None
        ),
        left_ms=played[-1].banks.get(seat) if played else None,
        largest_drop=max(drops, key=lambda drop: drop.before - drop.after, default=None),
    )


def write_explanation(
    record: Record,
    findings: Mapping[Seat, Finding],
    state: GameStatus,
    ruling: Ruling | None = None,
    *,
    colour: bool = False,
    width: int | None = None,
) -> Iterator[str]:
    """Write the explanation of a game as lines of text that are safe to print: as it was played, and if it counts.

    The lines are wrapped to `width`.
    """

    def fit(line: str, indent: str = "") -> str:
        return line if width is None else wrap_words(line, width, indent)

    plies = f" after {write_count(record.result.plies, 'ply')}" if record.result and record.result.plies else ""
    how, *details = describe_ending(record, "arbiter")
    yield fit(f"{plain(record.header.id)}: {how}{plies}")
    yield from map(fit, details)
    if not state.counts:
        yield plain(f"does not count: {state.words}")
    if ruling is not None:
        yield fit(plain(describe_ruling(ruling)))
    for seat in SEATS:
        yield ""
        name = plain(record.header.seats[seat].name) if seat in record.header.seats else "?"
        finding = findings[seat]
        yield fit(f"{seat}, {name}: {plain(finding.text)}")
        yield from write_details(finding, colour=colour, width=width)
        summary = summarise(record, seat)
        if summary.mean_ms is not None and summary.longest_ms is not None:
            where = f" at ply {summary.longest_ply}" if summary.longest_ply else ""
            left = "" if summary.left_ms is None else f"; {write_clock(summary.left_ms)} left on its clock"
            yield fit(
                f"      answers:   {summary.answers}, {summary.mean_ms:.1f} ms on average, "
                f"{summary.longest_ms:.1f} ms at most{where}{left}",
                " " * 17,
            )
        if (drop := summary.largest_drop) is not None:
            before, after = map(write_evaluation, (drop.before, drop.after))
            yield f"      its evaluation fell most at ply {drop.ply}: from {before} to {after}"


def explanation_objects(
    record: Record, findings: Mapping[Seat, Finding], state: GameStatus
) -> Iterator[dict[str, Any]]:
    """Yield the explanation of a game as one object for each bot."""
    for seat in SEATS:
        name = record.header.seats[seat].name if seat in record.header.seats else None
        yield {
            "id": record.header.id,
            "seat": seat,
            "bot": name,
            "state": state.code,
            "state_by": state.by,
            **finding_object(findings[seat]),
            "summary": summarise(record, seat),
        }
