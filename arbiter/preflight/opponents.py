"""Who sits opposite: conversations in our own process that play by a choice of ours."""

from typing import BinaryIO

from arbiter.referee.local_player import Conversation
from protocol.bot import Chooser, new_session
from protocol.codec import encode
from protocol.lenient import read_said
from protocol.messages import Bye


def opponent(choose: Chooser) -> Conversation:
    """Make an opponent of a choice among legal actions."""

    def converse(source: BinaryIO, sink: BinaryIO) -> None:
        session = new_session(choose, name="check", wants=["legal"])
        for line in source:
            message = read_said(line)
            if message is None or isinstance(message, Bye):
                return
            if answer := session.receive(message):
                sink.write(encode(answer))

    return converse


ANYTHING = opponent(lambda turn: turn.rng.choice(turn.legal))
