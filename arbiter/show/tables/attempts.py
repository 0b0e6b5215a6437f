"""Voided attempts and excused answers: as a sheet, sentences and objects."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import asdict, replace

from arbiter.show.tables.sheet import Coded, Sheet
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


def attempts_sheet(attempts: Mapping[int, Attempt]) -> Sheet:
    """Make the sheet of voided attempts, given by their numbers."""
    return Sheet(
        title="Voided attempts",
        head=("attempt", "id", "round", "started", "reason", "bot", "plies", "host", "lag ms", "load"),
        rows=tuple(
            (
                number,
                one.id,
                one.round,
                one.started,
                Coded(one.reason, describe_attempt(one)),
                one.bot,
                one.plies,
                None if one.conditions is None else one.conditions.host,
                None if one.conditions is None else one.conditions.lag_ms,
                None if one.conditions is None else one.conditions.load,
            )
            for number, one in attempts.items()
        ),
        objects=tuple({"attempt": number, **attempt_object(one)} for number, one in attempts.items()),
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
    objects = tuple(
        {**one, "voided": voided.get(one["bot"], {}), "excused": excused[one["bot"]]} for one in sheet.objects
    )
    return replace(sheet, notes=(*sheet.notes, *describe_voids(attempts, games)), objects=objects)


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
