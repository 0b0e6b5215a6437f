"""Scores by parts of the games, and findings."""

from itertools import combinations
from random import Random

import pytest
from msgspec.structs import replace
from tournament.stored_games import game

from arbiter.show.tables.breakdown import describe_findings, scores_sheet
from arbiter.show.tables.sheet import FORMATS, write_sheets
from arbiter.tournament.ratings.breakdown import break_down
from arbiter.tournament.ratings.parts import GameFacts
from arbiter.tournament.ratings.rate import rate


def play_pool(chance, bots, pairs, red_wins=0.5, faulty=None):
    """Play a round robin of equal bots; a faulty one, as blue, wins only a fifth of its decisive games."""
    found = []
    for one, two in combinations([f"b{number}" for number in range(bots)], 2):
        for pair in range(1, pairs + 1):
            luck = chance.choice((-0.1, 0.1))  # of red in both games, as from one set of deployments
            for red, blue in ((one, two), (two, one)):
                share = red_wins + luck + (0.3 if blue == faulty else 0)
                is_drawn = chance.random() < 0.1
                winner = None if is_drawn else "red" if chance.random() < share else "blue"
                played = game(red, blue, winner, "flag_taken" if winner else "agreed", pair=pair)
                found.append(replace(played, plies=chance.randrange(20, 300)))
    return found


def analyse(games, facts=None):
    bots = sorted({bot for one in games for bot in (one.red, one.blue)})
    return break_down(games, rate(bots, games, 1, draws=2), facts)


def list_findings(parts):
    return [(one.bot, one.aspect, one.name) for one in parts if one.is_finding]


def write_games(red_won, blue_won, of, **changes):
    """Make `of` games with each colour; "mine" wins so many of them."""
    games = []
    for pair in range(1, of + 1):
        games.append(game("mine", "other", "red" if pair <= red_won else "blue", "flag_taken", pair=pair))
        games.append(game("other", "mine", "blue" if pair <= blue_won else "red", "flag_taken", pair=pair))
    return [replace(one, plies=120, **changes) for one in games]


def test_a_sign_error_for_blue_is_a_finding():
    chance = Random(1)
    games = write_games(48, 21, 100)
    order = [one.pair for one in games if one.blue == "mine"]
    chance.shuffle(order)  # so that the games of a pair are independent
    numbers = iter(order)
    games = [replace(one, pair=next(numbers)) if one.blue == "mine" else one for one in games]
    mine = [one for one in analyse(games) if one.bot == "mine"]
    assert list_findings(mine) == [("mine", "colour", "blue")]
    assert describe_findings(mine) == ["mine: blue scores 21 %, red 48 %: 3.9 standard errors."]
    red, blue = mine[:2]
    assert (red.name, red.games, red.score, blue.name, blue.score) == ("red", 100, 0.48, "blue", 0.21)
    assert red.low < 0.48 < red.high < 0.6
    assert blue.expected == pytest.approx(0.48)
    assert red.errors == pytest.approx(-blue.errors)


@pytest.mark.parametrize("red_wins", [0.5, 0.6])
def test_only_the_faulty_bot_of_a_pool_is_found_whatever_the_advantage_of_red(red_wins):
    parts = analyse(play_pool(Random(2), 5, 50, red_wins, "b2"))
    assert ("b2", "colour", "blue") in list_findings(parts)
    assert {bot for bot, aspect, _ in list_findings(parts) if aspect == "colour"} == {"b2"}


def test_repeated_games_count_once():
    games = [replace(one, fingerprint=f"{one.red} {one.winner}") for one in write_games(48, 21, 100)]
    parts = analyse(games)
    assert list_findings(parts) == []
    assert [one.games for one in parts if one.aspect == "colour"] == [2, 2, 2, 2]
    assert all(one.errors is None for one in parts)


def test_parts_of_all_aspects():
    chance = Random(3)
    games = play_pool(chance, 4, 20)
    games = [
        replace(one, red_program=f"{one.pair % 2}" * 64 if one.red == "b0" else "", blue_program="") for one in games
    ]
    facts = {
        one.id: GameFacts(
            "opening" if one.plies < 100 else "endgame",
            {"red": {"a1": "flag", "b1": ["spy", "bomb"][one.pair % 2]}, "blue": {"c2": "flag"}},
        )
        for one in games
    }
    parts = [one for one in analyse(games, facts) if one.bot == "b0"]
    aspects = {}
    for one in parts:
        aspects.setdefault(one.aspect, {})[one.name] = one.games
    assert aspects["colour"] == {"red": 60, "blue": 60}
    assert aspects["opponent"] == dict.fromkeys(("b1", "b2", "b3"), 40)
    assert list(aspects["phase"]) == ["opening", "endgame"]
    assert sorted(aspects["deployment"].items()) == [("1, flag a1", 30), ("2, flag c2", 60), ("3, flag a1", 30)]
    assert aspects["version"] == {"11111111": 30, "00000000": 30}
    assert [sum(counts.values()) for counts in aspects.values()] == [120, 120, 120, 120, 120, 60]
    names = list(aspects["length"])
    assert names[0].startswith("up to ")
    assert names[2].startswith("over ")


def test_many_deployments_are_counted_by_the_square_of_the_flag():
    games = write_games(25, 25, 50)
    squares = ["a1", "b1", "c1"]
    facts = {
        one.id: GameFacts(None, {"red": {squares[number // 45]: "flag", f"d{number}": "spy"}})
        for number, one in enumerate(games)
    }
    found = {one.name: one.games for one in analyse(games, facts) if (one.bot, one.aspect) == ("mine", "deployment")}
    assert found == {"flag a1": 23, "flag b1": 22, "flag c1": 5}


def test_sheets_of_every_format():
    parts = analyse(play_pool(Random(2), 3, 50, 0.5, "b2"))
    for form in FORMATS:
        assert "b2" in write_sheets([scores_sheet(parts)], form)
    assert "No findings." in scores_sheet([replace(one, is_finding=False) for one in parts]).notes
    assert scores_sheet([]).rows == ()


@pytest.mark.parametrize(("bots", "pairs"), [(2, 60), pytest.param(4, 20, marks=pytest.mark.slow)])
def test_equal_bots_rarely_show_findings(bots, pairs):
    chance = Random(4)
    with_findings = sum(bool(list_findings(analyse(play_pool(chance, bots, pairs, 0.55)))) for _ in range(60))
    # In a match, red's advantage is a difference between colours: both bots have one.
    assert with_findings <= 8
