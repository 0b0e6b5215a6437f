"""What arbiter and bot say to each other, one struct a message.

The arbiter's lines may grow fields, so readers skip what they do not know;
a bot's lines may not, so that a misspelt field is found on the first day.
"""

from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType

from protocol.words import (
    AnyAction,
    AnyFact,
    AskNumber,
    GameResult,
    MoreSquares,
    Name,
    Note,
    Phase,
    Place,
    RankId,
    Seat,
)

Want = Literal["legal", "view", "news"]


# --- what the arbiter says ------------------------------------------------------------------------


class Said(Struct, frozen=True, tag_field="type", omit_defaults=True):
    """A line of the arbiter."""


class Hello(Said, frozen=True, tag="hello"):
    """The first line a bot reads; it answers with `Ready`."""

    protocol: int
    arbiter: str


class BoardShape(Struct, frozen=True):
    """The board: its size and the squares nobody can enter."""

    files: int
    rows: int
    lakes: list[Place]


class RankNumber(Struct, frozen=True):
    """A rank and its number; None for bomb, flag and infiltrator."""

    id: RankId
    rank: int | None


class Rules(Struct, frozen=True, omit_defaults=True):
    """The rules of the game as a bot is told them; board games and the card game differ in fields."""

    id: str
    options: list[str]
    army: dict[RankId, int]
    first: Seat
    no_attack_plies: int
    max_plies: int
    ranks: list[RankNumber]
    board: BoardShape | UnsetType = UNSET
    deploy: dict[Seat, list[Place]] | UnsetType = UNSET
    two_squares: int | UnsetType = UNSET
    more_squares: MoreSquares | UnsetType = UNSET
    line: int | UnsetType = UNSET
    hand: int | UnsetType = UNSET
    deal: int | UnsetType = UNSET


class TimeControl(Struct, frozen=True):
    """What a bot is told of its clock; seconds, and the margin that is forgiven in milliseconds."""

    setup_s: float
    bank_s: float
    increment_s: float
    move_s: float | None
    margin_ms: float


class Start(Said, frozen=True, tag="start"):
    """A game begins; nothing is answered."""

    game: str
    rules: Rules
    seat: Seat
    opponent: str | None
    seed: int
    time: TimeControl


class ClockState(Struct, frozen=True):
    """Milliseconds left in each bank, the most this answer may take, what the last one was charged (0 at first)."""

    red_ms: float
    blue_ms: float
    move_ms: float | None
    last_ms: float


class ViewPiece(Struct, frozen=True, omit_defaults=True):
    """A piece or card as one player may know it; `rank` is None where it is hidden."""

    place: Place
    seat: Seat
    rank: RankId | None
    moved: bool = False


class LineCard(Struct, frozen=True):
    """A card of a line as one player may know it."""

    place: Place
    rank: RankId | None


Captured = dict[Seat, dict[str, int]]


class BoardView(Struct, frozen=True):
    """The whole board as one player may know it; `captured` counts lost pieces by rank or `unknown`."""

    pieces: list[ViewPiece]
    captured: Captured


class CardView(Struct, frozen=True):
    """The whole table of the card game as one player may know it."""

    line: dict[Seat, list[LineCard]]
    hand: list[LineCard]
    hand_counts: dict[Seat, int]
    deck_counts: dict[Seat, int]
    captured: Captured


class Ask(Said, frozen=True, tag="ask"):
    """A question; the bot answers with `Act` under the same number."""

    ask: int
    phase: Phase
    news: list[AnyFact]
    clock: ClockState
    legal: list[AnyAction] | UnsetType = UNSET
    view: Raw | UnsetType = UNSET


class News(Said, frozen=True, tag="news"):
    """Facts told at once, for bots that want them between their turns."""

    news: list[AnyFact]


class Refused(Said, frozen=True, tag="refused"):
    """The action was illegal; the question stays open on the same clock."""

    ask: int
    why: str


class Over(Said, frozen=True, tag="over"):
    """The game ended; another `Start` may follow."""

    game: str
    result: GameResult
    ending: str
    why: str
    news: list[AnyFact]


class Bye(Said, frozen=True, tag="bye"):
    """Leave at once."""


AnySaid = Hello | Start | Ask | News | Refused | Over | Bye


# --- what a bot says ------------------------------------------------------------------------------


class Answer(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", omit_defaults=True):
    """A line of a bot."""


class Ready(Answer, frozen=True, tag="ready"):
    """The answer to `Hello`."""

    protocol: int
    name: Name
    version: Note | None = None
    author: Note | None = None
    wants: list[Want] = []


class Act(Answer, frozen=True, tag="act"):
    """The answer to `Ask`; `note` is kept in the record and never shown to the opponent."""

    ask: AskNumber
    action: AnyAction
    note: Note | None = None
    offer_draw: bool = False


AnyAnswer = Ready | Act
