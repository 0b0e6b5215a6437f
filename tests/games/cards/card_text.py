"""Positions of the card game drawn as text, and its actions and facts as short text.

A drawing has one line for each line, hand and deck that is not empty, in any order:

    blue line  5 B . 3 F
    blue hand  2 S
    red line   M 2
    red deck   9 8

M is the marshal, S the spy, B a bomb, F the flag; a deck is drawn from its left.
Actions: `0x3` attack, `1?hand`, `1?0,4` look, `2!` regroup, `+2=0,4=1` fill slot 2 from hand place 0 and so on,
`=0,7,2` deploy. Facts: the values of each in the order of the protocol, ` / ` between them; a fact for one seat
begins with this seat: `blue< revealed red line:0 scout`.
"""

from games.play_state import freeze

from arbiter.games.base import IllegalAction
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from protocol.words import SEATS, Attack, Deploy, Fill, PeekHand, PeekLine, Regroup

CARDS = {
    "M": "marshal",
    "9": "general",
    "8": "colonel",
    "7": "major",
    "6": "captain",
    "5": "lieutenant",
    "4": "sergeant",
    "3": "miner",
    "2": "scout",
    "S": "spy",
    "B": "bomb",
    "F": "flag",
}
SIGNS = {card: sign for sign, card in CARDS.items()}


def table(drawing, *, to_act="red", phase="turn", chance=None, **overrides):
    """Start a game with the cards of a drawing, in the turn of a seat, after it has filled its hand."""
    play = find_game("card-game", overrides=Overrides(**overrides)).start(chance or SeededChance(0))
    for side in play.sides.values():
        side.deck, side.hand, side.line = [], [], [None] * 5
    for row in drawing.strip().splitlines():
        seat, what, *signs = row.split()
        cards = [CARDS.get(sign) for sign in signs]
        setattr(play.sides[seat], what, cards + [None] * (5 - len(cards)) if what == "line" else cards)
    play.to_act, play.phase = (to_act,), phase
    return play


def drawn(play):
    """Draw the cards of a play."""
    rows = {
        f"{seat} {what}": getattr(side, what) for seat, side in play.sides.items() for what in ("line", "hand", "deck")
    }
    return "\n".join(
        f"{name} {' '.join(SIGNS.get(card, '.') for card in cards)}" for name, cards in rows.items() if any(cards)
    )


def tidy(drawing):
    """Bring a drawing into the form that `drawn` gives."""
    return drawn(table(drawing))


def line(numbers):
    return [f"line:{number}" for number in numbers.split(",") if number]


def hand(numbers):
    return [f"hand:{number}" for number in numbers.split(",") if number]


def action_of(word):
    """Read an action."""
    if word.startswith("="):
        return Deploy(line=hand(word[1:]))
    if word.startswith("+"):
        pairs = [pair.split("=") for pair in word[1:].split(",") if pair]
        return Fill({f"line:{slot}": f"hand:{number}" for slot, number in pairs})
    if word.endswith("!"):
        return Regroup(f"line:{word[:-1]}")
    if word.endswith("?hand"):
        return PeekHand(f"line:{word[0]}")
    if "?" in word:
        src, slots = word.split("?")
        return PeekLine(f"line:{src}", line(slots))
    src, dst = word.split("x")
    return Attack(f"line:{src}", f"line:{dst}")


def short(action):
    """Write an action."""
    match action:
        case Attack(src, dst):
            return f"{src[5:]}x{dst[5:]}"
        case PeekHand(src):
            return f"{src[5:]}?hand"
        case PeekLine(src, slots):
            return f"{src[5:]}?{','.join(slot[5:] for slot in slots)}"
        case Regroup(src):
            return f"{src[5:]}!"
        case Fill(cards):
            return "+" + ",".join(f"{slot[5:]}={place[5:]}" for slot, place in cards.items())


def act_on(play, text):
    """Carry out actions, each by the seat to act; return the facts of the last."""
    facts = ()
    for word in text.split():
        (seat,) = play.to_act
        facts = play.act(seat, action_of(word))
    return facts


def news(facts):
    """Write facts with the seats that may know them."""
    return " / ".join(("" if one.to == SEATS else f"{'+'.join(one.to)}< ") + words(one.fact) for one in facts)


def words(fact):
    values = [getattr(fact, name) for name in fact.__struct_fields__]
    return " ".join([str(fact.__struct_config__.tag), *map(_word, values)])


def _word(value):
    if isinstance(value, dict):
        return ",".join(f"{key}={place or '?'}" for key, place in value.items())
    return ",".join(value) if isinstance(value, list) else str(value)


def listed(play):
    """Write the legal actions of the seat to act."""
    (seat,) = play.to_act
    return " ".join(short(action) for action in play.legal_actions(seat))


def refusal(play, word):
    """Try an action that must be refused, not be listed and change nothing; return the rule and the ending."""
    (seat,) = play.to_act
    action = action_of(word)
    assert action not in play.legal_actions(seat), f"{word} is listed\n{drawn(play)}"
    before = freeze(play)
    try:
        play.act(seat, action)
    except IllegalAction as refused:
        assert freeze(play) == before
        return refused.rule, refused.ending
    raise AssertionError(f"{word} is accepted\n{drawn(play)}")


def ended(play):
    """Return winner and ending of a finished game, otherwise None."""
    return play.outcome and (play.outcome.winner, play.outcome.ending)
