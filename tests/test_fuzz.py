"""Whatever comes in from outside, only the failures that are declared for it come out."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nested import paths, put

from arbiter.errors import ConfigError, IllegalAction
from arbiter.games.board.diagram import read_position, write_position
from arbiter.games.board.geometry import CLASSIC_BOARD
from arbiter.games.catalogue import RULE_SETS, find_game
from arbiter.games.chance import Seeded
from arbiter.games.ruleset import Overrides
from arbiter.record import RecordError, read_record
from arbiter.show.replay.plain_text import make_frames, write_frame
from arbiter.tournament.config.tournament import Tournament, load
from arbiter.verify import Disagreement, Verification, verify
from protocol.codec import ProtocolError, decode_bot_line, decode_later_arbiter_line, encode
from protocol.messages import Act, Ready

GOLDEN = sorted((Path(__file__).parent / "games" / "golden").glob("*.jsonl"))
RECORDS = [b"\n".join(path.read_bytes().splitlines()[:40]) + b"\n" for path in GOLDEN]
ANSWERS = [
    b'{"type":"ready","protocol":1,"name":"hunter","version":"2","author":"me","wants":["legal","view","news"]}',
    b'{"type":"act","ask":7,"action":{"type":"move","src":"a4","dst":"a5"},"note":"so","offer_draw":true}',
    b'{"type":"act","ask":1,"action":{"type":"deploy","pieces":{"a1":"flag"},"line":["hand:0"]}}',
    b'{"type":"act","ask":1,"action":{"type":"peek_line","src":"line:1","slots":["line:1","line:4"]}}',
    b'{"type":"act","ask":1,"action":{"type":"fill","cards":{"line:2":"hand:0"}}}',
]
SAID = [
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
    *(b"\x00", b"\n", b"\xff", b"{}", b"[", b"]", b'"', b"\\ud800", b"1e999", b"-", b"NaN", b"null", b"[" * 20_000),
]
ALPHABETS = [(" ", "~"), ("\x00", "\xff"), ("\u0100", "\ud7ff"), ("\ue000", "\uffff"), ("\U00010000", "\U0010ffff")]

# Only the seed is hypothesis's choice: to draw each part of an example by itself takes longer than to try it.
chances = st.randoms(use_true_random=True)


def number(chance):
    return chance.choice(NUMBERS) if chance.random() < 0.3 else chance.randint(-3, 12)


def text(chance):
    return "".join(chr(chance.randint(*map(ord, chance.choice(ALPHABETS)))) for _ in range(chance.randint(0, 8)))


def value(chance, deep=3):
    """Make any value that JSON has."""
    match chance.randrange(7 if deep else 5):
        case 0:
            return chance.choice([None, False, True])
        case 1 | 2:
            return number(chance)
        case 3:
            return chance.choice(WORDS)
        case 4:
            return text(chance)
        case 5:
            return [value(chance, deep - 1) for _ in range(chance.randint(0, 3))]
        case _:
            return {chance.choice(WORDS): value(chance, deep - 1) for _ in range(chance.randint(0, 3))}


def torn(sources):
    """Draw bytes with some stretches replaced by others."""
    return chances.map(lambda chance: tear(chance, chance.choice(sources)))


def tear(chance, data):
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(data))
        end = min(len(data), start + chance.choice([0, 1, 2, 9, 80]))
        snippet = chance.choice(SNIPPETS) if chance.random() < 0.5 else chance.randbytes(chance.randint(0, 8))
        data = data[:start] + snippet + data[end:]
    return data


def altered(sources):
    """Draw lines of JSON with some lines left out, doubled or swapped, and values put in place of others."""
    return chances.map(lambda chance: alter(chance, chance.choice(sources)))


def alter(chance, source):
    lines = [json.loads(line) for line in source.splitlines()]
    for _ in range(chance.randint(1, 3)):
        here, there = (chance.randrange(len(lines)) for _ in range(2))
        match chance.choice(["leave out", "double", "swap", "put", "put", "put", "put"]):
            case "leave out" if len(lines) > 1:
                del lines[here]
            case "double":
                lines.insert(there, lines[here])
            case "swap":
                lines[here], lines[there] = lines[there], lines[here]
            case _:
                path = chance.choice(list(paths(lines[here])))
                lines[here] = put(lines[here], path, value(chance))
    return "\n".join(json.dumps(line) for line in lines).encode()


def any_of(sources):
    return st.binary(max_size=200) | torn(sources) | altered(sources)


def fuzz(check, strategy, examples):
    settings(max_examples=examples)(given(strategy)(check))()


def attempt(call, *failures):
    """Return what a call gives and what it complains of; anything but the failures passes through."""
    try:
        return call(), None
    except failures as failure:
        return None, str(failure)


@quick_and_slow
def test_an_answer(examples):
    fuzz(check_answer, any_of(ANSWERS), examples)


def check_answer(line):
    message, why = attempt(lambda: decode_bot_line(line), ProtocolError)
    if message is None:
        assert why.isascii()
        assert why.isprintable()
    else:
        assert isinstance(message, Ready | Act)
        assert decode_bot_line(encode(message)) == message


@quick_and_slow
def test_what_an_arbiter_of_tomorrow_says(examples):
    fuzz(check_said, any_of(SAID), examples)


def check_said(line):
    message, _ = attempt(lambda: decode_later_arbiter_line(line), ProtocolError)
    assert message is None or decode_later_arbiter_line(encode(message)) == message


@quick_and_slow
def test_a_record(examples):
    fuzz(check_record, any_of(RECORDS), examples)


def check_record(data):
    verdict = verify(data)
    assert isinstance(verdict, Verification)
    assert verdict.ok or verdict.why
    assert msgspec.json.encode(verdict)
    record, why = attempt(lambda: read_record(data), RecordError)
    if record is None:
        assert (verdict.rule, verdict.why) == ("format", why)
    else:
        check_frames(record)


def check_frames(record):
    def shown():
        return [write_frame(frame) for frame in make_frames(record, "red", last=3)]

    texts, _ = attempt(shown, ConfigError, RecordError, Disagreement)
    assert all(sign.isprintable() or sign == "\n" for text in texts or () for sign in text)


@pytest.fixture(scope="module")
def toml(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "x.toml"


@quick_and_slow
def test_a_tournament(examples, toml):
    def check_tournament(data):
        toml.write_bytes(data)
        tournament, why = attempt(lambda: load(toml), ConfigError)
        assert isinstance(tournament, Tournament) or why.isprintable()

    toml.write_bytes(TOML)
    assert load(toml)
    fuzz(check_tournament, st.binary(max_size=200) | torn([TOML]) | st.text(max_size=60).map(str.encode), examples)


@quick_and_slow
def test_a_position(examples):
    fuzz(check_position, chances.map(position) | st.text(max_size=120), examples)


def position(chance):
    """Draw any signs, about as many as a board has squares, or a few pieces on a board."""
    if chance.random() < 0.5:
        return "".join(chance.choices("aB1CMNY3_z\u202e\x00", k=chance.randint(95, 105)))
    signs = ["_" if square in CLASSIC_BOARD.lake_squares else "a" for square in range(CLASSIC_BOARD.size)]
    for square in chance.sample(range(CLASSIC_BOARD.size), chance.randint(0, 9)):
        signs[square] = chance.choice("aBBCDMNXY26_z")
    return "".join(signs)


def check_position(text):
    for ruleset in RULE_SETS:
        try:
            game = find_game(ruleset.name, position=text)
        except ConfigError:
            continue
        game.start(Seeded(1))
        assert (
            write_position(read_position(text, CLASSIC_BOARD, list(game.describe("red").army)), CLASSIC_BOARD) == text
        )


KEYS = ["army", "two_squares", "more_squares", "no_attack_plies", "max_plies"]
RANKS = ["flag", "bomb", "scout", "spy", "infiltrator", "x"]


@quick_and_slow
def test_overrides_and_the_first_acts_under_them(examples):
    some = chances.map(lambda chance: {key: value(chance) for key in KEYS if chance.random() < 0.5})
    near = chances.map(near_to_right)
    fuzz(check_overrides, st.tuples(some | near, st.binary(max_size=9) | torn(ANSWERS) | altered(ANSWERS)), examples)


def near_to_right(chance):
    """Make overrides of which each may be right."""
    army = {chance.choice(RANKS): chance.choice([chance.randint(0, 12), number(chance)]) for _ in range(3)}
    likely = [army, number(chance), chance.choice(["off", "chase", "strict", "x"]), number(chance), number(chance)]
    return {key: one for key, one in zip(KEYS, likely, strict=True) if chance.random() < 0.5}


def check_overrides(drawn):
    changes, line = drawn
    try:
        overrides = msgspec.convert(changes, Overrides)
    except msgspec.ValidationError:
        return
    for ruleset in RULE_SETS:
        attempt(lambda: begin(ruleset.name, overrides, line), ConfigError, ProtocolError, IllegalAction)  # noqa: B023


def begin(name, overrides, line):
    play = find_game(name, overrides=overrides).start(Seeded(1))
    answer = decode_bot_line(line)
    if isinstance(answer, Act):
        play.act("red", answer.action)
