"""The machines of games: bots that a machine cannot start, excluded machines, and pairs of earlier runs."""

from msgspec.structs import replace
from tournament.stored_games import CONDITIONS, game

from arbiter.cluster.placement import Placement
from arbiter.tournament.fixture import find_stage, make_fixture, make_id


def place(*machines):
    """Make a placement with a worker on each machine, which plays two games at a time."""
    placement = Placement()
    for machine in machines:
        placement.add(f"worker on {machine}", machine, (0, 1))
    return placement


def take(placement, red, blue, pair=1, stage=1):
    return (placement.take(make_fixture(red, blue, pair, 1, stage)) or "").removeprefix("worker on ")


def test_a_machine_gets_no_games_of_bots_that_it_cannot_start():
    placement = place("desk", "attic")
    placement.forbid("attic", "one")
    assert [take(placement, "one", "two", pair) for pair in (1, 2, 3)] == ["desk", "desk", ""]
    assert take(placement, "two", "three") == "attic"


def test_an_excluded_machine_gets_no_more_games():
    placement = place("desk", "attic")
    assert placement.capacity == 4
    placement.exclude("attic")
    assert placement.capacity == 2
    assert [take(placement, "one", "two", pair) for pair in (1, 2, 3)] == ["desk", "desk", ""]
    placement.add("another worker", "attic", (2, 3))
    assert take(placement, "one", "two", 3) == ""


def test_a_machine_is_needed_if_two_bots_meet_only_there():
    placement = place("desk", "attic", "cellar")
    bots = ("one", "two", "three")
    assert all(placement.can_spare(machine, bots) for machine in ("desk", "attic", "cellar"))
    placement.forbid("desk", "one")
    placement.forbid("attic", "two")
    assert not placement.can_spare("cellar", bots)
    assert placement.can_spare("cellar", ("one", "three"))
    assert placement.can_spare("desk", bots)
    placement.exclude("cellar")
    assert not placement.can_spare("desk", bots)
    assert not place("desk").can_spare("desk", bots)


def test_the_second_game_of_a_pair_is_played_where_the_first_was_played_in_an_earlier_run():
    for machine in ("desk", "attic"):
        placement = place("desk", "attic")
        placement.note_game(replace(game("one", "two", "red", "flag_taken"), conditions=CONDITIONS), machine)
        assert take(placement, "two", "one") == machine
        assert take(placement, "two", "one", stage=2) == {"desk": "attic", "attic": "desk"}[machine]


def test_the_stage_of_an_id():
    assert [find_stage(make_id("one", "two", 3, stage)) for stage in (1, 2, 17)] == [1, 2, 17]
    assert [find_stage(f"{make_id('s2', 'two', 3, stage)}~r1") for stage in (1, 2)] == [1, 2]
    assert find_stage("s2~s3~4") == 1
