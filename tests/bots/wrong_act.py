"""Answers its first move with an illegal action; the argument selects it."""

import sys

from base import Bot, move

ACTS = {
    "opponents_piece": move("a7", "a6"),
    "empty_square": move("a5", "a6"),
    "bomb": move("b1", "b2"),
    "flag": move("a1", "a2"),
    "off_the_board": move("a4", "a0"),
    "no_square": move("\x1b[2J", "é" * 500),
    "lake": move("c4", "c5"),
    "jump": move("e4", "e8"),
    "diagonal": move("a4", "b5"),
    "own_piece": move("a4", "b4"),
    "too_far": move("a4", "a6"),
    "stays": move("a4", "a4"),
    "deploys_again": {"type": "deploy", "pieces": {}},
    "another_game": {"type": "peek_hand", "src": "line:0"},
    "another_phase": {"type": "stop"},
    "power": {"type": "look", "src": "a4", "dst": "a7"},
    "accepts_nothing": {"type": "accept_draw"},
}


class WrongAct(Bot):
    def choose_action(self, ask):
        return ACTS[sys.argv[1]]


WrongAct().run()
