import random
import re

import pytest
from msgspec.structs import replace
from tournament.schedules import play_games
from tournament.stored_games import game
from tournament.tournaments import manifest, tournament_file

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.event_data import EventTable
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import ClusterTable, Draws, RulesTable, StageTable
from arbiter.tournament.results.manifest import new_manifest, resume_manifest
from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.stored_game import SYSTEMS

STORED = (game("hunter", "random", "red", "flag_taken"), game("hunter", "random", None, "agreed", pair=2))
HUNTER, RANDOM = BotConfig(name="hunter"), BotConfig(name="random")

OF_NO_CONSEQUENCE = {
    "name": {"name": "Another night"},
    "jobs": {"jobs": 7},
    "tie-breaks": {"tie_breaks": ["points"]},
    "a bot joins": {"bots": ["hunter", "random", "stdlib"]},
    "the bots change places": {"bots": ["random", "hunter"]},
    "a bot that has not played leaves": {"bots": ["hunter", "random"], "before": {"bots": ["hunter", "random", "x"]}},
    "memory": {"bots": [HUNTER, replace(RANDOM, memory_mb=2048)]},
    "trust": {"bots": [replace(HUNTER, trusted=True), RANDOM]},
    "the order of variables": {"bots": [replace(HUNTER, env={"A": "1", "B": "2"}), RANDOM], "before": {"bots": [replace(HUNTER, env={"B": "2", "A": "1"}), RANDOM]}},
    "the event": {"event": EventTable(title="Open")},
    "the title of a bot": {"bots": [replace(HUNTER, title="Jägerin", team="A"), RANDOM]},
    "more games": {"games": 6},
    "fewer, but more than were played": {"games": 4, "before": {"games": 8}},
    "the same rule set as a table": {"rules": RulesTable(base="original")},
    "the same points by name": {"points": SYSTEMS["isf"]},
    "the limit moved to its own table": {"draws": Draws(max_plies=9), "before": {"rules": RulesTable(base="original", max_plies=9)}},
}  # fmt: skip


@pytest.mark.parametrize("settings", OF_NO_CONSEQUENCE.values(), ids=OF_NO_CONSEQUENCE)
def test_changes_that_leave_games_comparable_are_accepted(settings):
    before = manifest(**{"games": 4} | settings.get("before", {}))
    now = manifest(**{"games": 4} | {key: value for key, value in settings.items() if key != "before"})
    late = tuple(bot for bot in now.tournament.bot_names if bot not in before.tournament.bot_names)
    kept = {"created": before.created, "secret": before.secret}
    assert resume_manifest(before, now, History(STORED)) == replace(now, late=late, **kept)


def test_late_bots_are_listed_in_the_order_in_which_they_joined():
    first, second, third = (
        manifest(bots=bots)
        for bots in (["hunter", "random"], ["z", "hunter", "random"], ["a", "z", "hunter", "random"])
    )
    joined = resume_manifest(first, second, History(STORED))
    assert joined.late == ("z",)
    assert resume_manifest(joined, third, History(STORED)).late == ("z", "a")
    assert resume_manifest(first, second, History()).late == ()


OF_CONSEQUENCE = {
    "rules": ({"rules": "duel"}, 'rules: "original" before, "duel" now'),
    "override": ({"rules": RulesTable(base="original", two_squares=0)}, "rules.two_squares: not set before, 0 now"),
    "army": ({"rules": RulesTable(base="original", army={"spy": 2, "scout": 7})}, "rules.army.spy: not set before, 2 now"),
    "draws": ({"draws": Draws(max_plies=9)}, "rules.max_plies: not set before, 9 now"),
    "time": ({"time": TimeSettings(bank_s=5)}, "time.bank_s: 60 before, 5 now"),
    "scaled time": ({"cluster": ClusterTable(scale_time=True)}, "cluster.scale_time: false before, true now"),
    "points": ({"points": "ucc"}, "points.draw: 3 before, 2 now; points.forfeit: 0 before, -1 now"),
    "on_illegal": ({"on_illegal": "ask-again:2"}, 'on_illegal: "forfeit" before, "ask-again:2" now'),
    "first": ({"first": "lot"}, 'first: null before, "lot" now'),
    "position": ({"position": "a" * 40 + "aa__aa__aa" * 2 + "a" * 40}, 'position: null before, "aaaaa'),
    "seed": ({"seed": 18}, "seed: 17 before, 18 now"),
    "games": ({"games": 2}, "games: 4 before, 2 now, which leaves out 1 of them"),
    "format": ({"format": "gauntlet", "challengers": ["hunter"]}, 'format: "round-robin" before, "gauntlet" now'),
    "bot gone": ({"bots": ["hunter", "stdlib"]}, "bots: random is gone, but 2 of the games are its"),
    "command": ({"bots": ["hunter", BotConfig(name="random", command=["./r.py"])]}, 'bots.random.command: null before, ["./r.py"] now'),
    "variable": ({"bots": ["hunter", BotConfig(name="random", env={"DEPTH": "4"})]}, 'bots.random.env.DEPTH: not set before, "4" now'),
}  # fmt: skip


@pytest.mark.parametrize(("settings", "difference"), OF_CONSEQUENCE.values(), ids=OF_CONSEQUENCE)
def test_changes_that_do_not_fit_the_games_are_refused(settings, difference):
    with pytest.raises(ConfigError) as caught:
        resume_manifest(manifest(games=4), manifest(**{"games": 4} | settings), History(STORED))
    text = str(caught.value)
    assert difference in text
    assert text.startswith("a change does not fit the 2 stored games: ")
    assert text.endswith("; undo it, or keep the new games elsewhere with --results")


def test_everything_may_change_before_the_first_game():
    now = manifest(rules="duel", seed=18, games=2)
    assert resume_manifest(manifest(games=4), now, History()) == now


def test_a_random_seed_is_chosen_once():
    before, now = manifest(seed=None), manifest(seed=None)
    assert before.seed != now.seed
    assert resume_manifest(before, now, History(STORED)).seed == before.seed
    assert resume_manifest(before, manifest(seed=before.seed), History(STORED)).seed == before.seed


def test_a_new_manifest():
    head = new_manifest(resolve_names(tournament_file()), "full")
    assert (head.sandbox, head.seed, head.created[-6:]) == ("full", 17, "+00:00")


def test_all_changed_keys_of_the_schedule_are_reported():
    before = manifest(bots=("hunter", "random", "x"), games=4, format="gauntlet", challengers=["hunter"])
    now = manifest(bots=("hunter", "x", "random"), games=2, format="gauntlet", challengers=["x"])
    message = (
        'games: 4 before, 2 now and challengers: ["hunter"] before, ["x"] now '
        "and bots: hunter, random, x before, hunter, x, random now, which leaves out 2 of them"
    )
    with pytest.raises(ConfigError, match=re.escape(message)):
        resume_manifest(before, now, History(STORED))


CLOSED = 'but in format "swiss" no bot can leave or change places after the start'
SWISS_BOTS = ("hunter", "random", "x", "y")


@pytest.mark.parametrize(
    ("settings", "difference"),
    [
        ({"bots": (*SWISS_BOTS, "z")}, 'bots: z cannot join: format "swiss" pairs all bots from the first round on, and that round has begun'),
        ({"bots": ("random", "x", "hunter", "y")}, f"bots: hunter, random, x, y before, random, x, hunter, y now, {CLOSED}"),
        ({"games": 4}, "games: 2 before, 4 now, which leaves out 1 of them"),
        ({"rounds": 1}, "rounds: 2 before, 1 now, which leaves out 1 of them"),
    ],
)  # fmt: skip
def test_changes_to_the_pairings_of_a_running_swiss_tournament_are_refused(settings, difference):
    usual = {"bots": SWISS_BOTS, "games": 2, "format": "swiss", "rounds": 2}
    before = manifest(**usual)
    going = before.schedule()
    stored = play_games(going, random.Random(3), most=5)
    with pytest.raises(ConfigError, match=difference):
        resume_manifest(before, manifest(**usual | settings), History(tuple(stored)))


@pytest.mark.parametrize(
    ("absent", "accepted"), [([2], True), ([1, 3], False), ([1], False), ([2, 3], True), ([], True)]
)
def test_absences_change_only_for_rounds_that_have_not_begun(absent, accepted):
    entries = [BotConfig(name=name, command=["x"]) for name in SWISS_BOTS]
    before = manifest(bots=[*entries[:3], replace(entries[3], absent=[3])], games=2, format="swiss", rounds=3)
    stored = play_games(before.schedule(), random.Random(3), most=4)
    assert {game.round for game in stored} == {1}
    now = manifest(bots=[*entries[:3], replace(entries[3], absent=absent)], games=2, format="swiss", rounds=3)
    if accepted:
        assert resume_manifest(before, now, History(stored)).tournament.bots[3].absent == absent
    else:
        with pytest.raises(ConfigError, match=r"bots\.y\.absent: \[3\] before, .* now, but round 1 has begun"):
            resume_manifest(before, now, History(stored))


def test_a_swiss_tournament_can_have_more_rounds_added():
    usual = {"bots": SWISS_BOTS, "games": 2, "format": "swiss"}
    before = manifest(**usual, rounds=2)
    stored = play_games(before.schedule(), random.Random(3))
    assert (
        resume_manifest(before, manifest(**usual, rounds=3), History(tuple(stored))).tournament.settings["rounds"] == 3
    )


def test_no_bot_joins_the_first_stage_after_the_second_has_begun():
    stages = [StageTable(format="round-robin"), StageTable(format="knockout", best=2)]
    before = manifest(bots=SWISS_BOTS, games=2, stages=stages)
    stored = play_games(before.schedule(), random.Random(3), most=13)
    now = manifest(bots=(*SWISS_BOTS, "z"), games=2, stages=stages)
    with pytest.raises(ConfigError, match=r"bots: .* now, which leaves out 1 of them"):
        resume_manifest(before, now, History(tuple(stored)))
    assert resume_manifest(before, now, History(tuple(stored[:12]))).tournament.bots[-1].name == "z"


def test_a_challenger_can_join():
    before = manifest(bots=("hunter", "random", "x"), format="gauntlet", challengers=["hunter"])
    now = manifest(bots=("hunter", "random", "x"), format="gauntlet", challengers=["hunter", "x"])
    assert resume_manifest(before, now, History(STORED)).tournament.settings["challengers"] == ["hunter", "x"]
