"""The list of prizes as a sheet, with the reason for each in words that need no knowledge of tie-breaks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from arbiter.languages.phrase import Phrase, find_phrase, heading, join_phrases, name_code, phrase
from arbiter.show.tables.event import Details, with_titles_as_names
from arbiter.show.tables.sheet import JSON, SHOWN, Column, Sheet
from arbiter.show.text import number
from arbiter.tournament.prizes import Award, PrizeTable, Reason, Ties

Titles = Callable[[str], str]
"""Returns the title of a bot, or its name if it has none."""

_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}  # of English ordinals
_TEENS: Final = range(11, 14)


def prizes_sheet(table: PrizeTable, awards: Sequence[Award], bots: Details, *, finished: bool) -> Sheet:
    """Make the sheet of prizes; those of an event that is not `finished` may still change."""

    def title(bot: str) -> str:
        return (bots[bot].title or bot) if bot in bots else bot

    columns: tuple[Column[Award], ...] = (
        Column("prize", value=write_prize, align="left"),
        Column("bot", align="left", width="keep"),
        Column("won", value=lambda one: write_won(one, table.currency), align="left", width="keep", on=SHOWN),
        Column("why", value=lambda one: explain_award(one, table.ties, title), align="left"),
        Column("category", on=JSON),
        Column("place", on=JSON),
        Column("amount", on=JSON),
        Column("currency", value=lambda _: table.currency, on=JSON),
        Column("things", on=JSON),
        Column("shared", on=JSON),
    )
    notes = [] if finished else [phrase("prizes_may_change")]
    if left := list(_list_left(table, awards)):
        notes.append(phrase("prizes_left", prizes=join_phrases("; ", left)))
    title_ = heading("prizes") if finished else phrase("prizes_so_far")
    return with_titles_as_names(
        Sheet(title=title_, columns=columns, items=awards, kind="prize", notes=tuple(notes)), bots
    )


def _list_left(table: PrizeTable, awards: Sequence[Award]) -> Iterator[Phrase]:
    """Yield the names of the prizes that nobody has won."""
    for category, prizes in ((None, table.places), *((one.name, one.places) for one in table.categories)):
        given = max((one.place + max(1, len(one.pool)) - 1 for one in awards if one.category == category), default=0)
        numbers = range(given + 1, len(prizes) + 1)
        yield from (_name_prize(category, write_ordinal(place), len(prizes)) for place in numbers)


def write_prize(award: Award) -> Phrase:
    """Return the name of a prize: `1st prize`, `Best newcomer`, `Best newcomer, 2nd prize`."""
    last = award.place + len(award.pool) - 1
    places = write_ordinal(award.place)
    if len(award.pool) > 1:
        places = phrase("from_to", first=places, last=write_ordinal(last))
    return _name_prize(award.category, places, award.prizes)


def _name_prize(category: str | None, places: Phrase, prizes: int) -> Phrase:
    """Return the name of a prize of a category with several `prizes` or a single one."""
    prize = phrase("prize_of", places=places)
    if category is None:
        return prize
    return join_phrases(", ", [category] if prizes == 1 else [category, prize])


def write_won(award: Award, currency: str | None) -> str:
    """Write what a bot has won: an amount, things, or both."""
    money = [] if award.amount is None else [number(award.amount) + ("" if currency is None else f" {currency}")]
    return ", ".join((*money, *award.things))


def explain_award(award: Award, ties: Ties, title: Titles) -> Phrase:
    """Explain why a bot has won a prize."""
    result = _describe_result(award, title)
    if award.category is not None:
        result = phrase("place_of_all", place=write_ordinal(award.rank), result=result)
    parts = [result]
    if award.shared:
        parts.append(_describe_sharing(award, ties))
    elif award.reason is not None:
        parts.append(explain_reason(award.reason, title))
    if award.passed:
        parts.append(phrase("passed", names=list_names(map(title, award.passed)), count=len(award.passed)))
    return join_phrases("; ", parts)


def _describe_result(award: Award, title: Titles) -> Phrase:
    """Describe what a bot has reached: points, or the round of a knockout."""
    if award.reached is not None:
        if found := find_phrase(f"reached_{award.reached}"):
            return found
        return phrase(
            "went_out_in" if award.reached.startswith("stage") else "went_out", round=name_round(award.reached)
        )
    tied = list_names(map(title, award.tied))
    if award.points_differ:
        return phrase("share_rank", names=tied)
    points = number(award.points)
    count = 1 if award.points == 1 else 2
    return phrase("won_points_each" if award.tied else "won_points", points=points, names=tied, count=count)


def name_round(reached: str) -> str:
    """Write the stage, the round of a knockout or the place that a bot has reached."""
    kind, _, number_ = reached.rpartition(" ")
    if kind == "round of":
        return phrase("round_of", count=number_)
    return phrase("stage", number=number_) if kind == "stage" else name_code(reached)


def _describe_sharing(award: Award, ties: Ties) -> Phrase:
    """Describe how bots share prizes."""
    amounts = [prize for prize in award.pool if not isinstance(prize, str)]
    is_equal = ties == "tie-breaks" and not award.points_differ
    if not amounts:
        return phrase("equal_share_things" if is_equal else "share_things", things=list_names(award.things))
    total = " + ".join(map(number, amounts))
    if ties == "hort":
        return phrase("gets_half", total=total)
    total = f"({total})" if len(amounts) > 1 else total
    return phrase("equal_each_gets" if is_equal else "each_gets", total=total, shared=len(award.shared))


def explain_reason(reason: Reason, title: Titles) -> Phrase:
    """Explain in a main clause why a bot is before another one with the same points."""
    values: str = ""
    if reason.values is not None:
        values = phrase("from_to", first=number(reason.values[0]), last=number(reason.values[1]))
    names = {"one": title(reason.before), "other": title(reason.after), "values": values}
    kind, _, place = reason.tie_break.partition("-")
    if reason.tie_break == "direct" and reason.tied > 2:  # noqa: PLR2004 - two bots have games against each other
        return phrase("why_direct_tied", tied=reason.tied, **names)
    if found := find_phrase(f"why_{reason.tie_break}", **names):
        return found
    if kind == "places":
        return phrase("why_places", place=write_ordinal(int(place)), **names)
    if kind == "event":
        return phrase("why_event", event=place, **names)
    sentence = phrase("why_other", name=reason.tie_break, **names)
    return join_phrases("", [sentence, " (", values, ")"]) if values else sentence


def list_names(names: Iterable[str]) -> Phrase:
    """List names in a sentence: `deep`, `deep and cyd`, `deep, cyd and ada`."""
    found = list(names)
    if len(found) > 1:
        return phrase("names", names=", ".join(found[:-1]), last=found[-1])
    return join_phrases("", found)


def write_ordinal(place: int) -> Phrase:
    """Write a place: 1st, 2nd, 3rd, 4th."""
    ending = "th" if place % 100 in _TEENS else _ENDINGS.get(place % 10, "th")
    return phrase("ordinal", count=place, ending=ending)
