"""Fuzz tests: any input from outside is accepted, or it causes one of the exceptions declared for it."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nested import paths, put

from arbiter.errors import ConfigError
from arbiter.games.base import IllegalAction
from arbiter.games.board.diagram import read_position, write_position
from arbiter.games.board.geometry import CLASSIC_BOARD
from arbiter.games.catalogue import RULE_SETS, find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from arbiter.record import RecordError, read_record
from arbiter.show.replay.plain_text import make_frames, write_frame
from arbiter.tournament.config.tournament import Tournament, load_tournament
from arbiter.verify import Disagreement, Verification, verify
from protocol.codec import ProtocolError, decode_bot_line, decode_later_arbiter_line, encode
from protocol.messages import Act, Ready

GOLDEN = sorted((Path(__file__).parent / "games" / "golden").glob("*.jsonl"))
RECORDS = [b"\n".join(path.read_bytes().splitlines()[:40]) + b"\n" for path in GOLDEN]
BOT_LINES = [
    b'{"type":"ready","protocol":1,"name":"hunter","version":"2","author":"me","wants":["legal","view","news"]}',
    b'{"type":"act","ask":7,"action":{"type":"move","src":"a4","dst":"a5"},"note":"so","offer_draw":true}',
    b'{"type":"act","ask":1,"action":{"type":"deploy","pieces":{"a1":"flag"},"line":["hand:0"]}}',
    b'{"type":"act","ask":1,"action":{"type":"peek_line","src":"line:1","slots":["line:1","line:4"]}}',
    b'{"type":"act","ask":1,"action":{"type":"fill","cards":{"line:2":"hand:0"}}}',
]
ARBITER_LINES = [
    b'{"type":"hello","protocol":1,"arbiter":"stratego-arbiter 0.1.0"}',
    (
        b'{"type":"ask","ask":3,"phase":"rage","news":[{"type":"moved","seat":"red","src":"a4","dst":"a5"}],'
        b'"clock":{"red_ms":1,"blue_ms":2,"move_ms":null,"last_ms":0.0},"legal":[{"type":"move","src":"a4","dst":"a5"}]}'
    ),
    b'{"type":"over","game":"g1","result":"win","ending":"flag_taken","why":"red took the flag","news":[]}',
]
TOML = b"""
name = "Club night"
rules = {base = "barrage", army = {scout = 2}, two_squares = 0}
options = []
games = 4
seed = 17
points = {win = 3, draw = 1, loss = 0, forfeit = 0}
tie_breaks = ["points"]
on_illegal = "ask-again:3"
time = {bank_s = 60, move_s = 5.5, increment_s = 0.1}
draws = {max_plies = 9}
bots = [{name = "hunter"}, {name = "mine", command = ["true"], memory_mb = 64, trusted = true}]
"""

quick_and_slow = pytest.mark.parametrize("examples", [100, pytest.param(2000, marks=pytest.mark.slow)])

WORDS = [
    *("red", "blue", "act", "game", "result", "deploy", "move", "flag", "scout", "a1", "j10", "hand:0", "line:9", ""),
    *("duel", "barrage", "original", "void", "timeout", "type", "a\nb", "\x1b[31m", "\u202e", "\ue000", "A" * 5000),
]
NUMBERS = [2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 1e308, -0.0, 0.5]
SNIPPETS = [
    *(b"\x00", b"\n", b"\xff", b"{}", b"[", b"]", b'"', b"\\ud800", b"1e999", b"-", b"NaN", b"null", b"[" * 20_000)
]
ALPHABETS = [(" ", "~"), ("\x00", "\xff"), ("\u0100", "\ud7ff"), ("\ue000", "\uffff"), ("\U00010000", "\U0010ffff")]

# Hypothesis draws only a seed: to draw each part of an example with Hypothesis takes longer than the test of it.
rngs = st.randoms(use_true_random=True)


def draw_number(rng):
    return rng.choice(NUMBERS) if rng.random() < 0.3 else rng.randint(-3, 12)


def draw_text(rng):
    return "".join(chr(rng.randint(*map(ord, rng.choice(ALPHABETS)))) for _ in range(rng.randint(0, 8)))


def draw_value(rng, depth=3):
    """Draw any JSON value."""
    match rng.randrange(7 if depth else 5):
        case 0:
            return rng.choice([None, False, True])
        case 1 | 2:
            return draw_number(rng)
        case 3:
            return rng.choice(WORDS)
        case 4:
            return draw_text(rng)
        case 5:
            return [draw_value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
        case _:
            return {rng.choice(WORDS): draw_value(rng, depth - 1) for _ in range(rng.randint(0, 3))}


def corrupt_bytes_of(sources):
    """Return a strategy: a source with some stretches replaced by other bytes."""
    return rngs.map(lambda rng: corrupt_bytes(rng, rng.choice(sources)))


def corrupt_bytes(rng, data):
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(data))
        end = min(len(data), start + rng.choice([0, 1, 2, 9, 80]))
        snippet = rng.choice(SNIPPETS) if rng.random() < 0.5 else rng.randbytes(rng.randint(0, 8))
        data = data[:start] + snippet + data[end:]
    return data


def corrupt_lines_of(sources):
    """Return a strategy: JSON lines with some lines removed, doubled or swapped, and some values replaced."""
    return rngs.map(lambda rng: corrupt_lines(rng, rng.choice(sources)))


def corrupt_lines(rng, source):
    lines = [json.loads(line) for line in source.splitlines()]
    for _ in range(rng.randint(1, 3)):
        here, there = (rng.randrange(len(lines)) for _ in range(2))
        match rng.choice(["remove", "double", "swap", "replace", "replace", "replace", "replace"]):
            case "remove" if len(lines) > 1:
                del lines[here]
            case "double":
                lines.insert(there, lines[here])
            case "swap":
                lines[here], lines[there] = lines[there], lines[here]
            case _:
                path = rng.choice(list(paths(lines[here])))
                lines[here] = put(lines[here], path, draw_value(rng))
    return "\n".join(json.dumps(line) for line in lines).encode()


def any_bytes_or(sources):
    return st.binary(max_size=200) | corrupt_bytes_of(sources) | corrupt_lines_of(sources)


def fuzz(check, strategy, examples):
    settings(max_examples=examples)(given(strategy)(check))()


def attempt(call, *failures):
    """Return the result of a call and None, or None and the message of an expected failure."""
    try:
        return call(), None
    except failures as failure:
        return None, str(failure)


@quick_and_slow
def test_any_line_of_a_bot_is_decoded_or_refused(examples):
    fuzz(check_bot_line, any_bytes_or(BOT_LINES), examples)


def check_bot_line(line):
    message, why = attempt(lambda: decode_bot_line(line), ProtocolError)
    if message is None:
        assert why.isascii()
        assert why.isprintable()
    else:
        assert isinstance(message, Ready | Act)
        assert decode_bot_line(encode(message)) == message


@quick_and_slow
def test_any_line_of_a_later_arbiter_is_decoded_or_refused(examples):
    fuzz(check_arbiter_line, any_bytes_or(ARBITER_LINES), examples)


def check_arbiter_line(line):
    message, _ = attempt(lambda: decode_later_arbiter_line(line), ProtocolError)
    assert message is None or decode_later_arbiter_line(encode(message)) == message


@quick_and_slow
def test_any_record_is_verified_or_refused(examples):
    fuzz(check_record, any_bytes_or(RECORDS), examples)


def check_record(data):
    verification = verify(data)
    assert isinstance(verification, Verification)
    assert verification.ok or verification.why
    assert msgspec.json.encode(verification)
    record, why = attempt(lambda: read_record(data), RecordError)
    if record is None:
        assert (verification.rule, verification.why) == ("format", why)
    else:
        check_frames(record)


def check_frames(record):
    def shown():
        return [write_frame(frame) for frame in make_frames(record, "red", last=3)]

    texts, _ = attempt(shown, ConfigError, RecordError, Disagreement)
    assert all(letter.isprintable() or letter == "\n" for text in texts or () for letter in text)


@pytest.fixture(scope="module")
def toml(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "x.toml"


@quick_and_slow
def test_any_tournament_file_is_loaded_or_refused(examples, toml):
    def check_tournament(data):
        toml.write_bytes(data)
        tournament, why = attempt(lambda: load_tournament(toml), ConfigError)
        assert isinstance(tournament, Tournament) or all(line.isprintable() for line in why.split("\n"))

    toml.write_bytes(TOML)
    assert load_tournament(toml)
    fuzz(
        check_tournament,
        st.binary(max_size=200) | corrupt_bytes_of([TOML]) | st.text(max_size=60).map(str.encode),
        examples,
    )


@quick_and_slow
def test_any_position_is_read_or_refused(examples):
    fuzz(check_position, rngs.map(draw_position) | st.text(max_size=120), examples)


def draw_position(rng):
    """Draw random letters, about as many as a board has squares, or a board with a few pieces."""
    if rng.random() < 0.5:
        return "".join(rng.choices("aB1CMNY3_z\u202e\x00", k=rng.randint(95, 105)))
    letters = ["_" if square in CLASSIC_BOARD.lake_squares else "a" for square in range(CLASSIC_BOARD.size)]
    for square in rng.sample(range(CLASSIC_BOARD.size), rng.randint(0, 9)):
        letters[square] = rng.choice("aBBCDMNXY26_z")
    return "".join(letters)


def check_position(text):
    for ruleset in RULE_SETS:
        try:
            game = find_game(ruleset.name, position=text)
        except ConfigError:
            continue
        game.start(SeededChance(1))
        assert (
            write_position(read_position(text, CLASSIC_BOARD, list(game.describe("red").army)), CLASSIC_BOARD) == text
        )


KEYS = ["army", "two_squares", "more_squares", "no_attack_plies", "max_plies"]
RANKS = ["flag", "bomb", "scout", "spy", "infiltrator", "x"]


@quick_and_slow
def test_any_overrides_are_accepted_or_refused(examples):
    random = rngs.map(lambda rng: {key: draw_value(rng) for key in KEYS if rng.random() < 0.5})
    plausible = rngs.map(draw_plausible_overrides)
    fuzz(
        check_overrides,
        st.tuples(
            random | plausible, st.binary(max_size=9) | corrupt_bytes_of(BOT_LINES) | corrupt_lines_of(BOT_LINES)
        ),
        examples,
    )


def draw_plausible_overrides(rng):
    """Draw overrides with names and types that are often correct."""
    army = {rng.choice(RANKS): rng.choice([rng.randint(0, 12), draw_number(rng)]) for _ in range(3)}
    likely = [army, draw_number(rng), rng.choice(["off", "chase", "strict", "x"]), draw_number(rng), draw_number(rng)]
    return {key: one for key, one in zip(KEYS, likely, strict=True) if rng.random() < 0.5}


def check_overrides(drawn):
    changes, line = drawn
    try:
        overrides = msgspec.convert(changes, Overrides)
    except msgspec.ValidationError:
        return
    for ruleset in RULE_SETS:
        attempt(lambda: start_and_act(ruleset.name, overrides, line), ConfigError, ProtocolError, IllegalAction)  # noqa: B023


def start_and_act(name, overrides, line):
    play = find_game(name, overrides=overrides).start(SeededChance(1))
    answer = decode_bot_line(line)
    if isinstance(answer, Act):
        play.act("red", answer.action)
