"""Bots in memory: the link and the control of a process, with a brain instead of a program.

On trio's mock clock, thinking takes simulated time only.
"""

import json

import trio

from arbiter.sandbox.isolation import ARMED, ProgramEnd
from arbiter.sandbox.streams import ErrorLog, StreamEnd
from protocol.reasons import Exited

SILENT = object()
GONE = object()


class FakeBot:
    """Receives lines and answers what its brain returns: a message, bytes, a pair (seconds, answer), SILENT or GONE."""

    def __init__(self, brain):
        self.sent = []
        self.log = ErrorLog()
        self.reader = self.writer = self.process = self
        self.arrived_at = 0.0
        self.write_takes_s = 0.0
        self.early = b""
        self.end = ProgramEnd(Exited(1))
        self._brain = brain
        self._held = b""
        self._unsent = b""
        self._answer = ARMED
        self._due = None

    def send_now(self, data):
        """Leave everything to `send`, as if the pipe were full."""
        self._held += data
        return False

    @property
    def unsent(self):
        return self._held + self._unsent

    async def send(self, data):
        data, self._held = self._held + data, b""
        await self.write(data)

    def unread(self):
        return len(self._unsent)

    async def write(self, data):
        """Write data, and what a cancelled call before this one has left."""
        self._unsent += data
        if self.write_takes_s:
            await trio.sleep(self.write_takes_s)
        data, self._unsent = self._unsent, b""
        self.sent.append(data)
        if data.strip():
            self._answer = self._brain(json.loads(data))

    async def line_before(self, deadline):
        with trio.CancelScope(deadline=deadline):
            return await self.line()

    async def line(self):
        while isinstance(self._answer, tuple):
            seconds, answer = self._answer
            if self._due is None:
                self._due = trio.current_time() + seconds
            if trio.current_time() < self._due:
                await trio.sleep_until(self._due)
            self._answer, self._due = answer, None
        answer, self._answer = self._answer, SILENT
        self.arrived_at = trio.current_time()
        if answer is GONE:
            raise StreamEnd
        if answer is SILENT or answer is None:
            await trio.sleep_forever()
        return answer if isinstance(answer, bytes) else json.dumps(answer).encode()

    def unsolicited(self):
        return self.early

    take = unsolicited

    def cpu_ms(self):
        return 1000 * trio.current_time()  # it works all the time

    async def confine(self):
        pass

    async def find_end(self):
        return self.end

    def received(self):
        """Return the messages that it was sent, without the line for the launcher."""
        return [json.loads(line) for line in b"".join(self.sent).splitlines() if line]


class Brain:
    """Moves two pieces out and back; `at` maps the numbers of questions to other answers."""

    def __init__(self, seat, wants=(), at=None, takes_s=None):
        self.seat = seat
        self.wants = list(wants)
        self.at = at or {}
        self.takes_s = takes_s or {}
        self.turns = 0

    def __call__(self, message):
        match message["type"]:
            case "hello":
                return {"type": "ready", "protocol": 1, "name": "fake", "wants": self.wants}
            case "ask" | "refused":
                return self.takes_s.get(message["ask"], 0.0), self.answer(message)
        return SILENT

    def answer(self, message):
        planned = self.at.get(message["ask"])
        if isinstance(planned, list):
            planned = planned.pop(0) if planned else None
        if planned is not None:
            return planned if not isinstance(planned, dict) else act(message["ask"], planned)
        if message.get("phase") == "setup":
            return act(message["ask"], deployment(self.seat))
        self.turns += 1
        return act(message["ask"], walk(self.seat, self.turns))


def act(ask, action):
    """Write an answer."""
    return {"type": "act", "ask": ask, "action": action}


def walk(seat, turn):
    """Return the move of a walker's turn, counted from 1."""
    step = {"red": ("a4-a5", "b4-b5", "a5-a4", "b5-b4"), "blue": ("j7-j6", "i7-i6", "j6-j7", "i6-i7")}[seat]
    src, dst = step[(turn - 1) % 4].split("-")
    return {"type": "move", "src": src, "dst": dst}


ARMY = ["flag", *["bomb"] * 6, "spy", "marshal", "general", *["colonel"] * 2, *["major"] * 3, *["captain"] * 4]
ARMY += [*["lieutenant"] * 4, *["sergeant"] * 4, *["miner"] * 5, *["scout"] * 8]


def deployment(seat):
    """Return a deployment with the flag and the bombs in the last row."""
    rows = (1, 2, 3, 4) if seat == "red" else (10, 9, 8, 7)
    squares = [f"{file}{row}" for row in rows for file in "abcdefghij"]
    return {"type": "deploy", "pieces": dict(zip(squares, ARMY, strict=True))}
