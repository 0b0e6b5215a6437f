"""The endings of games in words."""

from collections.abc import Mapping
from typing import Final

from arbiter.games.base import Ending

ENDINGS: Final[Mapping[Ending, str]] = {
    "flag_taken": "flag taken",
    "no_pieces": "no movable piece left",
    "no_moves": "no legal move",
    "both_immobile": "neither side can move",
    "no_attack_limit": "too many plies without an attack",
    "ply_limit": "limit of plies reached",
    "agreed": "draw agreed",
    "resigned": "resigned",
    "illegal_action": "illegal action",
    "immovable_moved": "moved an immovable piece",
    "illegal_setup": "illegal deployment",
    "protocol": "broke the protocol",
    "timeout": "out of time",
    "crash": "program crashed",
    "no_start": "program did not start",
    "killed": "program was killed",
    "walkover": "walkover",
    "void": "voided",
    "ruling": "by a ruling",
    "double_loss": "both lose by a ruling",
}
