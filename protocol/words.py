"""The vocabulary of arbiter and bots: seats, phases, ranks, actions and facts.  No rules, no streams."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Seat = Literal["red", "blue"]
RED: Final = "red"
BLUE: Final = "blue"
SEATS: Final[tuple[Seat, Seat]] = (RED, BLUE)
OPPONENT: Final[dict[Seat, Seat]] = {RED: BLUE, BLUE: RED}

Phase = Literal["setup", "turn", "rage", "rescue", "refill"]
ResultForSeat = Literal["win", "draw", "loss", "void"]
MoreSquares = Literal["off", "chase", "game", "book"]

RankId = Literal[
    "marshal",
    "general",
    "colonel",
    "major",
    "marksman",
    "captain",
    "berserker",
    "lieutenant",
    "sergeant",
    "miner",
    "scout",
    "spy",
    "infiltrator",
    "bomb",
    "flag",
]

# A place is a square ("a1".."j10") or the place of a card ("line:0", "hand:2").  It is any string here, because the
# rules, not the form of a message, decide which places exist.
Place = str


# --- actions of a player --------------------------------------------------------------------------


class Action(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", omit_defaults=True):
    """An action of a player; its `type` on the wire is the tag of the class."""


class Deploy(Action, frozen=True, tag="deploy"):
    """Deploy the army on squares, or cards of the hand in the line."""

    pieces: dict[Place, str] | UnsetType = UNSET
    """Board games: square to rank."""
    line: list[Place] | UnsetType = UNSET
    """Card game: a hand place for each slot."""


class Move(Action, frozen=True, tag="move"):
    """Step or attack with the piece on `src`."""

    src: Place
    dst: Place


class Look(Action, frozen=True, tag="look"):
    """Vision: learn the rank of the piece on `dst`."""

    src: Place
    dst: Place


class Strike(Action, frozen=True, tag="strike"):
    """Attack the piece on `dst` from a distance."""

    src: Place
    dst: Place


class Infiltrate(Action, frozen=True, tag="infiltrate"):
    """Guess the rank of the piece on `dst`."""

    src: Place
    dst: Place
    rank: str


class Rescue(Action, frozen=True, tag="rescue"):
    """Return an own captured piece of `rank` to `dst`."""

    rank: str
    dst: Place


class Stop(Action, frozen=True, tag="stop"):
    """End a rage or decline a rescue."""


class Attack(Action, frozen=True, tag="attack"):
    """Card game: attack the opponent's card `dst` with the own card `src` of the line."""

    src: Place
    dst: Place


class PeekHand(Action, frozen=True, tag="peek_hand"):
    """Card game: show the spy `src` and look at the opponent's hand."""

    src: Place


class PeekLine(Action, frozen=True, tag="peek_line"):
    """Card game: show the scout `src` and look at `slots` of the opponent's line."""

    src: Place
    slots: list[Place]


class Regroup(Action, frozen=True, tag="regroup"):
    """Card game: show the flag `src`, shuffle all own cards together and deploy again."""

    src: Place


class Fill(Action, frozen=True, tag="fill"):
    """Card game: fill gaps of the own line."""

    cards: dict[Place, Place]
    """Slot to hand place."""


class Resign(Action, frozen=True, tag="resign"):
    """Resign the game."""


class AcceptDraw(Action, frozen=True, tag="accept_draw"):
    """Accept the draw that the opponent has just offered."""


AnyAction = (
    Deploy
    | Move
    | Look
    | Strike
    | Infiltrate
    | Rescue
    | Stop
    | Attack
    | PeekHand
    | PeekLine
    | Regroup
    | Fill
    | Resign
    | AcceptDraw
)


# --- facts about the game -------------------------------------------------------------------------


class Fact(Struct, frozen=True, tag_field="type"):
    """Something that happened.  Only `Revealed` makes a rank known."""

    seat: Seat
    """The owner of the piece, the card or the action."""


class Deployed(Fact, frozen=True, tag="deployed"):
    """The seat has pieces on `places` (in board or slot order)."""

    places: list[Place]


class Moved(Fact, frozen=True, tag="moved"):
    """The seat's piece went from `src` to `dst`."""

    src: Place
    dst: Place


class Attacked(Fact, frozen=True, tag="attacked"):
    """The seat's piece on `src` attacked `dst`."""

    src: Place
    dst: Place


class Revealed(Fact, frozen=True, tag="revealed"):
    """The seat's piece or card at `place` has this rank."""

    place: Place
    rank: RankId


class Removed(Fact, frozen=True, tag="removed"):
    """The seat's piece or card at `place` left the game."""

    place: Place


class Placed(Fact, frozen=True, tag="placed"):
    """A rescued piece of the seat is on `place`."""

    place: Place


class Guessed(Fact, frozen=True, tag="guessed"):
    """The seat's infiltrator on `src` guessed `rank` for the piece on `dst`."""

    src: Place
    dst: Place
    rank: RankId
    right: bool


class Looked(Fact, frozen=True, tag="looked"):
    """The seat's piece on `src` looked at `dst`."""

    src: Place
    dst: Place


class Struck(Fact, frozen=True, tag="struck"):
    """The seat's piece on `src` attacked `dst` from a distance."""

    src: Place
    dst: Place


class DrawOffered(Fact, frozen=True, tag="draw_offered"):
    """The seat offers a draw, valid until the opponent's next action."""


class Dealt(Fact, frozen=True, tag="dealt"):
    """Card game: the seat has a new hand at `places`."""

    places: list[Place]


class Drew(Fact, frozen=True, tag="drew"):
    """Card game: the seat drew cards to `places` of the hand."""

    places: list[Place]


class Filled(Fact, frozen=True, tag="filled"):
    """Card game: the seat moved cards from the hand to the line."""

    cards: dict[Place, Place | None]
    """Slot to hand place for the owner; for the opponent, slot to None."""


class Peeked(Fact, frozen=True, tag="peeked"):
    """Card game: the seat's card `src` looked at the opponent's hand or at some slots of its line."""

    src: Place
    what: Literal["hand"] | list[Place]


class Regrouped(Fact, frozen=True, tag="regrouped"):
    """Card game: the seat shuffled its line, hand and deck together."""


AnyFact = (
    Deployed
    | Moved
    | Attacked
    | Revealed
    | Removed
    | Placed
    | Guessed
    | Looked
    | Struck
    | DrawOffered
    | Dealt
    | Drew
    | Filled
    | Peeked
    | Regrouped
)

# --- limits for the lines of a bot ----------------------------------------------------------------

PROTOCOL_VERSION: Final = 1
MAX_LINE: Final = 4096  # bytes of one line of a bot, including the newline
AskNumber = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Note = Annotated[str, Meta(max_length=200)]
MAX_EVAL: Final = 10_000
Evaluation = Annotated[float, Meta(ge=-MAX_EVAL, le=MAX_EVAL)]
Name = Annotated[str, Meta(min_length=1, max_length=80)]
