import pytest
from tournament.schedules import Chance, field, finished, play, schedule, stronger, without

from arbiter.tournament.schedule import FORMATS
from arbiter.tournament.schedule.stages import Plan, Schedule

SWISS, KNOCKOUT = FORMATS["swiss"], FORMATS["knockout"]


def staged(played=(), best=4):
    """Plan two rounds of a Swiss tournament of seven, then a knockout of the best."""
    return Schedule(
        [
            Plan(SWISS, field("abcdefg", rounds=2)),
            Plan(KNOCKOUT, field("abcdefg"[:best], stage=2)),
        ],
        played,
    )


def test_the_best_go_on_seeded_by_their_rank():
    going = staged()
    play(going, Chance(), how=stronger)
    swiss, knockout = going.stages
    best = [line.bot for line in going.rank(swiss)][:4]
    assert knockout.entrants.bots == tuple(best)
    first = [fixture for fixture in knockout.fixtures if fixture.round == 3]
    assert [fixture.id for fixture in first][::2] == [f"s2~{best[0]}~{best[3]}~1", f"s2~{best[1]}~{best[2]}~1"]
    assert {fixture.round for fixture in knockout.fixtures} == {3, 4}


def test_ids_are_unique_though_the_same_two_meet_in_both_stages():
    going = staged(best=6)
    play(going, Chance())
    ids = [fixture.id for fixture in going.fixtures]
    assert len(set(ids)) == len(ids)
    pairings = [{frozenset((one.red, one.blue)) for one in stage.fixtures} for stage in going.stages]
    assert pairings[0] & pairings[1]


def test_the_final_ranking_has_everybody_once():
    going = staged()
    play(going, Chance(), how=stronger)
    table = going.rank_all()
    assert sorted(line.bot for line in table) == list("abcdefg")
    assert [line.rank for line in table] == [1, 2, 3, 3, 5, 5, 7]
    assert [line.reached for line in table] == [None, "final", "semi-final", "semi-final", *["stage 1"] * 3]


def test_before_the_first_stage_is_over_the_others_are_only_counted():
    going = staged()
    assert len(going.stages) == 1
    assert going.total == 2 * 3 * 2 + 3 * 2
    assert going.rank_all() == going.rank(going.stages[0])


@pytest.mark.parametrize("count", range(19))
def test_killed_after_any_game_the_same_bots_go_on(count):
    whole = staged()
    played = play(whole, Chance())
    kept = played[:count]
    again = staged(kept)
    kept += play(again, Chance())
    assert [one.id for one in staged(kept).fixtures] == [one.id for one in whole.fixtures]


def test_those_who_just_missed_rank_behind_those_who_went_on():
    going = Schedule([Plan(FORMATS["round-robin"], field("abc")), Plan(KNOCKOUT, field("ab", stage=2))])
    play(going, Chance(), how=lambda fixture: stronger(fixture) if fixture.stage > 1 else drawn(fixture))
    assert [(line.rank, line.bot) for line in going.rank_all()] == [(1, "a"), (2, "b"), (3, "c")]


def drawn(fixture):
    return finished(fixture, None, "agreed")


def test_a_tournament_of_one_stage_has_a_plain_ranking():
    going = schedule("round-robin", "ab")
    assert going.rank_all() == going.rank(going.stages[0])


def test_who_was_not_there_does_not_go_on_while_others_are_left():
    going = staged()
    play(going, Chance(), how=without("a", after=1))
    assert "a" not in going.stages[1].entrants.bots
    few = staged(best=7)
    play(few, Chance(), how=without("a", after=1))
    assert few.stages[1].entrants.bots[-1] == "a"
