"""Ratings as sheets: the columns and the notes below them."""

import json

import pytest
from msgspec.structs import replace
from tournament.stored_games import game

from arbiter.show.tables.ratings import describe_red_advantage, percent, ratings_sheet, superiority_sheet, with_ratings
from arbiter.show.tables.sheet import FORMATS, write_sheets
from arbiter.show.tables.standings import standings_sheet
from arbiter.tournament.ratings.values import Anchor, Estimate, Prior, Rating, Ratings
from arbiter.tournament.standings.table import rank_bots

A = Rating(
    bot="a",
    group=1,
    rating=Estimate(120.4, 20.2, 260.6),
    as_red=Estimate(150, 1, 300),
    as_blue=None,
    first=0.97,
    ranks=(1, 1),
)
B = Rating(bot="b", group=1, rating=Estimate(-120.4, -260.6, -20.2), first=0.03, ranks=(1, 2))
C = Rating(bot="c", group=2, rating=Estimate(-0.04, -10, 10))
D = Rating(bot="d", group=2, rating=Estimate(0.04, -10, 10))
SURE = {"a": {"b": 0.99996}, "b": {"a": 0.00004}}
ONE_GROUP = Ratings(bots=(A, B), superiority=SURE, red_advantage=Estimate(12.5, -3.2, 30.1))
TWO_GROUPS = Ratings(
    bots=(A, B, D, C, Rating(bot="x")), superiority=SURE | {"c": {"d": 0.5}, "d": {"c": 0.5}}, red_advantage=None
)


def test_the_table():
    assert write_sheets([ratings_sheet(ONE_GROUP)], "table") == (
        "Ratings: Elo with 95 % interval\n\n"
        "bot      rating    low    high    LOS %    first %  ranks\n"
        "-----  --------  -----  ------  -------  ---------  -------\n"
        "a           120     20     261      >99         97  1\n"
        "b          -120   -261     -20                   3  1-2\n\n"
        "The mean is 0.\n"
        "Having red is worth 12 Elo (95 %: -3 to 30)."
    )


def test_groups_and_bots_without_games():
    sheet = ratings_sheet(TWO_GROUPS)
    assert sheet.head[:3] == ("group", "bot", "rating")
    assert [(row[0], row[1], row[5]) for row in sheet.rows] == [
        (1, "a", ">99"),
        (1, "b", None),
        (2, "d", 50),
        (2, "c", None),
        (None, "x", None),
    ]
    assert sheet.notes[1:] == (
        "Ratings of different groups cannot be compared: no games connect them.",
        "Bots without a rating have no games yet that count for it.",
    )


def test_by_colour():
    sheet = ratings_sheet(ONE_GROUP, by_colour=True)
    assert sheet.head[7:] == ("as red", "low", "high", "as blue", "low", "high")
    assert sheet.rows[0][7:] == (150, 1, 300, None, None, None)


def test_distinct_games_are_shown_if_some_are_repeated():
    repeating = replace(
        TWO_GROUPS, bots=tuple(replace(one, games=200, distinct_games=18) for one in TWO_GROUPS.bots[:2])
    )
    sheet = ratings_sheet(repeating)
    assert (sheet.head[-2:], [row[-2:] for row in sheet.rows]) == (("games", "distinct"), [(200, 18), (200, 18)])
    note = "Evidence: 18 distinct games of 200; a repeated game shows nothing new, so each counts once."
    assert note in sheet.notes
    assert note in superiority_sheet(repeating).notes
    first, *others = repeating.bots
    few = ratings_sheet(replace(repeating, bots=(replace(first, few_deployments=2), *others)))
    assert few.notes[-1] == "These bots have shown so few deployments that games must repeat: a (2 deployments)."
    assert "distinct" not in ratings_sheet(TWO_GROUPS).head


def test_what_a_program_is_given():
    lines = [json.loads(line) for line in write_sheets([ratings_sheet(TWO_GROUPS)], "json").splitlines()]
    assert (
        json.dumps(lines[0])
        == '{"group": 1, "bot": "a", "rating": {"elo": 120.4, "low": 20.2, "high": 260.6}, "first": 0.97, "ranks": [1, 1], "as_red": {"elo": 150.0, "low": 1.0, "high": 300.0}, "as_blue": null, "games": 0, "distinct_games": 0, "few_deployments": null, "prior": null}'
    )
    assert str(lines[3]["rating"]["elo"]) == "0.0", "no minus before zero"
    assert (
        json.dumps(lines[4])
        == '{"group": null, "bot": "x", "rating": null, "first": null, "ranks": null, "as_red": null, "as_blue": null, "games": 0, "distinct_games": 0, "few_deployments": null, "prior": null}'
    )


def test_ratings_are_added_to_the_standings_by_name():
    table = standings_sheet(rank_bots("ab", [game("a", "b", "blue", "flag_taken")], ["points"]))
    sheet = with_ratings(table, ONE_GROUP)
    assert [column.head for column in sheet.select("csv")[-3:]] == ["rating", "rating low", "rating high"]
    assert [(row[1], *row[-3:]) for row in sheet.cells("csv")] == [("b", -120, -261, -20), ("a", 120, 20, 261)]
    assert [(line["bot"], line["rating"]["elo"]) for line in sheet.objects] == [("b", -120.4), ("a", 120.4)]


def test_where_the_anchor_stands():
    stands = Ratings(bots=(A, B), superiority=SURE, red_advantage=None, anchor=Anchor("b", -120.5))
    assert ratings_sheet(stands).notes == ("b is the anchor at -120.5.",)
    absent = Ratings(bots=(A, B, Rating(bot="x")), superiority=SURE, red_advantage=None, anchor=Anchor("x", 1))
    assert ratings_sheet(absent).notes[0] == "The mean is 0: x, the anchor, has not played."


NORMAL = "Prior: normal strengths with a spread of 150 Elo"
DRAWS = "Draws count as half won, half lost."


@pytest.mark.parametrize(
    ("prior", "text", "drawn", "spread"),
    [
        (Prior(drawn_games=0.5), "Prior: 0.5 drawn games more for each bot.", 0.5, None),
        (Prior(spread=Estimate(150, 150, 150)), f"{NORMAL}.", None, {"elo": 150, "low": 150, "high": 150}),
        (
            Prior(spread=Estimate(150, 90.2, 260.44)),
            f"{NORMAL} (estimated, 95 %: 90 to 260).",
            None,
            {"elo": 150, "low": 90.2, "high": 260.4},
        ),
    ],
)
def test_the_prior_is_stated(prior, text, drawn, spread):
    sheet = ratings_sheet(replace(ONE_GROUP, prior=prior))
    assert sheet.notes[1:3] == (text, DRAWS)
    assert sheet.objects[0]["prior"] == {"drawn_games": drawn, "spread": spread, "draws": "half won, half lost"}


def test_superiority_is_told_within_groups():
    sheet = superiority_sheet(TWO_GROUPS)
    assert sheet.rows[1] == (2, "b", "<1", None, None, None)
    assert [(line["bot"], line["opponent"]) for line in sheet.objects] == [
        ("a", "b"),
        ("b", "a"),
        ("d", "c"),
        ("c", "d"),
    ]


def test_notes_are_shown_only_to_people():
    texts = {form: write_sheets([ratings_sheet(ONE_GROUP)], form) for form in FORMATS}
    assert [form for form, text in texts.items() if "The mean is 0." in text] == ["table", "markdown"]


@pytest.mark.parametrize(
    ("likelihood", "text"), [(None, None), (0.0004, "<1"), (0.006, 1), (0.5, 50), (0.994, 99), (0.996, ">99")]
)
def test_likelihoods_are_shown_in_whole_percents(likelihood, text):
    assert percent(likelihood) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-120, 180, "Red's advantage is not known yet (95 %: -120 to 180 Elo)."),
        (-70, 130, "Having red is worth 12 Elo (95 %: -70 to 130)."),
    ],
)
def test_reds_advantage_is_not_known_after_a_few_games(low, high, text):
    assert describe_red_advantage(Estimate(12.2, low, high)) == text
