"""Mistakes in acts: answers in the right form that the rules of the game forbid."""

import re
from collections import Counter
from typing import Final

from msgspec import UNSET

from arbiter.preflight.evidence import Evidence, Finder, Found
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


def find_capitals(evidence: Evidence) -> Found:
    squares = (word for word in _squares(evidence) if _SQUARE.fullmatch(word.lower()))
    ranks = (word for word in _ranks(evidence) if word.lower() in _known_ranks(evidence))
    wrong = next((word for word in (*squares, *ranks) if word != word.lower()), None)
    return wrong is not None and (quote(wrong.encode()),)


def maps_ranks_to_squares(evidence: Evidence) -> bool:
    ranks = _ranks(evidence)
    return bool(ranks) and all(map(_SQUARE.fullmatch, ranks)) and not any(map(_SQUARE.fullmatch, _squares(evidence)))


def find_no_square(evidence: Evidence) -> Found:
    """Find a square in another notation or off the board, and the last square of the board."""
    if evidence.rules is None or evidence.rules.board is UNSET:
        return None
    board = evidence.rules.board
    squares = [f"{chr(ord('a') + file)}{row + 1}" for file in range(board.files) for row in range(board.rows)]
    wrong = next((place for place in _squares(evidence) if place not in squares), None)
    return wrong is not None and (quote(wrong.encode()), squares[-1])


def find_seats_of_deployment(evidence: Evidence) -> Found:
    """Find the seat of a bot that deployed on the squares of the other one."""
    squares, rules, other = _squares(evidence), evidence.rules, OPPONENT[evidence.seat]
    if evidence.fault != "illegal_setup" or not squares or rules is None or rules.deploy is UNSET:
        return None
    return set(squares) <= set(rules.deploy[other]) and (evidence.seat, other)


def find_unknown_rank(evidence: Evidence) -> Found:
    known = _known_ranks(evidence)
    wrong = next((word for word in _ranks(evidence) if word not in known), None)
    return bool(known) and wrong is not None and (quote(wrong.encode()), ", ".join(known))


def find_wrong_army(evidence: Evidence) -> Found:
    ranks = Counter(_ranks(evidence))
    rules = evidence.rules
    if evidence.fault != "illegal_setup" or rules is None or not ranks or ranks == Counter(rules.army):
        return None
    return str(ranks.total()), rules.id, str(sum(rules.army.values()))


def find_two_squares(evidence: Evidence) -> Found:
    is_forbidden = evidence.rule == "two_squares"
    return is_forbidden and evidence.rules is not None and (str(evidence.rules.two_squares),)


def accepts_no_offer(evidence: Evidence) -> bool:
    act = evidence.act
    return evidence.fault == "illegal_action" and act is not None and isinstance(act.action, AcceptDraw)


MISTAKES: Final[dict[str, Finder]] = {
    "capitals_in_act": find_capitals,
    "ranks_for_squares": maps_ranks_to_squares,
    "no_square": find_no_square,
    "others_rows": find_seats_of_deployment,
    "unknown_rank": find_unknown_rank,
    "wrong_army": find_wrong_army,
    "two_squares": find_two_squares,
    "more_squares": lambda evidence: evidence.rule == "more_squares",
    "immovable_moved": lambda evidence: evidence.rule == "immovable",
    "board_out_of_date": lambda evidence: evidence.rule == "movement" and "has no piece on" in evidence.why,
    "draw_not_offered": accepts_no_offer,
    "wrong_phase": lambda evidence: evidence.rule == "turn" and (str(evidence.question_object.get("phase", "turn")),),
    "deployment_against_the_rules": lambda evidence: evidence.fault == "illegal_setup",
    "against_the_rules": lambda evidence: evidence.fault == "illegal_action",
}
