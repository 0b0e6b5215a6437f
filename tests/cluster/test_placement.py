"""The choice of workers for games."""

from random import Random

import pytest

from arbiter.cluster.placement import Placement
from arbiter.tournament.fixture import make_fixture, make_pair


def make_placement(**slots):
    """Make workers, each with its number of slots; the first letter of a worker is its machine."""
    placement = Placement()
    for address, count in slots.items():
        placement.add(address, address[0], range(count))
    return placement


def take_all(placement, *pairings):
    """Take workers for games between pairs of bots, given as words."""
    return [placement.take(make_fixture(pair[0], pair[1], 1, 1)) for pair in pairings]


def test_games_go_to_the_worker_with_the_most_room():
    placement = make_placement(a1=1, b1=2)
    assert sorted(map(str, take_all(placement, "xy", "xz", "yz", "uv"))) == ["None", "a1", "b1", "b1"]
    placement.give_back("a1")
    assert take_all(placement, "uw") == ["a1"]


def test_both_games_of_a_pair_are_played_on_one_machine():
    placement = make_placement(a1=1, a2=1, b1=2)
    for number in range(1, 30):
        first, second = make_pair("x", "y", number, 1)
        taken = placement.take(first), placement.take(second)
        assert taken[0][0] == taken[1][0]
        for address in taken:
            placement.give_back(address)


def test_the_second_game_waits_for_its_machine_unless_that_has_left():
    placement = make_placement(a1=1, a2=1)
    first, second = make_pair("x", "y", 1, 1)
    assert {placement.take(first), *take_all(placement, "uv")} == {"a1", "a2"}
    placement.add("b1", "b", range(1))
    assert placement.take(second) is None
    placement.remove("a1")
    placement.remove("a2")
    assert placement.take(second) == "b1"


def test_the_second_game_waits_on_the_only_worker_of_its_machine():
    placement = make_placement(a1=2)
    pairs = [tuple(make_pair("x", "y", number, 1)) for number in (1, 2, 3)]
    assert [placement.take(first) for first, _ in pairs] == ["a1", "a1", None]
    assert [placement.take(second) for _, second in pairs[:2]] == ["a1", "a1"]
    assert (placement.capacity, placement.waiting) == (2, 2)
    for waiting in (1, 0):
        placement.give_back("a1")
        assert placement.waiting == waiting
        assert placement.take(pairs[2][0]) is None
    placement.give_back("a1")
    assert placement.take(pairs[2][0]) == "a1"
    assert placement.take(pairs[2][1]) == "a1"
    placement.exclude("a")
    assert (placement.capacity, placement.waiting) == (0, 0)
    placement.give_back("a1")
    assert placement.waiting == 0


def test_a_game_that_failed_goes_to_another_worker_if_there_is_one():
    placement = make_placement(a1=1, b1=1)
    fixture = make_fixture("x", "y", 1, 1)
    failed = placement.take(fixture)
    placement.give_back(failed)
    other = placement.take(fixture, {failed})
    assert {failed, other} == {"a1", "b1"}
    placement.remove(other)
    assert placement.take(fixture, {failed}) == failed


def test_bots_and_machines_are_kept_apart():
    placement = make_placement(a1=4, b1=4)
    placement.forbid("a", "x")
    assert take_all(placement, "xy", "yx", "zx") == ["b1"] * 3
    placement.exclude("b")
    assert take_all(placement, "uv") == ["a1"]
    assert take_all(placement, "xu") == [None]
    assert placement.capacity == 4


@pytest.mark.parametrize(
    ("slots", "threads", "shares"),
    [
        (4, {"one": 8}, {"one": (0, 1, 2, 3)}),
        (4, {"one": 2, "two": 2}, {"one": (0, 2), "two": (1, 3)}),
        (3, {"one": 2, "two": 2}, {"one": (0, 2), "two": (1,)}),
        (1, {"one": 2, "two": 2}, {"one": (0,), "two": ()}),
        (8, {"one": 1}, {"one": (0,)}),
    ],
)
def test_slots_of_a_machine_are_shared_among_its_workers(slots, threads, shares):
    assert Placement().share("a", slots, threads) == shares


def test_a_worker_that_was_restarted_gets_the_slots_of_the_old_one():
    placement = Placement()
    for address, numbers in placement.share("a", 3, {"one": 2, "two": 2}).items():
        placement.add(address, "a", numbers)
    placement.remove("one")
    assert placement.share("a", 3, {"three": 2}) == {"three": (0, 2)}


@pytest.mark.parametrize("seed", range(20))
def test_the_worker_with_the_lowest_load_is_found_after_any_changes(seed):
    chance = Random(seed)
    placement = Placement()
    slots = {}
    games = []
    excluded = set()
    for number in range(300):
        acts = ("add", "take", "take", "take", "take the second", "give back", "give back", "remove", "exclude")
        match chance.choice(acts):
            case "add":
                address = f"{chance.choice('abcdef')}{number}"
                slots[address] = chance.randint(0, 3)
                placement.add(address, address[0], range(slots[address]))
            case "take":
                able = [one for one in slots if slots[one] and one[0] not in excluded]
                loads = {one: games.count(one) / slots[one] for one in able if games.count(one) < slots[one]}
                taken = placement.take(make_fixture("x", "y", number + 1, 1))
                assert loads.get(taken) == min(loads.values(), default=None)
                games += [taken] if taken else []
            case "take the second":
                taken = placement.take(make_fixture("y", "x", chance.randint(1, number + 1), 1))
                games += [taken] if taken else []
            case "give back" if games:
                placement.give_back(games.pop(chance.randrange(len(games))))
            case "remove" if slots and number % 5 == 0:
                address = chance.choice(sorted(slots))
                placement.remove(address)
                del slots[address]
                games = [one for one in games if one != address]
            case "exclude" if number % 50 == 0:
                machine = chance.choice("abcdef")
                excluded.add(machine)
                placement.exclude(machine)
        able = [one for one in slots if one[0] not in excluded]
        assert placement.capacity == sum(slots[one] for one in able)
        assert placement.waiting == sum(max(0, games.count(one) - slots[one]) for one in able)
        assert all(games.count(one) <= 2 * slots[one] for one in slots)
