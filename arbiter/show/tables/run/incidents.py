"""Rulings, voided attempts, excused answers and versions of programs: as sheets, sentences, footnotes and objects."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from msgspec.structs import asdict

from arbiter.languages.phrase import Phrase, join_phrases, phrase
from arbiter.languages.sentences import write_reason
from arbiter.show.tables.sheet import JSON, SHOWN, Coded, Column, Sheet
from arbiter.show.text import list_counts, plain, write_minute
from arbiter.tournament.events import Attempt, VoidCause
from arbiter.tournament.standings.stored_game import Ruling, StoredGame
from protocol.words import SEATS

_DIGITS: Final = 16  # of the digest of a program

# --- voided attempts ------------------------------------------------------------------------------

REASONS: Final[Mapping[VoidCause, str]] = {  # in a sentence
    "sandbox_killed": "the sandbox of {bot} was killed from outside",
    "out_of_memory": "{bot} was killed while this machine was out of memory",
    "killed": "{bot} was killed, and the sender is not known",
    "lost_connections": "the arbiter's side had cut the connection of {bot}",
    "error": "internal error of the arbiter",
    "lost": "its worker was lost",
    "refused": "the result that its worker sent was refused",
    "stopped": "the run was stopped",
    "audit": "it was played again on another machine, and differs",
}
_ATTEMPTS: Final[tuple[Column[tuple[int, Attempt]], ...]] = (
    Column("attempt", value=itemgetter(0)),
    Column("id", value=lambda one: one[1].id, align="left", width="keep"),
    Column("round", value=lambda one: one[1].round),
    Column("started", value=lambda one: one[1].started, align="left"),
    Column("cause", value=lambda one: Coded(one[1].cause, describe_attempt(one[1])), align="left"),
    Column("bot", value=lambda one: one[1].bot, align="left"),
    Column("plies", value=lambda one: one[1].plies),
    Column("host", value=lambda one: getattr(one[1].conditions, "host", None), align="left"),
    Column("lag ms", value=lambda one: getattr(one[1].conditions, "lag_ms", None)),
    Column("load", value=lambda one: getattr(one[1].conditions, "load", None)),
)


def describe_attempt(attempt: Attempt) -> str:
    """Describe in a few words why an attempt was voided."""
    return REASONS[attempt.cause].format(bot=plain(attempt.bot or "a bot"))


def attempts_sheet(attempts: Mapping[int, Attempt]) -> Sheet:
    """Make the sheet of voided attempts, given by their numbers."""
    data = [{"attempt": number, **attempt_object(one)} for number, one in attempts.items()]
    return Sheet(title="Voided attempts", columns=_ATTEMPTS, items=tuple(attempts.items()), data=data)


def attempt_object(attempt: Attempt) -> dict[str, object]:
    """Return a voided attempt as an object for programs."""
    return {**asdict(attempt), "why": attempt.why, "bot": attempt.bot}


def describe_voids(attempts: Iterable[Attempt], games: Iterable[StoredGame]) -> Iterator[Phrase]:
    """Yield sentences about voided attempts and excused answers, with the bots; none if there were none."""
    bots_by_reason: dict[VoidCause, Counter[str]] = {}
    attempts = tuple(attempts)
    audited = dict.fromkeys(attempt.id for attempt in attempts if attempt.cause == "audit")
    for attempt in (one for one in attempts if one.cause != "audit"):
        bots_by_reason.setdefault(attempt.cause, Counter())[attempt.bot or ""] += 1
    if bots_by_reason:
        reasons = []
        for reason, bots in bots_by_reason.items():
            named = list_counts(dict(sorted((bot, count) for bot, count in bots.items() if bot)))
            of_bots = f" ({named})" if named else ""
            reasons.append(join_phrases("", [f"{bots.total()} ", phrase(f"void_{reason}"), of_bots]))
        yield phrase("voids", reasons=join_phrases(", ", reasons))
    if audited:
        yield phrase("audited", games=", ".join(audited))
    if excused := _count_excused(games):
        counts = list_counts(dict(sorted(excused.items())))
        yield phrase("excused", counts=counts)


def _count_excused(games: Iterable[StoredGame]) -> Counter[str]:
    found: Counter[str] = Counter()
    for game in games:
        if game.conditions is not None:
            for seat, count in game.conditions.excused.items():
                found[getattr(game, seat)] += count
    return found


def with_voids_and_versions(sheet: Sheet, attempts: Iterable[Attempt], games: Sequence[StoredGame]) -> Sheet:
    """Add voided attempts, excused answers, and bots with several versions of their programs to standings.

    People see them as notes, programs as numbers.
    """
    attempts = tuple(attempts)
    voided: dict[str, Counter[str]] = {}
    for attempt in attempts:
        if attempt.bot is not None:
            voided.setdefault(attempt.bot, Counter())[attempt.cause] += 1
    excused = _count_excused(games)
    versions: dict[str, Counter[str]] = {}
    for game in games:
        for bot, digest in ((game.red, game.red_program), (game.blue, game.blue_program)):
            if digest:
                versions.setdefault(bot, Counter())[digest[:_DIGITS]] += 1
    find_bot = sheet.column("bot").read
    counts: tuple[Column[Any], ...] = (
        Column("voided", value=lambda item: voided.get(find_bot(item), {}), on=JSON),
        Column("excused", value=lambda item: excused[find_bot(item)], on=JSON),
        Column("versions", value=lambda item: len(versions.get(find_bot(item), ())), on=JSON),
    )
    notes = [
        f"the games of {bot} come from {len(found)} versions of its program: "
        + ", ".join(f"{count} with {digest}" for digest, count in found.items())
        for bot, found in versions.items()
        if len(found) > 1
    ]
    return sheet.add(counts).note([*describe_voids(attempts, games), *notes])


# --- rulings --------------------------------------------------------------------------------------


def describe_ruling(ruling: Ruling) -> Phrase:
    """Describe a ruling in a sentence: its number, author, date, effect and reason."""
    because = write_reason(ruling.reason)
    return phrase(
        "ruling_because_of" if because else "ruling",
        number=ruling.number,
        by=f"{ruling.by}, " if ruling.by else "",
        date=ruling.at[:10],
        effect=_describe_effect(ruling),
        because=because,
    )


def _describe_effect(ruling: Ruling) -> Phrase:
    game, bot = ruling.game, ruling.bot
    if ruling.undoes is not None:
        return phrase("ruling_reverted", number=ruling.undoes, about=game or bot)
    match ruling.kind:
        case "disqualify":
            key = "ruling_disqualify_from" if ruling.first_round > 1 else "ruling_disqualify"
            return phrase(key, bot=bot, round=ruling.first_round)
        case "withdraw":
            return phrase("ruling_withdraw", bot=bot)
        case "reinstate":
            key = "ruling_reinstate_and_play" if ruling.replays else "ruling_reinstate"
            return phrase(key, bot=bot, count=len(ruling.replays))
        case "replay":
            return phrase("ruling_replay", game=game, replacement=ruling.replacement)
        case _:
            now, before = map(_name_result, (ruling.result, ruling.previous))
            return phrase("ruling_result", game=game, result=now, before=before)


def _name_result(result: str | None) -> Phrase:
    if result in SEATS:
        return phrase("seat_wins", seat=phrase(result))
    return phrase({"annulled": "annulled", "draw": "draw", "replay": "to_be_replayed"}.get(result or "", "both_lose"))


def rulings_sheet(rulings: Sequence[Ruling]) -> Sheet:
    """Make the sheet of all rulings, those that were reverted included."""
    undone = {ruling.undoes: ruling.number for ruling in rulings if ruling.undoes is not None}
    columns: tuple[Column[Ruling], ...] = (
        Column("ruling", value=lambda one: one.number, on=SHOWN),
        Column("at (UTC)", value=lambda one: write_minute(one.at), align="left", on=SHOWN),
        Column("by", align="left", on=SHOWN),
        Column("about", value=lambda one: one.game or one.bot, align="left", on=SHOWN),
        Column("effect", value=lambda one: _describe_effect(one).removeprefix(f"{one.game}: "), align="left", on=SHOWN),
        Column("because", value=lambda one: write_reason(one.reason), align="left", on=SHOWN),
        *(Column(field, on=JSON) for field in Ruling.__struct_fields__),
        Column("why", value=lambda one: write_reason(one.reason), on=JSON),
        Column("undone_by", "reverted by", value=lambda one: undone.get(one.number)),
    )
    return Sheet(title="Rulings", columns=columns, items=rulings)
