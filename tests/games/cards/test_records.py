"""Records of card games: verified from their decks; a changed deck is detected."""

from pathlib import Path

import msgspec
import pytest

from arbiter.verify import verify

GOLDEN = Path(__file__).parent.parent / "golden" / "card-game.jsonl"
LINES = [msgspec.json.decode(line) for line in GOLDEN.read_bytes().splitlines()]
REGROUP = next(number for number, line in enumerate(LINES) if "deck" in line)  # acts are counted from 1, as lines here
ATTACK = next(number for number, line in enumerate(LINES) if line.get("action", {}).get("type") == "attack")


def changed(number=0, **changes):
    """Return the golden record with changes to one line; None removes a field."""
    lines = [dict(line) for line in LINES]
    for key, value in changes.items():
        lines[number].pop(key, None)
        if value is not None:
            lines[number][key] = value
    return lines


def judged(lines):
    verdict = verify(b"\n".join(msgspec.json.encode(line) for line in lines))
    return verdict.ok or (verdict.rule, verdict.act)


def without_facts(lines):
    return [{key: value for key, value in line.items() if key not in ("facts", "ms")} for line in lines]


def exchanged(deck, one=0, other=-1):
    deck = list(deck)
    deck[one], deck[other] = deck[other], deck[one]
    return deck


DECKS = LINES[0]["decks"]
DECK = LINES[REGROUP]["deck"]


def test_a_record_contains_all_random_choices():
    assert judged(changed(seed=None)) is True
    assert judged(without_facts(changed(seed=None))) is True


def test_missing_decks_come_from_the_seed():
    lines = [{key: value for key, value in line.items() if key not in ("deck", "decks")} for line in LINES]
    assert judged(lines) is True
    assert judged([{**lines[0], "seed": 12345}, *lines[1:]]) == ("facts", None)


TAMPERED = {
    "cards exchanged": (changed(decks={**DECKS, "red": exchanged(DECKS["red"])}), ("facts", None)),
    "a card too few": (changed(decks={**DECKS, "red": DECKS["red"][1:]}), ("format", None)),
    "a card too many": (changed(decks={**DECKS, "red": [*DECKS["red"], "scout"]}), ("format", None)),
    "another card": (changed(decks={**DECKS, "red": ["flag", *DECKS["red"][1:]]}), ("format", None)),
    "no card of the game": (changed(decks={**DECKS, "red": ["infiltrator", *DECKS["red"][1:]]}), ("format", None)),
    "an unknown rank": (changed(decks={**DECKS, "red": ["joker", *DECKS["red"][1:]]}), ("format", None)),
    "a deck that is not a list": (changed(decks={**DECKS, "red": None}), ("format", None)),
    "an unknown seat": (changed(decks={**DECKS, "green": []}), ("format", None)),
    "one deck and no seed": (changed(decks={"red": DECKS["red"]}, seed=None), ("format", None)),
    "neither decks nor seed": (changed(decks=None, seed=None), ("format", None)),
    "the decks of another game": (changed(rules="duel"), ("format", None)),
    "after a regroup: cards exchanged": (changed(REGROUP, deck=exchanged(DECK)), ("facts", REGROUP)),
    "after a regroup: a card too few": (changed(REGROUP, deck=DECK[1:]), ("facts", REGROUP)),
    "after a regroup: another card": (changed(REGROUP, deck=["flag", *DECK[1:-1], "flag"]), ("facts", REGROUP)),
    "after a regroup: nothing": (changed(REGROUP, deck=[]), ("facts", REGROUP)),
    "after a regroup: neither deck nor seed": (
        [{**LINES[0], "seed": None}, *changed(REGROUP, deck=None)[1:]],
        ("facts", REGROUP),
    ),
    "a deck although nothing is shuffled": (changed(ATTACK, deck=DECK), ("facts", ATTACK)),
}


@pytest.mark.parametrize(("lines", "fault"), TAMPERED.values(), ids=TAMPERED)
def test_verification_detects_a_changed_deck(lines, fault):
    assert judged(lines) == fault


@pytest.mark.parametrize("number", range(1, len(LINES) - 1))
def test_verification_detects_a_missing_action(number):
    assert judged([line for at, line in enumerate(LINES) if at != number]) is not True
