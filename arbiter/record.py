"""The record of a game as JSON lines: header, acts, result."""

import hashlib
import io
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from sys import intern
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from msgspec.structs import asdict, force_setattr, replace

from arbiter.clock import TimeSettings
from arbiter.formats import FormatNumber, check_format
from arbiter.games.base import Addressed, Ending
from arbiter.games.catalogue import find_game
from arbiter.games.chance import Seed
from arbiter.games.ruleset import NO_OVERRIDES, Overrides, RuleSet
from arbiter.languages.sentences import write_reason
from arbiter.packing import Packed, PackedStart, pack_start
from protocol.codec import quote
from protocol.messages import Want
from protocol.reasons import AnyReason
from protocol.words import AnyAction, AnyFact, Moved, RankId, Seat

FORMAT: Final = 1
DIGITS: Final = 16
_ACTS_AT_ONCE: Final = 64  # that are written at once; this takes about 0.1 ms

Follow = Callable[[bytes], object]  # called with each line of a record when it is written


PlayerKind = Literal["program", "remote", "person", "terminal"]
"""A program of this machine, one that its author connects over the network, a person in a browser, or the person at the
terminal."""
NETWORK: Final[tuple[PlayerKind, ...]] = ("remote", "person")
"""The kinds of players that play over the network."""
PEOPLE: Final[tuple[PlayerKind, ...]] = ("person", "terminal")


class RecordError(Exception):
    """A record cannot be read; the text names the line and the fault."""


class PlayerName(Struct, frozen=True, omit_defaults=True):
    """A player: its name in the tournament, and the names that its program gave itself."""

    name: str
    program: str | None = None
    version: str | None = None
    author: str | None = None
    wants: tuple[Want, ...] | None = None
    """`wants` of the program; None if not known."""
    kind: PlayerKind = "program"

    def __post_init__(self) -> None:
        force_setattr(self, "kind", intern(self.kind))  # `omit_defaults` compares identities, which pickle loses


class GameHeader(Struct, frozen=True, kw_only=True, tag_field="type", tag="game"):
    """Everything that is needed to referee a game again, except the acts."""

    format: int = FORMAT
    id: str = ""
    rules: str
    options: tuple[str, ...] = ()
    overrides: Overrides = NO_OVERRIDES
    first: Seat | None = None
    position: str | None = None
    decks: dict[Seat, tuple[RankId, ...]] | UnsetType = UNSET
    """The whole decks as shuffled at the start, the top card first."""
    facts: tuple[Addressed, ...] | None = None
    """The facts before the first act."""
    seed: Seed | None = None
    """Source of the random choices of the game.  Both games of a pair have the same, unless one is played again."""
    bot_seeds: dict[Seat, int] | UnsetType = UNSET
    """The seeds that the players received; other ones in each game.  Default: from `seed`."""
    attempt: Annotated[int, Meta(ge=1, le=1_000_000)] | UnsetType = UNSET
    """Number of voided attempts before this one that another deal followed.  Default: none."""
    seats: dict[Seat, PlayerName] = {}
    time: TimeSettings | None = None
    arbiter: str | None = None
    sandbox: str | None = None
    started: str | None = None

    def game(self) -> RuleSet:
        """Return the rules of the game.  Raises ConfigError."""
        return find_game(self.rules, self.options, self.overrides, self.position, first=self.first)


class ActEntry(Struct, frozen=True, kw_only=True, tag_field="type", tag="act", omit_defaults=True, gc=False):
    """One act of a player.  An act that the rules refused has no facts."""

    seat: Seat
    action: AnyAction
    ms: float | None = None
    """Milliseconds that the act was charged."""
    deck: tuple[RankId, ...] | UnsetType = UNSET
    """The whole deck, if the act shuffled it."""
    facts: tuple[Addressed, ...] | UnsetType = UNSET
    note: str | None = None
    eval: float | None = None
    """Evaluation of the position by the player's bot."""
    offer_draw: bool = False


class GameResult(Struct, frozen=True, kw_only=True, tag_field="type", tag="result"):
    """The result of a game; `winner` is None for a draw, a voided game, and a game that both players lost."""

    winner: Seat | None
    ending: Ending
    reason: AnyReason | None = None
    plies: int | None = None
    points: dict[Seat, float] | None = None

    @property
    def why(self) -> str:
        """The reason as an English sentence; empty if it is not known."""
        return write_reason(self.reason)


class Record(Struct, frozen=True):
    """A whole game."""

    header: GameHeader
    acts: tuple[ActEntry, ...]
    result: GameResult | None


# --- writing --------------------------------------------------------------------------------------

_encoder = msgspec.json.Encoder()


def _encode(entry: GameHeader | ActEntry) -> bytes:
    facts = entry.facts
    if isinstance(facts, tuple):
        is_move = len(facts) == 1 and type(facts[0].fact) is Moved
        entry = replace(entry, facts=_encode_move(facts) if is_move else _encode_facts(facts))
    return _encoder.encode(entry)


def _encode_facts(facts: tuple[Addressed, ...]) -> Raw:
    # In a record, `to` is one more field of a fact.
    fields = [_encoder.encode(one.fact)[:-1] + _encode_last_field(one.to) for one in facts]
    return Raw(b"[" + b",".join(fields) + b"]")


_MOST_MOVES: Final = 4096
_encode_move = lru_cache(_MOST_MOVES)(_encode_facts)  # most acts are one of the few thousand moves of a board


@cache
def _encode_last_field(to: tuple[Seat, ...]) -> bytes:
    return b',"to":' + _encoder.encode(to) + b"}"


def _encode_result(result: GameResult) -> bytes:
    return _encoder.encode(result) + b"\n"


class UnfinishedRecord(Struct, frozen=True):
    """The record of a finished game without its last line, the result."""

    started: str
    """Start of the game, ISO 8601 in UTC."""
    fingerprint: str
    lines: bytes
    """Whole lines."""

    def finish(self, result: GameResult) -> bytes:
        """Return the whole record, with a result."""
        return self.lines + _encode_result(result)

    def pack(self) -> "PackedRecord":
        """Compress it."""
        return PackedRecord(self.started, self.fingerprint, pack_start(self.lines))


class PackedRecord(Struct, frozen=True):
    """A compressed `UnfinishedRecord`, which stays so when the last line is added."""

    started: str
    fingerprint: str
    lines: PackedStart

    def finish(self, result: GameResult) -> Packed:
        """Return the whole record, with a result."""
        return self.lines.finish(_encode_result(result))


class RecordWriter:
    """Writes a record line by line while the game is played; `follow` is called with each line at once.

    It does not get what players over the network note for themselves, such as people their marks on enemy pieces.
    """

    def __init__(self, header: GameHeader, follow: Follow | None = None) -> None:
        self.header = header
        self._lines = [_encode(header)]
        self._digested = bytearray(_digested_start(header))
        self._unwritten: list[ActEntry] = []
        """The last acts.  To write several at once takes half the time, because the processor has its caches filled."""
        self._follow = follow
        if follow is not None:
            follow(self._lines[0])

    def act(self, entry: ActEntry) -> None:
        """Write an act."""
        self._unwritten.append(entry)
        if self._follow is not None or len(self._unwritten) >= _ACTS_AT_ONCE:
            self._write_acts()

    def _write_acts(self) -> None:
        acts, self._unwritten = self._unwritten, []
        for entry in acts:
            self._lines.append(line := _encode(entry))
            self._digested += _digested_act(entry)
            if self._follow is not None:
                player = self.header.seats.get(entry.seat)
                is_private = entry.note is not None and player is not None and player.kind in NETWORK
                self._follow(_encode(replace(entry, note=None)) if is_private else line)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the start and the actions: equal for identical games, '' before the first action."""
        self._write_acts()
        return _fingerprint(self._digested) if len(self._lines) > 1 else ""

    def unfinished(self) -> UnfinishedRecord:
        """Return the record without its last line."""
        self._write_acts()
        return UnfinishedRecord(self.header.started or "", self.fingerprint, b"\n".join([*self._lines, b""]))

    def finish(self, result: GameResult) -> bytes:
        """Return the whole record, with a result."""
        return self.unfinished().finish(result)


def compute_fingerprint(record: Record) -> str:
    """Compute the fingerprint of a record: equal for identical games, '' before the first action."""
    if not record.acts:
        return ""
    return _fingerprint(b"".join([_digested_start(record.header), *map(_digested_act, record.acts)]))


def _digested_start(header: GameHeader) -> bytes:
    return _encoder.encode((header.position, header.decks or None))


def _digested_act(entry: ActEntry) -> bytes:
    return _encoder.encode((entry.seat, entry.action, entry.deck or None))


def _fingerprint(digested: bytes | bytearray) -> str:
    return hashlib.sha256(digested).hexdigest()[:DIGITS]


# --- reading --------------------------------------------------------------------------------------


class _HeaderLine(GameHeader, frozen=True, kw_only=True, tag="game"):
    facts: Raw = Raw(b"null")  # type: ignore[assignment]


class _ActLine(ActEntry, frozen=True, kw_only=True, tag="act"):
    facts: Raw | UnsetType = UNSET  # type: ignore[assignment]


class _Audience(Struct, frozen=True, gc=False):
    to: tuple[Seat, ...]


_Line = _HeaderLine | _ActLine | GameResult
_decoder: Final[msgspec.json.Decoder[_Line]] = msgspec.json.Decoder(_Line)
_number_decoder: Final = msgspec.json.Decoder(FormatNumber)
_fact_decoder: Final = msgspec.json.Decoder(list[AnyFact])
_MOVE_START: Final = b'[{"type":"moved"'
_LONGEST_MOVE: Final = 100  # bytes
_audience_decoder: Final = msgspec.json.Decoder(list[_Audience])


def read_record(data: bytes) -> Record:
    """Read a record.  Any bytes that are not one raise RecordError, and nothing else."""
    # Line by line: the first wrong one ends the reading, so a damaged record cannot fill the memory.
    numbered: list[tuple[int, GameHeader | ActEntry | GameResult]] = []
    for number, line in enumerate(io.BytesIO(data), start=1):
        if not line.strip():
            continue
        if not numbered:
            with suppress(ValueError, RecursionError):  # a first line that is no header has no number
                check_format(_number_decoder.decode(line).format, FORMAT, error=RecordError)
        numbered.append((number, _read_line(number, line.removesuffix(b"\n"))))
    entries = [entry for _, entry in numbered]
    if not entries or not isinstance(entries[0], GameHeader):
        raise RecordError('the first line is not a game\'s header ({"type":"game",...})')
    last = entries[-1]
    result = last if isinstance(last, GameResult) else None
    acts: list[ActEntry] = []
    for number, entry in numbered[1:-1] if result else numbered[1:]:
        if not isinstance(entry, ActEntry):
            raise RecordError(f"line {number}: between the header and the result there are only acts")
        acts.append(entry)
    return Record(entries[0], tuple(acts), result)


def _read_line(number: int, line: bytes) -> GameHeader | ActEntry | GameResult:
    try:
        entry = _decoder.decode(line)
        if isinstance(entry, _ActLine):
            return ActEntry(
                seat=entry.seat,
                action=entry.action,
                ms=entry.ms,
                deck=entry.deck,
                facts=UNSET if entry.facts is UNSET else _decode_facts(bytes(entry.facts)),
                note=entry.note,
                eval=entry.eval,
                offer_draw=entry.offer_draw,
            )
        if isinstance(entry, _HeaderLine):
            opening = None if bytes(entry.facts) == b"null" else _decode_facts(bytes(entry.facts))
            return GameHeader(**(asdict(entry) | {"facts": opening}))
    except (ValueError, RecursionError) as error:
        raise RecordError(f"line {number} is cut off or not part of a record ({error}): {quote(line)}") from None
    return entry


def _decode_facts(facts: bytes) -> tuple[Addressed, ...]:
    is_move = len(facts) < _LONGEST_MOVE and facts.startswith(_MOVE_START)
    return _decode_move(facts) if is_move else _decode_any_facts(facts)


def _decode_any_facts(facts: bytes) -> tuple[Addressed, ...]:
    audiences = _audience_decoder.decode(facts)
    return tuple([Addressed(fact, one.to) for fact, one in zip(_fact_decoder.decode(facts), audiences, strict=True)])


_decode_move = lru_cache(_MOST_MOVES)(_decode_any_facts)
