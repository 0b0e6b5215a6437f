"""Mistakes in acts: answers in the right form that the rules of the game forbid."""

import re
from collections import Counter
from typing import Final

from msgspec import UNSET

from arbiter.preflight.evidence import Evidence
from protocol.codec import quote
from protocol.words import OPPONENT, AcceptDraw, Deploy, Place

_SQUARE: Final = re.compile(r"[a-z][1-9][0-9]?")


def _squares(evidence: Evidence) -> list[Place]:
    """List the squares of the act."""
    action = evidence.act and evidence.act.action
    if isinstance(action, Deploy):
        return [] if action.pieces is UNSET else list(action.pieces)
    return [place for name in ("src", "dst") if (place := getattr(action, name, None)) is not None]


def _ranks(evidence: Evidence) -> list[str]:
    """List the ranks of the act."""
    action = evidence.act and evidence.act.action
    if isinstance(action, Deploy):
        return [] if action.pieces is UNSET else list(action.pieces.values())
    return [rank] if (rank := getattr(action, "rank", None)) is not None else []


def _known_ranks(evidence: Evidence) -> list[str]:
    return [] if evidence.rules is None else [rank.id for rank in evidence.rules.ranks]


def capitals_in_act(evidence: Evidence) -> str | None:
    squares = (word for word in _squares(evidence) if _SQUARE.fullmatch(word.lower()))
    ranks = (word for word in _ranks(evidence) if word.lower() in _known_ranks(evidence))
    wrong = next((word for word in (*squares, *ranks) if word != word.lower()), None)
    if wrong is None:
        return None
    return (
        f"The bot wrote {quote(wrong.encode())} with capital letters. "
        "Squares and ranks are in lower case, as in a4 and marshal."
    )


def ranks_for_squares(evidence: Evidence) -> str | None:
    ranks = _ranks(evidence)
    squares = _squares(evidence)
    if not ranks or not all(map(_SQUARE.fullmatch, ranks)) or any(map(_SQUARE.fullmatch, squares)):
        return None
    return 'The deployment maps ranks to squares. `pieces` maps squares to ranks, as in {"a1":"flag"}.'


def no_square(evidence: Evidence) -> str | None:
    """Recognise squares in another notation or off the board."""
    if evidence.rules is None or evidence.rules.board is UNSET:
        return None
    board = evidence.rules.board
    squares = {f"{chr(ord('a') + file)}{row + 1}" for file in range(board.files) for row in range(board.rows)}
    wrong = next((place for place in _squares(evidence) if place not in squares), None)
    if wrong is None:
        return None
    corner = f"{chr(ord('a') + board.files - 1)}{board.rows}"
    return (
        f"The bot wrote {quote(wrong.encode())}, which is not a square of this board. "
        f"A square is a letter for the file and a number for the row, from a1 to {corner}."
    )


def others_rows(evidence: Evidence) -> str | None:
    squares = _squares(evidence)
    rules = evidence.rules
    if evidence.fault != "illegal_setup" or not squares or rules is None or rules.deploy is UNSET:
        return None
    other = OPPONENT[evidence.seat]
    if not set(squares) <= set(rules.deploy[other]):
        return None
    return (
        f"The bot plays {evidence.seat} but deployed on the squares of {other}. "
        "`seat` in 'start' is the bot's side, and `deploy` in its rules lists the squares of each side."
    )


def unknown_rank(evidence: Evidence) -> str | None:
    known = _known_ranks(evidence)
    wrong = next((word for word in _ranks(evidence) if word not in known), None)
    if not known or wrong is None:
        return None
    return (
        f"The bot wrote {quote(wrong.encode())}, which is no rank. Ranks are words in lower case, not numbers or "
        f"letters; `ranks` in the rules of 'start' lists them: {', '.join(known)}."
    )


def wrong_army(evidence: Evidence) -> str | None:
    ranks = Counter(_ranks(evidence))
    rules = evidence.rules
    if evidence.fault != "illegal_setup" or rules is None or not ranks or ranks == Counter(rules.army):
        return None
    return (
        f"The bot deployed {ranks.total()} pieces that are not the army of {rules.id}, which has "
        f"{sum(rules.army.values())} pieces. Use each rank as often as `army` in the rules of 'start' states."
    )


def two_squares(evidence: Evidence) -> str | None:
    if evidence.rule != "two_squares" or evidence.rules is None:
        return None
    return (
        "The bot moved one piece back and forth too often. If a piece has crossed the same border in each of its "
        f"side's last {evidence.rules.two_squares} turns, it may not cross it again now (`two_squares` in the rules). "
        'Count these moves, or put "legal" into `wants` and choose from `legal`.'
    )


def more_squares(evidence: Evidence) -> str | None:
    if evidence.rule != "more_squares":
        return None
    return (
        "The bot chased a piece and repeated an earlier position (`more_squares` in the rules). "
        'Remember the positions of a chase, or put "legal" into `wants` and choose from `legal`.'
    )


def immovable_moved(evidence: Evidence) -> str | None:
    return "The bot moved a bomb or its flag. These pieces never move." if evidence.rule == "immovable" else None


def board_out_of_date(evidence: Evidence) -> str | None:
    if evidence.rule != "movement" or "has no piece on" not in evidence.why:
        return None
    return (
        "The bot moved a piece that is not there, so its board differs from the arbiter's. Apply every fact of `news`, "
        'even if the game starts from a given position, or put "view" into `wants` and take the board from `view`.'
    )


def draw_not_offered(evidence: Evidence) -> str | None:
    act = evidence.act
    if evidence.fault != "illegal_action" or act is None or not isinstance(act.action, AcceptDraw):
        return None
    return (
        "The bot accepted a draw that was not offered. "
        "Accept a draw only if the last `news` contains `draw_offered` by the opponent."
    )


def wrong_phase(evidence: Evidence) -> str | None:
    if evidence.rule != "turn":
        return None
    phase = evidence.question_object.get("phase", "turn")
    return (
        f"The bot answered a question of phase '{phase}' with an action of another phase. "
        "Check `phase` before you answer."
    )


def deployment_against_the_rules(evidence: Evidence) -> str | None:
    """Recognise any other forbidden deployment."""
    if evidence.fault != "illegal_setup":
        return None
    return (
        "The deployment is against the rules. It must contain each piece of `army` once, each on its own square out of "
        '`deploy`, as in {"pieces":{"a1":"flag",...}}. In the card game it lists as many different cards as the line '
        'has places, as in {"line":["hand:0",...]}.'
    )


def against_the_rules(evidence: Evidence) -> str | None:
    """Recognise any other forbidden action."""
    if evidence.fault != "illegal_action":
        return None
    return 'The rules forbid this action. With "legal" in `wants`, each question lists all legal actions.'
