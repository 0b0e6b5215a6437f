"""Conversations that play in our own process."""

from protocol.bot import new_session
from protocol.codec import decode_later_arbiter_line, encode
from protocol.messages import Bye


def any_action(turn):
    return turn.rng.choice(turn.legal)


def player(choose=any_action):
    """Return a conversation that plays as `choose` says."""

    def converse(source, sink):
        session = new_session(choose, name="guest", wants=["legal"])
        for line in source:
            message = decode_later_arbiter_line(line)
            if isinstance(message, Bye):
                return
            if answer := session.receive(message):
                sink.write(encode(answer))

    return converse
