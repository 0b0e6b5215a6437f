"""`replay`: a game from the view of each seat, from a record or from results."""

import json
import re

import pytest
from cli.command_line import call, call_ok, call_refused

GAME = "hunter~random~1"
RED_FOR_CERTAIN = re.compile(r"R[M0-9SBF]+")
BLUE_FOR_CERTAIN = re.compile(r"b[M0-9SBF]+")


@pytest.fixture
def record(played, tmp_path):
    call("games", played, "--id", GAME, "--export", tmp_path)
    return tmp_path / f"{GAME}.jsonl"


def board(text):
    return "\n".join(line for line in text.splitlines() if re.match(r" ?\d+[ \[*]", line))


def last_ply(played):
    return json.loads(call_ok("games", played, "--id", GAME, "--json"))["plies"]


def test_a_record_and_a_game_of_results_are_the_same(played, record):
    results = played.parent / "results"
    shown = {call_ok("replay", record), *(call_ok("replay", source, GAME) for source in (played, results))}
    assert len(shown) == 1


@pytest.mark.parametrize("command", ["replay", "explain", "feed"])
def test_a_game_is_named_by_its_number(played, command):
    number = json.loads(call_ok("games", played, "--id", GAME, "--json"))["number"]
    seat = ["--as", "red"] if command == "feed" else []
    assert call_ok(command, played, str(number), *seat) == call_ok(command, played, GAME, *seat)
    assert f"there is no game '{number + 999}'" in call_refused(command, played, str(number + 999), *seat)


def test_every_ply_has_a_frame(played):
    frames = [json.loads(line) for line in call_ok("replay", played, GAME, "--json").splitlines()]
    assert [frame["ply"] for frame in frames] == list(range(last_ply(played) + 1))
    assert [bool(frame["ending"]) for frame in frames] == [False] * last_ply(played) + [True]
    assert all(frame["ran"] == sorted(frame["ran"]) for frame in frames)


def test_the_arbiter_sees_all(played):
    text = board(call_ok("replay", played, GAME, "--at", "0"))
    assert RED_FOR_CERTAIN.search(text)
    assert BLUE_FOR_CERTAIN.search(text)
    assert "?" not in text


@pytest.mark.parametrize(
    ("seat", "own", "other"), [("red", RED_FOR_CERTAIN, BLUE_FOR_CERTAIN), ("blue", BLUE_FOR_CERTAIN, RED_FOR_CERTAIN)]
)
def test_a_player_sees_its_own_pieces_and_the_backs_of_others(played, seat, own, other):
    text = board(call_ok("replay", played, GAME, "--as", seat, "--at", "0"))
    assert len(own.findall(text)) == 10
    assert not other.search(text)
    assert text.count("?") == 10


def test_one_ply(played):
    text = call_ok("replay", played, GAME, "--at", "2")
    assert re.findall(r"^ply (\d+)", text, re.MULTILINE) == ["2"]
    assert text.startswith("hunter (red) against random (blue), duel, ")


def test_the_end(played):
    text = call_ok("replay", played, GAME, "--at", "end")
    assert re.findall(r"^ply (\d+)", text, re.MULTILINE) == [str(last_ply(played))]
    assert text.splitlines()[-1].startswith("points: hunter ")
    assert call_ok("replay", played, GAME, "--at", str(last_ply(played))) == text


def test_frames_fit_a_terminal(played):
    assert all(len(line) <= 80 for line in call_ok("replay", played, GAME).splitlines()[1:])


def test_a_speed_shows_the_same_frames(played):
    assert call_ok("replay", played, GAME, "--at", "1", "--speed", "100") == call_ok(
        "replay", played, GAME, "--at", "1"
    )


def test_pieces_are_named_in_a_language(played):
    assert "Feldmarschall" in call_ok("replay", played, GAME, "--lang", "de")


def test_a_ply_before_an_illegal_action_is_shown(record):
    lines = record.read_text().splitlines()
    record.write_text("\n".join([*lines[:5], lines[4]]))  # the same act once more
    assert "ply 2:" in call_ok("replay", record, "--at", "2")
    assert "act 5 cannot be shown" in call_refused("replay", record, "--at", "3")
    assert "act 5 cannot be shown" in call_refused("replay", record, "--at", "end")
