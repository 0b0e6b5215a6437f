"""`replay` of a game in progress: on a terminal, in a pipe, and without --live."""

import json

from cli.command_line import call, call_ok, call_refused
from cli.sleeping_bot import linux_only, wake
from cli.terminal import Terminal
from cli.waiting_bot import FIRST, run_until_waiting, waiting_tournament

pytestmark = linux_only
PLIES = 6  # by then the first game waits


def frames_of(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_pipe_gets_the_game_so_far_and_other_commands_show_how_to_watch_it(folder):
    file = waiting_tournament(folder)
    with run_until_waiting(file, "--live") as running:
        shown = call("replay", file, FIRST, "--json")
        assert shown.stderr == f"arbiter: {FIRST} is in progress; this is the record so far\n"
        assert shown.exit_code == 0
        assert [(frame["ply"], frame["ending"]) for frame in frames_of(shown)] == [
            (ply, []) for ply in range(PLIES + 1)
        ]
        last = call("replay", file, FIRST, "--at", "end", "--plain")
        assert f"\nply {PLIES}: " in last.stdout
        assert "without a result" not in last.stdout
        assert f"has plies 0 to {PLIES}" in refused_after_notice("replay", file, FIRST, "--at", "7")
        assert "there is no game 'nobody'" in call_refused("replay", file, "nobody")
        hint = f"watch the games in progress: arbiter replay {folder / 'results' / 'club.sqlite'}"
        assert hint in call_ok("status", file).splitlines()
        assert json.loads(call_ok("status", file, "--json"))["live"] is True
        assert hint in call_ok("games", file).splitlines()
        assert "watch" not in call_ok("games", file, "--json")
        wake(folder)
        assert running.finish()[0] == 0
    assert "watch the games in progress" not in call_ok("status", file) + call_ok("games", file)
    assert json.loads(call_ok("status", file, "--json"))["live"] is False


def refused_after_notice(*words):
    result = call(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def test_without_live_the_error_names_the_option(folder):
    file = waiting_tournament(folder)
    with run_until_waiting(file):
        told = call_refused("replay", file, FIRST)
        assert (
            told
            == f"arbiter: {FIRST} is in progress; to watch games while they are played, run the tournament with --live"
        )


def test_a_terminal_follows_the_game_to_its_end(folder):
    file = waiting_tournament(folder)
    with run_until_waiting(file, "--live") as running, Terminal("replay", file, height=30) as terminal:
        terminal.read_until("0 games and 1 in progress")
        terminal.press("\r")
        terminal.read_until("in progress · view: everything")
        wake(folder)
        terminal.read_until("plies without an attack")
        terminal.press("q")
        assert (terminal.finish(), terminal.is_clean) == (0, True)
        assert running.finish()[0] == 0


def test_a_terminal_opens_a_game_by_its_id_and_shows_that_it_was_broken_off(folder):
    file = waiting_tournament(folder)
    with run_until_waiting(file, "--live") as running, Terminal("replay", file, FIRST, "--as", "red") as terminal:
        terminal.read_until(f"ply {PLIES} of {PLIES}")
        running.popen.kill()
        terminal.read_until("The game was voided")
        terminal.press("q")
        assert terminal.finish() == 0
        assert f"there is no game '{FIRST}'" in call_refused("replay", file, FIRST)
