"""The endings of games in words: the one place for tables, pages, terminals and messages."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from arbiter.games.base import FORFEITS, Ending
from protocol.words import OPPONENT, SEATS, Seat


class _Words(Struct, frozen=True):
    short: str
    clause: str = ""
    """With the names of the players.  Default: the short words."""


_ENDINGS: Final[Mapping[Ending, _Words]] = {
    "flag_taken": _Words("flag taken", "{winner} took the flag"),
    "no_pieces": _Words("no movable piece left", "{loser} has no movable piece left"),
    "no_moves": _Words("no legal move", "{loser} has no legal move"),
    "both_immobile": _Words("neither side can move"),
    "no_attack_limit": _Words("too many plies without an attack"),
    "ply_limit": _Words("limit of plies reached"),
    "agreed": _Words("draw agreed"),
    "resigned": _Words("resigned", "{loser} resigned"),
    "illegal_action": _Words("illegal action", "{loser} chose an illegal action"),
    "immovable_moved": _Words("moved an immovable piece", "{loser} moved an immovable piece"),
    "illegal_setup": _Words("illegal deployment", "{loser} sent an illegal deployment"),
    "protocol": _Words("broke the protocol", "{loser} broke the protocol"),
    "timeout": _Words("out of time", "{loser} ran out of time"),
    "lost_connection": _Words("connection lost", "the connection of {loser} was lost"),
    "crash": _Words("program crashed", "the program of {loser} crashed"),
    "no_start": _Words("program did not start", "the program of {loser} did not start"),
    "killed": _Words("program was killed", "the program of {loser} was killed"),
    "walkover": _Words("walkover", "{loser} did not play"),
    "disqualified": _Words("disqualified", "{loser} was disqualified"),
    "void": _Words("voided"),
    "ruling": _Words("by a ruling"),
    "double_loss": _Words("both lose by a ruling"),
    "annulled": _Words("annulled"),
}
_BY_THE_RULES: Final[frozenset[Ending]] = frozenset(
    {"flag_taken", "no_pieces", "no_moves", "both_immobile", "no_attack_limit", "agreed", "resigned"}
)
"""Endings whose reason is a clause of the rules, which names the players by their seats."""
_SEAT: Final = re.compile(r"\b(?:red|blue)\b")
_SLOT: Final = re.compile(r"\bline:(?=\d)")
"""The start of the name of a place in the line of a card game."""
_SEAT_NAMES: Final[Mapping[Seat, str]] = {seat: seat for seat in SEATS}


def write_ending(ending: Ending, why: str = "", plies: int | None = None) -> str:
    """Write an ending in a few words, without the players; a limit with the number of this game."""
    if ending == "no_attack_limit" and why:
        return why
    if ending == "ply_limit" and plies:
        return f"limit of {plies} plies reached"
    return _ENDINGS[ending].short


def describe_ending(
    winner: Seat | None,
    ending: Ending,
    why: str = "",
    plies: int | None = None,
    names: Mapping[Seat, str] = _SEAT_NAMES,
) -> str:
    """Describe in a clause why a game ended, with the names of the players.

    The reason of a forfeit is left out, because it may name hidden pieces.
    """
    names = _distinguish(names)
    if ending in _BY_THE_RULES and why:
        why = _SLOT.sub("slot ", why)
        return _SEAT.sub(lambda found: names[found[0]], why)  # type: ignore[index]  # the expression finds only seats
    clause = _ENDINGS[ending].clause
    if winner is not None and clause:
        return clause.format(winner=names[winner], loser=names[OPPONENT[winner]])
    return write_ending(ending, why, plies)


def describe_result(
    winner: Seat | None,
    ending: Ending,
    why: str = "",
    plies: int | None = None,
    names: Mapping[Seat, str] = _SEAT_NAMES,
) -> str:
    """Describe the result of a game and its reason in a sentence: `hunter wins: random resigned`."""
    if ending == "void":
        return "The game does not count"
    if ending == "annulled":
        return "The game is annulled"
    if ending == "double_loss":
        return write_ending(ending).capitalize()
    clause = describe_ending(winner, ending, why, plies, names)
    if winner is not None:
        name = _distinguish(names)[winner]
        head = f"{name} wins"
        clause = f"it {clause.removeprefix(f'{name} ')}" if clause.startswith(f"{name} ") else clause
    else:
        head = "Both lose" if ending in FORFEITS else "Draw"
    if ending == "ruling":
        return f"{head} {write_ending(ending)}"
    return f"{head}: {clause}"


def _distinguish(names: Mapping[Seat, str]) -> Mapping[Seat, str]:
    """Return the names, or the seats if both players have the same name."""
    return names if len(set(names.values())) == len(SEATS) else _SEAT_NAMES
