"""Tables of the card game drawn as text, acts and facts as short words.

A drawing has a line a thing, in any order, what is empty left out:

    blue line  5 B . 3 F
    blue hand  2 S
    red line   M 2
    red deck   9 8

M is the marshal, S the spy, B a bomb, F the flag; a deck is drawn from its left.
Acts: `0x3` attack, `1?hand`, `1?0,4` look, `2!` regroup, `+2=0,4=1` fill slot 2 from hand place 0 .., `=0,7,2` deploy.
Facts: the words of each in the order of the protocol, ` / ` between them; one that not both are told begins
with who is: `blue< revealed red line:0 scout`.
"""

from games.snapshots import snapshot

from arbiter.errors import IllegalAction
from arbiter.games.catalogue import find_game
from arbiter.games.chance import Seeded
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
    """Start a game at the turn of a seat, after its drawing, with the cards as drawn."""
    play = find_game("card-game", overrides=Overrides(**overrides)).start(chance or Seeded(0))
    for side in play.sides.values():
        side.deck, side.hand, side.line = [], [], [None] * 5
    for row in drawing.strip().splitlines():
        seat, what, *signs = row.split()
        cards = [CARDS.get(sign) for sign in signs]
        setattr(play.sides[seat], what, cards + [None] * (5 - len(cards)) if what == "line" else cards)
    play.to_act, play.phase = (to_act,), phase
    return play


def drawn(play):
    """Draw a table, what is empty left out."""
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
    """Read an act."""
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
    """Write an act."""
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
    """Carry out acts by whoever is to act; return what was told of the last."""
    told = ()
    for word in text.split():
        (seat,) = play.to_act
        told = play.act(seat, action_of(word))
    return told


def news(told):
    """Write what was told, and to whom."""
    return " / ".join(("" if one.to == SEATS else f"{'+'.join(one.to)}< ") + words(one.fact) for one in told)


def words(fact):
    values = [getattr(fact, name) for name in fact.__struct_fields__]
    return " ".join([str(fact.__struct_config__.tag), *map(_word, values)])


def _word(value):
    if isinstance(value, dict):
        return ",".join(f"{key}={place}" for key, place in value.items())
    return ",".join(value) if isinstance(value, list) else str(value)


def listed(play):
    """Write what is legal for the seat that is to act."""
    (seat,) = play.to_act
    return " ".join(short(action) for action in play.legal(seat))


def refusal(play, word):
    """Try an act that must be refused, be unlisted and change nothing; name the rule and the ending."""
    (seat,) = play.to_act
    action = action_of(word)
    assert action not in play.legal(seat), f"{word} is listed\n{drawn(play)}"
    before = snapshot(play)
    try:
        play.act(seat, action)
    except IllegalAction as refused:
        assert snapshot(play) == before
        return refused.rule, refused.ending
    raise AssertionError(f"{word} is accepted\n{drawn(play)}")


def ended(play):
    """Write how the game ended: winner and ending; None while it goes on."""
    return play.outcome and (play.outcome.winner, play.outcome.ending)
