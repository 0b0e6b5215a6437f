"""`arbiter check`: output, exit codes, and errors of the operator."""

import json
import signal
import sys

import pytest
from cli.command_line import BOTS, StartedArbiter, bot_processes_in, call, call_ok, call_refused, write_program

from arbiter.preflight.examine import STEPS

NOVICE = BOTS / "novice.py"


def novice(mistake="none"):
    return f"{sys.executable} -ES {NOVICE} {mistake}"


def test_one_line_per_step():
    lines = call_ok("check", novice(), "--rules", "duel", "--games", 1).splitlines()
    assert lines[0] == f"novice: {len(STEPS)} steps; sandbox: process"
    assert "duel:" in lines
    steps = [line.split()[:3] for line in lines if line[:3].strip().isdigit()]
    assert steps == [[str(number), step.name, "ok"] for number, step in enumerate(STEPS, start=1)]
    assert lines[-1] == "all steps passed"


def test_a_failure_is_explained_with_the_messages():
    result = call("check", novice("UnknownField"), "--rules", "duel")
    assert result.exit_code == 1
    assert "  3  opening       failed   as red: red broke the protocol" in result.stdout
    assert "      The bot wrote the field `comment`" in result.stdout
    assert '      received:  \'{"type":"ask","ask":1' in result.stdout
    assert '      wrote:     \'{"type"' in result.stdout
    assert "games         skipped  step 'opening' did not pass" in result.stdout
    assert result.stdout.endswith("\n1 step failed\n")


def test_a_refused_action_is_shown_with_its_position_and_rule():
    text = call("check", novice("MovesBomb"), "--rules", "duel", "--stop").stdout
    assert "red " in text
    assert "refused by the rule immovable" in text
    assert "      10 " in text
    assert "RF" in text
    assert "bF" not in text
    found = json.loads(
        call("check", novice("MovesBomb"), "--rules", "duel", "--stop", "--json").stdout.splitlines()[-1]
    )
    assert (found["step"], found["name"], found["rules"], found["status"]) == (3, "opening", "duel", "failed")
    assert (found["rule"], found["mistake"]) == ("immovable", "immovable_moved")
    drawn = found["position"].split("\n")[1:]  # the first line contains times
    assert "\n".join(drawn) in "\n".join(line.removeprefix("      ") for line in text.splitlines())


def test_a_refused_deployment_is_drawn():
    text = call("check", novice("OthersRows"), "--rules", "duel", "--stop").stdout
    assert "blue deploys: refused by the rule deployment" in text
    assert text.count("bB") == 2


def test_stderr_is_shown_without_control_characters(tmp_path):
    bot = write_program(tmp_path / "bot.py", "import sys; sys.exit('\\x1b[2Jno way')")
    result = call("check", bot, "--stop")
    assert result.exit_code == 1
    assert "last lines on stderr:\n        \\x1b[2Jno way" in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["./nobody.py"], "there is no program"),
        (["randon"], "did you mean 'random'?"),
        (["random", "--rules", "dual"], "did you mean 'duel'?"),
        (["random", "--rules", "duel", "--option", "rescue"], "unknown option of duel 'rescue'"),
        (["random", "--option", "rescue"], "name the rule set that it belongs to, such as --rules us"),
        (["random", "--time", "soon"], "--time soon"),
        (["random", "--games", "0"], "--games"),
        (["random", "--start", "0"], "--start"),
        (["random", "--seed", "-1"], "--seed"),
    ],
)
def test_errors_of_the_operator(words, said):
    assert said in call_refused("check", *words)


def test_a_program_that_is_not_executable(tmp_path):
    path = write_program(tmp_path / "bot", "#!/bin/sh\n", runs=False)
    assert f"is not executable; run: chmod +x {path}" in call_refused("check", path)


def test_an_interrupted_check_leaves_no_processes(tmp_path):
    write_program(tmp_path / "bot.py", NOVICE.read_text(encoding="utf-8"))
    with StartedArbiter("check", "./bot.py SleepsInSetup", cwd=tmp_path) as started:
        started.read_until("handshake")
        started.popen.send_signal(signal.SIGINT)
        code, said = started.finish()
    assert (code, said) == (130, "\narbiter: stopped before the end\n")
    assert bot_processes_in(tmp_path) == []
