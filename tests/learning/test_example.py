"""The page about learning: its code runs, its example trains, and its policy plays as a bot."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.command_line import call_ok

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "examples" / "learning"
PAGE = (ROOT / "docs" / "learning.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PROGRAM = """
import sys
from policy import LinearPolicy, Path
from train import derive_seed, play_test_game

policy = LinearPolicy.load(Path(sys.argv[1]))
rewards = [play_test_game((policy.rules, policy.weights, 2 * derive_seed(number) + number % 2)) for number in range(int(sys.argv[2]))]
print(rewards.count(1))
"""


def run_example(*words):
    done = subprocess.run([sys.executable, *map(str, words)], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_code_on_the_page_runs(number):
    exec(compile(BLOCKS[number], f"block {number}", "exec"), {})


def test_the_page_contains_code():
    assert len(BLOCKS) == 4


def test_the_bot_on_the_page_plays(tmp_path):
    (block,) = re.findall(r"^```python bot\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    bot = tmp_path / "chance.py"
    bot.write_text(block, "utf-8")
    output = call_ok("match", str(bot), "random", "--rules", "duel", "--games", "2", "--sandbox", "process")
    assert not re.search("crash|no_start|protocol|illegal", output)


@pytest.mark.parametrize(("games", "wins"), [(20, 16), pytest.param(400, 350, marks=pytest.mark.slow)])
def test_the_trained_policy_beats_random_moves(games, wins):
    assert int(run_example("-c", PROGRAM, "barrage.json", games)) >= wins


def test_the_trained_policy_plays_as_a_bot():
    words = ("match", str(FOLDER / "player.py"), "random", "--rules", "barrage", "--games", "2", "--seed", "1")
    output = call_ok(*words, "--sandbox", "process")
    assert len(re.findall(r"game \d/2: (?:player beats|random beats|draw)", output)) == 2
    assert "player beats random" in output
    assert "crash" not in output
    assert "no_start" not in output


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("nowhere/policy.json",), "the folder nowhere does not exist"),
        (("policy.json", "--rules", "infiltrator"), "infiltrator has powers"),
        (("policy.json", "--rules", "dual"), "did you mean 'duel'"),
    ],
)
@pytest.mark.slow(keep=1)
def test_training_refuses_a_wrong_argument_at_once(words, fault):
    done = subprocess.run([sys.executable, "train.py", *words], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert fault in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_ten_iterations_make_a_policy_that_wins(tmp_path):
    file = tmp_path / "policy.json"
    output = run_example("train.py", file, "--iterations", "10", "--processes", "2")
    assert float(re.search(r"won ([\d.]+)%", output)[1]) > 60
    assert int(run_example("-c", PROGRAM, file, 100)) > 60
