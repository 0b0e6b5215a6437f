"""`verify`: records of this arbiter are correct; errors in others are reported."""

import json
import re

import pytest
from cli.command_line import call, call_ok

from arbiter.languages.sentences import write_ending

GAME = "hunter~random~1"
HALF = b'{"type":"game","rules":"duel"}\n{"type":"act","seat":"re'
PIECES = {"a1": "flag", "b1": "bomb", "c1": "bomb", "a2": "spy", "b2": "miner", "c2": "miner"}
RED = PIECES | {"a4": "scout", "b4": "scout", "i4": "general", "j4": "marshal"}
BLUE = {f"{place[0]}{11 - int(place[1:])}": rank for place, rank in RED.items()}


def handwritten(*moves):
    """Write a record by hand: header and actions."""
    acts = [("red", {"type": "deploy", "pieces": RED}), ("blue", {"type": "deploy", "pieces": BLUE})]
    acts += [(seat, {"type": "move", "src": src, "dst": dst}) for seat, src, dst in moves]
    lines = [{"type": "game", "rules": "duel"}]
    lines += [{"type": "act", "seat": seat, "action": action} for seat, action in acts]
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def record(played, tmp_path):
    call("games", played, "--id", GAME, "--export", tmp_path)
    return tmp_path / f"{GAME}.jsonl"


def changed(path, act, change):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines[act])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def verdict(path, *options):
    result = call("verify", path, *options, "--json")
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def test_all_games_of_results(played):
    summary, digest = call_ok("verify", played).splitlines()
    assert ": ok: 12 games; first: hunter; chain of " in summary
    assert re.search(r": digest [0-9a-f]{64}$", digest)


def test_a_correct_record(record, played):
    game = json.loads(call_ok("games", played, "--id", GAME, "--json"))
    told = f"ok, {game['plies']} plies, {game['winner']} wins ({write_ending(game['ending'])})"
    lines = call_ok("verify", record).splitlines()
    assert lines[0] == f"{record}: {told}"
    assert (
        lines[1] == f"{record}: proved: every move and every fact follows the rules; the result follows from the moves"
    )
    assert lines[2].startswith(f"{record}: on the word of the organiser: that these programs played")
    expected = {key: game[key] for key in ("plies", "winner", "ending")}
    code, found = verdict(record)
    assert (code, len(found.pop("proved")), len(found.pop("trusted"))) == (0, 2, 2)
    assert found == {"file": str(record), "ok": True} | expected


def test_a_record_of_header_and_actions_is_enough(tmp_path):
    path = tmp_path / "handwritten.jsonl"
    path.write_text(handwritten(("red", "i4", "i5"), ("blue", "i7", "i6")))
    first, proved, trusted = call_ok("verify", path).splitlines()
    assert first == f"{path}: ok, 2 plies, not finished"
    assert proved == f"{path}: proved: every move and every fact follows the rules"
    assert "on the word of the organiser" in trusted


def test_two_squares_refused(tmp_path):
    path = tmp_path / "shuffle.jsonl"
    there, back = [("red", "i4", "i5"), ("blue", "j7", "j6")], [("red", "i5", "i4"), ("blue", "j6", "j7")]
    path.write_text(handwritten(*there, *back, *there, *back))
    code, told = verdict(path)
    assert code == 1
    assert list(told) == ["file", "ok", "act", "rule", "why"]
    assert (told["ok"], told["act"], told["rule"]) == (False, 9, "two_squares")
    assert call("verify", path).stdout.startswith(f"{path}: act 9 (red i5-i4) refused: two squares: ")


def test_an_illegal_move(tmp_path):
    path = tmp_path / "jump.jsonl"
    path.write_text(handwritten(("red", "i4", "i6")))
    code, told = verdict(path)
    assert (code, told["act"], told["rule"]) == (1, 3, "movement")


def test_facts_that_differ(record):
    code, told = verdict(changed(record, 3, lambda act: act["facts"].clear()))
    assert (code, told["act"], told["rule"]) == (1, 3, "facts")


def test_a_result_that_differs(record):
    other = {"red": "blue", "blue": "red"}
    code, told = verdict(changed(record, -1, lambda result: result.update(winner=other[result["winner"]])))
    assert (code, told["rule"], "act" in told) == (1, "result", False)


@pytest.mark.parametrize("data", [HALF, b"", b"\xff\xfe\n", b"[]", b"{}", b"[" * 100_000], ids=repr)
def test_a_file_that_is_not_a_record(tmp_path, data):
    path = tmp_path / "strange.jsonl"
    path.write_bytes(data)
    code, told = verdict(path)
    assert (code, told["ok"], told["rule"], told["file"]) == (1, False, "format", str(path))
    assert len(call("verify", path).stdout.splitlines()) == 1


def test_a_record_cut_in_half(record):
    data = record.read_bytes()
    record.write_bytes(data[: data.rindex(b'"')])
    assert verdict(record)[0] == 1
    assert verdict(record)[1]["rule"] == "format"


def test_one_bad_record_among_good_ones_is_reported(played, record, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(HALF)
    result = call("verify", record, bad, played)
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert [": ok" in line for line in lines] == [True, False, False, False, True, False]
    assert [line.startswith(f"{bad}: ") for line in lines] == [False, False, False, True, False, False]
    assert ": digest " in lines[-1]


def limited(record):
    """Change a record to a game that is drawn after four plies by a limit."""
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    lines[0]["overrides"] = {"max_plies": 4}
    return record.with_name("limited.jsonl"), "".join(json.dumps(line) + "\n" for line in lines)


def test_draw_limits_switched_off(record):
    path, text = limited(record)
    path.write_text(text)
    assert verdict(path)[0] == 1
    assert verdict(path, "--no-draw-limits")[0] == 0
