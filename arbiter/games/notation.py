"""Actions in short form, for people."""

from protocol.words import (
    AcceptDraw,
    AnyAction,
    Attack,
    Deploy,
    Fill,
    Infiltrate,
    Look,
    Move,
    PeekHand,
    PeekLine,
    Regroup,
    Rescue,
    Resign,
    Stop,
    Strike,
)


def write_action(action: AnyAction) -> str:  # noqa: C901, PLR0911 - one case for each action
    """Write an action in short form: `a4-a5`, `deploys`, `resigns`."""
    match action:
        case Move(src, dst):
            return f"{src}-{dst}"
        case Look(src, dst) | Strike(src, dst) | Attack(src, dst):
            return f"{src} {action.__struct_config__.tag}s {dst}"
        case Infiltrate(src, dst, rank):
            return f"{src} infiltrates {dst} as {rank}"
        case Rescue(rank, dst):
            return f"rescues {rank} to {dst}"
        case Deploy():
            return "deploys"
        case PeekHand(src):
            return f"{src} looks at the hand"
        case PeekLine(src, slots):
            return f"{src} looks at {' '.join(slots)}"
        case Regroup(src):
            return f"{src} regroups"
        case Fill(cards):
            return "fills " + " ".join(f"{slot}<-{place}" for slot, place in cards.items())
        case Stop():
            return "stops"
        case Resign():
            return "resigns"
        case AcceptDraw():
            return "accepts the draw"
