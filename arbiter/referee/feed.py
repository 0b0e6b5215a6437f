"""The lines that a bot was sent in a game, rebuilt from the record by refereeing it again."""

from collections import deque
from functools import partial

import trio
from msgspec.structs import replace

from arbiter.languages.sentences import write_reason
from arbiter.record import ActEntry, Record, RecordError, compute_fingerprint
from arbiter.referee.game import GameSpec
from arbiter.referee.log import BotLog
from arbiter.referee.player import SeatedPlayer
from arbiter.referee.player_link import PlayerLink
from arbiter.referee.session import GameSession
from arbiter.referee.thread_link import ThreadLink
from arbiter.referee.timer import Answer, TimeExceeded, Untimed
from protocol.codec import encode
from protocol.messages import Act, AnyArbiterMessage, Hello, Over, Ready
from protocol.reasons import NoRecordedAnswer
from protocol.words import PROTOCOL_VERSION, SEATS, Seat


class RecordedAnswers(Untimed):
    """The answers of a player as a record contains them, with the times that they were charged."""

    def __init__(self, ready: Ready, acts: list[ActEntry], *, pondering: bool) -> None:
        self.pondering = pondering
        self._ready = ready
        self._acts = deque(enumerate(acts, start=1))

    async def wait_by_wall(self, _link: PlayerLink, _limit_ms: float, asked: float, _used_ms: float = 0.0) -> Answer:
        """Answer `hello`."""
        return Answer(encode(self._ready).removesuffix(b"\n"), 0.0, asked)

    async def wait(self, _link: PlayerLink, _limit_ms: float, asked: float, _used_ms: float = 0.0) -> Answer:
        """Answer a question.  Raises TimeExceeded if the record contains no answer."""
        if not self._acts:
            raise TimeExceeded(NoRecordedAnswer)
        number, entry = self._acts.popleft()
        act = Act(number, entry.action, note=entry.note, offer_draw=entry.offer_draw, eval=entry.eval)
        return Answer(encode(act).removesuffix(b"\n"), entry.ms or 0.0, asked)

    async def send(self, link: PlayerLink, text: bytes, limit_ms: float) -> None:
        """Accept a message that is no question."""


async def rebuild_lines(record: Record, spec: GameSpec, seat: Seat) -> list[bytes]:
    """Return the lines that the bot of a seat was sent in the game of a record, with their newlines.

    `spec` has the settings of the game; its programs are not used.  The record does not contain answers that were
    refused and taken back, so their refusals are missing.  Raises RecordError if the game cannot be refereed again.
    """
    if record.result is not None and record.result.ending in ("walkover", "no_start"):
        raise RecordError(f"its ending is {record.result.ending}, so the record does not contain the start of the game")
    lines: list[bytes] = []
    players: dict[Seat, SeatedPlayer] = {}
    async with trio.open_nursery() as nursery:
        for each in SEATS:
            link = ThreadLink(lambda source, _sink: source.read())
            nursery.start_soon(link.watch)
            ready = Ready(PROTOCOL_VERSION, "recorded", wants=list(record.header.seats[each].wants or ()))
            acts = [entry for entry in record.acts if entry.seat == each]
            answers = RecordedAnswers(ready, acts, pondering=spec.settings.time.pondering)
            write = partial(_encode_as_recorded, record, seat, lines) if each == seat else encode
            players[each] = SeatedPlayer(each, link, answers, BotLog(trio.current_time()), write=write)
        session = GameSession(spec.settings, players, spec.header)
        try:
            await session.play()
        finally:
            for player in players.values():
                await player.link.end(0)
        nursery.cancel_scope.cancel()
    if session.record.fingerprint != compute_fingerprint(record):
        raise RecordError("its random choices differ from those of this arbiter, so the messages cannot be rebuilt")
    return lines


def _encode_as_recorded(record: Record, seat: Seat, lines: list[bytes], message: AnyArbiterMessage) -> bytes:
    """Encode a message as the arbiter of the record did, and add it to the lines."""
    result = record.result
    if isinstance(message, Hello) and record.header.arbiter is not None:
        message = replace(message, arbiter=f"stratego-arbiter {record.header.arbiter}")
    elif isinstance(message, Over) and result is not None and message.ending != result.ending:
        # The acts of the record do not contain the end of a game that was lost by a crash, on time and so on.
        known = None if result.reason is None else result.reason.seen_by(seat)
        message = replace(message, ending=result.ending, why=write_reason(known), reason=known)
    lines.append(encode(message))
    return lines[-1]
