"""Every message with its exact line, in both directions; and the errors for hostile bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import ProtocolError, decode_arbiter_line, decode_bot_line, encode, quote
from protocol.messages import (
    Act,
    Ask,
    BoardShape,
    Bye,
    ClockState,
    Hello,
    News,
    Over,
    RankNumber,
    Ready,
    Refused,
    Rules,
    Start,
    TimeControl,
)
from protocol.words import (
    AcceptDraw,
    Attack,
    Attacked,
    Dealt,
    Deploy,
    Deployed,
    DrawOffered,
    Drew,
    Fill,
    Filled,
    Guessed,
    Infiltrate,
    Look,
    Looked,
    Move,
    Moved,
    Peeked,
    PeekHand,
    PeekLine,
    Placed,
    Regroup,
    Regrouped,
    Removed,
    Rescue,
    Resign,
    Revealed,
    Stop,
    Strike,
    Struck,
)

RULES = Rules(
    id="tiny",
    options=[],
    army={"scout": 1, "flag": 1},
    first="red",
    no_attack_plies=200,
    max_plies=4000,
    ranks=[RankNumber("scout", 2), RankNumber("flag", None)],
    board=BoardShape(10, 10, ["c5"]),
    deploy={"red": ["a1", "b1"], "blue": ["a10", "b10"]},
    two_squares=3,
    more_squares="chase",
)
TIME = TimeControl(30, 60.0, 0.1, None, 50)
CLOCK = ClockState(59000, 60000, 5000, 12.3)

ARBITER_LINES = [
    (Hello(1, "stratego-arbiter 0.1.0"), b'{"type":"hello","protocol":1,"arbiter":"stratego-arbiter 0.1.0"}'),
    (
        Start("g1", RULES, "red", None, 17, TIME),
        (
            b'{"type":"start","game":"g1","rules":{"id":"tiny","options":[],"army":{"scout":1,"flag":1},"first":"red",'
            b'"no_attack_plies":200,"max_plies":4000,"ranks":[{"id":"scout","rank":2},{"id":"flag","rank":null}],'
            b'"board":{"files":10,"rows":10,"lakes":["c5"]},"deploy":{"red":["a1","b1"],"blue":["a10","b10"]},'
            b'"two_squares":3,"more_squares":"chase"},"seat":"red","opponent":null,"seed":17,"time":{"setup_s":30,'
            b'"bank_s":60.0,"increment_s":0.1,"move_s":null,"margin_ms":50}}'
        ),
    ),
    (
        Ask(2, "turn", [Moved("blue", "a7", "a6")], CLOCK),
        (
            b'{"type":"ask","ask":2,"phase":"turn","news":[{"type":"moved","seat":"blue","src":"a7","dst":"a6"}],'
            b'"clock":{"red_ms":59000,"blue_ms":60000,"move_ms":5000,"last_ms":12.3}}'
        ),
    ),
    (
        Ask(3, "rage", [], ClockState(1, 2, None, 0.0), legal=[Move("a4", "a5"), Stop()]),
        (
            b'{"type":"ask","ask":3,"phase":"rage","news":[],"clock":{"red_ms":1,"blue_ms":2,"move_ms":null,'
            b'"last_ms":0.0},"legal":[{"type":"move","src":"a4","dst":"a5"},{"type":"stop"}]}'
        ),
    ),
    (News([DrawOffered("red")]), b'{"type":"news","news":[{"type":"draw_offered","seat":"red"}]}'),
    (Refused(2, "no"), b'{"type":"refused","ask":2,"why":"no"}'),
    (
        Over("g1", "win", "flag_taken", "red took the flag", []),
        b'{"type":"over","game":"g1","result":"win","ending":"flag_taken","why":"red took the flag","news":[]}',
    ),
    (Bye(), b'{"type":"bye"}'),
]

FACTS = [
    (Deployed("red", ["a1", "b1"]), b'{"type":"deployed","seat":"red","places":["a1","b1"]}'),
    (Moved("red", "a1", "a2"), b'{"type":"moved","seat":"red","src":"a1","dst":"a2"}'),
    (Attacked("red", "a1", "a2"), b'{"type":"attacked","seat":"red","src":"a1","dst":"a2"}'),
    (Revealed("blue", "a2", "spy"), b'{"type":"revealed","seat":"blue","place":"a2","rank":"spy"}'),
    (Removed("blue", "a2"), b'{"type":"removed","seat":"blue","place":"a2"}'),
    (Placed("red", "a1"), b'{"type":"placed","seat":"red","place":"a1"}'),
    (
        Guessed("red", "a8", "a9", "bomb", right=False),
        b'{"type":"guessed","seat":"red","src":"a8","dst":"a9","rank":"bomb","right":false}',
    ),
    (Looked("red", "a1", "a2"), b'{"type":"looked","seat":"red","src":"a1","dst":"a2"}'),
    (Struck("red", "a1", "a2"), b'{"type":"struck","seat":"red","src":"a1","dst":"a2"}'),
    (Dealt("red", ["hand:0"]), b'{"type":"dealt","seat":"red","places":["hand:0"]}'),
    (Drew("red", ["hand:2"]), b'{"type":"drew","seat":"red","places":["hand:2"]}'),
    (Filled("red", {"line:0": "hand:1"}), b'{"type":"filled","seat":"red","cards":{"line:0":"hand:1"}}'),
    (Peeked("red", "line:0", "hand"), b'{"type":"peeked","seat":"red","src":"line:0","what":"hand"}'),
    (Peeked("red", "line:0", ["line:1"]), b'{"type":"peeked","seat":"red","src":"line:0","what":["line:1"]}'),
    (Regrouped("blue"), b'{"type":"regrouped","seat":"blue"}'),
]

ACTIONS = [
    (Deploy(pieces={"a1": "flag"}), b'{"type":"deploy","pieces":{"a1":"flag"}}'),
    (Deploy(line=["hand:0", "hand:5"]), b'{"type":"deploy","line":["hand:0","hand:5"]}'),
    (Move("a4", "a5"), b'{"type":"move","src":"a4","dst":"a5"}'),
    (Look("a4", "a5"), b'{"type":"look","src":"a4","dst":"a5"}'),
    (Strike("a4", "a5"), b'{"type":"strike","src":"a4","dst":"a5"}'),
    (Infiltrate("a8", "a9", "flag"), b'{"type":"infiltrate","src":"a8","dst":"a9","rank":"flag"}'),
    (Rescue("miner", "a1"), b'{"type":"rescue","rank":"miner","dst":"a1"}'),
    (Stop(), b'{"type":"stop"}'),
    (Attack("line:2", "line:0"), b'{"type":"attack","src":"line:2","dst":"line:0"}'),
    (PeekHand("line:1"), b'{"type":"peek_hand","src":"line:1"}'),
    (PeekLine("line:1", ["line:1", "line:4"]), b'{"type":"peek_line","src":"line:1","slots":["line:1","line:4"]}'),
    (Regroup("line:0"), b'{"type":"regroup","src":"line:0"}'),
    (Fill({"line:2": "hand:0"}), b'{"type":"fill","cards":{"line:2":"hand:0"}}'),
    (Resign(), b'{"type":"resign"}'),
    (AcceptDraw(), b'{"type":"accept_draw"}'),
]

BOT_LINES = [
    (Ready(1, "hunter"), b'{"type":"ready","protocol":1,"name":"hunter"}'),
    (
        Ready(1, "hunter", version="2", author="me", wants=["legal", "view", "news"]),
        b'{"type":"ready","protocol":1,"name":"hunter","version":"2","author":"me","wants":["legal","view","news"]}',
    ),
    (
        Act(7, Resign(), note="enough \u2013 done", offer_draw=True),
        '{"type":"act","ask":7,"action":{"type":"resign"},"note":"enough \u2013 done","offer_draw":true}'.encode(),
    ),
    (Act(7, Resign(), eval=-12.5), b'{"type":"act","ask":7,"action":{"type":"resign"},"eval":-12.5}'),
    *[(Act(1, action), b'{"type":"act","ask":1,"action":' + line + b"}") for action, line in ACTIONS],
]


@pytest.mark.parametrize(("message", "line"), ARBITER_LINES)
def test_the_line_of_each_arbiter_message(message, line):
    assert encode(message) == line + b"\n"
    assert decode_arbiter_line(line) == message


@pytest.mark.parametrize(("fact", "line"), FACTS)
def test_the_line_of_each_fact(fact, line):
    wrapped = b'{"type":"news","news":[' + line + b"]}"
    assert encode(News([fact])) == wrapped + b"\n"
    assert decode_arbiter_line(wrapped) == News([fact])


@pytest.mark.parametrize(("message", "line"), BOT_LINES)
def test_the_line_of_each_bot_message(message, line):
    assert encode(message) == line + b"\n"
    assert decode_bot_line(line) == message


def test_the_order_of_fields_and_spaces_between_them_do_not_matter():
    line = b' { "action" : {"dst":"a5", "type":"move", "src":"a4"}, "ask": 2, "type": "act" } \r'
    assert decode_bot_line(line) == Act(2, Move("a4", "a5"))


def test_a_bot_may_send_null_for_an_optional_field():
    assert decode_bot_line(b'{"type":"act","ask":2,"action":{"type":"stop"},"note":null}') == Act(2, Stop())


@pytest.mark.parametrize("number", [0, 1, -1, 0.25, 10_000, -10_000, 1e-300])
def test_an_evaluation_may_be_any_number_within_its_bounds(number):
    line = json.dumps({"type": "act", "ask": 1, "action": {"type": "stop"}, "eval": number}).encode()
    assert decode_bot_line(line) == Act(1, Stop(), eval=number)


def test_unknown_fields_of_the_arbiter_are_skipped():
    assert decode_arbiter_line(b'{"type":"bye","reason":"tired","more":{"a":[1]}}') == Bye()
    assert decode_arbiter_line(b'{"type":"refused","ask":1,"why":"no","hint":"a4-a5"}') == Refused(1, "no")


STOP = b'{"type":"act","ask":1,"action":{"type":"stop"}'

HOSTILE = {
    "an empty line": b"",
    "a blank line": b"   ",
    "a line cut off": b'{"type":"act","ask":1,"act',
    "a byte order mark": b"\xef\xbb\xbf" + STOP + b"}",
    "UTF-16": (STOP + b"}").decode().encode("utf-16"),
    "Latin-1": STOP + b',"note":"caf\xe9"}',
    "half a character": STOP + b',"note":"\xe2\x82"}',
    "half a surrogate pair": STOP + b',"note":"\\ud800"}',
    "a bare control character": STOP + b',"note":"a\nb"}',
    "a NUL byte": STOP + b"}\x00",
    "NaN": STOP + b',"offer_draw":NaN}',
    "Infinity": b'{"type":"act","ask":Infinity,"action":{"type":"stop"}}',
    "200000 open brackets": b"[" * 200_000,
    "200000 open brackets in an unknown field": STOP + b',"x":' + b"[" * 200_000,
    "a number of 10000 digits": b'{"type":"act","ask":' + b"9" * 10_000 + b',"action":{"type":"stop"}}',
    "an enormous exponent": b'{"type":"act","ask":1e999999999,"action":{"type":"stop"}}',
    "two objects": STOP + b"}" + STOP + b"}",
    "an object and a word": STOP + b"} done",
    "a comment": STOP + b"} // done",
    "a trailing comma": STOP + b",}",
    "single quotes": STOP.replace(b'"', b"'") + b"}",
    "a number": b"17",
    "a list": b"[" + STOP + b"}]",
    "null": b"null",
    "plain words": b"move a4 a5",
    "no type": b'{"ask":1,"action":{"type":"stop"}}',
    "a type that is no text": b'{"type":1,"ask":1,"action":{"type":"stop"}}',
    "an unknown type": b'{"type":"think","ask":1}',
    "a message of the arbiter": b'{"type":"bye"}',
    "an unknown field": STOP + b',"draw":true}',
    "an unknown field of an action": b'{"type":"act","ask":1,"action":{"type":"stop","now":true}}',
    "an unknown action": b'{"type":"act","ask":1,"action":{"type":"fly","src":"a4","dst":"a9"}}',
    "an action as text": b'{"type":"act","ask":1,"action":"a4-a5"}',
    "a fact as action": b'{"type":"act","ask":1,"action":{"type":"moved","seat":"red","src":"a4","dst":"a5"}}',
    "no action": b'{"type":"act","ask":1}',
    "no ask": b'{"type":"act","action":{"type":"stop"}}',
    "ask 0": b'{"type":"act","ask":0,"action":{"type":"stop"}}',
    "ask -1": b'{"type":"act","ask":-1,"action":{"type":"stop"}}',
    "ask as text": b'{"type":"act","ask":"1","action":{"type":"stop"}}',
    "ask as a boolean": b'{"type":"act","ask":true,"action":{"type":"stop"}}',
    "ask with a fraction": b'{"type":"act","ask":1.5,"action":{"type":"stop"}}',
    "ask too big": b'{"type":"act","ask":2147483648,"action":{"type":"stop"}}',
    "a square as a pair": b'{"type":"act","ask":1,"action":{"type":"move","src":["a",4],"dst":"a5"}}',
    "a missing square": b'{"type":"act","ask":1,"action":{"type":"move","src":"a4"}}',
    "a rank as a number": b'{"type":"act","ask":1,"action":{"type":"deploy","pieces":{"a1":10}}}',
    "pieces as a list": b'{"type":"act","ask":1,"action":{"type":"deploy","pieces":["a1"]}}',
    "a note of 201 characters": STOP + b',"note":"' + b"x" * 201 + b'"}',
    "a note that is no text": STOP + b',"note":5}',
    "an evaluation that is text": STOP + b',"eval":"1.5"}',
    "an evaluation that is true": STOP + b',"eval":true}',
    "an evaluation that is a list": STOP + b',"eval":[1]}',
    "an evaluation above 10000": STOP + b',"eval":10000.5}',
    "an evaluation below -10000": STOP + b',"eval":-10001}',
    "an evaluation of 400 digits": STOP + b',"eval":' + b"9" * 400 + b"}",
    "an evaluation of 1e999": STOP + b',"eval":1e999}',
    "an evaluation of -1e999": STOP + b',"eval":-1e999}',
    "an evaluation of NaN": STOP + b',"eval":NaN}',
    "an evaluation of Infinity": STOP + b',"eval":Infinity}',
    "an offer that is no boolean": STOP + b',"offer_draw":1}',
    "no name": b'{"type":"ready","protocol":1}',
    "an empty name": b'{"type":"ready","protocol":1,"name":""}',
    "a name of 81 characters": b'{"type":"ready","protocol":1,"name":"' + b"x" * 81 + b'"}',
    "an unknown word in wants": b'{"type":"ready","protocol":1,"name":"x","wants":["hints"]}',
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_bytes_raise_an_error_that_quotes_them(line):
    with pytest.raises(ProtocolError) as caught:
        decode_bot_line(line)
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 800


@pytest.mark.parametrize("length", range(len(BOT_LINES[2][1])))
def test_a_line_that_is_cut_off_is_an_error(length):
    with pytest.raises(ProtocolError):
        decode_bot_line(BOT_LINES[2][1][:length])


def is_message_or_error(line):
    try:
        message = decode_bot_line(line)
    except ProtocolError:
        return True
    return isinstance(message, Ready | Act) and decode_bot_line(encode(message)) == message


@given(st.binary())
def test_any_bytes_are_a_message_or_an_error(line):
    assert is_message_or_error(line)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
FIELDS = ["type", "ask", "action", "note", "eval", "offer_draw", "protocol", "name", "wants", "version"]
VALUES = JSON | st.sampled_from(["act", "ready", 1, {"type": "stop"}, {"type": "move", "src": "a1", "dst": "a2"}, []])


@given(st.dictionaries(st.sampled_from(FIELDS), VALUES))
def test_any_object_is_a_message_or_an_error(value):
    assert is_message_or_error(json.dumps(value).encode())


@given(st.sampled_from([line for _, line in BOT_LINES]), st.data())
def test_a_line_with_any_changed_byte_is_a_message_or_an_error(line, data):
    changed = bytearray(line)
    changed[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
    assert is_message_or_error(bytes(changed))


def test_bytes_are_quoted_as_printable_ascii():
    assert quote(b"caf\xe9 \x1b[31m") == r"'caf\\xe9 \x1b[31m'"
    assert quote(b"x" * 500).endswith("... (500 bytes)")
