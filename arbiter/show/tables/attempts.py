"""Voided attempts and excused answers: as a sheet, sentences and objects."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import asdict

from arbiter.show.tables.sheet import JSON, Coded, Column, Sheet
from arbiter.show.text import plain
from arbiter.tournament.attempt import Attempt, Reason
from arbiter.tournament.standings.stored_game import StoredGame

_REASONS: Final[Mapping[Reason, str]] = {
    "sandbox_killed": "the sandbox of {bot} was killed from outside",
    "out_of_memory": "{bot} was killed while this machine was out of memory",
    "killed": "{bot} was killed, and the sender is not known",
    "error": "internal error of the arbiter",
    "lost": "its worker was lost",
    "refused": "the result that its worker sent was refused",
    "stopped": "the run was stopped",
    "audit": "it was played again on another machine, and differs",
}


_COUNTED: Final[Mapping[Reason, str]] = {
    "sandbox_killed": "sandbox killed from outside",
    "out_of_memory": "machine out of memory",
    "killed": "bot killed by an unknown sender",
    "error": "internal error",
    "lost": "worker lost",
    "refused": "result refused",
    "stopped": "run stopped",
    "audit": "differs in an audit",
}


def describe_attempt(attempt: Attempt) -> str:
    """Describe in a few words why an attempt was voided."""
    bot = plain(attempt.bot or "a bot")
    return _REASONS[attempt.reason].format(bot=bot)


def _read(field: str) -> Callable[[tuple[int, Attempt]], Any]:
    """Return a function that reads a field of the conditions of a numbered attempt."""
    return lambda one: getattr(one[1].conditions, field, None)


_ATTEMPTS: Final[tuple[Column[tuple[int, Attempt]], ...]] = (
    Column("attempt", value=lambda one: one[0]),
    Column("id", value=lambda one: one[1].id, align="left"),
    Column("round", value=lambda one: one[1].round),
    Column("started", value=lambda one: one[1].started, align="left"),
    Column("reason", value=lambda one: Coded(one[1].reason, describe_attempt(one[1])), align="left"),
    Column("bot", value=lambda one: one[1].bot, align="left"),
    Column("plies", value=lambda one: one[1].plies),
    Column("host", value=_read("host"), align="left"),
    Column("lag ms", value=_read("lag_ms")),
    Column("load", value=_read("load")),
)


def attempts_sheet(attempts: Mapping[int, Attempt]) -> Sheet:
    """Make the sheet of voided attempts, given by their numbers."""
    return Sheet(
        title="Voided attempts",
        columns=_ATTEMPTS,
        items=tuple(attempts.items()),
        data=tuple({"attempt": number, **attempt_object(one)} for number, one in attempts.items()),
    )


def attempt_object(attempt: Attempt) -> dict[str, object]:
    """Return a voided attempt as an object for programs."""
    conditions = None if attempt.conditions is None else asdict(attempt.conditions)
    return {**asdict(attempt), "bot": attempt.bot, "conditions": conditions}


def with_voids(sheet: Sheet, attempts: Iterable[Attempt], games: Iterable[StoredGame]) -> Sheet:
    """Add notes about voided attempts and excused answers to a sheet of standings, and counts to its objects."""
    attempts = tuple(attempts)
    games = tuple(games)
    voided: dict[str, Counter[str]] = {}
    for attempt in attempts:
        if attempt.bot is not None:
            voided.setdefault(attempt.bot, Counter())[attempt.reason] += 1
    excused = _count_excused(games)
    find_bot = sheet.column("bot").read
    counts: tuple[Column[Any], ...] = (
        Column("voided", value=lambda item: voided.get(find_bot(item), {}), on=JSON),
        Column("excused", value=lambda item: excused[find_bot(item)], on=JSON),
    )
    return sheet.add(counts).note(describe_voids(attempts, games))


def describe_voids(attempts: Iterable[Attempt], games: Iterable[StoredGame]) -> Iterator[str]:
    """Yield sentences about voided attempts and excused answers, with the bots; none if there were none."""
    bots_by_reason: dict[Reason, Counter[str]] = {}
    attempts = tuple(attempts)
    audited = dict.fromkeys(attempt.id for attempt in attempts if attempt.reason == "audit")
    for attempt in (one for one in attempts if one.reason != "audit"):
        bots_by_reason.setdefault(attempt.reason, Counter())[attempt.bot or ""] += 1
    if bots_by_reason:
        reasons = []
        for reason, bots in bots_by_reason.items():
            named = _list_counts({bot: count for bot, count in bots.items() if bot})
            reasons.append(f"{bots.total()} {_COUNTED[reason]}{f' ({named})' if named else ''}")
        yield f"voided attempts, and the bots on turn: {', '.join(reasons)}"
    if audited:
        yield f"games that an audit played differently: {', '.join(audited)}"
    if excused := _count_excused(games):
        yield f"answers that would have been late if the arbiter had not stalled: {_list_counts(excused)}"


def _count_excused(games: Iterable[StoredGame]) -> Counter[str]:
    found: Counter[str] = Counter()
    for game in games:
        if game.conditions is not None:
            for seat, count in game.conditions.excused.items():
                found[getattr(game, seat)] += count
    return found


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{bot} {count}" for bot, count in sorted(counts.items()))
