"""Standings, table and ratings of a ladder, from what it keeps of its finished games."""

from collections.abc import Sequence
from math import ceil
from typing import Final

from arbiter.languages.phrase import name_code, phrase
from arbiter.tournament.ratings.values import Estimate, Rating, Ratings
from arbiter.tournament.schedule.ladder_state import INTERVAL, TREND_PAIRS, LadderState
from arbiter.tournament.schedule.strengths import ELO_UNIT, KnownStrengths
from arbiter.tournament.standings.crosstable import PlainTable, round_points
from arbiter.tournament.standings.table import COUNTS, Standing
from protocol.words import SEATS

_PAIR: Final = len(SEATS)
_INACTIVE: Final = 10  # pairs for each bot of the ladder; a bot that can play has its turn before


def rank_by_rate(state: LadderState, known: KnownStrengths) -> tuple[Standing, ...]:
    """Rank the bots by the expected score against all others, each counted equally; those without games come last.

    People are rated apart and come after all programs.  Points do not count: some bots play more games than others, and
    against stronger opponents.
    """
    rates = {bot: round(100 * known.expect_rate(place), 1) for place, bot in enumerate(known.bots)}
    averages = {
        bot: round_points(one.total.points / one.total.games) if one.total.games else 0.0
        for bot, one in state.bots.items()
    }
    order = sorted(
        known.bots,
        key=lambda bot: (bot in known.people, not state.bots[bot].total.games, -rates[bot], -averages[bot]),
    )
    return tuple(
        Standing(
            rank=place,
            bot=bot,
            **{name: getattr(state.bots[bot].total, name) for name in COUNTS},
            forfeit_causes=dict(sorted(state.bots[bot].causes.items())),
            tie_breaks={"average": averages[bot], "rate": rates[bot]},
            decided_by="rate",
            repeats=state.count_repeats(bot),
            mean_plies=state.bots[bot].effort.mean_plies,
            mean_seconds=state.bots[bot].effort.mean_seconds,
            mean_move_ms=state.bots[bot].effort.mean_move_ms,
            rulings=tuple(state.bots[bot].rulings),
        )
        for place, bot in enumerate(order, start=1)
    )


def make_ladder_table(
    state: LadderState, known: KnownStrengths, order: Sequence[str], anchors: Sequence[str]
) -> PlainTable:
    """Make the table of rating and activity of each bot in an order, and of versions compared with parents."""
    oldest = max((one.last for one in state.bots.values()), default=0) - _INACTIVE * len(order)
    rows: list[tuple[str | float | None, ...]] = []
    for bot in order:
        count = state.bots[bot]
        label = "anchor" if bot in anchors else "person" if bot in known.people else ""
        if count.last <= oldest:
            label = f"inactive {label}".strip()
        elo, deviation = known.rate(known.bots.index(bot))
        parent = known.parents.get(bot)
        compared = (None, None, None) if parent is None else compare_with_parent(known, bot, parent)
        own = (round(elo), round(INTERVAL * deviation), state.find_trend(bot, round(elo)))
        games = (count.total.games, state.count_opponents(bot), count.last or None, name_code(label))
        rows.append((bot, *own, *games, parent, *compared))
    columns: tuple[str, ...] = ("bot", "rating", "± rating", "trend", "games", "opponents", "last pair", "state")
    notes = [
        phrase("ladder_rating", what=phrase("programs" if known.people else "bots")),
        phrase("ladder_trend", count=f"{TREND_PAIRS:,}"),
        phrase("ladder_numbers"),
        *[phrase("ladder_people")] * bool(known.people),
        phrase("ladder_inactive", count=_INACTIVE * len(order)),
    ]
    if not known.parents:
        return PlainTable(phrase("ladder_bots"), columns, tuple(row[: len(columns)] for row in rows), tuple(notes))
    notes.append(phrase("ladder_parents"))
    columns += ("parent", "Elo", "+/-", "needed")
    return PlainTable(phrase("ladder_versions"), columns, tuple(rows), tuple(notes))


def make_ratings(state: LadderState, known: KnownStrengths) -> Ratings:
    """Rate the bots that have played, relative to the mean of all, with intervals."""
    found = []
    for place, bot in enumerate(known.bots):
        games = state.bots[bot].effort.games
        if games:
            elo, deviation = known.rate(place)
            half = INTERVAL * deviation
            rating = Estimate(elo, elo - half, elo + half)
            distinct = games - state.count_repeats(bot)
            found.append(Rating(bot=bot, group=1, rating=rating, games=games, distinct_games=distinct))
    found.sort(key=lambda one: (one.bot in known.people, -known.strengths[known.bots.index(one.bot)]))
    idle = [Rating(bot=bot) for bot in known.bots if not state.bots[bot].effort.games]
    return Ratings(bots=(*found, *idle), superiority={}, red_advantage=None)


def compare_with_parent(known: KnownStrengths, bot: str, parent: str) -> tuple[int, int, int | None]:
    """Return the difference to the parent and half of its 95 % interval in Elo, and the games that are needed.

    The number of games is None if the bots are about equal.
    """
    elo, deviation = known.compare(known.bots.index(bot), known.bots.index(parent))
    if abs(elo) < 1:
        return round(elo), round(INTERVAL * deviation), None
    share = 1 / (1 + 10 ** (-elo / 400))
    information = share * (1 - share) / ELO_UNIT**2  # of a game
    wanted = (INTERVAL / elo) ** 2 - 1 / deviation**2
    return round(elo), round(INTERVAL * deviation), _PAIR * ceil(max(0.0, wanted / information) / _PAIR)
