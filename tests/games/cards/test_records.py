"""Records of card games: refereed again from the decks they hold, and what a tampered deck comes to."""

from pathlib import Path

import msgspec
import pytest

from arbiter.verify import verify

GOLDEN = Path(__file__).parent.parent / "golden" / "card-game.jsonl"
LINES = [msgspec.json.decode(line) for line in GOLDEN.read_bytes().splitlines()]
REGROUP = next(number for number, line in enumerate(LINES) if "deck" in line)  # acts are counted from 1, as lines here
ATTACK = next(number for number, line in enumerate(LINES) if line.get("action", {}).get("type") == "attack")


def changed(number=0, **changes):
    """Return the golden record with changes to one line; None leaves a field out."""
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


def test_it_holds_all_that_luck_gave():
    assert judged(changed(seed=None)) is True
    assert judged(without_facts(changed(seed=None))) is True


def test_what_it_does_not_hold_comes_from_its_seed():
    lines = [{key: value for key, value in line.items() if key not in ("deck", "decks")} for line in LINES]
    assert judged(lines) is True
    assert judged([{**lines[0], "seed": 12345}, *lines[1:]]) == ("facts", None)


TAMPERED = {
    "cards exchanged": (changed(decks={**DECKS, "red": exchanged(DECKS["red"])}), ("facts", None)),
    "a card too few": (changed(decks={**DECKS, "red": DECKS["red"][1:]}), ("format", None)),
    "a card too many": (changed(decks={**DECKS, "red": [*DECKS["red"], "scout"]}), ("format", None)),
    "another card": (changed(decks={**DECKS, "red": ["flag", *DECKS["red"][1:]]}), ("format", None)),
    "no card of the game": (changed(decks={**DECKS, "red": ["infiltrator", *DECKS["red"][1:]]}), ("format", None)),
    "no card at all": (changed(decks={**DECKS, "red": ["joker", *DECKS["red"][1:]]}), ("format", None)),
    "a deck that is none": (changed(decks={**DECKS, "red": None}), ("format", None)),
    "a seat that is none": (changed(decks={**DECKS, "green": []}), ("format", None)),
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
    "a deck where nothing is shuffled": (changed(ATTACK, deck=DECK), ("facts", ATTACK)),
}


@pytest.mark.parametrize(("lines", "fault"), TAMPERED.values(), ids=TAMPERED)
def test_a_tampered_deck_is_found(lines, fault):
    assert judged(lines) == fault


@pytest.mark.parametrize("number", range(1, len(LINES) - 1))
def test_an_act_left_out_is_found(number):
    assert judged([line for at, line in enumerate(LINES) if at != number]) is not True
