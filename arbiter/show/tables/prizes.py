"""The list of prizes as a sheet, with the reason for each in words that need no knowledge of tie-breaks."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from arbiter.languages.phrase import Phrase, find_phrase, heading, join_phrases, name_code, phrase
from arbiter.show.tables.event import Details, with_titles_as_names
from arbiter.show.tables.sheet import JSON, SHOWN, Column, Sheet
from arbiter.show.text import number
from arbiter.tournament.prizes import Award, PrizeTable

Titles = Callable[[str], str]
"""Returns the title of a bot, or its name if it has none."""

_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}  # of English ordinals
_TEENS: Final = range(11, 14)


def prizes_sheet(table: PrizeTable, awards: Sequence[Award], bots: Details, *, finished: bool) -> Sheet:
    """Make the sheet of prizes; those of an event that is not `finished` may still change."""

    def title(bot: str) -> str:
        return (bots[bot].title or bot) if bot in bots else bot

    def write_won(award: Award) -> str:
        money = [] if award.amount is None else [" ".join(filter(None, (number(award.amount), table.currency)))]
        return ", ".join((*money, *award.things))

    columns: tuple[Column[Award], ...] = (
        Column("prize", value=write_prize, align="left"),
        Column("bot", align="left", width="keep"),
        Column("won", value=write_won, align="left", width="keep", on=SHOWN),
        Column("why", value=lambda one: explain_award(one, title), align="left"),
        Column("category", on=JSON),
        Column("place", on=JSON),
        Column("amount", on=JSON),
        Column("currency", value=lambda _: table.currency, on=JSON),
        Column("things", on=JSON),
        Column("shared", on=JSON),
    )
    notes = () if finished else (phrase("prizes_may_change"),)
    name = heading("prizes") if finished else phrase("prizes_so_far")
    return with_titles_as_names(Sheet(title=name, columns=columns, items=awards, kind="prize", notes=notes), bots)


def write_prize(award: Award) -> Phrase:
    """Return the name of a prize: `1st prize`, `Best newcomer`, `Best newcomer, 2nd prize`."""
    places = write_ordinal(award.place)
    if len(award.pool) > 1:
        places = phrase("from_to", first=places, last=write_ordinal(award.place + len(award.pool) - 1))
    prize = phrase("prize_of", places=places)
    if award.category is None:
        return prize
    return join_phrases(", ", [award.category] if award.prizes == 1 else [award.category, prize])


def explain_award(award: Award, title: Titles) -> Phrase:
    """Explain why a bot has won a prize: by its points or the round of a knockout, a tie-break, and shared prizes."""
    reason, row = award.reason, award.row
    names = list_names(map(title, award.shared or ((reason.before, reason.after) if reason else ())))
    if award.has_won_final:
        result = phrase("reached_winner")
    elif row.reached is not None:
        key = "went_out_in" if row.reached.startswith("stage") else "went_out"
        result = find_phrase(f"reached_{row.reached}") or phrase(key, round=name_round(row.reached))
    else:
        count = 1 if row.points == 1 else 2
        key = "won_points_each" if reason else "won_points"
        result = phrase(key, points=number(row.points), names=names, count=count)
    if award.category is not None:
        result = phrase("place_of_all", place=write_ordinal(row.rank), result=result)
    parts = [result]
    if reason is not None:
        values = phrase("from_to", first=number(reason.values[0]), last=number(reason.values[1]))
        kind, _, place = reason.tie_break.partition("-")
        texts = {"one": title(reason.before), "other": title(reason.after), "values": values}
        if kind == "places":
            parts.append(phrase("why_places", place=write_ordinal(int(place)), **texts))
        else:
            found = find_phrase(f"why_{reason.tie_break}", **texts)
            parts.append(found or phrase("why_other", name=reason.tie_break, **texts))
    if award.shared:
        money = [number(prize) for prize in award.pool if not isinstance(prize, str)]
        total = f"({' + '.join(money)})" if len(money) > 1 else "".join(money)
        key = "each_gets" if money else "share_things"
        parts.append(phrase("share_rank", names=names))
        parts.append(phrase(key, total=total, shared=len(award.shared), things=list_names(award.things)))
    return join_phrases("; ", parts)


def name_round(reached: str) -> str:
    """Write the stage, the round of a knockout or the place that a bot has reached."""
    kind, _, number_ = reached.rpartition(" ")
    if kind == "round of":
        return phrase("round_of", count=number_)
    return phrase("stage", number=number_) if kind == "stage" else name_code(reached)


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
