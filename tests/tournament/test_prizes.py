"""Prizes: shared by bots with the same rank, and awarded as an independent recount does."""

from random import Random

import msgspec
import pytest

from arbiter.show.tables.prizes import prizes_sheet
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.prizes import PrizeCategory, PrizeTable, award_prizes
from arbiter.tournament.standings.table import Ranked


def rank(*scores):
    """Return rows from pairs of points and a tie-break, best first; bots are a, b, c, ..."""
    rows = []
    for number, (points, wins) in enumerate(scores):
        before = scores[number - 1] if number else None
        is_equal = before == (points, wins)
        separated = "wins" if before is not None and before[0] == points and not is_equal else None
        place = rows[-1].rank if is_equal else number + 1
        rows.append(
            Ranked(
                rank=place,
                bot=chr(97 + number),
                points=points,
                separated_by=separated,
                tie_breaks={"direct": None, "wins": wins},
            )
        )
    return rows


def entries(rows, **newcomers):
    return {row.bot: BotConfig(name=row.bot, newcomer=row.bot in newcomers) for row in rows}


SHARED = [
    (rank((8, 71), (8, 70.5), (7.5, 68), (7, 68.5)), [100, 80, 60], [100, 80, 60]),
    (rank((5, 2), (5, 2), (4, 1)), [100, 50, 10], [75, 75, 10]),
    (rank((5, 2), (4, 2), (4, 2), (4, 2)), [100, 60], [100, 20, 20, 20]),
    (rank((5, 2), (5, 2), (5, 2)), [100], [33.33, 33.33, 33.33]),
    (rank((5, 2), (4, 2)), [100, 60, 40], [100, 60]),
]


@pytest.mark.parametrize(("rows", "prizes", "amounts"), SHARED)
def test_bots_with_the_same_rank_share_prizes_equally(rows, prizes, amounts):
    awards = award_prizes(PrizeTable(places=[*map(float, prizes)]), rows, entries(rows))
    assert [one.amount for one in awards] == amounts
    assert [one.bot for one in awards] == [row.bot for row in rows[: len(amounts)]]


def recount(table, rows, members):
    """Give the most valuable prize first, to the best bot that may win it; ranks are different."""
    prizes = [(prize, None) for prize in table.places]
    prizes += [(prize, one.name) for one in table.categories for prize in one.places]
    order = {None: 0} | {one.name: number for number, one in enumerate(table.categories, start=1)}
    won = {}
    for prize, category in sorted(prizes, key=lambda one: (-one[0], order[one[1]])):
        may_win = [row.bot for row in rows if category is None or row.bot in members[category]]
        found = next((bot for bot in may_win if bot not in {bot for bot, _ in won}), None)
        if found is not None:
            won[found, category] = prize
    return won


def test_prizes_are_those_of_a_recount():
    chance = Random(5)
    for _ in range(300):
        rows = rank(*((100 - number, 0) for number in range(chance.randint(1, 8))))
        clubs = {row.bot: chance.choice(["North", "South", None]) for row in rows}
        bots = {row.bot: BotConfig(name=row.bot, club=clubs[row.bot], newcomer=chance.random() < 0.4) for row in rows}

        def draw():
            return [float(amount) for amount in sorted(chance.sample(range(1, 60), chance.randint(1, 4)), reverse=True)]

        table = PrizeTable(
            places=draw(),
            categories=[
                PrizeCategory(name="new", places=draw(), newcomer=True),
                PrizeCategory(name="north", places=draw(), club="NORTH"),
            ],
        )
        members = {
            "new": [bot for bot, one in bots.items() if one.newcomer],
            "north": [bot for bot, club in clubs.items() if club == "North"],
        }
        awards = award_prizes(table, rows, bots)
        assert {(one.bot, one.category): one.amount for one in awards} == recount(table, rows, members)


TIED = [
    Ranked(rank=1, bot="deep", points=12, tie_breaks={"direct": 12, "wins": 2, "buchholz": 20}),
    Ranked(rank=2, bot="cyd", points=12, separated_by="direct", tie_breaks={"direct": 2, "wins": 2, "buchholz": 20}),
    Ranked(rank=3, bot="ada", points=7, tie_breaks={"direct": None, "wins": 1, "buchholz": 22}),
    Ranked(rank=4, bot="bob", points=7, separated_by="wins", tie_breaks={"direct": None, "wins": 0, "buchholz": 22}),
    Ranked(rank=5, bot="eve", points=1, tie_breaks={"direct": None, "wins": 0, "buchholz": 9}),
]
KNOCKOUT = [
    Ranked(rank=1, bot="deep", points=36),
    Ranked(rank=2, bot="cyd", points=24, reached="final"),
    Ranked(rank=3, bot="ada", points=12, reached="semi-final"),
    Ranked(rank=3, bot="bob", points=7, reached="semi-final"),
    Ranked(rank=5, bot="eve", points=1, reached="stage 1"),
]
OPEN_KNOCKOUT = [
    Ranked(rank=1, bot="deep", points=0),
    Ranked(rank=1, bot="cyd", points=12),
    Ranked(rank=3, bot="ada", points=6, reached="semi-final"),
]
WORDS = [
    (
        TIED,
        PrizeTable(places=[3.0, 2.0, 1.0]),
        [
            ("1st prize", "deep", "3", "12 points each for Deep Thought and cyd; Deep Thought scored more in the games against each other (12 to 2)"),
            ("2nd prize", "cyd", "2", "12 points"),
            ("3rd prize", "ada", "1", "7 points each for ada and bob; ada won more games (1 to 0)"),
        ],
    ),
    (
        TIED,
        PrizeTable(
            currency="EUR",
            places=["a cup"],
            categories=[
                PrizeCategory(name="Best newcomer", places=[20.0], newcomer=True),
                PrizeCategory(name="Best of the North", places=["a book", "a pen"], club="North"),
            ],
        ),
        [
            ("1st prize", "deep", "a cup", "12 points each for Deep Thought and cyd; Deep Thought scored more in the games against each other (12 to 2)"),
            ("Best newcomer", "bob", "20 EUR", "4th of all bots, 7 points"),
            ("Best of the North, 1st prize", "eve", "a book", "5th of all bots, 1 point"),
        ],
    ),
    (
        KNOCKOUT,
        PrizeTable(places=[4.0, 3.0, 2.0, 1.0, 0.5]),
        [
            ("1st prize", "deep", "4", "won the final"),
            ("2nd prize", "cyd", "3", "lost the final"),
            ("3rd to 4th prize", "ada", "1.5", "went out in the semi-final; ada and bob share a rank; each gets (2 + 1) / 2"),
            ("3rd to 4th prize", "bob", "1.5", "went out in the semi-final; ada and bob share a rank; each gets (2 + 1) / 2"),
            ("5th prize", "eve", "0.5", "went out in stage 1"),
        ],
    ),
    (
        OPEN_KNOCKOUT,
        PrizeTable(places=[30.0, 20.0]),
        [
            ("1st to 2nd prize", "deep", "25", "0 points; Deep Thought and cyd share a rank; each gets (30 + 20) / 2"),
            ("1st to 2nd prize", "cyd", "25", "12 points; Deep Thought and cyd share a rank; each gets (30 + 20) / 2"),
        ],
    ),
]  # fmt: skip
BOTS = {
    "deep": BotConfig(name="deep", title="Deep Thought"),
    "cyd": BotConfig(name="cyd"),
    "ada": BotConfig(name="ada"),
    "bob": BotConfig(name="bob", newcomer=True, club="North"),
    "eve": BotConfig(name="eve", club="north"),
}


@pytest.mark.parametrize(("rows", "table", "lines"), WORDS)
def test_the_list_explains_each_prize(rows, table, lines):
    sheet = prizes_sheet(table, award_prizes(table, rows, BOTS), BOTS, finished=True)
    titles = {"deep": "Deep Thought"}
    assert [tuple(getattr(cell, "words", cell) for cell in row) for row in sheet.rows] == [
        (prize, titles.get(bot, bot), won, why) for prize, bot, won, why in lines
    ]


def test_prizes_of_an_event_in_progress_may_change():
    table = PrizeTable(places=[1.0])
    sheet = prizes_sheet(table, award_prizes(table, TIED, BOTS), BOTS, finished=False)
    assert sheet.title == "Prizes so far"
    assert sheet.notes == ("The event is not finished: the prizes are those of the standings so far.",)


FAULTS = [
    ({}, "prizes.places: is empty; list a prize for each place"),
    ({"categories": [{"name": "x", "places": [1]}]}, "prizes.categories.x: has no condition; add one of newcomer, lang"),
    ({"categories": [{"name": "x", "places": [], "club": "y"}]}, "prizes.categories.x.places: is empty"),
    ({"categories": [{"name": name, "places": [1], "club": "y"} for name in ("x", "X")]}, "prizes.categories.X: there are several categories with this name"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "fault"), FAULTS)
def test_faults_of_prizes(table, fault):
    assert next(msgspec.convert(table, PrizeTable).list_faults()).startswith(fault)
