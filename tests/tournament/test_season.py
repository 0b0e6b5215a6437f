"""The ranking of a season: points of events, and an independent recount of random seasons."""

from random import Random

import pytest
from msgspec.structs import replace
from tournament.stored_games import RESULTS, game

from arbiter.errors import ConfigError
from arbiter.tournament.prizes import PrizeTable
from arbiter.tournament.season import EventResult, SeasonEvent, SeasonFile, check_season, rank_season
from arbiter.tournament.standings.stored_game import SYSTEMS
from arbiter.tournament.standings.table import rank_bots

TIE_BREAKS = ("points", "wins", "direct")


def make_event(names, games, system="simple", left=(), **settings):
    """Make an event of games; `left` are pairs of a bot and what its row has as `withdrawn`."""
    ranking = [replace(row, withdrawn=dict(left).get(row.bot)) for row in rank_bots(names, games, TIE_BREAKS)]
    given = {"title": "Open", "is_finished": True, "points": SYSTEMS[system]} | settings
    scores = {row.bot: row.points for row in ranking}
    return EventResult(ranking=ranking, scores=scores, games=len(games), total=len(games), **given)


def make_file(events, **settings):
    named = [SeasonEvent(file=f"{number}.sqlite") for number in range(events)]
    file = SeasonFile(name="Season", events=named, **settings)
    check_season(file)
    return file


def play(text, system="simple"):
    """Play the games of lines such as `a b 1-0`."""
    played = []
    for number, line in enumerate(text.strip().split(","), start=1):
        red, blue, result = line.split()
        played.append(game(red, blue, *RESULTS[result], pair=number, system=system))
    return played


# a and d have 2 points, and d won their game; b and c have 1, and b won theirs
LADDER = "a b 1-0, a c 1-0, b c 1-0, c d 1-0, b d 0-1, a d 0-1"
# Sharjah 2017, a Grand Prix of the FIDE: three players were first with 5.5 points and got (170 + 140 + 110) / 3 each.
EQUAL = "a d 1-0, b d 1-0, c d 1-0, a b 1/2, a c 1/2, b c 1/2"
GRAND_PRIX = [170.0, 140.0, 110.0, 90.0, 80.0, 70.0]
POINTS = [
    (LADDER, {"points": [10.0, 6.0, 3.0]}, {}, {"d": 10, "a": 6, "b": 3, "c": 0}),
    (LADDER, {"points": [10.0, 6.0, 3.0]}, {"weight": 2.0}, {"d": 20, "a": 12, "b": 6, "c": 0}),
    (LADDER, {"points": "scores"}, {}, {"a": 2, "d": 2, "b": 1, "c": 1}),
    (LADDER, {"points": [10.0, 6.0, 3.0]}, {"left": [("a", "lost")]}, {"d": 10, "b": 6, "c": 3}),
    (LADDER, {"points": "scores"}, {"left": [("a", "struck")]}, {"d": 2, "b": 1, "c": 1}),
    (LADDER, {"points": [10.0, 6.0, 3.0]}, {"left": [("a", "kept")]}, {"d": 10, "a": 6, "b": 3, "c": 0}),
    (LADDER, {"points": [10.0]}, {"is_finished": False}, {"d": 10, "a": 0, "b": 0, "c": 0}),
    (EQUAL, {"points": GRAND_PRIX}, {}, {"a": 140, "b": 140, "c": 140, "d": 90}),
    (EQUAL, {"points": [10.0, 5.0]}, {}, {"a": 5, "b": 5, "c": 5, "d": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("games", "settings", "event", "points"), POINTS)
def test_an_event_gives_points(games, settings, event, points):
    rows = rank_season(make_file(1, **settings), [make_event("abcd", play(games), **event)])
    assert {row.bot: row.events[0].points for row in rows} == points


def test_an_event_that_has_not_begun_gives_nothing():
    assert rank_season(make_file(1), [EventResult(title="Winter", bots={})]) == ()


BEST = [
    ([3, 9, 5], 2, 14, [False, True, True]),
    ([3, None, 5], 2, 8, [True, None, True]),
    ([4, 4, 4], 2, 8, [True, True, False]),
    ([3, 9, 5], None, 17, [True, True, True]),
]


@pytest.mark.parametrize(("weights", "best", "total", "counts"), BEST)
def test_the_best_events_count(weights, best, total, counts):
    events = [
        make_event("ab" if weight else "bc", play("a b 1-0" if weight else "b c 1-0"), weight=weight or 1)
        for weight in weights
    ]
    rows = rank_season(make_file(3, points=[1.0], best=best), events)
    row = next(row for row in rows if row.bot == "a")
    assert row.points == total
    assert [row.events[number].counts if number in row.events else None for number in range(3)] == counts


def recount(file, events, bot):
    """Count the points of a bot again, and its first places, its second places, and so on."""
    earned, places = [], []
    for event in events:
        ranks = {row.bot: row.rank for row in event.ranking}
        if bot in ranks:
            prizes = [*file.points, *[0] * len(ranks)]
            equal = list(ranks.values()).count(ranks[bot])
            earned.append(round(sum(prizes[ranks[bot] - 1 + number] for number in range(equal)) / equal, 2))
            places.append(ranks[bot])
    counted = sorted(earned, reverse=True)[: file.best or len(earned)]
    return round(sum(counted), 6), tuple(places.count(place) for place in range(1, 9))


def test_random_seasons_are_ranked_as_a_recount_does():
    chance = Random(1)
    for _ in range(60):
        events = []
        for _ in range(chance.randint(1, 4)):
            bots = chance.sample("abcdef", chance.randint(2, 6))
            pairings = [(one, two) for one in bots for two in bots if one < two]
            games = [
                game(one, two, *chance.choice(list(RESULTS.values())), pair=number, system="simple")
                for number, (one, two) in enumerate(pairings)
            ]
            events.append(make_event(bots, games))
        points = sorted(map(float, chance.choices(range(4), k=3)), reverse=True)
        file = make_file(len(events), points=points, best=chance.choice([None, 1, 2]))
        rows = rank_season(file, events)
        keys = [recount(file, events, row.bot) for row in rows]
        assert keys == sorted(keys, reverse=True)
        assert [row.points for row in rows] == [key[0] for key in keys]
        assert [row.rank for row in rows] == [1 + keys.index(key) for key in keys]
        for number, row in enumerate(rows):
            before = next((rows[place] for place in reversed(range(number)) if keys[place] != keys[number]), None)
            if before is None or before.points != row.points:
                assert row.separated_by is None
            else:
                assert row.tie_breaks[row.separated_by] < before.tie_breaks[row.separated_by]


def test_scores_of_different_points_systems_are_not_added():
    events = [make_event("ab", play("a b 1-0")), make_event("ab", play("a b 1-0", "isf"), "isf", title="Cup")]
    with pytest.raises(ConfigError, match="Cup has other points for a win, a draw or a loss than Open; use a list of"):
        rank_season(make_file(2), events)
    assert rank_season(make_file(2, points=[3.0]), events)[0].points == 6


FAULTS = [
    ({"events": []}, "events: is empty; add an [[events]] table"),
    ({"points": [1.0, 2.0]}, "points: must go from the first place to the last, from most to least"),
    ({"prizes": PrizeTable()}, "prizes.places: is empty; list a prize for each place"),
]


@pytest.mark.parametrize(("settings", "fault"), FAULTS)
def test_faults_of_a_season(settings, fault):
    with pytest.raises(ConfigError) as caught:
        check_season(SeasonFile(**{"name": "S", "events": [SeasonEvent(file="1.sqlite")]} | settings))
    assert str(caught.value).startswith(fault)
