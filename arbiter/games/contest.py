"""A game between two players: the rules, and resignations and draw offers besides them."""

from arbiter.games.base import Addressed, Copied, IllegalAction, Outcome, Play
from protocol.reasons import Agreed, GameOver, NoDrawOffered, NotAsked, Resigned
from protocol.words import OPPONENT, SEATS, AcceptDraw, AnyAction, DrawOffered, Resign, Seat


class Contest(Copied):
    """A game between two players, by any rules."""

    __slots__ = ("_agreed", "_offered_by", "play")

    def __init__(self, play: Play, offered_by: Seat | None = None) -> None:
        """Begin with a game in progress; `offered_by` is the seat whose draw offer is valid."""
        self.play = play
        self._agreed: Outcome | None = None  # by a resignation or an accepted draw
        self._offered_by = offered_by

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of a finished game, otherwise None."""
        return self._agreed or self.play.outcome

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats to act now."""
        return () if self._agreed else self.play.to_act

    def act(self, seat: Seat, action: AnyAction, *, offer_draw: bool = False) -> tuple[Addressed, ...]:
        """Carry out an action, with or without a draw offer, and return the facts that follow from it.

        An offer is valid until the opponent's next action; it has no effect in the setup phase and with the last
        action of the game.  Raises IllegalAction and then changes nothing.
        """
        may_offer = offer_draw and self.play.phase != "setup"
        facts: tuple[Addressed, ...] = ()
        if type(action) is Resign or type(action) is AcceptDraw:
            if seat not in self.to_act or self.play.phase != "turn":
                raise IllegalAction("turn", NotAsked(seat))
            if type(action) is Resign:
                self._agreed = Outcome(OPPONENT[seat], "resigned", Resigned(seat))
            elif self._offered_by == OPPONENT[seat]:
                self._agreed = Outcome(None, "agreed", Agreed(seat))
            else:
                raise IllegalAction("turn", NoDrawOffered(OPPONENT[seat]))
        elif self._agreed:
            raise IllegalAction("turn", GameOver())
        else:
            facts = self.play.act(seat, action)
        if self._offered_by != seat:
            self._offered_by = None
        if may_offer and self.outcome is None:
            self._offered_by = seat
            facts += (Addressed(DrawOffered(seat), SEATS),)
        return facts
