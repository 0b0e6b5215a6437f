"""Mistakes of acts: answers in the form of the protocol that the rules forbid."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from arbiter.preflight.evidence import Evidence
from protocol.codec import quote
from protocol.messages import BoardShape
from protocol.words import OPPONENT, AcceptDraw, Deploy, Infiltrate, Look, Move, Place, Strike

_FORM: Final = re.compile(r"[a-z][1-9][0-9]?")


def _squares(seen: Evidence) -> Iterator[Place]:
    """Name the squares of an act."""
    match seen.act and seen.act.action:
        case Move(src, dst) | Look(src, dst) | Strike(src, dst) | Infiltrate(src, dst, _):
            yield from (src, dst)
        case Deploy(pieces) if pieces is not UNSET:
            yield from pieces


def _ranks(seen: Evidence) -> list[str]:
    match seen.act and seen.act.action:
        case Deploy(pieces) if pieces is not UNSET:
            return list(pieces.values())
        case Infiltrate(_, _, rank):
            return [rank]
        case _:
            return []


def capitals_in_act(seen: Evidence) -> str | None:
    """Recognise squares and ranks with capitals."""
    squares = {word for word in _squares(seen) if _FORM.fullmatch(word.lower())}
    wrong = next((word for word in (*squares, *_ranks(seen)) if word != word.lower()), None)
    if wrong is None:
        return None
    return (
        f"It wrote {quote(wrong.encode())} with capitals: squares and ranks are in small letters, as in a4 and marshal"
    )


def ranks_for_squares(seen: Evidence) -> str | None:
    """Recognise a deployment the wrong way round."""
    ranks, squares = _ranks(seen), list(_squares(seen))
    if not ranks or not all(_FORM.fullmatch(rank) for rank in ranks) or any(map(_FORM.fullmatch, squares)):
        return None
    return 'Its deployment says where each rank stands: `pieces` goes from squares to ranks, as in {"a1":"flag"}'


def no_square(seen: Evidence) -> str | None:
    """Recognise squares in another notation, or beyond the board."""
    if seen.rules is None or seen.rules.board is UNSET:
        return None
    board = seen.rules.board
    corner = f"{chr(ord('a') + board.files - 1)}{board.rows}"
    wrong = next((place for place in _squares(seen) if not _is_on(place, board)), None)
    if wrong is None:
        return None
    return (
        f"It wrote {quote(wrong.encode())}, which is no square: a square is a letter for the file and a number for the "
        f"row, a1 to {corner}"
    )


def _is_on(place: Place, board: BoardShape) -> bool:
    if not _FORM.fullmatch(place):
        return False
    return ord(place[0]) - ord("a") < board.files and int(place[1:]) <= board.rows


def others_rows(seen: Evidence) -> str | None:
    """Recognise a deployment on the opponent's side."""
    squares = list(_squares(seen))
    if seen.fault != "illegal_setup" or not squares or seen.rules is None or seen.rules.deploy is UNSET:
        return None
    if not set(squares) <= set(seen.rules.deploy[OPPONENT[seen.seat]]):
        return None
    return (
        f"As {seen.seat} it deploys on the squares of {OPPONENT[seen.seat]}: `seat` in 'start' says which side it has, "
        "and `deploy` in its rules which squares"
    )


def wrong_army(seen: Evidence) -> str | None:
    """Recognise a deployment of another army."""
    ranks = Counter(_ranks(seen))
    if seen.fault != "illegal_setup" or seen.rules is None or not ranks or ranks == Counter(seen.rules.army):
        return None
    return (
        f"It deploys {ranks.total()} pieces that are not the army of {seen.rules.id}, which has "
        f"{sum(seen.rules.army.values())}: take each rank as often as `army` in the rules of 'start' says"
    )


def two_squares(seen: Evidence) -> str | None:
    """Recognise who goes to and fro too often."""
    if seen.rule != "two_squares" or seen.rules is None:
        return None
    return (
        f"It went to and fro with one piece once too often: when a piece has crossed one border in each of its side's "
        f"last {seen.rules.two_squares} turns, it may not cross it now (`two_squares` in the rules); "
        'count that, or choose from `legal` with "legal" in `wants`'
    )


def more_squares(seen: Evidence) -> str | None:
    """Recognise who chases for ever."""
    if seen.rule != "more_squares":
        return None
    return (
        "It chased a piece round and brought a position of that chase back (`more_squares` in the rules): remember "
        'the positions of a chase, or choose from `legal` with "legal" in `wants`'
    )


def immovable_moved(seen: Evidence) -> str | None:
    """Recognise who moves a bomb or the flag."""
    return "It moved a bomb or its flag, which never move" if seen.rule == "immovable" else None


def board_out_of_date(seen: Evidence) -> str | None:
    """Recognise who has lost track of the board."""
    if seen.rule != "movement" or "has no piece on" not in seen.why:
        return None
    return (
        "It moved a piece that is not there: its board is not the arbiter's; follow every fact of `news`, also of a "
        'position that is given at the start, or take the board from `view` with "view" in `wants`'
    )


def draw_not_offered(seen: Evidence) -> str | None:
    """Recognise who accepts what was not offered."""
    if not (seen.fault == "illegal_action" and seen.act and isinstance(seen.act.action, AcceptDraw)):
        return None
    return (
        "It accepted a draw that was not offered: do so only where the last `news` holds the opponent's `draw_offered`"
    )


def wrong_phase(seen: Evidence) -> str | None:
    """Recognise an action of another phase."""
    if seen.rule != "turn":
        return None
    phase = seen.asked.get("phase", "turn")
    return f"It answered a question of phase '{phase}' by an action of another one: look at `phase` before you answer"


def deployment_against_the_rules(seen: Evidence) -> str | None:
    """Say of any other deployment what is wanted."""
    if seen.fault != "illegal_setup":
        return None
    return (
        "A deployment names each piece of `army` once, each on a square of its own among one's `deploy`, as "
        '{"pieces":{"a1":"flag",...}}; in the card game as many different cards as the line takes, as '
        '{"line":["hand:0",...]}'
    )


def against_the_rules(seen: Evidence) -> str | None:
    """Say of any other action what would keep it legal."""
    if seen.fault != "illegal_action":
        return None
    return 'The rules forbid that: with "legal" in `wants` each question lists all that they allow'
