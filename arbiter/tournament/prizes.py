"""Prizes: for places and for the best of categories, with the bots that share them and the reasons for each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal, Protocol

from msgspec import Meta, Struct

from arbiter.errors import ConfigErrors
from arbiter.tournament.config.bot_entries import BotEntry, Megabytes
from arbiter.tournament.config.event_data import ShortText
from arbiter.tournament.standings.crosstable import round_points

Entries = Mapping[str, BotEntry]
"""The entries of bots by their names."""
_CENTS: Final = 2

# --- as the organiser writes them ------------------------------------------------------------------


Ties = Literal["tie-breaks", "share", "hort"]
Amount = Annotated[float, Meta(ge=0, le=1_000_000_000, description="an amount from 0 to 1,000,000,000")]
Prize = Amount | ShortText
"""An amount of money, or the name of something that cannot be divided."""


class PrizeCategory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Prizes for the best of the bots that meet all conditions."""

    name: ShortText
    places: list[Prize]
    newcomer: bool | None = None
    language: ShortText | None = None
    club: ShortText | None = None
    team: ShortText | None = None
    country: ShortText | None = None
    category: ShortText | None = None
    most_memory_mb: Megabytes | None = None

    def includes(self, bot: BotEntry) -> bool:
        """Return True if a bot meets all conditions; texts are compared without regard to capitals."""
        if self.newcomer not in (None, bot.newcomer):
            return False
        if self.most_memory_mb is not None and (bot.kind != "program" or bot.memory_mb > self.most_memory_mb):
            return False
        return all(
            wanted is None or wanted.casefold() == (getattr(bot, key) or "").casefold()
            for key, wanted in self.list_texts().items()
        )

    def list_texts(self) -> dict[str, str | None]:
        """Return the conditions that are texts, by the key of the bot."""
        return {key: getattr(self, key) for key in ("language", "club", "team", "country", "category")}


class PrizeTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The prizes of an event."""

    currency: ShortText | None = None
    places: list[Prize] = []
    ties: Ties = "tie-breaks"
    """Bots with equal points: the tie-breaks decide, they share their prizes, or half of them (Hort)."""
    several: bool = False
    """If True, a bot can win several prizes; otherwise only the most valuable one."""
    categories: list[PrizeCategory] = []

    def check(self) -> None:
        """Raise ConfigError if there are no prizes, or a category has none, no condition, or the name of another."""
        faults = []
        if not self.places and not self.categories:
            faults.append("prizes.places: is empty; list a prize for each place, as in [100, 50], or add categories")
        names = [one.name.casefold() for one in self.categories]
        for one in self.categories:
            key = f"prizes.categories.{one.name}"
            if not one.places:
                faults.append(f"{key}.places: is empty; list a prize for each place, as in [20]")
            if one.newcomer is None and one.most_memory_mb is None and not any(one.list_texts().values()):
                conditions = ", ".join(("newcomer", *one.list_texts(), "most_memory_mb"))
                faults.append(f"{key}: has no condition; add one of {conditions}")
            if names.count(one.name.casefold()) > 1:
                faults.append(f"{key}: there are several categories with this name; give each its own")
        if faults:
            raise ConfigErrors(dict.fromkeys(faults))


# --- who wins them ---------------------------------------------------------------------------------


class Ranked(Protocol):
    """A row of a ranking, such as `Standing`."""

    @property
    def rank(self) -> int: ...
    @property
    def bot(self) -> str: ...
    @property
    def points(self) -> float: ...
    @property
    def separated_by(self) -> str | None: ...
    @property
    def tie_breaks(self) -> Mapping[str, float | None]: ...
    @property
    def reached(self) -> str | None: ...


class Reason(Struct, frozen=True):
    """The tie-break that puts a bot before another one with the same points."""

    tie_break: str
    before: str
    after: str
    values: tuple[float, float] | None
    """Of both bots; None if the tie-break has no value for each."""
    tied: int
    """Number of bots with these points."""


class Award(Struct, frozen=True, kw_only=True):
    """A prize of a bot, and the reasons for it."""

    category: str | None
    """None for the prizes of places."""
    place: int
    """Number of the prize in its category, from 1."""
    prizes: int
    """Number of prizes of the category."""
    bot: str
    rank: int
    """Among all bots."""
    points: float
    reached: str | None
    """The round or stage in which the bot went out, or `winner` if it won a final."""
    amount: float | None
    """None if the prize is not money."""
    things: tuple[str, ...] = ()
    """Prizes that cannot be divided; those of several bots are shared among them."""
    shared: tuple[str, ...] = ()
    """The bots that share prizes, this one included; empty for a prize of its own."""
    pool: tuple[Prize, ...] = ()
    """The prizes that they share."""
    tied: tuple[str, ...] = ()
    """The bots with the same points or the same rank, this one included; empty if there is no other one."""
    points_differ: bool = False
    """True if they share a rank with different points, as bots do that are still in a knockout."""
    reason: Reason | None = None
    passed: tuple[str, ...] = ()
    """Better bots that do not get this prize, because they have another one."""


class _Group(Struct, frozen=True):
    """Bots of a category that share prizes, and their prizes."""

    category: PrizeCategory | None
    rows: tuple[Ranked, ...]
    prizes: tuple[Prize, ...]
    amounts: tuple[float, ...]
    place: int
    passed: tuple[str, ...]


def award_prizes(
    table: PrizeTable, ranking: Sequence[Ranked], bots: Entries, excluded: frozenset[str] = frozenset()
) -> tuple[Award, ...]:
    """Award the prizes by a ranking, best first; `excluded` bots win nothing.

    The most valuable prizes are awarded first, the ones for places before equal ones of categories.  If a bot can win
    only one prize, those that it does not get go to the next bot.
    """
    lists: list[tuple[PrizeCategory | None, list[Prize]]] = [
        (None, list(table.places)),
        *((one, list(one.places)) for one in table.categories),
    ]
    candidates = [
        [
            row
            for row in ranking
            if row.bot not in excluded and (category is None or (row.bot in bots and category.includes(bots[row.bot])))
        ]
        for category, _ in lists
    ]
    totals = [len(prizes) for _, prizes in lists]
    ties = find_ties(ranking)
    won: list[list[str]] = [[] for _ in lists]
    awards: dict[int, list[Award]] = {number: [] for number in range(len(lists))}
    while True:
        taken = set().union(*won)
        found: dict[int, _Group] = {}
        for number, (category, left) in enumerate(lists):
            waiting = [row for row in candidates[number] if row.bot not in (won[number] if table.several else taken)]
            if left and waiting:
                above = [row.bot for row in candidates[number] if row.rank < waiting[0].rank]
                passed = tuple(bot for bot in above if bot not in won[number])
                place = len(won[number]) + 1
                found[number] = _form_group(table.ties, category, waiting, left, ties=ties, place=place, passed=passed)
        if not found:
            break
        best = max(found, key=lambda number: (found[number].amounts[0], -number))
        group = found[best]
        rivals = [row.bot for row in candidates[best]]
        tied = {bot: [one for one in ties[bot] if one in rivals] for bot in rivals}
        awards[best] += _make_awards(group, ranking, tied, totals[best])
        won[best] += (row.bot for row in group.rows)
        del lists[best][1][: len(group.rows)]
    return tuple(award for number in awards for award in awards[number])


def find_ties(ranking: Sequence[Ranked]) -> dict[str, tuple[str, ...]]:
    """Return for each bot those with the same points or the same rank, itself included, in their order."""
    groups: list[list[Ranked]] = []
    for row in ranking:
        before = groups[-1][-1] if groups else None
        is_tied = before is not None and (
            row.rank == before.rank
            or (row.separated_by is not None and (row.points, row.reached) == (before.points, before.reached))
        )
        if is_tied:
            groups[-1].append(row)
        else:
            groups.append([row])
    return {row.bot: tuple(one.bot for one in group) for group in groups for row in group}


def _form_group(
    rule: Ties,
    category: PrizeCategory | None,
    waiting: Sequence[Ranked],
    left: Sequence[Prize],
    *,
    ties: Mapping[str, tuple[str, ...]],
    place: int,
    passed: tuple[str, ...],
) -> _Group:
    """Form the group of the bots that get the next prizes of a category, and divide the prizes."""
    first = waiting[0]
    rows = [row for row in waiting if row.bot in ties[first.bot]]
    if rule == "tie-breaks" or any(isinstance(prize, str) for prize in left[: len(rows)]):
        rows = [row for row in rows if row.rank == first.rank]
    prizes = tuple(left[: len(rows)])
    amounts = [0.0 if isinstance(prize, str) else prize for prize in prizes]
    amounts += [0.0] * (len(rows) - len(amounts))
    share = sum(amounts) / len(rows)
    if rule == "hort":
        own = [
            sum(amounts[place] for place, other in enumerate(rows) if other.rank == row.rank)
            / sum(other.rank == row.rank for other in rows)
            for row in rows
        ]
        divided = [(one + share) / 2 for one in own]
    else:
        divided = [share] * len(rows)
    return _Group(category, tuple(rows), prizes, tuple(round(amount, _CENTS) for amount in divided), place, passed)


def _make_awards(
    group: _Group, ranking: Sequence[Ranked], ties: Mapping[str, Sequence[str]], total: int
) -> Iterator[Award]:
    """Make the awards of a group of a category with `total` prizes.

    `ties` are the bots of the category with the same points as each.
    """
    things = tuple(prize for prize in group.prizes if isinstance(prize, str))
    has_final = any(row.reached == "final" for row in ranking)
    is_money = len(things) < len(group.prizes)
    shared = tuple(row.bot for row in group.rows) if len(group.rows) > 1 else ()
    for row, amount in zip(group.rows, group.amounts, strict=True):
        tied = tuple(ties[row.bot]) if len(ties[row.bot]) > 1 else ()
        level = [
            other.points for other in ranking if other.bot in tied and (other.rank, other.reached) == (row.rank, None)
        ]
        yield Award(
            category=None if group.category is None else group.category.name,
            place=group.place,
            prizes=total,
            bot=row.bot,
            rank=row.rank,
            points=row.points,
            reached="winner" if has_final and row.reached is None else row.reached,
            amount=amount if is_money else None,
            things=things,
            shared=shared,
            pool=group.prizes if shared else (),
            tied=tied,
            points_differ=len(set(level)) > 1,
            reason=None if shared or not tied else find_reason(ranking, row.bot, tied),
            passed=group.passed,
        )


def find_reason(ranking: Sequence[Ranked], bot: str, tied: Sequence[str]) -> Reason | None:
    """Find the tie-break that puts a bot before the next one of the tied ones, or behind the one above if it is last.

    Returns None if no tie-break separates it from any of them.
    """
    rows = [row for row in ranking if row.bot in tied]
    own = next(row for row in rows if row.bot == bot)
    below = [row for row in rows if row.rank > own.rank]
    above = [row for row in rows if row.rank < own.rank]
    if not below and not above:
        return None
    one, other = (own, below[0]) if below else (above[-1], own)
    between = {row.separated_by for row in ranking if one.rank < row.rank <= other.rank}
    name = next((name for name in one.tie_breaks if name in between), None)
    if name is None:
        return None
    values = one.tie_breaks[name], other.tie_breaks.get(name)
    numbers = None if values[0] is None or values[1] is None else (round_points(values[0]), round_points(values[1]))
    return Reason(name, one.bot, other.bot, numbers, len(tied))
