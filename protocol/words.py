"""The vocabulary of arbiter and bots: seats, phases, ranks, actions and facts.  No rules, no streams."""

from __future__ import annotations  # so that `extend` can add a rank before the types are compiled

import sys
from collections.abc import Iterable
from typing import Annotated, ClassVar, Final, Literal, Union, get_args

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


class Action(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", omit_defaults=True, gc=False):
    """An action of a player; its `type` on the wire is the tag of the class."""

    phases: ClassVar[tuple[Phase, ...]] = ("turn",)
    """The phases in which it can be an answer."""
    notation: ClassVar[str]
    """The short form for people, with the fields of the action in braces."""
    secret: ClassVar[tuple[str, ...]] = ()
    """Fields that the opponent does not learn; of a mapping of places, it learns the keys."""


class Deploy(Action, frozen=True, tag="deploy"):
    """Deploy the army on squares, or cards of the hand in the line."""

    phases = ("setup",)
    notation = "deploys"

    pieces: dict[Place, str] | UnsetType = UNSET
    """Board games: square to rank."""
    line: list[Place] | UnsetType = UNSET
    """Card game: a hand place for each slot."""


class AimedAction(Action, frozen=True):
    """An action from one place to another."""

    src: Place
    dst: Place


class Move(AimedAction, frozen=True, tag="move"):
    """Step or attack with the piece on `src`."""

    phases = ("turn", "rage")
    notation = "{src}-{dst}"


class Look(AimedAction, frozen=True, tag="look"):
    """Vision: learn the rank of the piece on `dst`."""

    notation = "{src} looks {dst}"


class Strike(AimedAction, frozen=True, tag="strike"):
    """Attack the piece on `dst` from a distance."""

    notation = "{src} strikes {dst}"


class Infiltrate(AimedAction, frozen=True, tag="infiltrate"):
    """Guess the rank of the piece on `dst`."""

    notation = "{src} infiltrates {dst} as {rank}"

    rank: str


class Rescue(Action, frozen=True, tag="rescue"):
    """Return an own captured piece of `rank` to `dst`."""

    phases = ("rescue",)
    notation = "rescues {rank} to {dst}"
    secret = ("rank",)

    rank: str
    dst: Place


class Stop(Action, frozen=True, tag="stop"):
    """End a rage or decline a rescue."""

    phases = ("rage", "rescue")
    notation = "stops"


class Attack(AimedAction, frozen=True, tag="attack"):
    """Card game: attack the opponent's card `dst` with the own card `src` of the line."""

    notation = "{src}\N{MULTIPLICATION SIGN}{dst}"


class PeekHand(Action, frozen=True, tag="peek_hand"):
    """Card game: show the spy `src` and look at the opponent's hand."""

    notation = "look hand"

    src: Place


class PeekLine(Action, frozen=True, tag="peek_line"):
    """Card game: show the scout `src` and look at `slots` of the opponent's line."""

    notation = "look {slots} by {src}"

    src: Place
    slots: list[Place]


class Regroup(Action, frozen=True, tag="regroup"):
    """Card game: show the flag `src`, shuffle all own cards together and deploy again."""

    notation = "regroup"

    src: Place


class Fill(Action, frozen=True, tag="fill"):
    """Card game: fill gaps of the own line."""

    phases = ("refill",)
    notation = "fill {cards}"
    secret = ("cards",)

    cards: dict[Place, Place]
    """Slot to hand place."""


class Resign(Action, frozen=True, tag="resign"):
    """Resign the game."""

    notation = "resigns"


class AcceptDraw(Action, frozen=True, tag="accept_draw"):
    """Accept the draw that the opponent has just offered."""

    notation = "accepts the draw"


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


class Fact(Struct, frozen=True, tag_field="type", gc=False):
    """Something that happened.  Only `Revealed` makes a rank known."""

    is_attack: ClassVar[bool] = False
    """True if the draw limit counts it as an attack."""
    is_fight: ClassVar[bool] = False
    """True if two pieces are compared."""

    seat: Seat
    """The owner of the piece, the card or the action."""


class AimedFact(Fact, frozen=True):
    """Something that happened from one place to another."""

    src: Place
    dst: Place


class PlaceFact(Fact, frozen=True):
    """Something that happened at a place."""

    place: Place


class PlacesFact(Fact, frozen=True):
    """Something that happened at several places."""

    places: list[Place]


class Deployed(PlacesFact, frozen=True, tag="deployed"):
    """The seat has pieces on `places` (in board or slot order)."""


class Moved(AimedFact, frozen=True, tag="moved"):
    """The seat's piece went from `src` to `dst`."""


class Attacked(AimedFact, frozen=True, tag="attacked"):
    """The seat's piece on `src` attacked `dst`."""

    is_attack = True
    is_fight = True


class Revealed(PlaceFact, frozen=True, tag="revealed"):
    """The seat's piece or card at `place` has this rank."""

    rank: RankId


class Removed(PlaceFact, frozen=True, tag="removed"):
    """The seat's piece or card at `place` left the game."""


class Placed(PlaceFact, frozen=True, tag="placed"):
    """A rescued piece of the seat is on `place`."""


class Guessed(AimedFact, frozen=True, tag="guessed"):
    """The seat's infiltrator on `src` guessed `rank` for the piece on `dst`."""

    is_attack = True

    rank: RankId
    right: bool


class Looked(AimedFact, frozen=True, tag="looked"):
    """The seat's piece on `src` looked at `dst`."""


class Struck(AimedFact, frozen=True, tag="struck"):
    """The seat's piece on `src` attacked `dst` from a distance."""

    is_attack = True
    is_fight = True


class DrawOffered(Fact, frozen=True, tag="draw_offered"):
    """The seat offers a draw, valid until the opponent's next action."""


class Dealt(PlacesFact, frozen=True, tag="dealt"):
    """Card game: the seat has a new hand at `places`."""


class Drew(PlacesFact, frozen=True, tag="drew"):
    """Card game: the seat drew cards to `places` of the hand."""


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


def extend(
    *, ranks: Iterable[str] = (), actions: Iterable[type[Action]] = (), facts: Iterable[type[Fact]] = ()
) -> None:
    """Add the vocabulary of a rule set that is not part of this package, in the arbiter and in its bots.

    Call it before anything else of the project is imported, because messages are compiled from these types.
    Raises RuntimeError if it is too late.
    """
    if "protocol.messages" in sys.modules:
        raise RuntimeError("the vocabulary can be extended only before protocol.messages is imported")
    globals().update(
        RankId=Literal[(*get_args(RankId), *ranks)],
        AnyAction=Union[(AnyAction, *actions)],
        AnyFact=Union[(AnyFact, *facts)],
    )


# --- limits for the lines of a bot ----------------------------------------------------------------

PROTOCOL_VERSION: Final = 1
MAX_LINE: Final = 4096  # bytes of one line of a bot, including the newline
AskNumber = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Note = Annotated[str, Meta(max_length=200)]
MAX_EVAL: Final = 10_000
Evaluation = Annotated[float, Meta(ge=-MAX_EVAL, le=MAX_EVAL)]
Name = Annotated[str, Meta(min_length=1, max_length=80)]
