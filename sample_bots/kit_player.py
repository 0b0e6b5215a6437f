#!/usr/bin/env python3
"""A whole bot on the kit, which reads, remembers and answers for it.  Make it yours.

What this bot does: it attacks what it knows it can beat, else what it does not know, else it walks on.
Change `score` to make it stronger: that is where it thinks.
What a turn and a game know is told in protocol/KIT.md.
"""

from protocol.bot import Turn, deploy_at_random, run
from protocol.messages import CardView
from protocol.words import AnyAction, Attack, Deploy, Fill, Move

NAME = "kit"


def deploy(turn: Turn) -> AnyAction:
    """Stand the army anywhere; in the card game keep the flag in the hand, where nothing attacks it."""
    if not isinstance(turn.view, CardView):
        return deploy_at_random(turn)
    cards = sorted(turn.view.hand, key=lambda card: (card.rank == "flag", turn.rng.random()))
    return Deploy(line=[card.place for card in cards[: turn.rules.line]])


def choose(turn: Turn) -> AnyAction:
    """Choose the legal action with the highest score; luck decides between equals."""
    return max(turn.legal, key=lambda action: (score(turn, action), turn.rng.random()))


def score(turn: Turn, action: AnyAction) -> float:
    """Say how good an action is.  All thinking is here."""
    match action:
        case Move(src, dst) | Attack(src, dst) if dst in turn.enemies:
            mine, target = turn.own[src], turn.enemies[dst]
            if target is None:
                # We do not know it.  A weak attacker risks little, so it goes first.
                return 2 - turn.game.number[mine] / 10
            return 3 if turn.game.fight(mine, target) == "win" else -3
        case Move(src, dst):  # a step onto an empty square
            return (turn.game.board.depth(dst, turn.seat) - turn.game.board.depth(src, turn.seat)) / 10
        case Fill(cards):
            return -sum(turn.own[place] == "flag" for place in cards.values())
    return 0  # some rule sets know other actions; they are all in turn.legal


if __name__ == "__main__":
    run(choose, name=NAME, deploy=deploy, wants=["legal"])
