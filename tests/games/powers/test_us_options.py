"""The other options of the US rules: the attacker's advantage, the silent defence, the army as printed."""

from itertools import combinations

import pytest
from drawing import drawn, pieces_of, start
from games.power_text import act_on, ended, news

from arbiter.errors import ConfigError
from arbiter.games.catalogue import find_game, find_ruleset
from arbiter.games.fights import FightResult, decide
from arbiter.games.ranks import CLASSIC

OFFERS = ("printed-army", "aggressor-advantage", "silent-defence", "rescue")
FIGHT = """
    10 bF .. .. .. .. .. .. .. .. b5
     4 .. .. .. .. b{defender} .. .. .. .. ..
     3 .. .. .. .. r{attacker} .. .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. r5
"""
NAMES = dict(zip("M987654321B", [rank.id for rank in CLASSIC], strict=False))


def fight(attacker, defender, *options):
    """Let red's e3 attack blue's e4; return the play and the facts."""
    play = start(FIGHT.format(attacker=attacker, defender=defender), "us", options=options)
    return play, news(act_on(play, "e3xe4"))


# --- the attacker's advantage -----------------------------------------------------------------------


@pytest.mark.parametrize("piece", "M987654321")
def test_among_equals_the_attacker_wins(piece):
    name = NAMES[piece]
    shown = f"attacked red e3 e4 / blue< revealed red e3 {name} / red< revealed blue e4 {name}"
    assert fight(piece, piece)[1] == shown + " / removed red e3 / removed blue e4"
    play, facts = fight(piece, piece, "aggressor-advantage")
    assert facts == shown + " / removed blue e4 / moved red e3 e4"
    assert pieces_of(drawn(play))["e4"] == ("red", name)


def test_other_fights_do_not_change():
    plain, other = find_ruleset("us"), find_game("us", ["aggressor-advantage"])
    for attacker in CLASSIC[:-2]:
        for defender in CLASSIC:
            before = decide(plain.fights, attacker, defender), plain.disclosure(attacker, defender)
            after = decide(other.fights, attacker, defender), other.disclosure(attacker, defender)
            if attacker == defender:
                assert after[0] is FightResult.ATTACKER
            else:
                assert after == before


# --- the silent defence -----------------------------------------------------------------------------


@pytest.mark.parametrize("defender", "M987654321B")
@pytest.mark.parametrize("attacker", "M98765431")
def test_only_the_attackers_rank_is_revealed(attacker, defender):
    facts = fight(attacker, defender, "silent-defence")[1]
    assert facts.startswith(f"attacked red e3 e4 / blue< revealed red e3 {NAMES[attacker]} / removed ")
    assert facts.count("revealed") == 1


@pytest.mark.parametrize("defender", "M987654321B")
def test_an_attacking_scout_reveals_the_defender(defender):
    facts = fight("2", defender, "silent-defence")[1]
    assert f"/ blue< revealed red e3 scout / red< revealed blue e4 {NAMES[defender]} / removed" in facts


@pytest.mark.parametrize(
    ("attacker", "wins", "loses", "ties"),
    [("5", "1234", "6789MB", "5"), ("3", "12B", "456789M", "3"), ("1", "M", "23456789B", "1")],
)
def test_the_facts_reveal_only_the_result(attacker, wins, loses, ties):
    """Fights with the same result have the same facts in the same order, whatever the defender is."""
    for outcome in (wins, loses, ties):
        assert len({fight(attacker, defender, "silent-defence")[1] for defender in outcome}) == 1
    both = "silent-defence", "aggressor-advantage"
    assert len({fight(attacker, defender, *both)[1] for defender in wins + ties}) == 1


def test_only_a_scout_reveals_the_flag_it_takes():
    for attacker, shown in {"5": "", "2": " / red< revealed blue e4 flag"}.items():
        board = FIGHT.format(attacker=attacker, defender="F").replace("10 bF", "10 ..")
        play = start(board, "us", options=["silent-defence"])
        facts = news(act_on(play, "e3xe4"))
        assert facts == (
            f"attacked red e3 e4 / blue< revealed red e3 {NAMES[attacker]}{shown} / removed blue e4 / moved red e3 e4"
        )
        assert ended(play) == "red flag_taken"


def test_silent_defence_applies_to_both_players():
    play = start(FIGHT.format(attacker="5", defender="8"), "us", options=["silent-defence"], first="blue")
    assert news(act_on(play, "e4xe3")) == (
        "attacked blue e4 e3 / red< revealed blue e4 colonel / removed red e3 / moved blue e4 e3"
    )


# --- the army, and options together -----------------------------------------------------------------


def test_the_printed_army_has_39():
    army = find_game("us", ["printed-army"]).describe("red").army
    plain = find_game("us").describe("red").army
    assert {rank: count for rank, count in army.items() if count != plain[rank]} == {"sergeant": 5, "scout": 6}
    assert (sum(army.values()), sum(plain.values())) == (39, 40)


@pytest.mark.parametrize("chosen", [chosen for size in range(5) for chosen in combinations(OFFERS, size)])
def test_options_combine_in_any_order(chosen):
    game, backwards = find_game("us", chosen), find_game("us", chosen[::-1])
    assert game == backwards
    assert game.describe("red").options == list(chosen)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["resuce"], "unknown option of us 'resuce': did you mean 'rescue'?"),
        (["x"], "unknown option of us 'x': there is printed-army, aggressor-advantage, silent-defence, rescue"),
        (["rescue", "rescue"], "option 'rescue' is listed twice; remove one of them"),
    ],
)
def test_a_wrong_option_is_an_error(options, why):
    with pytest.raises(ConfigError) as caught:
        find_game("us", options)
    assert str(caught.value) == why


@pytest.mark.parametrize("rules", ["original", "infiltrator", "clone-wars", "clone-wars-powers"])
def test_other_rule_sets_have_no_options(rules):
    with pytest.raises(ConfigError, match="unknown option of"):
        find_game(rules, ["rescue"])


def test_the_third_crossing_is_refused_and_chases_are_not():
    description = find_game("us").describe("red")
    assert (description.two_squares, description.more_squares) == (2, "off")
