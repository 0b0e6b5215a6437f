import io
import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from tournament.stored_games import game, games, void

from arbiter.languages.sentences import write_ending
from arbiter.show.tables.games import describe_game
from arbiter.show.tables.run.progress import LiveProgress, show_progress
from arbiter.show.tables.run.status import describe_speed
from arbiter.tournament.events import Closing, Finished
from arbiter.tournament.standings.table import rank_bots
from protocol.reasons import BrokeProtocol, Exited, ProgramEnded, Withdrawn

PLAYED = games("hunter random 1-0\nrandom hunter 1-0\nhunter random 1/2")


def count_up(before, total):
    """Return a function that counts one more game each time."""
    numbers = itertools.count(before + 1)
    return lambda: (next(numbers), total)


def table():
    return rank_bots(("hunter", "random"), PLAYED, ("points",))


def test_without_a_terminal_there_is_one_line_per_game():
    out = io.StringIO()
    with show_progress(count_up(16, 60), table, out, is_terminal=False) as shown:
        for one in PLAYED:
            shown.receive(Finished(one))
        shown.receive(Closing())
    assert out.getvalue() == (
        "game 17/60: hunter beats random after 101 plies: hunter took the flag\n"
        "game 18/60: random beats hunter after 102 plies: random took the flag\n"
        "game 19/60: hunter and random draw after 103 plies: draw agreed\n"
        "stopping after the games in progress; Ctrl-C again stops at once\n"
    )


@pytest.mark.parametrize(
    ("ending", "results", "more"),
    [
        ("protocol", None, ""),
        ("protocol", Path("my.sqlite"), "; line by line: arbiter games my.sqlite --id one~two~1 --log"),
        ("walkover", Path("my.sqlite"), ""),
    ],
)
def test_without_a_terminal_a_forfeit_is_explained(ending, results, more):
    out, forfeit = io.StringIO(), replace(game("one", "two", "red", ending), reason=BrokeProtocol("blue", "'\x1b[2J'"))
    with show_progress(count_up(0, 2), table, out, is_terminal=False, results=results) as shown:
        shown.receive(Finished(forfeit))
    assert (
        out.getvalue()
        == f"game 1/2: one beats two after 101 plies: {write_ending(ending)}\n  blue broke the protocol: '\\x1b[2J'{more}\n"
    )


@pytest.mark.parametrize(
    ("played", "sentence"),
    [
        (game("a", "b", "blue", "timeout"), "b beats a after 101 plies: out of time"),
        (game("a", "b", None, "illegal_setup"), "a and b both lose after 101 plies: illegal deployment"),
        (game("\x1b[2J", "b\n", "red", "crash"), r"\x1b[2J beats b\n after 101 plies: program crashed"),
    ],
)
def test_a_result_in_a_sentence(played, sentence):
    assert describe_game(played) == sentence


@pytest.mark.parametrize(
    ("finished", "seconds", "left", "text"),
    [
        (0, 10.0, 5, ""),
        (3, 0.0, 5, ""),
        (30, 60.0, 15, ", 30.0 games a minute, 0:30 left"),
        (1, 40.0, 1000, ", 1.5 games a minute, 11:06:40 left"),
    ],
)
def test_the_speed(finished, seconds, left, text):
    assert describe_speed(finished, seconds, left) == text


def live(rank, clock, played, total=10, done=7):
    out = io.StringIO()
    with LiveProgress(lambda: (done, total), rank, out, clock) as shown:
        for one in played:
            shown.receive(Finished(one))
    return out.getvalue()


def test_a_terminal_shows_bar_speed_last_result_and_standings():
    shown = live(table, lambda: 0.0, PLAYED).splitlines()
    assert shown[0].split() == ["━" * 21, "7/10"]
    assert shown[1].rstrip() == "hunter and random draw after 103 plies: draw agreed"
    assert [line.split() for line in shown[2:]] == [
        ["rank", "bot", "points", "games", "wins", "draws", "losses", "forfeits", "s/game"],
        ["1", "hunter", "10", "3", "1", "1", "1", "0"],
        ["1", "random", "10", "3", "1", "1", "1", "0"],
    ]


def test_a_note_is_shown_with_each_game_and_below_the_bar():
    out = io.StringIO()
    with show_progress(count_up(0, 3), table, out, is_terminal=False, note=lambda: "LLR 1.00") as shown:
        shown.receive(Finished(PLAYED[0]))
    assert out.getvalue() == "game 1/3: hunter beats random after 101 plies: hunter took the flag; LLR 1.00\n"
    with LiveProgress(lambda: (1, 3), table, out, lambda: 0.0, note=lambda: "LLR 2.00") as shown:
        shown.receive(Finished(PLAYED[0]))
    assert "LLR 2.00" in out.getvalue()


def test_anomalies_are_shown_below_the_standings():
    out, lost = (
        io.StringIO(),
        replace(game("one", "two", "red", "crash"), reason=ProgramEnded("blue", Exited(1), last_line="\x1b[2J")),
    )
    with LiveProgress(lambda: (4, 9), table, out, lambda: 0.0) as shown:
        for _ in range(4):
            shown.receive(Finished(lost))
        shown.receive(void("one~two~7", "killed", "red"))
        shown.receive(Finished(replace(game("one", "two", "red", "walkover"), reason=Withdrawn("two"))))
    assert [line.rstrip() for line in out.getvalue().splitlines()[-4:]] == [
        "forfeits: 4, void: 1, walkovers: 1",
        r"two forfeits against one (program crashed): blue's program exited with status 1…",
        "the game of one and two is voided: one was killed, and the sender is not known",
        "two forfeits against one (walkover): two was withdrawn",
    ]


def test_the_table_shows_the_time_of_the_bots():
    timed = [replace(one, red_ms=1500.0, blue_ms=500.0) for one in games("hunter random 1-0")]
    rank = lambda: rank_bots(("hunter", "random"), timed, ("points",))  # noqa: E731 - as short as that
    rows = [line.split() for line in live(rank, lambda: 0.0, timed).splitlines()[-2:]]
    assert [(row[1], row[-1]) for row in rows] == [("hunter", "1.50"), ("random", "0.50")]


def test_the_bots_are_ranked_at_most_twice_a_second():
    asked = []
    seconds = 0.0

    def play():
        nonlocal seconds
        for one in PLAYED * 10:
            seconds += 0.1
            yield one

    live(lambda: asked.append(1) or (), lambda: seconds, play(), total=40)
    assert 5 < len(asked) < 20


def test_a_name_is_not_read_as_markup():
    rank = lambda: rank_bots(("[red]x\x1b[2J",), [], ("points",))  # noqa: E731 - as short as that
    assert r"[red]x\x1b[2J" in live(rank, lambda: 0.0, [game("[bold]", "b", "red", "crash")])
    assert "[bold] beats b" in live(rank, lambda: 0.0, [game("[bold]", "b", "red", "crash")])


def test_a_long_table_is_cut_to_the_terminal():
    bots = [f"bot{number}" for number in range(20)]
    assert "and 6 more" in live(lambda: rank_bots(bots, [], ("points",)), lambda: 0.0, [])


def test_an_interruption_does_not_rank_again():
    asked = []
    with pytest.raises(KeyboardInterrupt), LiveProgress(lambda: (1, 1), lambda: asked.append(1) or (), io.StringIO()):
        raise KeyboardInterrupt
    assert len(asked) == 1


def test_slow_modules_are_imported_only_when_they_are_used():
    modules = "boards language text replay.replay replay.plain_text replay.knowledge replay.frame tables.run.progress tables.rules tables.sheet tables.standings".split()  # noqa: SIM905 - a list of words
    lines = [*(f"import arbiter.show.{module}" for module in modules), "import sys"]
    lines.append("print(sorted({'rich', 'tabulate', 'trio', 'click', 'sqlite3'} & set(sys.modules)))")
    found = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
