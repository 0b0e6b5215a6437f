"""What is to be seen after one act, as the viewer may see it: a plain value, made of facts that the viewer heard."""

from collections.abc import Iterable, Sequence

from msgspec import UNSET, Struct

from arbiter.games.base import FORFEITS
from arbiter.games.notation import write_action
from arbiter.record import ActEntry, GameResult, Record
from arbiter.show.boards import NO_MARKS, Marks
from arbiter.show.names import Naming
from arbiter.show.replay.acts import Banks, PlayedAct
from arbiter.show.replay.knowledge import View, Viewer, is_visible, sees_secrets_of
from arbiter.show.replay.story import tell
from arbiter.show.text import number, plain
from arbiter.tournament.standings.stored_game import find_forfeiters
from protocol.messages import BoardShape, Rules
from protocol.words import AnyFact, Attacked, Guessed, Looked, Moved, Peeked, Placed, Rescue, Seat, Struck


class Frame(Struct, frozen=True, kw_only=True):
    """What is to be seen after an act, when `ply` plies have been played; 0 is the setup.

    `shape` is the board of a board game.  `ms` is what the clock charged whom and `banks` what it left, where the
    record tells; `notes` are what the bots wrote (already fit to be shown), `ending` tells the result in the last
    frame of a game.
    """

    ply: int
    seat: Seat | None
    action: str
    story: tuple[str, ...] = ()
    shape: BoardShape | None
    view: View
    marks: Marks = NO_MARKS
    ms: dict[Seat, float] = {}
    banks: Banks = {}
    notes: dict[Seat, str] = {}
    ending: tuple[str, ...] = ()


def frame_of_setup(
    deployments: Sequence[PlayedAct], view: View, viewer: Viewer, *, rules: Rules, banks: Banks
) -> Frame:
    """Show the setup: both deployments are one frame."""
    return Frame(
        ply=0,
        seat=None,
        action="the setup",
        shape=_shape(rules),
        view=view,
        ms={seat: ms for act in deployments for seat, ms in _charged(act.entry).items()},
        notes={seat: note for act in deployments for seat, note in _notes(act.entry, viewer).items()},
        banks=banks,
    )


def frame_of_act(act: PlayedAct, before: View, after: View, viewer: Viewer, *, rules: Rules, naming: Naming) -> Frame:
    """Show an act as far as a viewer may see it; `before` and `after` are the viewer's views."""
    facts = tuple(one.fact for one in act.facts if is_visible(viewer, one))
    return Frame(
        ply=act.ply,
        seat=act.entry.seat,
        action=action_seen(act.entry, viewer),
        story=tell(facts, before, after, viewer, naming),
        shape=_shape(rules),
        view=after,
        marks=marks_of(facts),
        ms=_charged(act.entry),
        banks=act.banks,
        notes=_notes(act.entry, viewer),
    )


def _shape(rules: Rules) -> BoardShape | None:
    return None if rules.board is UNSET else rules.board


def action_seen(entry: ActEntry, viewer: Viewer) -> str:
    """Write an act without the one thing of an opponent's that facts may keep hidden: whom it rescues."""
    action = entry.action
    if isinstance(action, Rescue) and not sees_secrets_of(viewer, entry.seat):
        action = Rescue("a piece", action.dst)
    return plain(write_action(action))


def marks_of(facts: Iterable[AnyFact]) -> Marks:
    """Find where an act went from and to, and whether it attacked."""
    for fact in facts:
        if isinstance(fact, Moved | Attacked | Struck | Looked | Guessed):
            return Marks(fact.src, fact.dst, attack=isinstance(fact, Attacked | Struck))
        if isinstance(fact, Peeked):
            return Marks(fact.src)
        if isinstance(fact, Placed):
            return Marks(dst=fact.place)
    return NO_MARKS


def _charged(entry: ActEntry) -> dict[Seat, float]:
    return {} if entry.ms is None else {entry.seat: entry.ms}


def _notes(entry: ActEntry, viewer: Viewer) -> dict[Seat, str]:
    return {entry.seat: plain(entry.note)} if entry.note and sees_secrets_of(viewer, entry.seat) else {}


# --- the end --------------------------------------------------------------------------------------


def tell_ending(record: Record, viewer: Viewer) -> tuple[str, ...]:
    """Tell how a game ended, and why as far as the viewer may know."""
    end = record.result
    if end is None:
        return ("the record ends here, without a result",)
    lines = [f"{_winner(end)} ({end.ending.replace('_', ' ')})"]
    # What a forfeit was for may name the loser's own pieces.
    if all(sees_secrets_of(viewer, seat) for seat in find_forfeiters(end.winner, end.ending)) and end.why:
        lines.append(plain(end.why))
    if end.points:
        lines.append("points: " + ", ".join(f"{seat} {number(won)}" for seat, won in end.points.items()))
    return tuple(lines)


def _winner(end: GameResult) -> str:
    if end.winner:
        return f"{end.winner} wins"
    if end.ending == "void":
        return "the game does not count"
    return "both lose" if end.ending in FORFEITS else "a draw"
