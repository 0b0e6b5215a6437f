"""`feed`: what a bot was sent, from the log or rebuilt from the record; a bot answers it byte for byte the same."""

import json
import re
import subprocess
import sys

import pytest
from cli.command_line import bot, call, call_refused, write_tournament
from drawing import letters_of

from arbiter.tournament.results.store import Store
from protocol.words import SEATS
from sample_bots.catalogue import SAMPLE_BOTS

POSITION = """
10 .. .. .. .. .. .. .. .. bB bF
 7 .. .. .. .. .. .. .. .. b4 b5
 4 r4 r5 .. .. .. .. .. .. .. ..
 1 rF rB .. .. .. .. .. .. .. ..
"""


def scripted(name, *words):
    return bot("scripted", *words, name=name)


def feed(*words):
    result = call("feed", *words)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout_bytes


def list_sent(store, game_id, seat):
    return [line.text + b"\n" for line in store.log(game_id).wire[seat].lines if line.sent]


def check_that_both_agree(file):
    """Play a tournament with logs, and compare what was sent with what is rebuilt from the records."""
    assert call("run", file).exit_code == 0
    call("games", file, "--export", file.parent / "records")
    with Store.read(file.parent / "results" / "club.sqlite") as store:
        for game in store.games():
            for seat in SEATS:
                sent = b"".join(list_sent(store, game.id, seat))
                assert feed(file, game.id, "--as", seat) == sent
                assert feed(file.parent / "records" / f"{game.id}.jsonl", "--as", seat) == sent


@pytest.mark.parametrize("rules", ["barrage", "card-game", "us", "clone-wars-powers"])
@pytest.mark.slow(keep=2)
def test_what_was_sent_is_rebuilt_from_the_record_byte_for_byte(tmp_path, rules):
    settings = {"options": ["rescue"]} if rules == "us" else {}
    file = write_tournament(
        tmp_path, rules=rules, bots=("hunter", "tracker"), keep_logs=True, draws={"max_plies": 150}, **settings
    )
    check_that_both_agree(file)


def test_a_bot_answers_byte_for_byte_the_same(logged):
    with Store.read(logged.parent / "results" / "club.sqlite") as store:
        game = store.games()[0]
        log = store.log(game.id)
    for seat in SEATS:
        lines = log.wire[seat].lines
        module = SAMPLE_BOTS[getattr(game, seat)].module
        written = subprocess.run(
            [sys.executable, "-I", "-m", module],
            input=feed(logged, game.id, "--as", seat),
            capture_output=True,
            check=True,
        )
        assert written.stdout == b"".join(line.text + b"\n" for line in lines if not line.sent)


@pytest.mark.parametrize(
    ("wants", "settings"),
    [
        ("view", {"position": letters_of(POSITION)}),
        ("legal,news", {"time": {"increment_s": 0.3, "move_s": 20.5}}),
        ("news,view", {"time": {"pondering": False, "bank_s": 33.3}}),
        ("news", {"time": {"clock": "cpu", "bank_s": 30}}),
    ],
)
@pytest.mark.heavy(keep=2)
def test_every_wish_and_time_control_is_rebuilt(tmp_path, wants, settings):
    bots = [scripted("red", f"wants={wants}", "offer:a4-a5"), scripted("blue", "wants=legal")]
    check_that_both_agree(
        write_tournament(tmp_path, rules="original", bots=bots, keep_logs=True, draws={"max_plies": 20}, **settings)
    )


@pytest.mark.parametrize("program", ["crashes", "prints_debug", "sleeps_forever", "wrong_setup_act"])
@pytest.mark.slow(keep=2)
def test_of_a_forfeited_game_all_but_the_end_is_rebuilt(tmp_path, program):
    bots, time = [scripted("walker"), bot(program)], {"bank_s": 0.4, "setup_s": 2}
    file = write_tournament(tmp_path, rules="original", bots=bots, time=time)
    call("run", file)
    call("games", file, "--export", tmp_path / "records")
    with Store.read(tmp_path / "results" / "club.sqlite") as store:
        for game in store.games():
            for seat in SEATS:
                kept = list_sent(store, game.id, seat)
                rebuilt = feed(tmp_path / "records" / f"{game.id}.jsonl", "--as", seat).splitlines(keepends=True)
                # The program of a bot that has crashed is not sent `bye`.
                at = next(number for number, line in enumerate(kept) if b'"type":"over"' in line)
                assert rebuilt[:at] == kept[:at]
                assert b'"type":"over"' in rebuilt[at]
                assert json.loads(rebuilt[at])["result"] == json.loads(kept[at])["result"]


def test_a_gap_in_the_log_is_filled_from_the_record_which_may_lack_the_wishes(tmp_path):
    bots = [scripted("red", "wants=legal,view"), scripted("blue")]
    file = write_tournament(tmp_path, rules="original", bots=bots, keep_logs=True, draws={"max_plies": 160})
    assert call("run", file).exit_code == 0
    call("games", file, "--export", tmp_path / "records")
    with Store.read(tmp_path / "results" / "club.sqlite") as store:
        kept = store.log("red~blue~1").wire["red"]
    assert kept.lines_left_out > 20
    whole = feed(file, "red~blue~1", "--as", "red")
    assert whole == feed(tmp_path / "records" / "red~blue~1.jsonl", "--as", "red")
    assert whole.count(b'"type":"ask"') == 81

    record = tmp_path / "records" / "red~blue~1.jsonl"
    plain = feed(record, "--as", "blue")
    record.write_bytes(record.read_bytes().replace(b',"wants":[]', b""))
    result = call("feed", record, "--as", "blue")
    assert result.stdout_bytes == plain
    assert result.stderr == (
        "arbiter: the record does not contain the `wants` of blue; the messages are "
        "rebuilt without `legal`, `view` and `news`\n"
    )


def test_what_cannot_be_rebuilt_is_refused(tmp_path):
    file = write_tournament(tmp_path, rules="card-game", bots=["random", "cards"], draws={"max_plies": 4})
    call("run", file)
    call("games", file, "--export", tmp_path)
    record = tmp_path / "random~cards~1.jsonl"
    text = record.read_bytes()
    record.write_bytes(re.sub(rb'"seed":"?\w+"?', b'"seed":1', text, count=1))
    assert "random choices differ" in call_refused("feed", record, "--as", "red")
    record.write_bytes(re.sub(rb'"seed":"?\w+"?', b'"seed":null', text, count=1))
    assert "contains no seed" in call_refused("feed", record, "--as", "red")
    assert "leave out the game" in call_refused("feed", record, "x", "--as", "red")
    assert "Missing option '--as'" in call_refused("feed", record)
