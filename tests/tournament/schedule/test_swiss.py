from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tournament.schedules import FirstChoice, first_name_wins, give_walkovers, make_entrants, make_schedule, play_games

from arbiter.tournament.fixture import RoundBye
from arbiter.tournament.schedule import FORMATS

BOTS = tuple("abcdefghijk")


def play_stage(bots, games=2, how=None, **chosen):
    schedule = make_schedule("swiss", bots, games, **chosen)
    play_games(schedule, FirstChoice(), how=how)
    assert schedule.finished
    return schedule.stages[0]


def list_pairings(stage):
    """List the pairings of each round, and who sat it out, without bots that left."""
    return [
        " ".join(
            [
                *dict.fromkeys("".join(sorted((game.red, game.blue))) for game in one.fixtures),
                *(bye.bot for bye in one.byes if bye.share),
            ]
        )
        for one in stage.rounds
    ]


def test_four_rounds_in_which_the_stronger_always_wins():
    assert list_pairings(play_stage("abcdefgh", how=first_name_wins, rounds=4)) == [
        "ae bf cg dh",
        "ac bd eg fh",
        "ab ce df gh",
        "ad bc eh fg",
    ]


def test_the_default_number_of_rounds_is_that_of_a_knockout():
    assert [len(play_stage(BOTS[:size]).rounds) for size in (2, 3, 4, 5, 8, 9)] == [1, 2, 2, 3, 3, 4]


def test_five_bots_and_their_byes():
    stage = play_stage("abcde", how=first_name_wins, rounds=5)
    assert list_pairings(stage) == ["ac bd e", "ae bc d", "ab de c", "ad ce b", "be cd a"]
    assert stage.byes[0] == RoundBye(1, "e", 12, 2)
    assert [line.byes for line in stage.format.rank(stage.entrants, stage.finished_games, stage.byes)] == [1] * 5


@settings(max_examples=30)
@given(st.integers(2, 11), st.integers(1, 2), st.data(), st.randoms(use_true_random=False))
def test_every_round_pairs_everyone_and_byes_come_once(size, pairs, data, chance):
    count = data.draw(st.integers(1, size - 1 + size % 2))
    schedule = make_schedule("swiss", BOTS[:size], 2 * pairs, rounds=count)
    play_games(schedule, chance)
    stage = schedule.stages[0]
    assert len(stage.rounds) == count
    for number, one in enumerate(stage.rounds, start=1):
        seen = Counter(bot for game in one.fixtures for bot in (game.red, game.blue))
        assert {game.round for game in one.fixtures} == {number}
        assert set(seen) | {bye.bot for bye in one.byes} == set(BOTS[:size])
        assert set(seen.values()) == {2 * pairs}
        assert len(one.byes) == size % 2
    assert max(Counter(bye.bot for bye in stage.byes).values(), default=1) == 1


@settings(max_examples=30)
@given(st.integers(4, 10), st.randoms(use_true_random=False))
def test_no_bots_meet_again_if_the_round_can_be_paired_otherwise(size, chance):
    schedule = make_schedule("swiss", BOTS[:size], rounds=size)
    play_games(schedule, chance)
    met, idle = set(), set()
    for one in schedule.stages[0].rounds:
        now = {frozenset((game.red, game.blue)) for game in one.fixtures}
        if now & met:
            assert not could_be_paired(BOTS[:size], met, idle)
        met |= now
        idle |= {bye.bot for bye in one.byes}


def could_be_paired(left, met, idle):
    if len(left) % 2:
        return any(
            could_be_paired([bot for bot in left if bot != one], met, idle)
            for one in left
            if one not in idle or len(idle) >= len(left)
        )
    if not left:
        return True
    first, *rest = left
    return any(
        could_be_paired([bot for bot in rest if bot != other], met, idle)
        for other in rest
        if frozenset((first, other)) not in met
    )


def test_bots_that_meet_again_play_new_pairs():
    ids = [fixture.id for fixture in play_stage("ab", games=4, rounds=2).fixtures]
    assert ids == ["a~b~1", "b~a~1", "a~b~2", "b~a~2", "a~b~3", "b~a~3", "a~b~4", "b~a~4"]


def test_as_many_rounds_as_opponents_make_a_round_robin():
    stage = play_stage("abcdef", rounds=5)
    assert {frozenset((game.red, game.blue)) for game in stage.fixtures} == set(
        map(frozenset, combinations("abcdef", 2))
    )


def test_the_order_of_the_bots_is_their_seeding():
    assert list_pairings(play_stage("dcba", rounds=1)) == ["bd ac"]


def test_the_number_of_games_is_known_from_the_start():
    assert FORMATS["swiss"].least(make_entrants("abcdefg", 4, "swiss", rounds=3)) == 3 * 3 * 4


def test_an_absent_bot_is_not_paired_again_and_has_no_bye():
    stage = play_stage("abcdef", how=give_walkovers("f", after=1), rounds=4)
    assert list_pairings(stage)[:2] == list_pairings(play_stage("abcdef", how=first_name_wins, rounds=4))[:2]
    assert all("f" not in names for names in list_pairings(stage)[2:])
    assert [[(bye.bot, bye.points) for bye in one.byes if bye.requested] for one in stage.rounds] == [
        [],
        [],
        [("f", 0)],
        [("f", 0)],
    ]
    assert [len(one.byes) for one in stage.rounds] == [0, 0, 2, 2]


def test_it_ends_if_no_bots_are_left_to_pair():
    assert len(play_stage("abc", how=give_walkovers("b", "c"), rounds=3).rounds) < 3


def test_pairings_after_a_walkover_are_the_same_when_resumed():
    how = give_walkovers("c", after=1)
    schedule = make_schedule("swiss", "abcdefg", rounds=3)
    games = play_games(schedule, FirstChoice(), how=how)
    for count in range(len(games)):
        resumed = make_schedule("swiss", "abcdefg", played=games[:count], rounds=3)
        play_games(resumed, FirstChoice(), how=how)
        assert [fixture.id for fixture in resumed.fixtures] == [fixture.id for fixture in schedule.fixtures]


def test_no_bye_after_a_walkover_win():
    """b is withdrawn, so e wins round 1 by walkover and may have no bye (C.04.1 d): round 2 gives it to d, not to e."""
    stage = play_stage("abcdef", how=give_walkovers("b"), rounds=3)
    assert list_pairings(stage)[0] == "ad be cf"
    assert [bye.bot for bye in stage.byes if not bye.requested] == ["f", "d"]


def test_an_announced_absence_is_worth_a_draw_once():
    stage = play_stage("abcd", how=first_name_wins, rounds=3, absences={"c": (1, 2), "d": (2,)})
    assert list_pairings(stage)[:2] == ["ab c d", "ab c d"]
    assert stage.byes[:2] == (RoundBye(1, "c", 6, 2, 0.5, requested=True), RoundBye(1, "d", 12, 2))
    assert stage.byes[2:4] == (RoundBye(2, "c", 0, 2, 0.5, requested=True), RoundBye(2, "d", 6, 2, 0.5, requested=True))


def test_a_round_in_which_all_bots_are_absent():
    stage = play_stage("abc", how=first_name_wins, rounds=2, absences=dict.fromkeys("abc", (1,)))
    assert list_pairings(stage) == ["a b c", "ab c"]


@pytest.mark.parametrize(("half_byes", "worth"), [(0, [0, 0, 0]), (1, [6, 0, 0]), (2, [6, 6, 0]), (9, [6, 6, 6])])
def test_the_number_of_half_point_byes_is_limited(half_byes, worth):
    stage = play_stage("abcde", how=first_name_wins, rounds=3, absences={"c": (1, 2, 3)}, half_byes=half_byes)
    assert [bye.points for bye in stage.byes if bye.bot == "c"] == worth


@settings(max_examples=30)
@given(st.integers(3, 9), st.data(), st.randoms(use_true_random=False))
def test_bots_that_are_absent_do_not_play_and_the_others_do(size, data, chance):
    absences = {bot: tuple(data.draw(st.sets(st.integers(1, 3)))) for bot in BOTS[: size // 2]}
    schedule = make_schedule("swiss", BOTS[:size], rounds=3, absences=absences)
    play_games(schedule, chance)
    for number, one in enumerate(schedule.stages[0].rounds, start=1):
        away = {bot for bot, rounds in absences.items() if number in rounds}
        playing = {bot for game in one.fixtures for bot in (game.red, game.blue)}
        idle = {bye.bot for bye in one.byes if not bye.requested}
        assert {bye.bot for bye in one.byes if bye.requested} == away
        assert playing | idle | away == set(BOTS[:size])
        assert len(idle) == (size - len(away)) % 2


@pytest.mark.parametrize(("bots", "rounds", "most"), [(4, 3, None), (4, 4, 3), (5, 5, None), (5, 6, 5), (2, 2, 1)])
def test_a_warning_if_repeats_cannot_be_avoided(bots, rounds, most):
    warnings = make_schedule("swiss", BOTS[:bots], rounds=rounds).list_warnings()
    assert warnings == (
        [
            f"rounds: {rounds} rounds of {bots} bots cannot be paired without repeats; with {most} rounds or fewer they can"
        ]
        if most
        else []
    )
    assert make_schedule("round-robin", BOTS[:bots]).list_warnings() == []
