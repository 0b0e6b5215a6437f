"""Every sample bot plays whole games of every rule set without an illegal action."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from bot_games import BOARD_GAMES, CARD_GAMES, connect_in_process, play_every_game, play_game

import sample_bots
from protocol.bot.trial import Trial, position
from protocol.words import BLUE, OPPONENT, RED, SEATS, Move, Removed
from sample_bots.cards_player import Cards
from sample_bots.catalogue import SAMPLE_BOTS
from sample_bots.hunter import VALUES, Hunter
from sample_bots.random_player import choose
from sample_bots.strategist import Strategist
from sample_bots.tracker import Tracker

FOLDER = Path(sample_bots.__file__).parent
ENDINGS = {"flag_taken", "no_pieces", "no_moves", "ply_limit"}


@pytest.mark.parametrize("name", sorted(SAMPLE_BOTS, key=lambda name: name != "hunter"))
@pytest.mark.heavy(keep=1)
@pytest.mark.slow(keep=3)
def test_a_bot_plays_every_rule_set_and_exits_after_bye(name, monkeypatch):
    monkeypatch.setenv("SEARCHER_NODES", "100")
    play_every_game([sys.executable, "-I", "-m", SAMPLE_BOTS[name].module], max_plies=60)


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("bot", [Strategist, Tracker, Hunter])
def test_a_bot_plays_with_the_options_of_the_us_rules(bot):
    bots = {RED: connect_in_process(bot, "bot"), BLUE: connect_in_process(choose, "random")}
    options = ("aggressor-advantage", "silent-defence", "rescue")
    assert play_game("us", bots, seed=1, max_plies=120, options=options).ending in ENDINGS


@pytest.mark.heavy(keep=2)
@pytest.mark.parametrize("name", sorted(SAMPLE_BOTS, key=lambda name: name not in ("searcher", "random")))
def test_a_bot_exits_at_the_end_of_its_input(name):
    words = [sys.executable, "-I", "-m", SAMPLE_BOTS[name].module]
    ended = subprocess.run(words, input=b"", capture_output=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def count_wins(bot, name, games):
    """Count the games that a bot wins against random, of a number of games."""
    won = 0
    for seed in range(games):
        seat = SEATS[seed % 2]
        bots = {seat: connect_in_process(bot, "bot"), OPPONENT[seat]: connect_in_process(choose, "random")}
        won += play_game(name, bots, seed).winner == seat
    return won


@pytest.mark.parametrize("name", BOARD_GAMES)
@pytest.mark.heavy
@pytest.mark.slow(keep=1)
def test_hunter_beats_random(name):
    assert count_wins(Hunter, name, 6) >= 5


def test_hunter_evaluates_a_position_by_the_values_of_the_pieces():
    trial = Trial(Hunter)
    facts = position({"a1": "flag", "b1": "marshal", "c1": "scout"}, {"a10": None, "b10": None, "c10": "general"})
    before = trial.ask([Move("c1", "c2")], facts)
    after = trial.ask([Move("c1", "c2")], [Removed(BLUE, "c10")])
    assert after.eval - before.eval == VALUES["general"]


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("name", ["duel", "barrage"])
@pytest.mark.parametrize("bot", [Strategist, Tracker])
def test_the_strong_bots_beat_random(bot, name):
    assert count_wins(bot, name, 12) >= 10


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("name", CARD_GAMES)
@pytest.mark.parametrize("bot", [Strategist, Tracker, Cards])
def test_the_card_player_and_the_bots_that_use_it_beat_random(bot, name):
    assert count_wins(bot, name, 40) >= 36


@pytest.mark.parametrize("name", BOARD_GAMES)
@pytest.mark.slow(keep=1)
def test_hunter_against_itself_has_a_winner(name):
    bots = {seat: connect_in_process(Hunter, "hunter") for seat in SEATS}
    assert play_game(name, bots, seed=0).winner is not None


@pytest.mark.parametrize("name", ["original", "duel", "barrage", "clone-wars-powers"])
@pytest.mark.heavy
@pytest.mark.slow(keep=1)
def test_games_of_the_strong_bots_have_a_winner(name):
    bots = {RED: connect_in_process(Tracker, "tracker"), BLUE: connect_in_process(Strategist, "strategist")}
    assert play_game(name, bots, seed=1).winner is not None


@pytest.mark.parametrize("bot", [Hunter, Tracker, Strategist, choose])
def test_the_same_seed_gives_the_same_game(monkeypatch, bot):
    monkeypatch.setattr("sample_bots.strategist.process_time", lambda: 0.0)  # a slow machine may shorten its search

    def play():
        return play_game("duel", {seat: connect_in_process(bot, "bot") for seat in SEATS}, seed=3)

    assert play() == play()


def list_imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]


def test_the_template_imports_the_standard_library_only():
    assert set(list_imports(FOLDER / "stdlib_player.py")) <= sys.stdlib_module_names


def test_no_bot_has_the_name_of_a_standard_module():
    assert {bot.module.split(".")[-1] for bot in SAMPLE_BOTS.values()}.isdisjoint(sys.stdlib_module_names)


def test_every_bot_and_every_file_is_described_in_the_readme():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in FOLDER.glob("*.py")} - {"__init__.py"}
    assert {bot.module.removeprefix("sample_bots.") + ".py" for bot in SAMPLE_BOTS.values()} <= files
    assert [name for name in files if f"`{name}`" not in readme] == []
    for bot in SAMPLE_BOTS.values():
        assert f"`{bot.name}`" in readme
        assert bot.description
