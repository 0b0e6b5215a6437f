"""Reasons, endings and results in words: with names and numbers of the game, never with identifiers."""

import re
from typing import get_args

import pytest

from arbiter.games.base import FORFEITS, Ending
from arbiter.languages.catalogue import LANGUAGES, read_language
from arbiter.languages.sentences import describe_ending, describe_result, write_ending, write_reason
from protocol import reasons
from protocol.reasons import (
    Agreed,
    Both,
    BrokeProtocol,
    ByRuling,
    CardLacksPower,
    ClosedStreams,
    FlagTaken,
    NoAttack,
    NoPieces,
    OneSquareOnly,
    PlyLimit,
    ProgramEnded,
    Reason,
    RefusedAction,
    RefusedDeployment,
    Resigned,
    Signalled,
    Stated,
    Suspended,
    TooLate,
    Withdrawn,
    WrongCount,
    WrongPeek,
)
from protocol.words import SEATS

NAMES = {"red": "hunter", "blue": "my_bot"}
ENDINGS = get_args(Ending)
NO_PIECES = RefusedDeployment("red", WrongCount("miner", 0, 5))
CODES = [
    one
    for name, one in vars(reasons).items()
    if isinstance(one, type) and issubclass(one, Reason) and one is not Reason and not name.startswith("_")
]


@pytest.mark.parametrize(
    ("end", "written", "sentence"),
    [
        (("red", "flag_taken", FlagTaken("red", "a10")), "flag taken", "hunter wins: it took the flag on a10"),
        (("blue", "flag_taken", FlagTaken("blue", "line:2")), "flag taken", "my_bot wins: it took the flag on slot 2"),
        (("red", "flag_taken", None), "flag taken", "hunter wins: it took the flag"),
        (("blue", "no_pieces", NoPieces("red")), "no movable piece left", "my_bot wins: hunter has no movable piece left"),
        ((None, "no_attack_limit", NoAttack(200)), "200 plies without an attack", "Draw: 200 plies without an attack"),
        ((None, "ply_limit", PlyLimit(400)), "limit of 400 plies reached", "Draw: limit of 400 plies reached"),
        ((None, "agreed", Agreed("blue")), "draw agreed", "Draw: my_bot accepted the draw that hunter offered"),
        (("red", "timeout", TooLate("blue", 500)), "out of time", "hunter wins: my_bot ran out of time"),
        ((None, "illegal_setup", Both((NO_PIECES, NO_PIECES))), "illegal deployment", "Both lose: illegal deployment"),
        (("blue", "walkover", Withdrawn("hunter")), "walkover", "my_bot wins: hunter did not play"),
        (("blue", "ruling", ByRuling(1, Stated("power cut"))), "by a ruling", "my_bot wins by a ruling"),
        ((None, "double_loss", ByRuling(2, Stated("both"))), "both lose by a ruling", "Both lose by a ruling"),
        ((None, "void", None), "voided", "The game does not count"),
    ],
)  # fmt: skip
def test_endings(end, written, sentence):
    assert write_ending(*end[1:]) == written
    assert describe_result(*end, NAMES) == sentence


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("winner", [*SEATS, None])
def test_no_ending_is_an_identifier(winner, ending):
    names = {"red": "one", "blue": "{winner}"}
    texts = [write_ending(ending), describe_ending(winner, ending, names=names), describe_result(winner, ending)]
    assert not any(re.search(r"[a-z]_[a-z]", text) for text in texts)
    assert all(texts)


@pytest.mark.parametrize("ending", sorted(FORFEITS))
def test_the_reason_of_a_forfeit_is_never_part_of_the_clause(ending):
    reason = RefusedAction("blue", CardLacksPower("b7", "marshal", "attack"))
    assert "marshal" not in describe_result("red", ending, reason, NAMES).lower()


def test_the_name_of_a_bot_may_begin_an_ending_in_another_language():
    names = {"red": "Zeit", "blue": "mine"}
    assert describe_result("red", "timeout", TooLate("blue", 500), names, "de") == "Zeit gewinnt: Zeit abgelaufen"


def test_bots_with_equal_names_are_called_by_their_seats():
    assert describe_result("red", "resigned", Resigned("blue"), {"red": "a", "blue": "a"}) == "red wins: blue resigned"


OF_STDERR = ProgramEnded("red", ClosedStreams(), last_line="'a; blue: b'")


@pytest.mark.parametrize(
    ("reason", "english", "german"),
    [
        (TooLate("red", 500), "red did not answer within 500 ms", "Rot antwortete nicht innerhalb von 500 ms"),
        (
            RefusedAction("blue", OneSquareOnly("a1", "a3")),
            "blue's action is against the rules: a1-a3: the piece on a1 moves only one square",
            "die Handlung von Blau ist gegen die Regeln: a1-a3: die Figur auf a1 zieht nur ein Feld weit",
        ),
        (
            Both((OF_STDERR, BrokeProtocol("blue"))),
            "red's program closed its stdin or stdout; the last line on its stderr: 'a; blue: b'; blue broke the protocol",
            "das Programm von Rot hat stdin oder stdout geschlossen; letzte Zeile auf stderr: 'a; blue: b'; Blau hat das Protokoll verletzt",
        ),
        (
            RefusedDeployment("red", WrongCount("colonel", 2, 0)),
            "red's deployment is against the rules: 2 pieces of rank colonel instead of 0",
            "die Aufstellung von Rot ist gegen die Regeln: Figuren vom Rang Oberst: 2 statt 0",
        ),
        (
            ProgramEnded("red", Signalled("SIGKILL"), kill="out_of_memory", oom_kills=1, was_replayed=True),
            "red's program was ended by SIGKILL; the arbiter did not send this signal, and this machine ran out of memory and killed 1 process; the bot has already had a game replayed after such an end",
            "das Programm von Rot wurde durch SIGKILL beendet; der Schiedsrichter hat dieses Signal nicht gesendet; dem Rechner fehlte Speicher, er hat 1 Prozess beendet; nach einem solchen Ende wurde schon einmal eine Partie des Bots neu gespielt",
        ),
        (
            Suspended("a", 5),
            "a is suspended after 5 forfeits in a row",
            "a ist nach 5 technischen Niederlagen hintereinander gesperrt",
        ),
        (FlagTaken("red", "a10"), "red took the flag on a10", "red took the flag on a10"),
        (WrongPeek(2), "the scout must look at 2 different cards of the opponent's line", None),
        (Stated("what a person wrote"), "what a person wrote", "what a person wrote"),
    ],
)  # fmt: skip
def test_reasons_are_written_with_what_they_name(reason, english, german):
    assert write_reason(reason) == english
    assert german in (None, write_reason(reason, "de"))


def test_a_player_sees_no_details_of_its_opponent():
    refused = RefusedAction("red", CardLacksPower("line:0", "flag", "attack"))
    both = Both((refused, BrokeProtocol("blue", "'my flag is on a1'")))
    assert refused.seen_by("red") == both.seen_by("red") == refused
    assert refused.seen_by("blue") == RefusedAction("red")
    assert both.seen_by("blue") == both.reasons[1]
    assert OF_STDERR.seen_by("blue") == ProgramEnded("red", ClosedStreams())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_code_has_a_sentence_and_each_sentence_names_fields(lang):
    codes = {one.__struct_config__.tag: one for one in CODES if one is not Both}
    texts = read_language(lang).reasons
    assert set(codes) <= set(texts)
    for key, text in texts.items():
        code, *field = key.split(".")
        fields = set(codes[code].__struct_fields__)
        assert set(field[:1]) <= fields, key
        assert set(re.findall(r"\{(\w+)", text)) <= fields | {"foe"}, key
