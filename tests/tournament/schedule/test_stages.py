import pytest
from tournament.schedules import (
    FirstChoice,
    finish,
    first_name_wins,
    give_walkovers,
    make_entrants,
    make_schedule,
    play_games,
)

from arbiter.tournament.schedule import FORMATS
from arbiter.tournament.schedule.format import Plan
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import History

SWISS, KNOCKOUT = FORMATS["swiss"], FORMATS["knockout"]


def make_two_stages(played=(), best=4):
    """Plan two rounds of a Swiss tournament of seven, then a knockout of the best."""
    return Schedule(
        [
            Plan(SWISS, make_entrants("abcdefg", form="swiss", rounds=2)),
            Plan(KNOCKOUT, make_entrants("abcdefg"[:best], form="knockout", stage=2)),
        ],
        History(tuple(played)),
    )


def test_the_qualifiers_are_seeded_by_their_rank():
    schedule = make_two_stages()
    play_games(schedule, FirstChoice(), how=first_name_wins)
    swiss, knockout = schedule.stages
    best = [line.bot for line in schedule.rank(swiss)][:4]
    assert knockout.entrants.bots == tuple(best)
    first = [fixture for fixture in knockout.fixtures if fixture.round == 3]
    assert [fixture.id for fixture in first][::2] == [f"s2~{best[0]}~{best[3]}~1", f"s2~{best[1]}~{best[2]}~1"]
    assert {fixture.round for fixture in knockout.fixtures} == {3, 4}


def test_ids_are_unique_if_bots_meet_in_both_stages():
    schedule = make_two_stages(best=6)
    play_games(schedule, FirstChoice())
    ids = [fixture.id for fixture in schedule.fixtures]
    assert len(set(ids)) == len(ids)
    pairings = [{frozenset((one.red, one.blue)) for one in stage.fixtures} for stage in schedule.stages]
    assert pairings[0] & pairings[1]


def test_the_final_ranking_has_each_bot_once():
    schedule = make_two_stages()
    play_games(schedule, FirstChoice(), how=first_name_wins)
    table = schedule.rank_all()
    assert sorted(line.bot for line in table) == list("abcdefg")
    assert [line.rank for line in table] == [1, 2, 3, 3, 5, 6, 7]
    assert [line.reached for line in table] == [None, "final", "semi-final", "semi-final", *["stage 1"] * 3]


def test_later_stages_are_only_counted_at_first():
    schedule = make_two_stages()
    assert len(schedule.stages) == 1
    assert schedule.total == 2 * 3 * 2 + 3 * 2
    assert schedule.rank_all() == schedule.rank(schedule.stages[0])


@pytest.mark.parametrize("count", range(19))
def test_the_same_bots_qualify_when_resumed(count):
    whole = make_two_stages()
    played = play_games(whole, FirstChoice())
    kept = played[:count]
    again = make_two_stages(kept)
    kept += play_games(again, FirstChoice())
    assert [one.id for one in make_two_stages(kept).fixtures] == [one.id for one in whole.fixtures]


def test_bots_that_did_not_qualify_rank_behind_those_that_did():
    schedule = Schedule(
        [
            Plan(FORMATS["round-robin"], make_entrants("abc")),
            Plan(KNOCKOUT, make_entrants("ab", form="knockout", stage=2)),
        ]
    )
    play_games(
        schedule, FirstChoice(), how=lambda fixture: first_name_wins(fixture) if fixture.stage > 1 else draw(fixture)
    )
    assert [(line.rank, line.bot) for line in schedule.rank_all()] == [(1, "a"), (2, "b"), (3, "c")]


def draw(fixture):
    return finish(fixture, None, "agreed")


def test_a_tournament_of_one_stage_has_a_plain_ranking():
    schedule = make_schedule("round-robin", "ab")
    assert schedule.rank_all() == schedule.rank(schedule.stages[0])


def test_an_absent_bot_qualifies_only_if_no_others_are_left():
    schedule = make_two_stages()
    play_games(schedule, FirstChoice(), how=give_walkovers("a", after=1))
    assert "a" not in schedule.stages[1].entrants.bots
    few = make_two_stages(best=7)
    play_games(few, FirstChoice(), how=give_walkovers("a", after=1))
    assert few.stages[1].entrants.bots[-1] == "a"


def test_a_cut_among_equal_bots_is_marked_as_decided_by_the_seeding():
    def draw(fixture):
        return finish(fixture, None, "agreed")

    schedule = Schedule(
        [
            Plan(FORMATS["round-robin"], make_entrants("abc")),
            Plan(KNOCKOUT, make_entrants("ab", form="knockout", stage=2, further_pairs=0)),
        ]
    )
    play_games(schedule, FirstChoice(), how=draw)
    table = schedule.rank_all()
    assert [(line.bot, line.rank, line.decided_by) for line in table][2] == ("c", 3, "seeding")
    clear = make_two_stages()
    play_games(clear, FirstChoice(), how=first_name_wins)
    cut = [line for line in clear.rank_all() if line.reached == "stage 1"]
    tied = {line.rank for line in clear.rank(clear.stages[0]) if line.bot in clear.stages[1].entrants.bots}
    ranks = {line.bot: line.rank for line in clear.rank(clear.stages[0])}
    assert {line.bot: line.decided_by == "seeding" for line in cut} == {
        line.bot: ranks[line.bot] in tied for line in cut
    }
