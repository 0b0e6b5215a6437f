"""The list of prizes as a sheet, with the reason for each in words that need no knowledge of tie-breaks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from arbiter.show.tables.event import Details, with_titles_as_names
from arbiter.show.tables.sheet import JSON, SHOWN, Column, Sheet
from arbiter.show.text import number
from arbiter.tournament.prizes import Award, PrizeTable, Reason, Ties

Titles = Callable[[str], str]
"""Returns the title of a bot, or its name if it has none."""

_SUFFIXES: Final = {1: "st", 2: "nd", 3: "rd"}
_TEENS: Final = range(11, 14)

_REASONS: Final[Mapping[str, str]] = {
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
    notes = [] if finished else ["The event is not finished: the prizes are those of the standings so far."]
    if left := list(_list_left(table, awards)):
        notes.append(f"Not awarded, because no bot is left that may win it: {'; '.join(left)}.")
    name = "Prizes" if finished else "Prizes so far"
    return with_titles_as_names(
        Sheet(title=name, columns=columns, items=awards, kind="prize", notes=tuple(notes)), bots
    )


def _list_left(table: PrizeTable, awards: Sequence[Award]) -> Iterator[str]:
    """Yield the names of the prizes that nobody has won."""
    for category, prizes in ((None, table.places), *((one.name, one.places) for one in table.categories)):
        given = max((one.place + max(1, len(one.pool)) - 1 for one in awards if one.category == category), default=0)
        numbers = range(given + 1, len(prizes) + 1)
        yield from (_name_prize(category, f"{write_ordinal(place)} prize", len(prizes)) for place in numbers)


def write_prize(award: Award) -> str:
    """Return the name of a prize: `1st prize`, `Best newcomer`, `Best newcomer, 2nd prize`."""
    last = award.place + len(award.pool) - 1
    numbers = f"{write_ordinal(award.place)} to {write_ordinal(last)}" if len(award.pool) > 1 else None
    return _name_prize(award.category, f"{numbers or write_ordinal(award.place)} prize", award.prizes)


def _name_prize(category: str | None, prize: str, prizes: int) -> str:
    """Return the name of a prize of a category with several `prizes` or a single one."""
    if category is None:
        return prize
    return category if prizes == 1 else f"{category}, {prize}"


def write_won(award: Award, currency: str | None) -> str:
    """Write what a bot has won: an amount, things, or both."""
    money = [] if award.amount is None else [number(award.amount) + ("" if currency is None else f" {currency}")]
    return ", ".join((*money, *award.things))


def explain_award(award: Award, ties: Ties, title: Titles) -> str:
    """Explain why a bot has won a prize."""
    what = _describe_result(award, title)
    place = "" if award.category is None else f"{write_ordinal(award.rank)} of all bots, "
    parts = [f"{place}{what}"]
    if award.shared:
        parts.append(_describe_sharing(award, ties))
    elif award.reason is not None:
        parts.append(explain_reason(award.reason, title))
    if award.passed:
        verb = "ranks" if len(award.passed) == 1 else "rank"
        parts.append(f"{list_names(map(title, award.passed))} {verb} higher, but won another prize")
    return "; ".join(parts)


def _describe_result(award: Award, title: Titles) -> str:
    """Describe what a bot has reached: points, or the round of a knockout."""
    match award.reached:
        case None:
            pass
        case "winner":
            return "won the final"
        case "final":
            return "lost the final"
        case "third place":
            return "won the match for the third place"
        case "fourth place":
            return "lost the match for the third place"
        case str() as reached:
            return f"went out in {reached if reached.startswith('stage') else f'the {reached}'}"
    result = f"{number(award.points)} point{'' if award.points == 1 else 's'}"
    tied = list_names(map(title, award.tied))
    if award.points_differ:
        result = f"{tied} share a rank"
    elif award.tied:
        result += f" each for {tied}"
    return result


def _describe_sharing(award: Award, ties: Ties) -> str:
    """Describe how bots share prizes."""
    amounts = [prize for prize in award.pool if not isinstance(prize, str)]
    equal = "equal in all tie-breaks, so " if ties == "tie-breaks" and not award.points_differ else ""
    if not amounts:
        return f"{equal}they share {' and '.join(award.things)}"
    total = " + ".join(map(number, amounts))
    if ties == "hort":
        return f"each gets half of the prize for its own place, and an equal part of the other halves of {total}"
    total = f"({total})" if len(amounts) > 1 else total
    return f"{equal}each gets {total} / {len(award.shared)}"


def explain_reason(reason: Reason, title: Titles) -> str:
    """Explain in a main clause why a bot is before another one with the same points."""
    one, other = title(reason.before), title(reason.after)
    values = "" if reason.values is None else f"{number(reason.values[0])} to {number(reason.values[1])}"
    if reason.tie_break == "direct":
        if reason.tied > 2:  # noqa: PLR2004 - two bots have games against each other
            return f"{one} scored more than {other} in the games of the {reason.tied} bots against each other"
        return f"{one} won their games ({values} points a game)"
    if text := _REASONS.get(reason.tie_break):
        return text.format(one=one, values=values)
    kind, _, place = reason.tie_break.partition("-")
    if kind == "places":
        return f"{one} has more {write_ordinal(int(place))} places ({values})"
    if kind == "event":
        return f"{one} has more points in event {place} ({values})"
    return f"{one} is before {other} by the tie-break {reason.tie_break}" + (f" ({values})" if values else "")


def list_names(names: Iterable[str]) -> str:
    """List names in a sentence: `deep`, `deep and cyd`, `deep, cyd and ada`."""
    found = list(names)
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def write_ordinal(place: int) -> str:
    """Write a place: 1st, 2nd, 3rd, 4th."""
    suffix = "th" if place % 100 in _TEENS else _SUFFIXES.get(place % 10, "th")
    return f"{place}{suffix}"
