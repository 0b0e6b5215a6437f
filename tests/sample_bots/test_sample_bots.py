"""Every sample bot plays whole games of every rule set without an illegal action."""

import ast
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from chairs import NAMES, in_process, play_every_game, play_game

import sample_bots
from arbiter.games.catalogue import find_game
from protocol.words import OPPONENT, RED, SEATS
from sample_bots import SAMPLE_BOTS
from sample_bots.cards_player import Cards
from sample_bots.hunter import Hunter
from sample_bots.random_player import choose

FOLDER = Path(sample_bots.__file__).parent
BOARD_GAMES = [name for name in NAMES if find_game(name).terms(RED).board is not msgspec.UNSET]
CARD_GAMES = [name for name in NAMES if name not in BOARD_GAMES]


@pytest.mark.parametrize("bot", SAMPLE_BOTS.values(), ids=SAMPLE_BOTS)
def test_a_bot_plays_every_rule_set_and_leaves_at_bye(bot):
    play_every_game([sys.executable, "-I", "-m", bot.module])


@pytest.mark.parametrize("bot", SAMPLE_BOTS.values(), ids=SAMPLE_BOTS)
def test_a_bot_leaves_at_the_end_of_its_input(bot):
    ended = subprocess.run([sys.executable, "-I", "-m", bot.module], input=b"", capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def wins(bot, name, games):
    """Count the games of so many that a bot wins against random."""
    won = 0
    for seed in range(games):
        seat = SEATS[seed % 2]
        chairs = {seat: in_process(bot, "bot"), OPPONENT[seat]: in_process(choose, "random")}
        won += play_game(name, chairs, seed).winner == seat
    return won


@pytest.mark.parametrize("name", BOARD_GAMES)
def test_hunter_beats_random(name):
    assert wins(Hunter, name, 6) >= 5


@pytest.mark.parametrize("name", CARD_GAMES)
def test_the_card_player_beats_random(name):
    assert wins(Cards, name, 40) >= 36


@pytest.mark.parametrize("name", BOARD_GAMES)
def test_hunter_against_itself_comes_to_a_decision(name):
    for seed in range(2):
        chairs = {seat: in_process(Hunter, "hunter") for seat in SEATS}
        assert play_game(name, chairs, seed).winner is not None


@pytest.mark.parametrize("bot", [Hunter, choose])
def test_the_same_seed_is_the_same_game(bot):
    def ending():
        return play_game("duel", {seat: in_process(bot, "bot") for seat in SEATS}, seed=3)

    assert ending() == ending()


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]


def test_the_template_imports_the_standard_library_only():
    assert set(imported(FOLDER / "stdlib_player.py")) <= sys.stdlib_module_names


def test_no_bot_has_the_name_of_a_standard_module():
    assert {bot.module.split(".")[-1] for bot in SAMPLE_BOTS.values()}.isdisjoint(sys.stdlib_module_names)


def test_every_bot_is_listed_and_described_in_the_readme():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    modules = {f"sample_bots.{path.stem}" for path in FOLDER.glob("*.py")} - {"sample_bots.__init__"}
    assert {bot.module for bot in SAMPLE_BOTS.values()} == modules
    for bot in SAMPLE_BOTS.values():
        assert f"`{bot.name}`" in readme
        assert bot.description
