"""Rulings at the command line: during a run, after a kill, in every output, and hidden from bots."""

import json
import re
import signal

import pytest
from cli.command_line import StartedArbiter, call, call_ok, call_refused, write_tournament
from cli.sleeping_bot import linux_only, list_games, tournament, wait_until_asleep, wake
from cli.terminal import Terminal

from arbiter.tournament.results.store import Store

GAME = "hunter~random~1"
BECAUSE = ("--because", "the power failed")
ACCEPTED = tuple(word for bot in ("sleeper", "one", "two") for word in ("--accept-new", bot))  # files in their folder


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


@linux_only
@pytest.mark.parametrize("is_killed", [False, pytest.param(True, marks=pytest.mark.heavy)])
def test_a_running_arbiter_takes_up_a_ruling_and_a_kill_before_its_effect_loses_nothing(folder, is_killed):
    file = tournament(folder, games=2)
    call_ok("run", file)
    tournament(folder, games=2, sleeping=True)  # one bot more
    accepted = ("--accept-new", "one", "--accept-new", "two")
    events = folder / "events.jsonl"
    with StartedArbiter("run", file, "--jobs", "1", *accepted, "--events", events) as running:
        wait_until_asleep(folder)
        assert "one~two~1 is played again as one~two~1~r2" in call_ok(
            "rule", file, "one~two~1", "--result", "replay", *BECAUSE
        )
        if is_killed:
            running.popen.send_signal(signal.SIGKILL)
            running.finish()
        wake(folder)
        if not is_killed:
            assert running.finish()[0] == 0
            assert any("is played again as one~two~1~r2: " in line for line in running.lines)
            (ruling,) = lines(call_ok("rule", file, "--json"))
            assert BECAUSE[1] in call_ok("rule", file)
            assert ruling.items() >= {"game": "one~two~1", "replacement": "one~two~1~r2"}.items()
            ruled = [event for event in lines(events.read_text()) if event["event"] == "ruled"]
            assert [{**event, "event": None} for event in ruled] == [
                {"event": None, **{key: value for key, value in ruling.items() if key != "undone_by"}}
            ]
    if is_killed:
        assert call("run", file, *ACCEPTED).exit_code == 0
    ids = [game["id"] for game in list_games(file)]
    assert len(ids) == len(set(ids)) == 6
    assert "one~two~1~r2" in ids
    played = lines(call_ok("games", file, "--show", "as-played", "--json"))
    assert sorted(game["id"] for game in played) == sorted([*ids, "one~two~1"])
    shown = call("verify", file).stdout
    assert "ok: 7 games" in shown, shown


@linux_only
@pytest.mark.heavy
def test_a_replay_that_is_killed_is_played_once(folder):
    file = tournament(folder, games=2, sleeping=True)
    wake(folder)
    assert call("run", file).exit_code == 0
    (folder / "awake.log").unlink()
    (folder / "asleep.log").unlink(missing_ok=True)
    call_ok("rule", file, "sleeper~one~1", "--result", "replay", *BECAUSE)
    with StartedArbiter("run", file, *ACCEPTED) as running:
        wait_until_asleep(folder)
        running.popen.send_signal(signal.SIGKILL)
        running.finish()
    wake(folder)
    assert "game 6/6" in call("run", file, *ACCEPTED).stdout
    assert [game["id"] for game in list_games(file)].count("sleeper~one~1~r2") == 1


def test_a_ruling_is_shown_everywhere_and_reverted(club, tmp_path):
    before = call_ok("standings", club)
    told, *_ = call_ok("rule", club, GAME, "--result", "none", *BECAUSE, "--by", "ann").splitlines()
    assert told.startswith("ruling 1 (ann, ")
    assert told.endswith(f"{GAME}: both lose, before: red wins: the power failed")
    shown = call_ok("standings", club)
    assert "rulings" in shown
    assert shown.count(told) == 2, "below the standings and below the ratings"
    assert ")*" in shown
    assert told in call_ok("standings", club, "--show", "crosstable")
    assert told in call_ok("games", club, "--id", GAME)
    (game,) = lines(call_ok("games", club, "--id", GAME, "--json"))
    assert (game["winner"], game["ending"], game["points"]) == (None, "double_loss", {"red": 1, "blue": 1})
    assert (game["ruling"]["number"], game["ruling"]["as_played"]["winner"]) == (1, "red")
    (game,) = lines(call_ok("games", club, "--id", GAME, "--show", "as-played", "--json"))
    assert (game["winner"], "ruling" in game) == ("red", False)
    rows = {row["bot"]: row for row in lines(call_ok("standings", club, "--json"))}
    assert [rows[bot]["rulings"] for bot in ("hunter", "random", "stdlib")] == [[1], [1], []]
    call_ok("report", club, "-o", tmp_path / "report")
    index = (tmp_path / "report" / "index.html").read_text()
    assert "<h2>Rulings</h2>" in index
    assert "both lose, before: red wins: the power failed" in index
    page = (tmp_path / "report" / "games" / f"{GAME}.html").read_text()
    assert "Ruling 1 by ann: the power failed. As played: hunter wins" in page
    (row,) = lines(call_ok("rule", club, "--json"))
    assert (row["kind"], row["game"], row["previous"], row["result"], row["undone_by"]) == (
        "result",
        GAME,
        "red",
        "none",
        None,
    )
    call_ok("rule", club, GAME, "--undo", "--because", "a mistake")
    assert call_ok("standings", club) == before
    assert [row["undone_by"] for row in lines(call_ok("rule", club, "--json"))] == [2, None]


def test_a_replay_reveals_nothing_to_a_bot(tmp_path, quick):
    """The bots of a replay receive the same messages as in another game: only names, seeds and moves differ."""
    file = write_tournament(tmp_path, bots=quick[:2], games=2)
    call_ok("run", file, "--keep-logs")
    call_ok("rule", file, GAME, "--result", "replay", "--because", "a secret reason")
    call_ok("run", file, "--keep-logs")
    with Store.read(tmp_path / "results" / "club.sqlite") as store:
        logs = [store.log(game) for game in (GAME, f"{GAME}~r2")]
    for seat in ("red", "blue"):
        first, again = ([line.text for line in log.wire[seat].first if line.sent] for log in logs)
        for text in again:
            assert not any(word in text for word in (b"~r2", b"ruling", b"replay", b"secret reason"))
        keys = [[sorted(json.loads(text)) for text in texts[:3]] for texts in (first, again)]
        assert keys[0] == keys[1]
        names = [json.loads(texts[1]).get("game") for texts in (first, again)]
        assert names[0] != names[1] or names[0] is None


def test_pages_show_which_games_count_and_why_a_bot_left(club, tmp_path):
    call_ok("rule", club, "random~stdlib~1", "--result", "annulled", *BECAUSE)
    call_ok("rule", club, GAME, "--result", "replay", *BECAUSE)
    call_ok("run", club)
    call_ok("disqualify", club, "random", "--because", "two programs", "--by", "ann")
    call_ok("report", club, "-o", tmp_path / "report")

    def read(name):
        return (tmp_path / "report" / name).read_text()

    assert f'This game does not count: <a href="../games/{GAME}~r2.html">replaced by' in read(f"games/{GAME}.html")
    assert "The game is annulled." in read("games/random~stdlib~1.html")
    lost = read("games/random~hunter~1.html")
    assert "hunter wins: random was disqualified</strong>." in lost
    assert "As played: " in lost
    assert "did not play" not in lost + read("forfeits.html")
    assert "walkover" not in read("forfeits.html")
    page = read("bots/random.html")
    assert "random is disqualified; games lost." in page
    assert re.search(r"\(ann, .*\): random is disqualified: two programs \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\)", page)
    assert "voided" not in page + read("games.html")


def test_a_preview_stores_nothing(club):
    told = call_ok("rule", club, GAME, "--result", "annulled", "--dry-run")
    assert told.startswith("not stored: ruling 1 ")
    assert [row.split() for row in told.splitlines() if row.startswith(GAME)] == [
        [GAME, "hunter", "random", "red", "annulled"]
    ]
    ruling, *changes = lines(call_ok("disqualify", club, "random", "--dry-run", "--json"))
    assert (ruling["kind"], ruling["bot"]) == ("disqualify", "random")
    assert {one["type"] for one in changes} == {"changed_game", "changed_bot"}
    (row,) = [one for one in changes if one.get("bot") == "random"]
    assert (row["before"]["status"], row["after"]["status"]) == (None, "disqualified")
    assert lines(call_ok("rule", club, "--json")) == []


@linux_only
@pytest.mark.parametrize(("answer", "stored"), [("n", 0), ("y", 1)])
def test_a_terminal_is_asked_before_a_ruling_that_changes_more_than_it_names(club, answer, stored):
    with Terminal("disqualify", club, "random", *BECAUSE) as terminal:
        terminal.read_until("This changes more than the ruling names. Make it? [y/N]: ")
        terminal.press(f"{answer}\n")
        assert terminal.popen.wait(60) == (0 if stored else 2)
    assert len(lines(call_ok("rule", club, "--json"))) == stored


@linux_only
def test_a_terminal_is_not_asked_with_yes(club):
    with Terminal("disqualify", club, "random", *BECAUSE, "--yes") as terminal:
        assert terminal.popen.wait(60) == 0
    assert len(lines(call_ok("rule", club, "--json"))) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rule", GAME, "--result", "annulled"], "--because: is missing"),
        (["rule", GAME, "--result", "annulled", "--because", " "], "--because: is missing"),
        (
            ["rule", GAME, "--result", "annulled", "--because", "x" * 501],
            "--because: has 501 characters; at most 500 are allowed",
        ),
        (["rule", GAME, "--result", "annulled", *BECAUSE, "--by", ""], "--by: is empty"),
        (["rule", GAME, *BECAUSE], "the ruling is missing; add --result RESULT or --undo"),
        (["rule", GAME, "--undo", "--result", "draw", *BECAUSE], "--result and --undo exclude each other"),
        (["rule", "--result", "annulled", *BECAUSE], "GAME is missing"),
        (["rule", "hunter~randm~1", "--result", "annulled", *BECAUSE], f"did you mean {GAME}"),
        (["rule", "hunter~random~9", "--result", "annulled", *BECAUSE], "there is no game"),
        (["rule", GAME, "--undo", *BECAUSE], "no such ruling on it is in force"),
        (["disqualify", "hunte", *BECAUSE], "did you mean 'hunter'?"),
        (["disqualify", "hunter"], "--because: is missing"),
        (["reinstate", "hunter", *BECAUSE], "hunter: is not suspended"),
    ],
)
def test_wrong_input(club, words, message):
    command, *rest = words
    assert message in call_refused(command, club, *rest)
    assert lines(call_ok("rule", club, "--json")) == []
