"""The table of a season: published examples, and an independent recount of random seasons."""

from collections import Counter
from random import Random

import pytest
from msgspec.structs import replace
from tournament.stored_games import RESULTS, game

from arbiter.errors import ConfigError
from arbiter.tournament.season.season_file import Division, SeasonEvent, SeasonFile, check_season
from arbiter.tournament.season.table import (
    EventResult,
    Share,
    choose_best,
    list_next_divisions,
    rank_divisions,
    rank_season,
    share_out,
)
from arbiter.tournament.standings.stored_game import SYSTEMS
from arbiter.tournament.standings.table import rank_bots

TIE_BREAKS = ("points", "wins", "direct")


def make_event(names, games, system="simple", left=(), **settings):
    """Make an event of games; `left` are pairs of a bot and the status and games of its row."""
    left = dict(left)
    ranking = [replace(row, **left.get(row.bot, {})) for row in rank_bots(names, games, TIE_BREAKS)]
    scores = {row.bot: row.points for row in ranking}
    most = max((row.games for row in ranking), default=0)
    given = {"title": "Open", "is_finished": True, "points": SYSTEMS[system]} | settings
    return EventResult(ranking=ranking, scores=scores, most_games=most, games=games, total=len(games), **given)


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


# Sharjah 2017, a Grand Prix of the FIDE: three players were first with 5.5 points and got (170 + 140 + 110) / 3 each.
GRAND_PRIX = [170.0, 140.0, 110.0, 90.0, 80.0, 70.0]


def test_equal_bots_share_the_points_of_their_places_as_in_a_grand_prix():
    games = play("a d 1-0, b d 1-0, c d 1-0, a b 1/2, a c 1/2, b c 1/2")
    event = make_event("abcd", games)
    shares = share_out(event, make_file(1, points=GRAND_PRIX, ties="share"))
    assert {bot: share.points for bot, share in shares.items()} == {"a": 140, "b": 140, "c": 140, "d": 90}


# a and d have 2 points, and d won their game; b and c have 1, and b won theirs
LADDER = "a b 1-0, a c 1-0, b c 1-0, c d 1-0, b d 0-1, a d 0-1"
SHARES = [
    ({"points": [10.0, 6.0, 3.0]}, {}, {"d": 10, "a": 6, "b": 3, "c": 0}),
    ({"points": [10.0, 6.0, 3.0]}, {"weight": 2.0}, {"d": 20, "a": 12, "b": 6, "c": 0}),
    ({"points": "share"}, {}, {"a": 66.67, "d": 66.67, "b": 33.33, "c": 33.33}),
    ({"points": "scores"}, {}, {"a": 2, "d": 2, "b": 1, "c": 1}),
    ({"points": [10.0, 6.0, 3.0]}, {"left": [("a", {"status": "disqualified", "withdrawn": "lost"})]}, {"d": 10, "b": 6, "c": 3, "a": 0}),
    ({"points": "share"}, {"left": [("a", {"status": "withdrawn", "withdrawn": "struck"})]}, {"d": 66.67, "b": 33.33, "c": 33.33, "a": 0}),
    ({"points": [10.0, 6.0, 3.0]}, {"left": [("a", {"status": "suspended", "withdrawn": "kept"})]}, {"d": 10, "a": 6, "b": 3, "c": 0}),
    ({"points": [10.0]}, {"is_finished": False}, {"d": 10, "a": 0, "b": 0, "c": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "event", "points"), SHARES)
def test_an_event_gives_points(settings, event, points):
    shares = share_out(make_event("abcd", play(LADDER), **event), make_file(1, **settings))
    assert {bot: share.points for bot, share in shares.items()} == points


def test_an_event_that_has_not_begun_gives_nothing():
    assert share_out(EventResult(title="Winter", bots={}), make_file(1)) == {}


def given(points, status=""):
    return None if points is None else Share(rank=1, score=0, points=points, status=status)


BEST = [
    ([3, 9, 5], 2, [False, True, True]),
    ([3, None, 5], 2, [True, None, True]),
    ([4, 4, 4], 2, [True, True, False]),
    ([3, 9, 5], None, [True, True, True]),
    ([(0, "disqualified"), 9, 5], 2, [True, True, False]),
    ([(0, "struck"), 9, 5], 2, [False, True, True]),
]


@pytest.mark.parametrize(("points", "best", "counts"), BEST)
def test_the_best_events_count(points, best, counts):
    shares = choose_best([given(*one) if isinstance(one, tuple) else given(one) for one in points], best)
    assert [one and one.counts for one in shares] == counts


def recount(file, events, bots):
    """Count a season again: the points of each bot, and the order by more first places, all points, last event."""
    earned = {bot: [] for bot in bots}
    for event in events:
        order = [row.rank for row in event.ranking]
        for row in event.ranking:
            if file.points == "share":
                points = 100 * row.points / event.most_games
            else:
                taken = [file.points[place] if place < len(file.points) else 0 for place in range(len(order))]
                mine = [value for value, rank in zip(taken, order, strict=True) if rank == row.rank]
                points = sum(mine) / len(mine)
            earned[row.bot].append((round(points, 2), row.rank))
        for bot in bots:
            if bot not in {row.bot for row in event.ranking}:
                earned[bot].append((0.0, None))
    keys = {}
    for bot, results in earned.items():
        values = sorted((points for points, rank in results if rank), reverse=True)
        places = Counter(rank for _, rank in results)
        keys[bot] = (
            round(sum(values[: file.best]), 6),
            [places[place] for place in range(1, 9)],
            round(sum(values), 6),
            [points for points, _ in reversed(results)],
        )
    return keys


@pytest.mark.parametrize("points", ["share", [7.0, 5.0, 5.0, 1.0]])
@pytest.mark.parametrize("best", [None, 2])
def test_random_seasons_are_those_of_a_recount(points, best):
    chance = Random(11)
    for _ in range(60):
        events = []
        for _ in range(chance.randint(1, 4)):
            bots = sorted(chance.sample("abcdef", chance.randint(2, 5)))
            pairings = [(one, two) for one in bots for two in bots if one < two]
            games = [
                game(one, two, *chance.choice(list(RESULTS.values())), pair=number, system="simple")
                for number, (one, two) in enumerate(pairings)
            ]
            events.append(make_event(bots, games))
        file = make_file(len(events), points=points, best=best, tie_breaks=["places", "all", "last"])
        rows = rank_season(file, events)
        keys = recount(file, events, [row.bot for row in rows])
        assert [(row.bot, row.points) for row in rows] == [
            (row.bot, keys[row.bot][0]) for row in sorted(rows, key=lambda row: keys[row.bot], reverse=True)
        ]
        assert [row.rank for row in rows] == [
            1 + sum(keys[other.bot] > keys[row.bot] for other in rows) for row in rows
        ]


def test_games_against_each_other_decide():
    first = make_event("abc", play("a b 1-0, a c 0-1, b c 1-0"))
    second = make_event("abc", play("a b 1-0, a c 0-1, b c 1-0"))
    rows = rank_season(make_file(2, points="scores", tie_breaks=["direct"]), [first, second])
    assert [row.rank for row in rows] == [1, 1, 1]  # in a circle
    third = make_event("ab", play("a b 1/2"))
    fourth = make_event("cd", play("c d 1/2"))
    rows = rank_season(make_file(4, points="scores", tie_breaks=["direct"]), [first, second, third, fourth])
    assert [(row.bot, row.tie_breaks["direct"]) for row in rows[:3]] == [
        ("b", round(1 + 0.5 / 3, 6)),
        ("c", 1.0),
        ("a", round(2.5 / 3, 6)),
    ]
    rows = rank_season(make_file(2, points="scores", tie_breaks=["direct"]), [first, third], "ab")
    assert [(row.bot, row.separated_by, row.tie_breaks["direct"]) for row in rows] == [
        ("a", None, 0.75),
        ("b", "direct", 0.25),
    ]


def test_scores_of_different_points_systems_are_not_added():
    events = [make_event("ab", play("a b 1-0")), make_event("ab", play("a b 1-0", "isf"), "isf", title="Cup")]
    with pytest.raises(ConfigError, match='Cup has other points for a win, a draw or a loss than Open; use "share"'):
        rank_season(make_file(2, points="scores"), events)
    assert rank_season(make_file(2), events)[0].points == 200


DIVISIONS = [
    ([("A", "ab", 0, 1), ("B", "cd", 1, 0)], {"b": "relegated", "c": "promoted"}, {"A": "ac", "B": "bd"}),
    ([("A", "ab", 0, 0), ("B", "cd", 0, 0)], {}, {"A": "ab", "B": "cd"}),
    ([("A", "a", 0, 0), ("B", "b", 0, 1), ("C", "cde", 1, 0)], {"b": "relegated", "c": "promoted"}, {"A": "a", "B": "c", "C": "bde"}),
]  # fmt: skip


@pytest.mark.parametrize(("divisions", "moves", "following"), DIVISIONS)
def test_bots_are_promoted_and_relegated(divisions, moves, following):
    event = make_event("abcd", play("a b 1-0, a c 1-0, b c 1-0, c d 1-0, b d 1-0, a d 1-0"))
    listed = [
        Division(name=name, bots=list(bots), promoted=promoted, relegated=relegated)
        for name, bots, promoted, relegated in divisions
    ]
    tables = rank_divisions(make_file(1, divisions=listed), [event])
    assert {row.bot: row.moves for table in tables for row in table.rows if row.moves} == moves
    found = {name: "".join(sorted(bots)) for name, bots in list_next_divisions(tables).items()}
    assert found == following


def test_equal_bots_on_both_sides_of_the_line_are_tied():
    listed = [Division(name="A", bots=["a", "b"], relegated=1), Division(name="B", bots=["c"], promoted=1)]
    event = make_event("abcd", play("a b 1/2, a c 1-0, b c 1-0, c d 1/2, a d 1-0, b d 1-0"))
    tables = rank_divisions(make_file(1, divisions=listed), [event])
    assert [(row.bot, row.moves) for table in tables for row in table.rows] == [
        ("a", "tied"),
        ("b", "tied"),
        ("c", "promoted"),
        ("d", None),
    ]
    assert list_next_divisions(tables) is None


FAULTS = [
    ({"events": []}, "events: is empty; add an [[events]] table"),
    ({"points": [1.0, 2.0]}, "points: must go from the first place to the last, from most to least"),
    ({"ties": "share"}, 'ties: "share" divides points for places, but points is not a list'),
    ({"tie_breaks": ["places", "drect"]}, "tie_breaks: unknown tie-break 'drect': did you mean 'direct'?"),
    ({"tie_breaks": ["all", "all"]}, "tie_breaks: one is listed twice"),
    ({"events": [SeasonEvent(file="x")] * 2}, "events.#2.file: x is already another event"),
    ({"divisions": [Division(name="A", bots=["a", "b"]), Division(name="a", bots=["b"])]}, "divisions: b is listed 2 times; a bot is in one division"),
    ({"divisions": [Division(name="A", bots=["a"], promoted=1)]}, "divisions.A.promoted: the first division is the"),
    ({"divisions": [Division(name="A", bots=["a"], relegated=1)]}, "divisions.A.relegated: the last division is the"),
    ({"divisions": [Division(name="A", bots=["a"], relegated=2), Division(name="B", bots=["b"])]}, "divisions.A: moves 2 bots, but has 1"),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "fault"), FAULTS)
def test_faults_of_a_season(settings, fault):
    with pytest.raises(ConfigError) as caught:
        check_season(SeasonFile(**{"name": "S", "events": [SeasonEvent(file="1.sqlite")]} | settings))
    assert str(caught.value).startswith(fault)
