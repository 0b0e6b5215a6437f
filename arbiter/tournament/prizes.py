"""Prizes: for places and for the best of categories; bots that share a rank share their prizes equally."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.event_data import ShortText
from arbiter.tournament.standings.crosstable import round_points
from arbiter.tournament.standings.table import Ranked

_CENTS: Final = 2
_CONDITIONS: Final = ("newcomer", "language", "club", "team", "country", "category")

Amount = Annotated[float, Meta(ge=0, le=1_000_000_000, description="an amount from 0 to 1,000,000,000")]
Prize = Amount | ShortText
"""An amount of money, or the name of something that cannot be divided."""


class PrizeCategory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Prizes for the best of the bots that meet all conditions: their entries have the same values."""

    name: ShortText
    places: list[Prize]
    newcomer: bool | None = None
    language: ShortText | None = None
    club: ShortText | None = None
    team: ShortText | None = None
    country: ShortText | None = None
    category: ShortText | None = None

    def includes(self, bot: BotConfig) -> bool:
        """Return True if a bot meets all conditions; texts are compared without regard to capitals."""
        pairs = ((getattr(self, key), getattr(bot, key)) for key in _CONDITIONS)
        return all(
            wanted is None or (str(has).casefold() == str(wanted).casefold() and has is not None)
            for wanted, has in pairs
        )


class PrizeTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The prizes of an event.  A bot wins only one of them: the most valuable one."""

    currency: ShortText | None = None
    places: list[Prize] = []
    categories: list[PrizeCategory] = []

    def list_faults(self) -> Iterator[str]:
        """Yield a fault if there are no prizes, or a category has none, no condition, or the name of another."""
        if not self.places and not self.categories:
            yield "prizes.places: is empty; list a prize for each place, as in [100, 50], or add categories"
        names = [one.name.casefold() for one in self.categories]
        for number, one in enumerate(self.categories):
            key = f"prizes.categories.{one.name}"
            if not one.places:
                yield f"{key}.places: is empty; list a prize for each place, as in [20]"
            if all(getattr(one, condition) is None for condition in _CONDITIONS):
                yield f"{key}: has no condition; add one of {', '.join(_CONDITIONS)}"
            if names.index(names[number]) < number:
                yield f"{key}: there are several categories with this name; give each its own"


class DecisiveTieBreak(Struct, frozen=True):
    """The tie-break that puts a bot before another one with the same points."""

    tie_break: str
    before: str
    after: str
    values: tuple[float, float]
    """Of both bots."""


class Award(Struct, frozen=True, kw_only=True):
    """A prize of a bot, and the reasons for it."""

    category: str | None
    """None for the prizes of places."""
    place: int
    """Number of the prize in its category, from 1."""
    prizes: int
    """Number of prizes of the category."""
    row: Ranked
    """In the ranking of all bots."""
    has_won_final: bool
    amount: float | None
    """None if the prize is not money."""
    pool: tuple[Prize, ...]
    """The prizes that bots with the same rank share, or the only one."""
    shared: tuple[str, ...]
    """The bots that share them, this one included; empty for a prize of its own."""
    reason: DecisiveTieBreak | None

    @property
    def bot(self) -> str:
        return self.row.bot

    @property
    def things(self) -> tuple[str, ...]:
        """The prizes that cannot be divided."""
        return tuple(prize for prize in self.pool if isinstance(prize, str))


def award_prizes(table: PrizeTable, ranking: Sequence[Ranked], bots: Mapping[str, BotConfig]) -> tuple[Award, ...]:
    """Award the prizes by a ranking, best first.

    The most valuable prizes are awarded first, the ones for places before equal ones of categories.  Prizes that a bot
    does not get, because it has another one, go to the next bot.
    """
    lists: list[tuple[str | None, list[Prize], list[Ranked]]] = [
        (None, table.places, list(ranking)),
        *(
            (one.name, one.places, [row for row in ranking if row.bot in bots and one.includes(bots[row.bot])])
            for one in table.categories
        ),
    ]
    awards: list[list[Award]] = [[] for _ in lists]
    while True:
        taken = {award.bot for given in awards for award in given}
        groups = []
        for number, (_, prizes, rows) in enumerate(lists):
            waiting = [row for row in rows if row.bot not in taken]
            tied = [row for row in waiting if row.rank == waiting[0].rank]
            given = len(awards[number])
            if pool := prizes[given : given + len(tied)]:
                money = [prize for prize in pool if not isinstance(prize, str)]
                groups.append((sum(money) / len(tied), number, tied, pool))
        if not groups:
            return tuple(award for given in awards for award in given)
        share, best, tied, pool = max(groups, key=lambda group: (group[0], -group[1]))
        category, prizes, rows = lists[best]
        place = len(awards[best]) + 1
        has_final = any(row.reached == "final" for row in ranking)
        awards[best] += [
            Award(
                category=category,
                place=place,
                prizes=len(prizes),
                row=row,
                has_won_final=has_final and row.reached is None,
                amount=None if all(isinstance(prize, str) for prize in pool) else round(share, _CENTS),
                pool=tuple(pool),
                shared=tuple(other.bot for other in tied) if len(tied) > 1 else (),
                reason=_find_reason(ranking, rows, row) if len(tied) == 1 else None,
            )
            for row in tied
        ]


def _find_reason(ranking: Sequence[Ranked], rows: Sequence[Ranked], row: Ranked) -> DecisiveTieBreak | None:
    """Find the tie-break that puts a bot before the next one of `rows`; None if points do, or there is none."""
    other = next((other for other in rows if other.rank > row.rank), None)
    if other is None or (row.points, row.reached) != (other.points, other.reached):
        return None
    between = [between.separated_by for between in ranking if row.rank < between.rank <= other.rank]
    name = next((name for name in row.tie_breaks if name in between), "")
    first, second = row.tie_breaks.get(name), other.tie_breaks.get(name)
    if first is None or second is None:
        return None
    return DecisiveTieBreak(name, row.bot, other.bot, (round_points(first), round_points(second)))
