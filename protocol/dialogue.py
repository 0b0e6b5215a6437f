"""Which answer belongs to which question: the conversation of arbiter and bot as one table, without streams."""

from typing import Final, Literal

from protocol.codec import ProtocolError
from protocol.messages import (
    Act,
    Answer,
    AnyAnswer,
    AnySaid,
    Ask,
    Bye,
    Hello,
    News,
    Over,
    Ready,
    Refused,
    Said,
    Start,
)
from protocol.words import (
    PROTOCOL_VERSION,
    AcceptDraw,
    Action,
    Attack,
    Deploy,
    Fill,
    Infiltrate,
    Look,
    Move,
    PeekHand,
    PeekLine,
    Phase,
    Regroup,
    Rescue,
    Resign,
    Stop,
    Strike,
)

State = Literal["new", "greeted", "idle", "playing", "asked", "answered", "gone"]

# Per state: what the arbiter may say, and the state that follows.  `answered` is `playing` with the
# last answer still to be judged: only there can it be refused.
SAID: Final[dict[State, dict[type[Said], State]]] = {
    "new": {Hello: "greeted", Bye: "gone"},
    "greeted": {Bye: "gone"},
    "idle": {Start: "playing", Bye: "gone"},
    "playing": {Ask: "asked", News: "playing", Over: "idle", Bye: "gone"},
    "asked": {Over: "idle", Bye: "gone"},
    "answered": {Ask: "asked", News: "playing", Refused: "asked", Over: "idle", Bye: "gone"},
    "gone": {},
}

# Per state: what the bot may answer, and the state that follows.
ANSWERED: Final[dict[State, dict[type[Answer], State]]] = {
    "new": {},
    "greeted": {Ready: "idle"},
    "idle": {},
    "playing": {},
    "asked": {Act: "answered"},
    "answered": {},
    "gone": {},
}

# Per phase: the actions with which some game can be answered.  Which of them are legal now is for the
# rules to say, so `Dialogue` lets all of them pass.
ACTIONS: Final[dict[Phase, tuple[type[Action], ...]]] = {
    "setup": (Deploy,),
    "turn": (Move, Look, Strike, Infiltrate, Attack, PeekHand, PeekLine, Regroup, Resign, AcceptDraw),
    "rage": (Move, Stop),
    "rescue": (Rescue, Stop),
    "refill": (Fill,),
}


class Dialogue:
    """One conversation, seen from the arbiter's chair: `say` what it says, `hear` what the bot answers."""

    __slots__ = ("ask", "state")

    def __init__(self) -> None:
        self.state: State = "new"
        self.ask = 0

    def say(self, message: AnySaid) -> None:
        """Note what the arbiter says.

        Raises RuntimeError where it has no business saying so: then the arbiter has a bug.
        """
        follows = SAID[self.state].get(type(message))
        if follows is None:
            raise RuntimeError(f"the arbiter says {_tag(type(message))!r} while the bot is {self.state!r}")
        if isinstance(message, Start):
            self.ask = 0
        elif isinstance(message, Ask):
            self._number(message, self.ask + 1)
        elif isinstance(message, Refused):
            self._number(message, self.ask)
        self.state = follows

    def _number(self, message: Ask | Refused, wanted: int) -> None:
        if message.ask != wanted:
            raise RuntimeError(f"the arbiter gives its {_tag(type(message))!r} the number {message.ask}, not {wanted}")
        self.ask = wanted

    def hear(self, message: AnyAnswer) -> None:
        """Note what the bot answers.

        Raises ProtocolError where it answers something else than what was asked.
        """
        follows = ANSWERED[self.state].get(type(message))
        if follows is None:
            raise ProtocolError(self._out_of_turn(message))
        if isinstance(message, Act):
            if message.ask != self.ask:
                raise ProtocolError(f"the answer is to ask {message.ask}, the open question is ask {self.ask}")
        elif message.protocol != PROTOCOL_VERSION:
            raise ProtocolError(f"'ready' says protocol {message.protocol}, this arbiter speaks {PROTOCOL_VERSION}")
        self.state = follows

    def _out_of_turn(self, message: AnyAnswer) -> str:
        tag = _tag(type(message))
        match self.state:
            case "new":
                return f"{tag!r} before the arbiter's 'hello'"
            case "greeted":
                return f"{tag!r} as the answer to 'hello', which is 'ready'"
            case "asked":
                return f"{tag!r} as the answer to ask {self.ask}, which is 'act'"
            case _ if isinstance(message, Ready):
                return "'ready' a second time: it is said once, as the answer to 'hello'"
            case "answered":
                return f"'act' for ask {message.ask} while no question is open: ask {self.ask} was answered already"
            case _:
                return f"'act' for ask {message.ask} while no question is open"


def _tag(kind: type[Said | Answer]) -> str:
    return str(kind.__struct_config__.tag)
