"""Suites: the shipped positions are what they claim to be, bots are scored, and faults in a file are named."""

import json
import re
import shlex
import subprocess
from collections import Counter
from importlib.resources import files
from itertools import permutations
from pathlib import Path

import pytest
from cli.command_line import ARBITER, PATIENCE_S, call, call_ok, call_refused
from preflight.solver import can_force_win, forces_win

from arbiter.games.board.diagram import Diagram
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.notation import write_action
from arbiter.games.ruleset import Overrides
from arbiter.preflight.suite import SuiteFile, check_suite
from arbiter.tournament.config.typed_toml import read_toml

FIRST = files("arbiter.preflight") / "suites" / "first.toml"
POSITIONS = check_suite(read_toml(Path(str(FIRST)), SuiteFile)).positions
PLIES = re.compile(r"within (\d) plies")


def of_theme(theme):
    found = [one for one in POSITIONS if one.table.theme == theme]
    return pytest.mark.parametrize("position", found, ids=[one.table.name for one in found])


def start(position, letters=None, **changes):
    overrides = Overrides(army=position.overrides.army, **changes)
    return find_game(position.rules, (), overrides, letters or position.letters).start(SeededChance(0))


def list_winning(play, plies):
    return {write_action(one) for one in play.legal_actions(play.to_act[0]) if forces_win(play, one, plies)}


def plies_of(position):
    return int(PLIES.search(position.table.why)[1])


def test_the_first_suite_has_30_positions_of_four_themes():
    themes = Counter(one.table.theme for one in POSITIONS)
    assert sum(themes.values()) == 30
    assert set(themes) == {"ending", "flag hunt", "repetition", "defence"}
    assert {one.seat for one in POSITIONS} == {"red", "blue"}


@of_theme("ending")
@pytest.mark.slow(keep=2)
def test_an_ending_is_won_only_by_the_best_action(position):
    assert list_winning(start(position), plies_of(position)) == set(position.table.best)
    assert not can_force_win(start(position), plies_of(position) - 2)


@of_theme("repetition")
@pytest.mark.slow(keep=2)
def test_a_repetition_rule_makes_the_difference(position):
    plies = plies_of(position)
    assert list_winning(start(position), plies) == set(position.table.best)
    rule = re.search(r"the (two|more)-squares rule", position.table.why)[1]
    off = {"two_squares": 0} if rule == "two" else {"more_squares": "off"}
    assert not can_force_win(start(position, **off), plies)


@of_theme("defence")
@pytest.mark.slow(keep=2)
def test_every_action_but_the_best_loses(position):
    safe = set()
    play = start(position)
    for action in play.legal_actions(position.seat):
        after = play.copy()
        after.act(position.seat, action)
        if not (after.outcome.winner not in (None, position.seat) if after.outcome else can_force_win(after, 3)):
            safe.add(write_action(action))
    assert safe == set(position.table.best)


@of_theme("flag hunt")
@pytest.mark.slow(keep=2)
def test_a_flag_is_found_wherever_it_is(position):
    """The best action wins in each arrangement of the ranks that the bot does not know; no other one does."""
    play = start(position)
    board = play.tables.ruleset.board
    pieces = play.tables.ruleset.position.pieces
    hidden = [one for one in pieces if one.seat != position.seat and not one.is_known]
    others = tuple(one for one in pieces if one not in hidden)
    arrangements = set(permutations(one.rank for one in hidden))
    assert len(arrangements) > 1
    always = None
    for ranks in arrangements:
        placed = [type(one)(one.square, one.seat, rank) for one, rank in zip(hidden, ranks, strict=True)]
        letters = Diagram((*others, *placed), position.seat).write(board)
        winning = list_winning(start(position, letters), plies_of(position))
        always = winning if always is None else always & winning
    assert always == set(position.table.best)


# --- scoring --------------------------------------------------------------------------------------


def score(*words):
    return [json.loads(line) for line in call_ok("suite", *words, "--json", "--sandbox", "process").splitlines()]


SUITE = """
name = "mine"
rules = "duel"

[[position]]
name = "take it"
theme = "easy"
board = '''
. . . . . . . . . bF
. . . . . . . . R3 .
. . . . . . . . . .
. . . . . . . . . b2
. . ~ ~ . . ~ ~ . .
. . ~ ~ . . ~ ~ . .
. . . . . . . . . .
. . . . . . . . . .
. . . . . . . . . .
RF . . . . . . . . .
'''
result = "win"
"""


@pytest.fixture
def suite(tmp_path):
    def write(text):
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_bot_is_scored_by_theme():
    *answers, total = score("first", "hunter", "--only", "defence", "--only", "repetition-1")
    assert {one["theme"] for one in answers} == {"defence", "repetition"}
    for one in answers:
        assert one["passed"] == (one["got"] in one["expected"].split(" or "))
    assert total["passed"] == sum(one["passed"] for one in answers) > 0
    assert total["positions"] == len(answers) == sum(theme["positions"] for theme in total["themes"].values())


@pytest.mark.heavy
def test_several_positions_are_played_at_a_time():
    words = ("first", "hunter", "--only", "defence")
    at_a_time = score(*words, "--jobs", "3", "--force-jobs")
    in_workers = score(*words, "--workers", "2", "--fresh")
    for answers in (at_a_time, in_workers):
        assert [{**one, "ms": 0} for one in answers] == [{**one, "ms": 0} for one in score(*words)]


def test_a_result_is_played_out(suite, tmp_path):
    path = suite(SUITE)
    won, total = score(path, "hunter", "--opponent", "random", "--export", tmp_path / "games")
    assert won["passed"]
    assert won["got"].startswith("win (")
    [record] = (tmp_path / "games").iterdir()
    assert call("verify", record).exit_code == 0
    assert total["passed"] == 1


def test_actions_to_avoid(suite):
    text = SUITE.replace('result = "win"', 'avoid = ["i9-i10", "i9-j9", "i9-h9", "i9-i8"]')
    assert "avoid: contains all legal actions" in call_refused("suite", suite(text), "hunter")
    legal = 'avoid = ["i9-h9", "i9-i8"]'
    answer, _ = score(suite(SUITE.replace('result = "win"', legal)), "hunter")
    assert answer["passed"] == (answer["got"] in ("i9-i10", "i9-j9"))


CRASHES = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "x", "wants": ["legal"]}), flush=True)
    elif message["type"] == "ask":
        sys.exit(3)
"""


@pytest.fixture
def crashing(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(CRASHES, encoding="utf-8")
    return bot


def test_a_bot_that_fails_goes_on_with_the_next_position(suite, crashing):
    second = SUITE[SUITE.index("[[position]]") :].replace("take it", "again")
    first, again, total = score(suite(SUITE.replace('result = "win"', 'best = ["i9-i10"]') + second), crashing)
    assert first["got"] == "program crashed"
    assert again["got"].startswith("loss (program crashed")
    assert total["passed"] == 0


def test_a_forfeit_of_the_opponent_passes_nothing(suite, crashing):
    answer, total = score(suite(SUITE), "random", "--opponent", crashing)
    assert answer["got"] == "the opponent forfeited (program crashed)"
    assert answer["ms"] is not None
    assert total["passed"] == 0


def test_nobody_reads_the_answers_any_more():
    command = f"{shlex.quote(str(ARBITER))} suite first hunter --json --sandbox process | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    assert json.loads(done.stdout)
    assert "Traceback" not in done.stderr


def test_too_few_passed_positions_are_a_failure(suite):
    path = suite(SUITE.replace('result = "win"', 'best = ["i9-i8"]'))
    assert call("suite", path, "hunter", "--sandbox", "process", "--at-least", "1").exit_code == 1
    assert call("suite", path, "hunter", "--sandbox", "process").exit_code == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('result = "win"', ""), "best: take it needs exactly one of best, avoid and result"),
        (('result = "win"', 'best = ["a1-a2"]'), "best: 'a1-a2' is not legal; red can play i9-h9"),
        (("R3", "R11"), "line 8: position.take it.board: line 2, i9: this rule set has no rank '11'"),
        (('rules = "duel"', 'rules = "card-game"'), "rules: card-game has no board"),
        (("R3", ". "), "board: the game is over at the start"),
        (("theme", "thema"), "thema: unknown key; did you mean theme?"),
    ],
)
def test_faults_of_a_file(suite, change, why):
    assert why in call_refused("suite", suite(SUITE.replace(*change, 1)), "hunter")


def test_an_unknown_theme():
    assert "the themes are ending, flag hunt, repetition, defence" in call_refused(
        "suite", "first", "hunter", "--only", "x"
    )
