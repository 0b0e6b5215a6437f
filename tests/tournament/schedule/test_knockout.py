import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tournament.schedules import FirstChoice, finish, first_name_wins, make_entrants, make_schedule, play_games

from arbiter.tournament.schedule.knockout import build_bracket, seed_order

BOTS = tuple(f"bot{number:02}" for number in range(33))


def play_all(bots, how=first_name_wins, games=2, **chosen):
    schedule = make_schedule("knockout", bots, games, **chosen)
    play_games(schedule, FirstChoice(), how=how)
    assert schedule.finished
    return schedule


def list_matches(schedule):
    stage = schedule.stages[0]
    return build_bracket(stage.entrants, stage.finished_games)


def show(match):
    if match.two is None:
        return f"{match.round} {match.one}"
    return f"{match.round} {match.one}{match.two} {match.one_points:g}:{match.two_points:g} {match.winner}"


def draw(fixture):
    return finish(fixture, None, "agreed")


def test_eight_bots_if_the_stronger_wins():
    assert list(map(show, list_matches(play_all("abcdefgh")))) == [
        *("1 ah 12:2 a", "1 de 12:2 d", "1 bg 12:2 b", "1 cf 12:2 c"),
        *("2 ad 12:2 a", "2 bc 12:2 b"),
        "3 ab 12:2 a",
    ]


def test_five_bots_and_byes_for_the_best_three():
    assert list(map(show, list_matches(play_all("abcde")))) == [
        *("1 a", "1 de 12:2 d", "1 b", "1 c"),
        *("2 ad 12:2 a", "2 bc 12:2 b"),
        "3 ab 12:2 a",
    ]


@pytest.mark.parametrize(("count", "order"), [(1, [0]), (2, [0, 1]), (3, [0, 3, 1, 2]), (8, [0, 7, 3, 4, 1, 6, 2, 5])])
def test_the_order_of_seeds(count, order):
    assert seed_order(count) == order


@settings(max_examples=40)
@given(st.integers(2, 33), st.randoms(use_true_random=False))
def test_the_bracket_is_sound_for_any_results(size, chance):
    bots = BOTS[:size]
    schedule = make_schedule("knockout", bots, 2, further_pairs=1)
    play_games(schedule, chance)
    played = list_matches(schedule)
    contested = [match for match in played if match.two is not None]
    assert len(contested) == size - 1
    losers = [match.loser for match in contested]
    assert len(set(losers)) == size - 1
    assert {match.winner for match in played if match.round == max(one.round for one in played)} == set(bots) - set(
        losers
    )
    first = [match for match in played if match.round == 1]
    idle = [match.one for match in first if match.two is None]
    assert sorted(idle) == list(bots[: 2 ** (size - 1).bit_length() - size])
    for match in contested:
        assert all(other.round <= match.round for other in contested if match.loser in {other.one, other.two})
    assert len(schedule.stages[0].finished_games) == schedule.total


@given(st.integers(2, 33))
def test_the_best_two_meet_in_the_final_if_the_stronger_wins(size):
    schedule = play_all(BOTS[:size])
    table = schedule.rank(schedule.stages[0])
    assert [line.bot for line in table[:2]] == list(BOTS[:2])
    assert list_matches(schedule)[-1].round == (size - 1).bit_length()


def test_a_tied_match_continues_by_pairs_until_one_bot_is_ahead():
    def how(fixture):
        return draw(fixture) if fixture.pair < 4 else finish(fixture, "red" if fixture.red == "b" else "blue")

    schedule = play_all("ab", how, games=4, further_pairs=3)
    assert [fixture.id for fixture in schedule.fixtures][4:] == ["a~b~3", "b~a~3", "a~b~4", "b~a~4"]
    assert {fixture.round for fixture in schedule.fixtures} == {1}
    (match,) = list_matches(schedule)
    assert (match.winner, match.games, match.how) == ("b", 8, "further games")
    assert schedule.total == 8


@pytest.mark.parametrize(
    ("further", "games"), [({"further_pairs": 0}, 2), ({"further_pairs": 1}, 4), ({"further_pairs": 3}, 8), ({}, 8)]
)
def test_after_the_last_playoff_pair_the_lot_decides(further, games):
    schedule = play_all("ab", draw, **further)
    (match,) = list_matches(schedule)
    assert (match.games, match.how) == (games, "lot")
    assert match.winner in {"a", "b"}


def test_the_lot_depends_only_on_the_seed():
    winners = {list_matches(play_all("ab", draw, seed=seed))[0].winner for seed in range(20)}
    assert winners == {"a", "b"}
    for seed in range(5):
        assert (
            list_matches(play_all("ab", draw, seed=seed))[0].winner
            == list_matches(play_all("ba", draw, seed=seed))[0].winner
        )


def test_ranks_follow_the_round_reached():
    schedule = play_all("abcdefgh")
    assert [(line.rank, line.bot, line.reached) for line in schedule.rank(schedule.stages[0])] == [
        (1, "a", None),
        (2, "b", "final"),
        *((3, bot, "semi-final") for bot in "cd"),
        *((5, bot, "quarter-final") for bot in "efgh"),
    ]


def test_bots_still_in_the_knockout_share_the_first_rank():
    schedule = make_schedule("knockout", "abcd")
    play_games(schedule, FirstChoice(), most=4, how=first_name_wins)
    assert [(line.rank, line.bot) for line in schedule.rank(schedule.stages[0])] == [
        (1, "a"),
        (1, "b"),
        (3, "c"),
        (3, "d"),
    ]


def test_early_rounds_are_named_by_their_number_of_bots():
    schedule = play_all(BOTS[:17])
    assert {line.reached for line in schedule.rank(schedule.stages[0])} >= {"round of 16", "round of 32"}


def test_a_match_in_progress_has_no_winner():
    unfinished = [finish(fixture, "red") for fixture in list(make_schedule("knockout", "ab", 4).fixtures)[:3]]
    (match,) = build_bracket(make_entrants("ab", 4, "knockout"), unfinished)
    assert (match.winner, match.loser, match.games) == (None, None, 3)


def test_the_losers_of_the_semi_finals_play_for_the_third_place():
    schedule = play_all("abcdef", third_place=True)
    assert [(match.place, show(match)) for match in list_matches(schedule)][-2:] == [
        (3, "3 dc 2:12 c"),
        (1, "3 ab 12:2 a"),
    ]
    table = schedule.rank(schedule.stages[0])
    assert [(line.bot, line.rank, line.reached) for line in table] == [
        ("a", 1, None),
        ("b", 2, "final"),
        ("c", 3, "third place"),
        ("d", 4, "fourth place"),
        ("e", 5, "quarter-final"),
        ("f", 5, "quarter-final"),
    ]
    assert schedule.total == 12


@pytest.mark.parametrize(("bots", "games"), [("ab", 2), ("abc", 4), ("abcd", 8), ("abcde", 10)])
def test_a_third_place_needs_two_semi_finals(bots, games):
    assert play_all(bots, third_place=True).total == games == make_schedule("knockout", bots, third_place=True).total


def test_a_match_ends_when_its_loser_cannot_catch_up():
    """A win is 6 points and a loss 1, a forfeit 0: after 3 of 5 pairs 36:6 cannot be caught up with 4 games left."""
    schedule = play_all("ab", games=10, early_stop=True)
    assert [fixture.id for fixture in schedule.fixtures] == ["a~b~1", "b~a~1", "a~b~2", "b~a~2", "a~b~3", "b~a~3"]
    (match,) = list_matches(schedule)
    assert (match.winner, match.how, match.games, schedule.total) == ("a", "games", 6, 6)
    assert play_all("ab", games=10).total == 10


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(1, 4), st.randoms(use_true_random=False))
def test_an_early_end_does_not_change_a_winner(size, pairs, chance):
    bots = BOTS[:size]
    full = play_all(bots, games=2 * pairs, how=None, further_pairs=1, sudden_death=2)
    stopped = play_all(bots, games=2 * pairs, how=None, further_pairs=1, sudden_death=2, early_stop=True)
    assert [match.winner for match in list_matches(full)] == [match.winner for match in list_matches(stopped)]
    assert stopped.total <= full.total
    resumed = make_schedule(
        "knockout",
        bots,
        2 * pairs,
        stopped.games_in(stopped.stages[0]),
        further_pairs=1,
        sudden_death=2,
        early_stop=True,
    )
    assert resumed.finished


def test_sudden_death_games_follow_the_playoff_until_one_has_a_winner():
    played = []

    def how(fixture):
        played.append(fixture)
        return finish(fixture, "red") if len(played) == 7 else draw(fixture)

    schedule = play_all("ab", how, further_pairs=1, sudden_death=5)
    assert [fixture.pair for fixture in played] == [1, 1, 2, 2, 3, 4, 5]
    single = played[4:]
    assert [fixture.red for fixture in single] == [single[0].red, single[0].blue, single[0].red]
    (match,) = list_matches(schedule)
    assert (match.winner, match.how, match.games) == (single[2].red, "sudden death", 7)


def test_a_draw_of_lots_follows_sudden_death_and_is_marked():
    schedule = play_all("abcd", draw, further_pairs=0, sudden_death=3, third_place=True)
    assert {(match.how, match.games) for match in list_matches(schedule)} == {("lot", 5)}
    assert {line.decided_by for line in schedule.rank(schedule.stages[0])} == {"lot"}
    decided = play_all("abcd", third_place=True)
    assert {line.decided_by for line in decided.rank(decided.stages[0])} == {None}


def test_single_games_have_their_place():
    schedule = make_schedule("knockout", "ab", 2, [], further_pairs=0, sudden_death=2)
    play_games(schedule, FirstChoice(), how=draw)
    single = schedule.stages[0].rounds[1].fixtures
    (fixture,) = single
    assert len(single) == 1
    assert single.find(fixture.id) == 0
    assert single.find(f"{fixture.blue}~{fixture.red}~{fixture.pair}") is None
    assert single.count_games(fixture.red) == 1
