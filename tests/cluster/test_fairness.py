"""Several machines with different sandboxes, bots and numbers of voided games."""

import msgspec
import pytest
from msgspec.structs import replace
from tournament.test_machines import DESK

from arbiter import __version__
from arbiter.cluster.messages import BotFault
from arbiter.cluster.roster import Roster
from arbiter.cluster.worker import NAME
from arbiter.errors import ConfigError

FULL = replace(DESK, id="f", host="full")
FULL_TOO = replace(DESK, id="g", host="full-2")
BARE = replace(DESK, id="b", host="bare", sandbox="process", missing=("sandbox: no bwrap; install it",))
BARE_TOO = replace(BARE, id="c", host="bare-2")


def describe(machine, threads=2):
    """Return what the scheduler reports about a worker on a machine."""
    return {"nthreads": threads, NAME: None if machine is None else msgspec.to_builtins(machine)}


class Mixed(Roster):
    """A roster of machines with different sandboxes."""

    def __init__(self, asked=None, *, mix=False, isolation=""):
        self.said = []
        super().__init__("cluster", ["one"], self.said.append, asked, mix=mix, isolation=isolation)

    def list_players(self, machines):
        """Show the roster a worker on each machine; return the ids of those that play."""
        self.update({machine.host: describe(machine) for machine in machines})
        return "".join(machine.id for machine, _ in self.workers.values())


# Machines, sandbox asked for, mixing allowed: those that play, the isolation of the event, and a part of the notices.
TIERS = {
    "all have one": ([FULL, FULL_TOO], None, False, "fg", "full", ""),
    "all have one, mixing allowed": ([FULL, FULL_TOO], None, True, "fg", "full", ""),
    "none has one": ([BARE, BARE_TOO], None, False, "bc", "process", "because no machine has one: bare: sandbox"),
    "one has none": ([FULL, BARE], None, False, "f", "full", "bare does not play, because it has no sandbox"),
    "one has none, allowed": ([FULL, BARE], None, True, "fb", "process", "without a sandbox on bare,"),
    "full asked for": ([FULL, BARE, BARE_TOO], "full", False, "f", "full", "bare-2 does not play"),
    "full asked for, mixing allowed": ([FULL, BARE], "full", True, "f", "full", "bare does not play"),
    "process asked for": ([FULL, BARE], "process", False, "fb", "process", "as requested"),
}


# The isolation of the event, machines that join it, mixing allowed: those that play, and a part of the notices.
LATE = {
    "with one": ("full", [FULL], False, "f", ""),
    "without one": ("full", [BARE], False, "", "bare does not play, because it has no sandbox and others have one: "),
    "without one, allowed": ("process", [BARE], True, "b", "bots run without a sandbox on bare, and in"),
    "without one, allowed but too late": ("full", [BARE], True, "", "bare does not play, because it has no sandbox"),
    "with one, others without": ("process", [FULL], False, "f", ""),
    "with one, mixed": ("process", [FULL], True, "f", ""),
}


@pytest.mark.parametrize(("playing", "machines", "mix", "players", "notice"), LATE.values(), ids=LATE)
def test_machines_that_join_later_get_the_sandbox_of_the_event(playing, machines, mix, players, notice):
    roster = Mixed(mix=mix, isolation=playing)
    assert roster.list_players(machines) == players
    assert roster.isolation == playing
    assert roster.tier == (None if mix else playing)
    assert notice in "\n".join(roster.said)
    assert bool(roster.said) == bool(notice)


@pytest.mark.parametrize("case", TIERS.values(), ids=TIERS)
def test_sandboxes_are_not_mixed_unless_allowed(case):
    machines, asked, mix, players, isolation, notice = case
    roster = Mixed(asked, mix=mix)
    assert roster.list_players(machines) == players
    assert roster.isolation == isolation
    assert notice in "\n".join(roster.said)
    assert bool(roster.said) == bool(notice)


def test_a_sandbox_that_no_machine_has_is_refused():
    with pytest.raises(ConfigError, match=r"--sandbox full: no machine .* bare: sandbox: no bwrap; install it; bare-2"):
        Mixed("full", mix=True).list_players([BARE, BARE_TOO])


# --- bots that do not start on some machines ------------------------------------------------------


class Machines:
    """A roster of machines that are called by letters, with one worker each."""

    def __init__(self, names, bots=("one", "two")):
        self.said = []
        self.roster = Roster("cluster", bots, self.said.append, "process", isolation="process")
        self.machines = {name: replace(DESK, id=name, host=name, process=f"process {name}") for name in names}
        self.show(names)

    def show(self, names, **others):
        """Show the roster the workers that the cluster has now."""
        found = {name: describe(self.machines[name]) for name in names}
        self.roster.update(found | others)

    def fail(self, word):
        """Note a fault, such as `one!a`: one crashes on a; `one?a`: one lacks something there."""
        bot, machine = word.replace("?", "!").split("!")
        fault = BotFault(bot, *(("it crashed", True) if "!" in word else ("there is no java", False)))
        self.roster.note_fault(self.machines[machine], fault)

    def choose(self, *bots, avoided=()):
        chosen = self.roster.choose(bots, avoided)
        return "any" if chosen is None else "".join(sorted(chosen))


# Faults in their order, and machines on which both bots work: the machines of `one`, and what is reported.
FAULTS = {
    "none": ([], "", "any", []),
    "missing on one": (["one?a"], "", "d", ["bots.one: does not play on a: there is no java"]),
    "crashes on one": (["one!a"], "d", "d", ["bots.one: does not play on a: it crashed"]),
    "works before it crashes": (["one!a"], "d", "d", ["bots.one: does not play on a: it crashed"]),
    "crashes on all": (["one!a", "one!d"], "", "any", [
        "bots.one: does not start on any machine: a: it crashed; d: it crashed",
    ]),
    "crashes or is missing": (["one?a", "one!d"], "", "d", [
        "bots.one: does not play on a: there is no java",
        "bots.one: does not start on any machine: a: there is no java; d: it crashed",
    ]),
}  # fmt: skip


@pytest.mark.parametrize(("faults", "works", "chosen", "reports"), FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("is_first", [True, False], ids=["works first", "works later"])
def test_a_machine_plays_no_games_of_bots_that_do_not_start_on_it(faults, works, chosen, reports, is_first):
    machines = Machines("ad")
    for word in [*works] * is_first:
        machines.roster.note_works(machines.machines[word], ["one", "two"])
    for word in faults:
        machines.fail(word)
    for word in works:
        machines.roster.note_works(machines.machines[word], ["one", "two"])
    assert machines.said == reports
    assert machines.choose("one", "two") == chosen
    assert machines.choose("two") == "any"
    assert ("one" in machines.roster.blamed) == ("any machine" in str(reports))


IMPOSSIBLE = {
    "no machine": (["one?a", "one?d"], "bots.one: no machine can start it: a: there is no java; d: there is no java"),
    "no machine for both": (
        ["one?a", "two?d"],
        "bots: no machine can start both one and two: a: there is no java; d: there is no java",
    ),
}


@pytest.mark.parametrize(("faults", "message"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_bots_without_a_machine_are_refused(faults, message):
    machines = Machines("ad")
    for word in faults:
        machines.fail(word)
    with pytest.raises(ConfigError) as caught:
        machines.choose("one", "two")
    assert str(caught.value) == message


def test_games_wait_for_a_machine_that_has_left_if_only_that_can_play_them():
    machines = Machines("ad")
    machines.fail("one?a")
    machines.show("a")
    assert machines.choose("one", "two") == ""
    machines.show("ad")
    assert machines.choose("one", "two") == "d"
    machines.show("")
    assert machines.roster.threads == 0
    assert machines.choose("two") == "any"  # so that Dask starts a worker if it may


def test_a_game_that_failed_on_a_machine_goes_to_another_one_if_there_is_one():
    machines = Machines("ad")
    assert machines.choose("one", avoided={"a"}) == "d"
    assert machines.choose("one", avoided={"a", "d"}) == "ad"


def test_workers_that_were_not_started_for_games_or_have_another_version_get_none():
    machines = Machines("a")
    assert machines.choose("one") == "any"
    old = describe(replace(DESK, id="o", host="old", arbiter="0.0.9"), 4)
    for _ in range(2):
        machines.show("a", bare=describe(None, 4), old=old)
    assert machines.choose("one") == "a"
    assert machines.roster.threads == 2
    assert machines.said == [
        "the worker bare does not play: it was not started for games; start it with `arbiter worker`",
        f"the worker old does not play: it has arbiter 0.0.9, this machine has {__version__}; install the same version",
    ]


def test_an_excluded_machine_gets_no_more_games():
    machines = Machines("ad")
    changes = machines.roster.changes
    for _ in range(2):
        machines.roster.exclude(machines.machines["a"], "it is wrong")
    assert machines.said == ["a plays no more games, because it is wrong"]
    assert machines.choose("one") == "d"
    assert machines.roster.changes > changes
    assert machines.roster.threads == 2
    machines.roster.exclude(machines.machines["d"], "its disk is full")
    with pytest.raises(ConfigError, match="all machines are excluded"):
        machines.choose("one")


def test_a_machine_that_cannot_begin_games_three_times_in_a_row_plays_no_more():
    machines = Machines("ad")
    for machine in ("a", "a", "d", "d"):
        machines.roster.note_fault(machines.machines[machine], "the disk is full")
    machines.roster.note_works(machines.machines["d"], ["one"])
    assert machines.said == []
    for machine in ("d", "a"):
        machines.roster.note_fault(machines.machines[machine], "the disk is full")
    assert machines.said == ["a plays no more games, because the disk is full"]


def test_a_machine_is_needed_if_two_bots_meet_only_there():
    machines = Machines("adc", ("one", "two", "three"))
    assert machines.roster.can_spare("d")
    machines.fail("one?a")
    assert machines.roster.can_spare("d")
    machines.fail("two?c")
    assert not machines.roster.can_spare("d")
    assert machines.roster.can_spare("a")


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


def count(machines, name, *games):
    """Count games of a machine; the voided ones are True."""
    for voided in games:
        machines.roster.count_game(machines.machines[name], voided=voided)


@pytest.mark.parametrize(("others", "own", "notice", "excluded"), VOIDS.values(), ids=VOIDS)
def test_a_machine_that_voids_more_games_is_named_and_excluded(others, own, notice, excluded):
    machines = Machines("mo")
    for name, (games, voids) in (("o", others), ("m", own)):
        count(machines, name, *[False] * (games - voids))
    for number in range(max(others[1], own[1])):
        count(machines, "o", *[True] * (number < others[1]))
        count(machines, "m", *[True] * (number < own[1]))
    assert len(machines.said) == (2 if excluded else 1 if notice else 0)
    assert "".join(machines.said[-1:]).startswith(f"m {notice}" if notice else "")
    assert machines.choose("one") == ("o" if excluded else "any")


def test_a_machine_without_which_some_games_cannot_be_played_is_only_named():
    machines = Machines("mo")
    machines.fail("one?o")
    count(machines, "o", *[False] * 50)
    count(machines, "m", *[True] * 50)
    assert [sentence.partition(" than")[0] for sentence in machines.said[1:]] == ["m voids more games"]
    assert machines.choose("one") == "m"


def test_a_machine_that_voids_all_games_at_once_is_excluded_when_the_others_have_played():
    machines = Machines("mo")
    count(machines, "m", *[True] * 8)
    found = []
    for _ in range(5):
        found.append(machines.said[-1].split(",")[0] if machines.said else "")
        count(machines, "o", False)
    assert found == [
        "",
        "",
        "m voids more games than the other machines: 8 of its 8 games were voided",
        "m voids more games than the other machines: 8 of its 8 games were voided",
        "m plays no more games",
    ]
