"""Several machines with different sandboxes, bots and numbers of voided games."""

from pathlib import Path

import pytest
from cluster.test_machines import DESK
from msgspec.structs import replace

from arbiter.cluster.admission import choose_tiers, decide_eligibility
from arbiter.cluster.readiness import Readiness
from arbiter.cluster.roster import VoidCounts
from arbiter.errors import ConfigError
from arbiter.sandbox.isolation import Program

FULL = replace(DESK, id="f", host="full")
FULL_TOO = replace(DESK, id="g", host="full-2")
BARE = replace(DESK, id="b", host="bare", sandbox="process", missing=("sandbox: no bwrap; install it",))
BARE_TOO = replace(BARE, id="c", host="bare-2")

# Machines, sandbox asked for, mixing allowed: the isolation by the ids of machines, and a part of the notices.
TIERS = {
    "all have one": ([FULL, FULL_TOO], None, False, {"f": "full", "g": "full"}, ""),
    "none has one": (
        [BARE, BARE_TOO],
        None,
        False,
        {"b": "process", "c": "process"},
        "because no machine has one: bare: sandbox",
    ),
    "one has none": ([FULL, BARE], None, False, {"f": "full"}, "bare does not play, because it has no sandbox"),
    "one has none, allowed": ([FULL, BARE], None, True, {"f": "full", "b": "process"}, "without a sandbox on bare,"),
    "full asked for": ([FULL, BARE, BARE_TOO], "full", False, {"f": "full"}, "bare-2 does not play"),
    "full asked for, mixing allowed": ([FULL, BARE], "full", True, {"f": "full"}, "bare does not play"),
    "process asked for": ([FULL, BARE], "process", False, {"f": "process", "b": "process"}, "as requested"),
}


# The isolation of the event, machines that join it, mixing allowed: their isolation, and a part of the notices.
LATE = {
    "with one": ("full", [FULL], False, {"f": "full"}, ""),
    "without one": (
        "full",
        [BARE],
        False,
        {},
        "bare does not play, because it has no sandbox and others have one: san",
    ),
    "without one, allowed": ("process", [BARE], True, {"b": "process"}, "bots run without a sandbox on bare, and in"),
    "with one, others without": ("process", [FULL], False, {"f": "process"}, ""),
    "with one, mixed": ("process", [FULL], True, {"f": "full"}, ""),
}


@pytest.mark.parametrize(("playing", "machines", "mix", "tiers", "notice"), LATE.values(), ids=LATE)
def test_machines_that_join_later_get_the_sandbox_of_the_event(playing, machines, mix, tiers, notice):
    found = choose_tiers(machines, None, mix=mix, playing=playing)
    assert found.of_machine == tiers
    assert notice in "\n".join(found.notices)
    assert bool(found.notices) == bool(notice)


@pytest.mark.parametrize(("machines", "asked", "mix", "tiers", "notice"), TIERS.values(), ids=TIERS)
def test_sandboxes_are_not_mixed_unless_allowed(machines, asked, mix, tiers, notice):
    found = choose_tiers(machines, asked, mix=mix)
    assert found.of_machine == tiers
    assert notice in "\n".join(found.notices)
    assert bool(found.notices) == bool(notice)


def test_a_sandbox_that_no_machine_has_is_refused():
    with pytest.raises(ConfigError, match=r"--sandbox full: no machine .* bare: sandbox: no bwrap; install it; bare-2"):
        choose_tiers([BARE, BARE_TOO], "full", mix=True)


HOSTS = {"d": "desk", "a": "attic", "c": "cellar"}
PROGRAM = Program(name="any", argv=("/bin/true",), folder=Path("/"))


def ready(**machines):
    """Make the outcomes of bots on machines from words: `one` starts, `one!` fails to start, `one?` lacks something."""
    return {
        id_: [
            Readiness(
                bot=word.rstrip("!?"),
                fault={"!": "it crashed", "?": "there is no java"}.get(word[-1], ""),
                program=None if word.endswith("?") else PROGRAM,
            )
            for word in words.split()
        ]
        for id_, words in machines.items()
    }


DECISIONS = {
    "everywhere": (ready(d="one two", a="one two"), {"d": "one two", "a": "one two"}, []),
    "missing on one machine": (
        ready(d="one two", a="one? two"),
        {"d": "one two", "a": "two"},
        ["bots.one: does not play on attic: there is no java"],
    ),
    "crashes on one machine": (
        ready(d="one two", a="one! two"),
        {"d": "one two", "a": "two"},
        ["bots.one: does not play on attic: it crashed"],
    ),
    "crashes on all": (
        ready(d="one! two", a="one! two"),
        {"d": "one two", "a": "one two"},
        ["bots.one: does not start on any machine: desk: it crashed; attic: it crashed"],
    ),
    "crashes on the only machine": (
        ready(d="one! two"),
        {"d": "one two"},
        ["bots.one: does not start on any machine: desk: it crashed"],
    ),
    "crashes or is missing": (
        ready(d="one! two", a="one? two"),
        {"d": "one two", "a": "two"},
        ["bots.one: does not start on any machine: desk: it crashed; attic: there is no java"],
    ),
    "each missing somewhere": (
        ready(d="one two three", a="one? two three", c="one two? three"),
        {"d": "one two three", "a": "two three", "c": "one three"},
        [
            "bots.one: does not play on attic: there is no java",
            "bots.two: does not play on cellar: there is no java",
        ],
    ),
}


@pytest.mark.parametrize(("outcomes", "playing", "notices"), DECISIONS.values(), ids=DECISIONS)
def test_a_machine_is_excluded_for_bots_that_do_not_start_on_it(outcomes, playing, notices):
    eligibility = decide_eligibility(HOSTS, outcomes)
    assert {id_: " ".join(programs) for id_, programs in eligibility.programs.items()} == playing
    assert list(eligibility.notices) == notices
    for bots in ("one", "two"), ("one",), ("two",):
        expected = {id_ for id_, names in playing.items() if set(bots) <= set(names.split())}
        assert eligibility.machines_for(*bots) == expected


IMPOSSIBLE = {
    "no machine": (ready(d="one? two", a="one? two"), "bots.one: no machine can start it: desk: there is no java; att"),
    "no machine for both": (
        ready(d="one two?", a="one? two"),
        "bots: no machine can start both one and two: attic: there is no java; desk: there is no java",
    ),
}


@pytest.mark.parametrize(("outcomes", "fault"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_bots_without_a_machine_are_refused(outcomes, fault):
    with pytest.raises(ConfigError) as caught:
        decide_eligibility(HOSTS, outcomes)
    assert str(caught.value).startswith(fault)


def test_a_warning_is_passed_on():
    outcomes = {"d": [Readiness(bot="one", warning="runs with node 18, on the machine of the organiser with node 20")]}
    outcomes["d"][0] = replace(outcomes["d"][0], program=PROGRAM)
    assert decide_eligibility(HOSTS, outcomes).notices == (
        "bots.one: on desk it runs with node 18, on the machine of the organiser with node 20",
    )


# Games and voided games of the others, then of the machine; what is reported about it, and if it is excluded.
VOIDS = {
    "nothing": ((100, 0), (50, 0), None, False),
    "two voids": ((100, 0), (2, 2), None, False),
    "three voids": ((100, 0), (30, 3), "voids more games than the other machines: 3 of its 30", False),
    "three voids of many": ((100, 0), (200, 3), None, False),
    "as many as the others": ((100, 10), (100, 10), None, False),
    "five voids": ((100, 0), (30, 5), "plays no more games, because 5 of its 30 games were voided", True),
    "all voided everywhere": ((50, 50), (50, 50), None, False),
    "only machine": ((0, 0), (50, 50), None, False),
    "before the others have played": ((1, 0), (5, 5), None, False),
    "three times as many": ((100, 9), (100, 30), "voids more games", False),
    "five times as many": ((100, 9), (100, 50), "plays no more games", True),
}


@pytest.mark.parametrize(("others", "own", "notice", "excluded"), VOIDS.values(), ids=VOIDS)
def test_a_machine_that_voids_more_games_is_named_and_excluded(others, own, notice, excluded):
    counts = VoidCounts()
    for machine, (games, voids) in (("other", others), ("mine", own)):
        for number in range(games):
            counts.add(machine, voided=number < voids)
    found = counts.judge(lambda _machine: True)
    assert found.keys() == ({"mine"} if notice else set())
    assert all(sentence.startswith(notice) for sentence in found.values())
    assert counts.excluded == ({"mine"} if excluded else set())
    assert counts.judge(lambda _machine: True) == {}


def test_a_machine_without_which_some_games_cannot_be_played_is_only_named():
    counts = VoidCounts()
    for _ in range(50):
        counts.add("other", voided=False)
        counts.add("mine", voided=True)
    assert counts.judge(lambda _machine: False)["mine"].startswith("voids more games")
    assert counts.judge(lambda _machine: False) == {}
    assert counts.excluded == set()
    assert counts.judge(lambda _machine: True)["mine"].startswith("plays no more games")


def test_a_machine_that_voids_all_games_at_once_is_excluded_when_the_others_have_played():
    counts = VoidCounts()
    for _ in range(8):
        counts.add("mine", voided=True)
    found = []
    for _ in range(4):
        found.append(counts.judge(lambda _machine: True))
        counts.add("other", voided=False)
    found.append(counts.judge(lambda _machine: True))
    assert [next(iter(one.values()), "").split(",")[0] for one in found] == [
        "",
        "",
        "voids more games than the other machines: 8 of its 8 games were voided",
        "",
        "plays no more games",
    ]
