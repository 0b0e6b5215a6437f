"""The list of prizes as a sheet, with the reason for each in words that need no knowledge of tie-breaks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from arbiter.show.phrase import Phrase, join_phrases, phrase
from arbiter.show.tables.event import Details, with_titles_as_names
from arbiter.show.tables.sheet import JSON, SHOWN, Column, Sheet
from arbiter.show.text import number
from arbiter.tournament.prizes import Award, PrizeTable, Reason, Ties

Titles = Callable[[str], str]
"""Returns the title of a bot, or its name if it has none."""

_ORDINALS: Final = {1: "{place}st", 2: "{place}nd", 3: "{place}rd"}
_TEENS: Final = range(11, 14)

REASONS: Final[Mapping[str, str]] = {
    "wins": "{one} won more games ({values})",
    "won-on-board": "{one} won more games on the board ({values})",
    "average": "{one} has more points per game ({values})",
    "progressive": "{one} was ahead earlier (sum of the scores after each round: {values})",
    "koya": "{one} scored more against the bots in the upper half ({values})",
    "average-rating": "{one} met opponents with higher ratings ({values} on average)",
    "performance": "{one} has the higher rating by the results and the ratings of its opponents ({values})",
    "sonneborn-berger": "{one} got its points against stronger opponents (Sonneborn-Berger {values})",
    "buchholz": "{one} met stronger opponents ({values} points of the opponents)",
    "buchholz-cut-1": "{one} met stronger opponents ({values} points of the opponents, without the weakest)",
    "buchholz-cut-2": "{one} met stronger opponents ({values} points of the opponents, without the two weakest)",
    "buchholz-median": (
        "{one} met stronger opponents ({values} points of the opponents, without the strongest and the weakest)"
    ),
    "forfeits": "{one} forfeited fewer games ({values})",
    "lots": "a lot was drawn for {one}",
    # of a season
    "places-1": "{one} won more events ({values})",
    "all": "{one} has more points in all events ({values})",
}
"""Reasons to put a bot before another one with the same points, by tie-break."""
REACHED: Final[Mapping[str | None, str]] = {
    "winner": "won the final",
    "final": "lost the final",
    "third place": "won the match for the third place",
    "fourth place": "lost the match for the third place",
}


def prizes_sheet(table: PrizeTable, awards: Sequence[Award], bots: Details, *, finished: bool) -> Sheet:
    """Make the sheet of prizes; those of an event that is not `finished` may still change."""

    def title(bot: str) -> str:
        return (bots[bot].title or bot) if bot in bots else bot

    def explain(award: Award) -> Phrase:
        return explain_award(award, table.ties, title)

    columns: tuple[Column[Award], ...] = (
        Column("prize", value=lambda one: str(write_prize(one)), text=write_prize, align="left"),
        Column("bot", align="left", width="keep"),
        Column("won", value=lambda one: write_won(one, table.currency), align="left", width="keep", on=SHOWN),
        Column("why", value=lambda one: str(explain(one)), text=explain, align="left"),
        Column("category", on=JSON),
        Column("place", on=JSON),
        Column("amount", on=JSON),
        Column("currency", value=lambda _: table.currency, on=JSON),
        Column("things", on=JSON),
        Column("shared", on=JSON),
    )
    notes = [] if finished else [phrase("The event is not finished: the prizes are those of the standings so far.")]
    if left := list(_list_left(table, awards)):
        prizes = join_phrases("; ", left)
        notes.append(phrase("Not awarded, because no bot is left that may win it: {prizes}.", prizes=prizes))
    name = "Prizes" if finished else "Prizes so far"
    return with_titles_as_names(
        Sheet(title=name, columns=columns, items=awards, kind="prize", notes=tuple(notes)), bots
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
        places = phrase("{first} to {last}", first=places, last=write_ordinal(last))
    return _name_prize(award.category, places, award.prizes)


def _name_prize(category: str | None, places: Phrase, prizes: int) -> Phrase:
    """Return the name of a prize of a category with several `prizes` or a single one."""
    prize = phrase("{places} prize", places=places)
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
        result = phrase("{place} of all bots, {result}", place=write_ordinal(award.rank), result=result)
    parts = [result]
    if award.shared:
        parts.append(_describe_sharing(award, ties))
    elif award.reason is not None:
        parts.append(explain_reason(award.reason, title))
    if award.passed:
        template = (
            "{names} ranks higher, but won another prize"
            if len(award.passed) == 1
            else "{names} rank higher, but won another prize"
        )
        parts.append(phrase(template, names=list_names(map(title, award.passed))))
    return join_phrases("; ", parts)


def _describe_result(award: Award, title: Titles) -> Phrase:
    """Describe what a bot has reached: points, or the round of a knockout."""
    if award.reached in REACHED:
        return phrase(REACHED[award.reached])
    if award.reached is not None:
        template = "went out in {round}" if award.reached.startswith("stage") else "went out in the {round}"
        return phrase(template, round=phrase(award.reached))
    points = number(award.points)
    tied = list_names(map(title, award.tied))
    if award.points_differ:
        return phrase("{names} share a rank", names=tied)
    template = ("{points} point" if award.points == 1 else "{points} points") + " each for {names}" * bool(award.tied)
    return phrase(template, points=points, names=tied)


def _describe_sharing(award: Award, ties: Ties) -> Phrase:
    """Describe how bots share prizes."""
    amounts = [prize for prize in award.pool if not isinstance(prize, str)]
    is_equal = ties == "tie-breaks" and not award.points_differ
    if not amounts:
        template = "equal in all tie-breaks, so they share {things}" if is_equal else "they share {things}"
        return phrase(template, things=list_names(award.things))
    total = " + ".join(map(number, amounts))
    if ties == "hort":
        template = "each gets half of the prize for its own place, and an equal part of the other halves of {total}"
        return phrase(template, total=total)
    total = f"({total})" if len(amounts) > 1 else total
    template = "equal in all tie-breaks, so each gets {total} / {count}" if is_equal else "each gets {total} / {count}"
    return phrase(template, total=total, count=len(award.shared))


def explain_reason(reason: Reason, title: Titles) -> Phrase:
    """Explain in a main clause why a bot is before another one with the same points."""
    one, other = title(reason.before), title(reason.after)
    values: str = ""
    if reason.values is not None:
        values = phrase("{first} to {last}", first=number(reason.values[0]), last=number(reason.values[1]))
    if reason.tie_break == "direct":
        if reason.tied > 2:  # noqa: PLR2004 - two bots have games against each other
            template = "{one} scored more than {other} in the games of the {count} bots against each other"
            return phrase(template, one=one, other=other, count=reason.tied)
        return phrase("{one} won their games ({values} points a game)", one=one, values=values)
    if template := REASONS.get(reason.tie_break, ""):
        return phrase(template, one=one, values=values)
    kind, _, place = reason.tie_break.partition("-")
    if kind == "places":
        place = write_ordinal(int(place))
        return phrase("{one} has more {place} places ({values})", one=one, place=place, values=values)
    if kind == "event":
        return phrase("{one} has more points in event {event} ({values})", one=one, event=place, values=values)
    template = "{one} is before {other} by the tie-break {name}" + " ({values})" * bool(values)
    return phrase(template, one=one, other=other, name=reason.tie_break, values=values)


def list_names(names: Iterable[str]) -> Phrase:
    """List names in a sentence: `deep`, `deep and cyd`, `deep, cyd and ada`."""
    found = list(names)
    if len(found) > 1:
        return phrase("{names} and {last}", names=", ".join(found[:-1]), last=found[-1])
    return join_phrases("", found)


def write_ordinal(place: int) -> Phrase:
    """Write a place: 1st, 2nd, 3rd, 4th."""
    if place == 1:
        return phrase("1st")
    usual = "{place}th"
    return phrase(usual if place % 100 in _TEENS else _ORDINALS.get(place % 10, usual), place=place)
