"""The messages of arbiter and bots, one struct for each.

A later arbiter may add fields, so readers of its lines skip unknown fields.
In a bot's lines an unknown field is an error, so that misspelt names are found early.
"""

from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType

from protocol.reasons import AnyReason, Refusal
from protocol.words import (
    AnyAction,
    AnyFact,
    AskNumber,
    Evaluation,
    MoreSquares,
    Name,
    Note,
    Phase,
    Place,
    RankId,
    ResultForSeat,
    Seat,
)

Want = Literal["legal", "view", "news"]


# --- messages of the arbiter ----------------------------------------------------------------------


class ArbiterMessage(Struct, frozen=True, tag_field="type", omit_defaults=True):
    """A line of the arbiter."""


class Hello(ArbiterMessage, frozen=True, tag="hello"):
    """The first message; the bot answers with `Ready`."""

    protocol: int
    """Version of the protocol."""
    arbiter: str
    """Name and version of the arbiter."""


class BoardShape(Struct, frozen=True):
    """The size of the board and its lakes."""

    files: int
    rows: int
    lakes: list[Place]
    """Squares that no piece can enter."""


class RankNumber(Struct, frozen=True):
    """A rank and its number."""

    id: RankId
    rank: int | None
    """None for bomb, flag and infiltrator."""


class Rules(Struct, frozen=True, omit_defaults=True):
    """The rules of the game as a bot receives them; the fields of board games and of the card game differ."""

    id: str
    """Name of the rule set."""
    options: list[str]
    army: dict[RankId, int]
    """Number of pieces or cards of each rank, for each side."""
    first: Seat
    """The seat that moves first."""
    no_attack_plies: int
    """The game is drawn after this many turns without an attack; 0 means no limit."""
    max_plies: int
    """The game is drawn after this many turns; 0 means no limit."""
    ranks: list[RankNumber]

    # Board games:
    board: BoardShape | UnsetType = UNSET
    deploy: dict[Seat, list[Place]] | UnsetType = UNSET
    """The squares on which each seat deploys."""
    two_squares: int | UnsetType = UNSET
    """Number of turns in a row in which one piece may cross the same border; 0 means no limit."""
    more_squares: MoreSquares | UnsetType = UNSET

    # The card game:
    line: int | UnsetType = UNSET
    """Number of slots of a line."""
    hand: int | UnsetType = UNSET
    """Number of cards of a full hand."""
    deal: int | UnsetType = UNSET
    """Number of cards dealt at the start."""


class TimeControl(Struct, frozen=True):
    """The clock settings of a game, in seconds and milliseconds."""

    setup_s: float
    """For the deployment, not taken from the bank."""
    bank_s: float
    """In the bank at the start."""
    increment_s: float
    """Added to the bank after each turn of the player."""
    move_s: float | None
    """The most that one answer may take; None means no limit."""
    margin_ms: float
    """The time over the limit that is forgiven."""


class Start(ArbiterMessage, frozen=True, tag="start"):
    """A game begins; the bot does not answer."""

    game: str
    rules: Rules
    seat: Seat
    """The seat of the bot."""
    opponent: str | None
    """Name of the opponent; None unless the organiser shows names."""
    seed: int
    """For the random choices of the bot."""
    time: TimeControl


class ClockState(Struct, frozen=True):
    """The clocks at a question, in milliseconds."""

    red_ms: float
    """Left in the bank of red."""
    blue_ms: float
    """Left in the bank of blue."""
    move_ms: float | None
    """The most that this answer may take; None means no limit."""
    last_ms: float
    """Charged for the last answer of the bot; 0 at first."""


class ViewPiece(Struct, frozen=True, omit_defaults=True, gc=False):
    """A piece as one player may know it."""

    place: Place
    seat: Seat
    """The owner."""
    rank: RankId | None
    """None if it is hidden."""
    moved: bool = False
    """True if the piece has moved since the start."""


class LineCard(Struct, frozen=True):
    """A card as one player may know it."""

    place: Place
    rank: RankId | None
    """None if it is hidden."""


# For each seat, the number of its lost pieces by rank, or `unknown`.
Captured = dict[Seat, dict[str, int]]


class BoardView(Struct, frozen=True):
    """The whole board as one player may know it."""

    pieces: list[ViewPiece]
    captured: Captured


class CardView(Struct, frozen=True):
    """All cards of the card game as one player may know them."""

    line: dict[Seat, list[LineCard]]
    hand: list[LineCard]
    """The player's own hand."""
    hand_counts: dict[Seat, int]
    deck_counts: dict[Seat, int]
    captured: Captured


class Ask(ArbiterMessage, frozen=True, tag="ask"):
    """A question; the bot answers with `Act` and the same number."""

    ask: int
    """Number of the question in this game, from 1."""
    phase: Phase
    news: list[AnyFact]
    """The facts since the last question."""
    clock: ClockState
    legal: list[AnyAction] | UnsetType = UNSET
    """All legal actions, if the bot wants them."""
    view: Raw | UnsetType = UNSET
    """An encoded BoardView or CardView, if the bot wants it."""


class News(ArbiterMessage, frozen=True, tag="news"):
    """Facts as soon as they happen, for bots that want them between their turns."""

    news: list[AnyFact]


class Refused(ArbiterMessage, frozen=True, tag="refused"):
    """The action was illegal; the question stays open on the same clock."""

    ask: int
    """Number of the question."""
    why: str
    """English sentence."""
    reason: Refusal | None = None


class Over(ArbiterMessage, frozen=True, tag="over"):
    """The game is over; another `Start` may follow."""

    game: str
    result: ResultForSeat
    ending: str
    why: str
    """English sentence."""
    news: list[AnyFact]
    reason: AnyReason | None = None
    """As far as this player may know it."""


class Bye(ArbiterMessage, frozen=True, tag="bye"):
    """The bot must exit at once."""


AnyArbiterMessage = Hello | Start | Ask | News | Refused | Over | Bye


# --- messages of a bot ----------------------------------------------------------------------------


class BotMessage(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", omit_defaults=True):
    """A line of a bot."""


class Ready(BotMessage, frozen=True, tag="ready"):
    """The answer to `Hello`."""

    protocol: int
    name: Name
    version: Note | None = None
    author: Note | None = None
    wants: list[Want] = []


class Act(BotMessage, frozen=True, tag="act"):
    """The answer to `Ask`."""

    ask: AskNumber
    """Number of the question."""
    action: AnyAction
    note: Note | None = None
    """For the record; never shown to the opponent."""
    offer_draw: bool = False
    eval: Evaluation | None = None
    """Evaluation of the position, positive if it is good for the bot, in any unit; never shown to the opponent."""


AnyBotMessage = Ready | Act
