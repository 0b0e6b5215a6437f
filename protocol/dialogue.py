"""The order of messages in a conversation, as tables and a state machine.  Knows no streams."""

from typing import Final, Literal, get_args

from protocol.codec import ProtocolError
from protocol.messages import (
    Act,
    AnyArbiterMessage,
    AnyBotMessage,
    ArbiterMessage,
    Ask,
    BotMessage,
    Bye,
    Hello,
    News,
    Over,
    Ready,
    Refused,
    Start,
)
from protocol.words import PROTOCOL_VERSION, Action, AnyAction, Phase

DialogueState = Literal["new", "greeted", "idle", "playing", "asked", "answered", "gone"]

# For each state: the messages that the arbiter may send, and the state that follows.
# `answered` is `playing` with an answer that was not judged yet: only there can it be refused.
ARBITER_TRANSITIONS: Final[dict[DialogueState, dict[type[ArbiterMessage], DialogueState]]] = {
    "new": {Hello: "greeted", Bye: "gone"},
    "greeted": {Bye: "gone"},
    "idle": {Start: "playing", Bye: "gone"},
    "playing": {Ask: "asked", News: "playing", Over: "idle", Bye: "gone"},
    "asked": {Over: "idle", Bye: "gone"},
    "answered": {Ask: "asked", News: "playing", Refused: "asked", Over: "idle", Bye: "gone"},
    "gone": {},
}

# For each state in which the bot may send something: the messages, and the state that follows.
BOT_TRANSITIONS: Final[dict[DialogueState, dict[type[BotMessage], DialogueState]]] = {
    "greeted": {Ready: "idle"},
    "asked": {Act: "answered"},
}

# For each phase: the actions that can answer it in some game.  The rules decide which of them are legal now, so
# `Dialogue` accepts all of them.
PHASE_ACTIONS: Final[dict[Phase, tuple[type[Action], ...]]] = {
    phase: tuple(action for action in get_args(AnyAction) if phase in action.phases) for phase in get_args(Phase)
}


class Dialogue:
    """One conversation with a bot, as the arbiter sees it."""

    __slots__ = ("ask", "state")

    def __init__(self) -> None:
        self.state: DialogueState = "new"
        self.ask = 0
        """Number of the last question."""

    def note_sent(self, message: AnyArbiterMessage) -> None:
        """Note a message of the arbiter.

        Raises RuntimeError if it is not allowed now: then the arbiter has a bug.
        """
        next_state = ARBITER_TRANSITIONS[self.state].get(type(message))
        if next_state is None:
            raise RuntimeError(f"the arbiter sends {_tag(message)!r} while the bot is {self.state!r}")
        if isinstance(message, Ask):
            _check_number(message, self.ask + 1)
            self.ask += 1
        elif isinstance(message, Refused):
            _check_number(message, self.ask)
        elif isinstance(message, Start):
            self.ask = 0
        self.state = next_state

    def note_received(self, message: AnyBotMessage) -> None:
        """Note a message of the bot.

        Raises ProtocolError if it is not an answer to the open question.
        """
        row = BOT_TRANSITIONS.get(self.state)
        next_state = row.get(type(message)) if row else None
        if next_state is None:
            raise ProtocolError(self._explain_unexpected(message))
        if isinstance(message, Act):
            if message.ask != self.ask:
                raise ProtocolError(f"the answer is for ask {message.ask}, but the open question is ask {self.ask}")
        elif message.protocol != PROTOCOL_VERSION:
            raise ProtocolError(f"'ready' has protocol {message.protocol}; this arbiter uses {PROTOCOL_VERSION}")
        self.state = next_state

    def _explain_unexpected(self, message: AnyBotMessage) -> str:
        tag = _tag(message)
        match self.state:
            case "new":
                return f"{tag!r} before the arbiter's 'hello'"
            case "greeted":
                return f"{tag!r} in answer to 'hello'; the answer to 'hello' is 'ready'"
            case "asked":
                return f"{tag!r} in answer to ask {self.ask}; the answer to 'ask' is 'act'"
            case _ if isinstance(message, Ready):
                return "'ready' a second time; send it once, in answer to 'hello'"
            case "answered":
                return f"'act' for ask {message.ask} while no question is open: ask {self.ask} was answered already"
            case _:
                return f"'act' for ask {message.ask} while no question is open"


def _check_number(question: Ask | Refused, expected: int) -> None:
    if question.ask != expected:
        raise RuntimeError(f"the arbiter sends {_tag(question)!r} with number {question.ask}, not {expected}")


def _tag(message: ArbiterMessage | BotMessage) -> str:
    return str(message.__struct_config__.tag)
