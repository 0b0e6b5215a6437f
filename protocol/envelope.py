"""The envelope of lines that travel over a network: each WebSocket message is one, with at most one line in it."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.codec import ProtocolError
from protocol.reasons import EndOfProgram

ENVELOPE_VERSION: Final = 1
TOKEN_PREFIX: Final = "sab_"  # noqa: S105 - all tokens begin with it
PING_EVERY_S: Final = 3.0
SILENCE_S: Final = 9.0
"""Either side gives a connection up if it has received nothing for this long."""

# Codes with which the gateway closes a connection; after those of STAY_AWAY a client does not connect again.
REPLACED: Final = 4000
UNKNOWN_TOKEN: Final = 4001
BROKEN: Final = 4002
FINISHED: Final = 4003
SILENT: Final = 4004
TRY_LATER: Final = 1013
STAY_AWAY: Final = (REPLACED, UNKNOWN_TOKEN, BROKEN, FINISHED)


Number = Annotated[int, Meta(ge=0, le=2**53 - 1)]
GameName = Annotated[str, Meta(max_length=64)]
MOST_GAMES: Final = 1000


class PlayProgress(Struct, frozen=True):
    """Progress of a game, as one side sees it."""

    game: GameName
    seq: Number
    """Number of the last line of the other side that has arrived, 0 for none."""


class EnvelopeSync(Struct, frozen=True, tag_field="kind", tag="sync", omit_defaults=True):
    """The first message of each side: the games in progress.  Both then repeat what the other one has not received."""

    games: Annotated[list[PlayProgress], Meta(max_length=MOST_GAMES)]
    version: int = 0
    token: str | UnsetType = UNSET
    """Only from the client."""
    most_games: Annotated[int, Meta(ge=1, le=MOST_GAMES)] = MOST_GAMES
    """Number of games that the client plays at a time.  Only from the client."""
    name: str | UnsetType = UNSET
    """Name of the bot in the tournament.  Only from the server."""


class EnvelopeLine(Struct, frozen=True, tag_field="kind", tag="line", omit_defaults=True):
    """A line of a game, which follows after a newline, unchanged and without its own newline."""

    game: GameName
    seq: Number
    """Number of the line in its direction: 1, 2, 3, ..."""
    ack: Number = 0
    """Number of the last line of the other side that has arrived."""
    charged_ms: float | UnsetType = UNSET
    """Time that the clock was charged for the last answer.  Only from the server."""
    compensated_ms: float | UnsetType = UNSET
    """Time for the way over the network that was not charged.  Only from the server."""


class EnvelopeAck(Struct, frozen=True, tag_field="kind", tag="ack"):
    """Acknowledges the lines of a game up to a number."""

    game: GameName
    seq: Number


class EnvelopeClose(Struct, frozen=True, tag_field="kind", tag="close", omit_defaults=True):
    """The end of a game's lines, numbered like a line: the end of the bot's input, or of its output."""

    game: GameName
    seq: Number
    end: EndOfProgram | None = None
    """The end of the program.  Only from the client."""


class EnvelopeRefused(Struct, frozen=True, tag_field="kind", tag="refused"):
    """A line has the number of another one that arrived before, and does not count."""

    game: GameName
    seq: Number


class EnvelopeExpired(Struct, frozen=True, tag_field="kind", tag="expired"):
    """The game is over, was never one of this bot, or cannot be continued: end its program."""

    game: GameName


class EnvelopeSent(Struct, frozen=True, tag_field="kind", tag="sent"):
    """A line that this player has sent, which follows after a newline: for a page of a person that was loaded again."""

    game: GameName
    seq: Number


class EnvelopeReady(Struct, frozen=True, tag_field="kind", tag="ready"):
    """A person is ready for the next game.  Only from the client."""


class Neighbour(Struct, frozen=True):
    """Another person at the same table."""

    name: str
    connected: bool
    ready: bool
    """True if the person is ready for the next game."""


class EnvelopeTable(Struct, frozen=True, tag_field="kind", tag="table"):
    """The other people at the table of a person.  Only from the server."""

    others: list[Neighbour]


class EnvelopePing(Struct, frozen=True, tag_field="kind", tag="ping"):
    """A heartbeat, answered at once by a pong of the same number."""

    number: Number


class EnvelopePong(Struct, frozen=True, tag_field="kind", tag="pong"):
    """The answer to a ping."""

    number: Number


AnyEnvelope = (
    EnvelopeSync
    | EnvelopeLine
    | EnvelopeAck
    | EnvelopeClose
    | EnvelopeRefused
    | EnvelopeExpired
    | EnvelopeSent
    | EnvelopeReady
    | EnvelopeTable
    | EnvelopePing
    | EnvelopePong
)

_encoder: Final = msgspec.json.Encoder()
_decoder: Final[msgspec.json.Decoder[AnyEnvelope]] = msgspec.json.Decoder(AnyEnvelope)


def pack(envelope: AnyEnvelope, line: bytes | None = None) -> bytes:
    """Write a message: an envelope, and the line in it if there is one, without its newline."""
    head = _encoder.encode(envelope)
    return head if line is None else head + b"\n" + line


def unpack(message: bytes) -> tuple[AnyEnvelope, bytes]:
    """Read a message.  Raises ProtocolError, and nothing else, for any bytes."""
    head, _, line = message.partition(b"\n")
    try:
        return _decoder.decode(head), line
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise ProtocolError(f"no envelope: {error}") from None
