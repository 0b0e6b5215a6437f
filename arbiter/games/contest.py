"""A play at the table: what any two players may do beside the rules: resign, offer and accept a draw."""

from typing import Self

from arbiter.errors import IllegalAction
from arbiter.games.base import Addressed, Outcome, Play
from protocol.words import OPPONENT, SEATS, AcceptDraw, AnyAction, DrawOffered, Phase, Resign, Seat


class Contest:
    """A game between two players, of whatever rules."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self._agreed: Outcome | None = None
        self._offered_by: Seat | None = None

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None."""
        return self._agreed or self.play.outcome

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats that are to act now."""
        return () if self._agreed else self.play.to_act

    @property
    def phase(self) -> Phase:
        """What kind of question is open."""
        return self.play.phase

    def act(self, seat: Seat, action: AnyAction, *, offer_draw: bool = False) -> tuple[Addressed, ...]:
        """Carry out an action, with or without a draw offer, and return what happened.

        An offer is good until the opponent's next act; one made in the setup or with the last act is void.
        Raises IllegalAction and changes nothing.
        """
        asked_in = self.play.phase
        facts = self._act(seat, action)
        if self._offered_by != seat:
            self._offered_by = None
        if offer_draw and asked_in != "setup" and self.outcome is None:
            self._offered_by = seat
            facts += (Addressed(DrawOffered(seat), SEATS),)
        return facts

    def _act(self, seat: Seat, action: AnyAction) -> tuple[Addressed, ...]:
        match action:
            case Resign() | AcceptDraw():
                self._end_by(seat, action)
                return ()
            case _ if self._agreed:
                raise IllegalAction("turn", "the game is over")
            case _:
                return self.play.act(seat, action)

    def _end_by(self, seat: Seat, action: Resign | AcceptDraw) -> None:
        if seat not in self.to_act or self.play.phase != "turn":
            raise IllegalAction("turn", f"{seat} may resign or accept a draw only when asked in phase 'turn'")
        if isinstance(action, Resign):
            self._agreed = Outcome(OPPONENT[seat], "resigned", f"{seat} resigned")
        elif self._offered_by == OPPONENT[seat]:
            self._agreed = Outcome(None, "agreed", f"{seat} accepted the draw that {OPPONENT[seat]} offered")
        else:
            raise IllegalAction("turn", f"{OPPONENT[seat]} has not just offered a draw")

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(self.play.copy())
        twin._agreed, twin._offered_by = self._agreed, self._offered_by
        return twin
