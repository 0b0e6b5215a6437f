"""`run` and `match`: games, output and storage."""

import json

import pytest
from cli.command_line import call, call_ok, call_refused, toml, write_program, write_tournament

QUIT = "#!/bin/sh\nexit 3\n"


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def test_a_run_prints_each_game_and_the_standings(tmp_path, quick):
    lines = call_ok("run", write_tournament(tmp_path, bots=quick[:2], games=4)).splitlines()
    results = tmp_path / "results" / "club.sqlite"
    assert lines[0].startswith("Club night: 4 games; sandbox: process; ")
    assert [line.split(":")[0] for line in lines[1:5]] == [f"game {number}/4" for number in (1, 2, 3, 4)]
    assert lines[-2:] == [f"results: {results}", f"watch a game: arbiter replay {results} hunter~random~1"]


def test_a_second_run_plays_nothing(played):
    before = call_ok("games", played, "--json")
    text = call_ok("run", played)
    assert "Ratings" in text
    assert "Pairs of games" not in text, "they are those of a match"
    lines = text.splitlines()
    assert lines[0].startswith("Club night: 12 games, 12 of them played before; sandbox: process; ")
    assert not any(line.startswith("game ") for line in lines)
    assert call_ok("games", played, "--json") == before


def test_added_games_and_bots_are_played(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2])
    call_ok("run", file)
    before = set(call_ok("games", file, "--json").splitlines())
    write_tournament(tmp_path, games=4, bots=quick)
    assert call_ok("run", file).startswith("Club night: 12 games, 2 of them played before")
    assert before < set(call_ok("games", file, "--json").splitlines())


def test_a_run_as_objects_is_games_then_standings(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2])
    told = objects(call_ok("run", file, "--json"))
    assert [set(line) >= {"id", "red", "blue", "why"} for line in told] == [True, True, False, False]
    assert told[2:] == objects(call_ok("standings", file, "--json"))
    listed = objects(call_ok("games", file, "--json"))
    assert sorted(game.pop("number") for game in listed) == [1, 2]
    assert sorted(map(str, told[:2])) == sorted(map(str, listed))


def test_a_match_stores_nothing_by_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = call_ok("match", "hunter", "random", "--rules", "duel", "--games", "2")
    assert "results" not in text
    assert list(tmp_path.iterdir()) == []


def test_a_match_with_results_is_resumed(tmp_path, quick_words):
    words = ("match", *quick_words[:2], "--rules", "duel", "--results", tmp_path / "kept.sqlite", "--games")
    call_ok(*words, "2")
    assert "4 games, 2 of them played before" in call_ok(*words, "4")
    assert ": ok: 4 games; " in call_ok("verify", tmp_path / "kept.sqlite")
    told = call_refused(*words, "2")
    assert "a change does not fit the 4 stored games: games: 4 before, 2 now, which leaves out 2 of them" in told
    assert "tournament" not in told


def test_a_bot_plays_itself_under_two_names():
    told = objects(call_ok("match", "random", "random", "--rules", "duel", "--games", "2", "--json"))
    assert {game["red"] for game in told[:2]} == {"random", "random-2"}


def test_a_program_behind_a_bridge_plays_itself(tmp_path):
    rows = "FB8sB479B8\nBB31555583\n6724898974\n967B669999\n"
    meek = write_program(tmp_path / "meek.py", f"input()\nprint(end={rows!r})\nprint('SURRENDER')\ninput()\n")
    words = f"ucc-bridge {meek}"
    lines = objects(call_ok("match", words, words, "--games", "2", "--json"))
    assert [(game["winner"], game["ending"]) for game in lines[:2]] == [("blue", "resigned")] * 2


def test_the_bots_receive_the_time_control_of_a_match(tmp_path, quick_words):
    results = tmp_path / "kept.sqlite"
    words = ("--rules", "duel", "--games", "2", "--time", "30+0.5/2", "--results", results)
    call_ok("match", *quick_words[:2], *words)
    call("games", results, "--export", tmp_path)
    header = json.loads((tmp_path / "hunter~random~1.jsonl").read_text().splitlines()[0])
    assert (header["time"]["bank_s"], header["time"]["increment_s"], header["time"]["move_s"]) == (30, 0.5, 2)


@pytest.mark.parametrize("quoted", ["./quit", "/bin/sh ./quit"])
def test_a_bot_is_a_path_or_a_command_line(tmp_path, monkeypatch, quick_words, quoted):
    monkeypatch.chdir(tmp_path)
    write_program(tmp_path / "quit", QUIT)
    told = objects(call_ok("match", quoted, quick_words[1], "--rules", "duel", "--games", "2", "--json"))
    assert {game["ending"] for game in told[:2]} == {"no_start"}
    assert told[3]["bot"] == "quit"
    assert (told[3]["forfeits"], told[3]["forfeit_causes"]) == (2, {"no_start": 2})
    assert "status 3" in told[0]["why"]


def test_the_standings_show_a_forfeit(tmp_path, quick):
    write_program(tmp_path / "quit", QUIT)
    file = write_tournament(tmp_path, bots=(quick[0], {"name": "mine", "command": ["./quit"]}))
    assert "program did not start 2" in call_ok("run", file)


def test_a_corrected_tournament_continues(tmp_path, quick):
    file = write_tournament(tmp_path, bots=(quick[0], {"name": "mine", "command": ["./mine"]}))
    assert "./mine" not in call_refused("run", file)
    write_program(tmp_path / "mine", QUIT)
    assert "2 games" in call_ok("run", file)


def test_tables_are_toml():
    assert toml({"a": [1, "b"], "c": True}) == '{a = [1, "b"], c = true}'


def test_no_bot_is_suspended_in_a_match(tmp_path, quick_words):
    broken = write_program(tmp_path / "broken", QUIT)
    results = tmp_path / "match.sqlite"
    call_ok("match", broken, quick_words[1], "--rules", "duel", "--games", "8", "--results", results)
    endings = [json.loads(line)["ending"] for line in call_ok("games", results, "--json").splitlines()]
    assert endings == ["no_start"] * 8
