"""The words arbiter and bots share: seats, phases, ranks, actions and facts.  No rules, no streams."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Seat = Literal["red", "blue"]
RED: Final = "red"
BLUE: Final = "blue"
SEATS: Final[tuple[Seat, Seat]] = (RED, BLUE)
OPPONENT: Final[dict[Seat, Seat]] = {RED: BLUE, BLUE: RED}

Phase = Literal["setup", "turn", "rage", "rescue", "refill"]
GameResult = Literal["win", "draw", "loss", "void"]
MoreSquares = Literal["off", "chase", "game"]

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

# A place is a square ("a1".."j10") or a card's place ("line:0", "hand:2").  Whether it exists is
# a question for the rules, not for the shape of a message: so it is a plain string here.
Place = str


# --- actions: what a player does ------------------------------------------------------------------


class Action(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", omit_defaults=True):
    """What a player does; its `type` on the wire is the class's tag."""


class Deploy(Action, frozen=True, tag="deploy"):
    """Set up: `pieces` maps square to rank (board games); `line` lists hand places (card game)."""

    pieces: dict[Place, str] | UnsetType = UNSET
    line: list[Place] | UnsetType = UNSET


class Move(Action, frozen=True, tag="move"):
    """Step or attack with the piece on `src`."""

    src: Place
    dst: Place


class Look(Action, frozen=True, tag="look"):
    """Vision: learn the rank of the piece on `dst`."""

    src: Place
    dst: Place


class Strike(Action, frozen=True, tag="strike"):
    """Attack `dst` from afar."""

    src: Place
    dst: Place


class Infiltrate(Action, frozen=True, tag="infiltrate"):
    """Name the rank of the piece on `dst`."""

    src: Place
    dst: Place
    rank: str


class Rescue(Action, frozen=True, tag="rescue"):
    """Bring one's own captured piece of `rank` back on `dst`."""

    rank: str
    dst: Place


class Stop(Action, frozen=True, tag="stop"):
    """End a rage, or decline a rescue."""


class Attack(Action, frozen=True, tag="attack"):
    """Card game: attack the opponent's `dst` with the own line card `src`."""

    src: Place
    dst: Place


class PeekHand(Action, frozen=True, tag="peek_hand"):
    """Card game: show the spy `src`, look at the opponent's hand."""

    src: Place


class PeekLine(Action, frozen=True, tag="peek_line"):
    """Card game: show the scout `src`, look at `slots` of the opponent's line."""

    src: Place
    slots: list[Place]


class Regroup(Action, frozen=True, tag="regroup"):
    """Card game: show the flag `src`, shuffle everything together and set up again."""

    src: Place


class Fill(Action, frozen=True, tag="fill"):
    """Card game: fill the gaps of one's own line, slot -> hand place."""

    cards: dict[Place, Place]


class Resign(Action, frozen=True, tag="resign"):
    """Give the game up."""


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


# --- facts: what happened -------------------------------------------------------------------------


class Fact(Struct, frozen=True, tag_field="type"):
    """Something that happened.  `seat` is whose piece, card or act it is; only `Revealed` tells a rank."""

    seat: Seat


class Deployed(Fact, frozen=True, tag="deployed"):
    """The seat's pieces stand on `places` (in board or slot order)."""

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
    """The seat's piece or card at `place` is a `rank`."""

    place: Place
    rank: RankId


class Removed(Fact, frozen=True, tag="removed"):
    """The seat's piece or card at `place` left the game."""

    place: Place


class Placed(Fact, frozen=True, tag="placed"):
    """A rescued piece of the seat stands on `place`."""

    place: Place


class Guessed(Fact, frozen=True, tag="guessed"):
    """The seat's infiltrator on `src` named `rank` for `dst`."""

    src: Place
    dst: Place
    rank: RankId
    right: bool


class Looked(Fact, frozen=True, tag="looked"):
    """The seat's piece on `src` looked at `dst`."""

    src: Place
    dst: Place


class Struck(Fact, frozen=True, tag="struck"):
    """The seat's piece on `src` attacked `dst` from afar."""

    src: Place
    dst: Place


class DrawOffered(Fact, frozen=True, tag="draw_offered"):
    """The seat offers a draw, good until the opponent's next act."""


class Dealt(Fact, frozen=True, tag="dealt"):
    """Card game: the seat holds new cards at `places`."""

    places: list[Place]


class Drew(Fact, frozen=True, tag="drew"):
    """Card game: the seat drew cards to `places`."""

    places: list[Place]


class Filled(Fact, frozen=True, tag="filled"):
    """Card game: the seat moved cards from hand to line, slot -> hand place."""

    cards: dict[Place, Place]


class Peeked(Fact, frozen=True, tag="peeked"):
    """Card game: the seat's card `src` looked at the opponent's hand or at some slots of its line."""

    src: Place
    what: Literal["hand"] | list[Place]


class Regrouped(Fact, frozen=True, tag="regrouped"):
    """Card game: the seat shuffled line, hand and deck together."""


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

# --- bounds of what a bot may say -----------------------------------------------------------------

PROTOCOL_VERSION: Final = 1
MAX_LINE: Final = 4096  # bytes of one line of a bot, its newline included
AskNumber = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Note = Annotated[str, Meta(max_length=200)]
Name = Annotated[str, Meta(min_length=1, max_length=80)]
