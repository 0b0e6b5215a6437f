"""Logs of games: always for forfeits, for all games with `keep_logs`."""

import json

import pytest
from cli.command_line import call, call_ok, call_refused, read_told, write_program
from cli.fast_bots import fast_tournament

from arbiter.tournament.results.store import Store

KEPT = (
    "--- no messages are kept: forfeited games have them, games that the first bot of a match lost, and all games with "
    "--keep-logs\n"
)


def lines(*words):
    return [json.loads(line) for line in call_ok(*words, "--json").splitlines()]


def test_the_run_shows_how_to_see_the_log(forfeited):
    results = forfeited.parent / "results" / "club.sqlite"
    told = read_told(forfeited)
    assert told.count(f"; line by line: arbiter games {results} --id ") == 4
    assert "a forfeited game, line by line: arbiter games " in told.splitlines()[-1]
    words = told.splitlines()[-1].partition("arbiter ")[2].split()
    assert "thinking about 2" in call_ok(*words)


def test_the_list_of_games_shows_how_to_see_the_log(forfeited):
    results = forfeited.parent / "results" / "club.sqlite"
    hint = f"\na forfeited game, line by line: arbiter games {results} --id ID --log\n"
    assert call_ok("games", forfeited).endswith(hint)
    assert hint not in call_ok("games", forfeited, "--ending", "ply_limit")
    assert hint not in call_ok("games", forfeited, "--format", "csv")


def test_the_log_of_a_forfeit_contains_all_messages(forfeited):
    text = call_ok("games", forfeited, "--id", "base~prints-debug~1", "--log").splitlines()
    assert text[0] == "--- milliseconds since the start of the game, direction, line"
    said = [line.split(maxsplit=3)[1:] for line in text[1:]]
    assert ["from", "blue", "thinking about 2"] in said
    assert {tuple(words[:2]) for words in said} == {(way, seat) for way in ("to", "from") for seat in ("red", "blue")}
    times = [float(line.split()[0]) for line in text[1:]]
    assert times == sorted(times)


def test_as_json(forfeited):
    said = lines("games", forfeited, "--id", "base~prints-debug~1", "--log")
    wrong = [one for one in said if one["line"] == "thinking about 2"]
    assert [(one["seat"], one["from"], one["whole"]) for one in wrong] == [("blue", "blue", True)]
    kinds = [json.loads(one["line"])["type"] for one in said if one["seat"] == "red" and one["from"] == "arbiter"]
    assert (kinds[0], kinds[-2:]) == ("hello", ["over", "bye"])


def test_of_a_normal_game_only_stderr_is_kept(forfeited):
    words = ("games", forfeited, "--id", "base~logs-at-the-end~1", "--log")
    header, line, *rest = call_ok(*words).splitlines(keepends=True)
    assert header.startswith("--- milliseconds")
    assert (line.split(maxsplit=1)[1], rest) == ("stderr blue  dear diary: ply_limit\n", [KEPT])
    (written,) = lines(*words)
    assert written == {"ms": written["ms"], "seat": "blue", "ask": 4, "stderr": "dear diary: ply_limit"}
    assert written["ms"] > 0


def test_logs_of_all_games(logged):
    file = logged
    for game in lines("games", file):
        said = lines("games", file, "--id", game["id"], "--log")
        assert len([one for one in said if one["from"] == "arbiter"]) > 8
    assert "line by line" not in call_ok("games", file)


def test_keep_logs_may_change_between_runs(tmp_path, fast_bot):
    for games, key, option in ((2, {}, ()), (4, {"keep_logs": True}, ()), (6, {}, ["--keep-logs"])):
        file = fast_tournament(tmp_path, fast_bot, games, **key)
        call_ok("run", file, *option)
    kept = [bool(lines("games", file, "--id", game["id"], "--log")) for game in lines("games", file)]
    assert sorted(kept) == [False] * 2 + [True] * 4


def test_the_log_of_a_match(tmp_path):
    results = tmp_path / "match.sqlite"
    short = ("--games", 2, "--rules", "duel")
    call_ok("match", "random", "hunter", *short, "--results", results, "--keep-logs")
    with Store.read(results) as store:
        assert all(store.log(game.id).wire.keys() == {"red", "blue"} for game in store.games())
    assert call_refused("match", "random", "hunter", *short, "--keep-logs") == (
        "arbiter: --keep-logs: logs are stored with the results; add --results PATH"
    )


@pytest.mark.parametrize("bots", [("hunter", "random"), ("random", "hunter")])
def test_a_match_keeps_the_logs_of_games_that_the_first_bot_lost(tmp_path, bots):
    results = tmp_path / "match.sqlite"
    told = call_ok("match", *bots, "--games", 2, "--rules", "duel", "--seed", 1, "--results", results)
    with Store.read(results) as store:
        lost = {game.id for game in store.games() if (game.red, game.blue)[game.winner == "red"] == bots[0]}
        assert {game.id for game in store.games() if store.log(game.id).wire} == lost
    assert len(lost) == (2 if bots[0] == "random" else 0)
    assert (f"how a game was lost: arbiter explain {results} random~hunter~1\n" in told) is (bots[0] == "random")
    assert ("how a game was lost" in told) is (bots[0] == "random")
    listed = {bot: {one["id"] for one in lines("games", results, "--lost-by", bot)} for bot in bots}
    assert listed[bots[0]] == lost
    assert len(listed[bots[1]]) == 2 - len(lost)


def test_without_results_a_forfeit_is_explained(tmp_path):
    nonsense = write_program(tmp_path / "nonsense.py", "input()\nprint('no \\x1b[2J')\n")
    told = call("match", nonsense, "random", "--games", 2, "--rules", "duel").stdout
    assert told.count("  red broke the protocol: not a JSON object on one line") == 1
    assert "line by line" not in told
