"""Floods of messages from a person at a table: what the arbiter keeps of them, and what it sends to the others."""

import socket

import trio

from arbiter.clock import TimeSettings
from arbiter.remote.hub import Hub
from arbiter.remote.link import Connected, Link, Measured, Order, Received, Send
from arbiter.remote.network_link import MOST_UNREAD
from protocol.envelope import EnvelopeLine, EnvelopeReady, EnvelopeRefused, EnvelopeSent, EnvelopeTable, pack, unpack

PATIENCE_S = 60
PEOPLE = {"ann": 1, "bea": 2}  # with the numbers of their connections


def talk(script):
    """Call `script(hub, gateway)` with the gateway's end of the link, while the hub runs and all people are there."""

    async def main():
        near, far = socket.socketpair()
        hub, gateway = Hub(near, tuple(PEOPLE), is_shared=True), Link(far, Order)
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(gateway.carry)
                nursery.start_soon(hub.run, lambda: None)
                for person, number in PEOPLE.items():
                    gateway.send(Connected(person, number, [], 1))
                await script(hub, gateway)
                nursery.cancel_scope.cancel()
        gateway.close()

    trio.run(main)


async def receive_until(gateway, kind):
    """Return the envelopes of all messages to people up to one of a kind."""
    found = []
    while not found or not isinstance(found[-1], kind):
        order = await gateway.receive()
        if isinstance(order, Send):
            found.append(unpack(order.message)[0])
    return found


def test_only_lines_that_the_referee_can_read_are_kept_for_a_person():
    async def script(hub, gateway):
        conversation = hub.open_link("ann", TimeSettings())
        line = b"x" * 60_000
        for number in range(1, 51):
            gateway.send(Received("ann", 1, pack(EnvelopeLine(conversation.game, number), line), 0.0))
        gateway.send(Received("ann", 1, pack(EnvelopeLine(conversation.game, 1), b"another"), 0.0))
        await receive_until(gateway, EnvelopeRefused)
        assert conversation.received == 50
        assert len(conversation.reader.unsolicited()) <= MOST_UNREAD + len(line) + 10
        conversation.send(b"end")
        await receive_until(gateway, EnvelopeLine)
        gateway.send(Connected("ann", 1, [], 1))
        found = await receive_until(gateway, EnvelopeLine)
        assert 1 <= sum(isinstance(one, EnvelopeSent) for one in found) <= 2

    talk(script)


def test_a_person_plays_one_game_at_a_time_whatever_the_client_states():
    async def script(hub, gateway):
        gateway.send(Connected("ann", 1, [], 1000))
        gateway.send(Measured("ann", 1, 1.0))
        gateway.send(Received("ann", 1, pack(EnvelopeReady()), 0.0))
        await receive_until(gateway, EnvelopeTable)
        gateway.send(Received("bea", 2, pack(EnvelopeReady()), 0.0))
        while not (await receive_until(gateway, EnvelopeTable))[-1].others[-1].ready:
            pass
        assert hub.is_ready("ann", games=0)
        assert not hub.is_ready("ann", games=1)

    talk(script)


def test_a_person_who_is_ready_again_and_again_is_announced_once():
    async def script(hub, gateway):
        for _ in range(100):
            gateway.send(Received("ann", 1, pack(EnvelopeReady()), 0.0))
        gateway.send(Received("bea", 2, pack(EnvelopeReady()), 0.0))
        announced = []
        while "bea" not in announced:
            (table,) = (await receive_until(gateway, EnvelopeTable))[-1:]
            announced += [other.name for other in table.others if other.ready]
        assert announced == ["ann", "bea"]

    talk(script)
