"""Actions and facts of games with powers as short text, for tables of test cases.

Actions: `a6-b6` move, `a6xb6` attack, `a6?b6` look, `a6*b6` strike, `a6!b6=spy` infiltrate, `+spy@a1` rescue, `stop`.
Facts: the values of each in the order of the protocol, ` / ` between them; a fact for one seat begins with this
seat: `blue< revealed red a6 spy`.
"""

import re

import msgspec
import pytest
from drawing import SQUARES, drawn
from games.play_state import freeze

from arbiter.games.base import IllegalAction
from protocol.words import SEATS, Infiltrate, Look, Move, Rescue, Stop, Strike

RANKS = ("marshal", "general", "colonel", "major", "marksman", "captain", "berserker", "lieutenant", "sergeant", "miner", "scout", "spy", "infiltrator", "bomb", "flag")  # fmt: skip
_BETWEEN = re.compile(r"([-x?*!=@+])")


def action_of(word):
    """Read an action."""
    match _BETWEEN.split(word):
        case [src, "-" | "x", dst]:
            return Move(src, dst)
        case [src, "?", dst]:
            return Look(src, dst)
        case [src, "*", dst]:
            return Strike(src, dst)
        case [src, "!", dst, "=", rank]:
            return Infiltrate(src, dst, rank)
        case ["", "+", rank, "@", dst]:
            return Rescue(rank, dst)
        case ["stop"]:
            return Stop()
    raise ValueError(word)


def act_on(play, text):
    """Carry out actions, each by the seat to act and each listed as legal; return the facts of the last."""
    facts = ()
    for word in text.split():
        (seat,) = play.to_act
        action = action_of(word)
        assert action in play.legal_actions(seat), f"{word} is not listed in phase {play.phase}\n{drawn(play)}"
        facts = play.act(seat, action)
        tags = {one.fact.__struct_config__.tag for one in facts}
        assert ("attacked" in tags) == ("x" in word), f"{word} became {tags}\n{drawn(play)}"
    return facts


def news(facts):
    """Write facts with the seats that may know them."""
    return " / ".join(("" if one.to == SEATS else f"{'+'.join(one.to)}< ") + words(one.fact) for one in facts)


def words(fact):
    return " ".join(str(value) for value in msgspec.to_builtins(fact).values())


def refusal(play, word):
    """Try an action that must be refused; return the rule.

    It must not be listed, must change nothing, and the refusal must name no rank except that of the action.
    """
    (seat,) = play.to_act
    action = action_of(word)
    assert action not in play.legal_actions(seat), f"{word} is listed\n{drawn(play)}"
    before = freeze(play)
    with pytest.raises(IllegalAction) as caught:
        play.act(seat, action)
    assert freeze(play) == before
    named = {rank for rank in RANKS if re.search(rf"\b{rank}\b", str(caught.value))}
    assert named <= {getattr(action, "rank", None), "infiltrator"}, "the refusal names a rank"
    return caught.value.rule


def listed(play, kind):
    """Write the legal actions of a kind as text, sorted."""
    (seat,) = play.to_act
    return sorted(short(action) for action in play.legal_actions(seat) if isinstance(action, kind))


def short(action):
    match action:
        case Move(src, dst):
            return f"{src}-{dst}"
        case Look(src, dst):
            return f"{src}?{dst}"
        case Strike(src, dst):
            return f"{src}*{dst}"
        case Infiltrate(src, dst, rank):
            return f"{src}!{dst}={rank}"
        case Rescue(rank, dst):
            return f"+{rank}@{dst}"
        case Stop():
            return "stop"


def targets(play, src, kind):
    """Return the squares at which the piece on `src` may aim; `act` must agree with `legal_actions` on every square."""
    (seat,) = play.to_act
    found = {action.dst for action in play.legal_actions(seat) if isinstance(action, kind) and action.src == src}
    accepted = {square for square in SQUARES if accepts(play, seat, kind(src, square))}
    assert accepted == found, drawn(play)
    return " ".join(sorted(found, key=SQUARES.index))


def accepts(play, seat, action):
    try:
        play.copy().act(seat, action)
    except IllegalAction as refused:
        assert refused.rule == "power"  # noqa: PT017 - a raises block for each square is long
        return False
    return True


def ended(play):
    """Write the winner and the ending of a finished game."""
    return play.outcome and f"{play.outcome.winner} {play.outcome.ending}"
