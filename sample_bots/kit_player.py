#!/usr/bin/env python3
"""A complete bot with the kit, which reads the messages, keeps the state and answers.  Make it yours.

This bot attacks pieces that it knows it can beat, else unknown pieces; otherwise it moves forward.
To make it stronger, change `score`: it makes all decisions.
protocol/KIT.md describes what a turn and a game contain.
"""

from protocol.bot import Turn, deploy_at_random, run
from protocol.messages import CardView
from protocol.words import AnyAction, Attack, Deploy, Fill, Move

NAME = "kit"


def deploy(turn: Turn) -> AnyAction:
    """Put the army on random squares; in the card game keep the flag safe in the hand."""
    if not isinstance(turn.view, CardView):
        return deploy_at_random(turn)
    cards = sorted(turn.view.hand, key=lambda card: (card.rank == "flag", turn.rng.random()))
    return Deploy(line=[card.place for card in cards[: turn.rules.line or None]])


def choose(turn: Turn) -> AnyAction:
    """Return the legal action with the highest score, a random one if several have it."""
    return max(turn.legal, key=lambda action: (score(turn, action), turn.rng.random()))


def score(turn: Turn, action: AnyAction) -> float:
    """Return how good an action is.  All decisions are made here."""
    match action:
        case Move(src, dst) | Attack(src, dst) if dst in turn.enemies:
            mine, target = turn.own[src], turn.enemies[dst]
            if target is None:
                # An unknown piece.  A weak attacker risks little, so it goes first.
                return 2 - turn.game.number[mine] / 10
            return 3 if turn.game.fight(mine, target) == "win" else -3
        case Move(src, dst) if board := turn.game.board:  # a step to an empty square
            return (board.depth(dst, turn.seat) - board.depth(src, turn.seat)) / 10
        case Fill(cards):
            return -sum(turn.own[place] == "flag" for place in cards.values())
    return 0  # some rule sets have other actions; they are all in turn.legal


if __name__ == "__main__":
    run(choose, name=NAME, deploy=deploy, wants=["legal"])
