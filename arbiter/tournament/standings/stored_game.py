"""Finished games, their points, and rulings of the organiser."""

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from arbiter.errors import ConfigError, check_known
from arbiter.games.base import FORFEITS, Ending
from arbiter.languages.sentences import write_ending, write_reason
from arbiter.tournament.fixture import is_unrated_id
from arbiter.tournament.machine import PlayingConditions
from protocol.reasons import AnyReason, RulingReason, Suspended, list_reasons
from protocol.words import OPPONENT, SEATS, Seat

Worth = Annotated[float, Meta(ge=-1000, le=1000)]


class Points(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A points system."""

    win: Worth
    """A win by forfeit too."""
    draw: Worth
    loss: Worth
    """A loss on the board."""
    forfeit: Worth
    """A loss by forfeit."""
    double_loss: Worth = 0.0
    """A game that both bots lose by a ruling, for each of them."""


SYSTEMS: Final[dict[str, Points]] = {
    "isf": Points(win=6, draw=3, loss=1, forfeit=0, double_loss=1),
    "simple": Points(win=1, draw=0.5, loss=0, forfeit=0),
    "ucc": Points(win=3, draw=2, loss=1, forfeit=-1),
}


def find_points(points: str | Points) -> Points:
    """Find a points system by name, or check one from a tournament file.  Raises ConfigError."""
    if isinstance(points, str):
        check_known("points system", points, SYSTEMS)
        return SYSTEMS[points]
    values = [points.win, points.draw, points.loss, points.forfeit]
    if values != sorted(values, reverse=True) or points.win == points.loss:
        raise ConfigError(
            "a win must be worth more than a loss, and win, draw, loss, forfeit must go from most to least"
        )
    if points.double_loss > points.draw:
        raise ConfigError("double_loss must not be worth more than a draw")
    return points


def score(points: Points, winner: Seat | None, ending: Ending) -> dict[Seat, float]:
    """Return the points of both seats; {} for a voided game.

    If both bots forfeited (neither completed the setup phase), there is no winner and each has 0.
    """
    if ending == "void":
        return {}
    if winner is None:
        worth = points.double_loss if ending == "double_loss" else 0.0 if ending in FORFEITS else points.draw
        return dict.fromkeys(SEATS, worth)
    return {winner: points.win, OPPONENT[winner]: points.forfeit if ending in FORFEITS else points.loss}


# --- rulings --------------------------------------------------------------------------------------


RulingKind = Literal["annul", "replay", "result", "disqualify", "reinstate", "withdraw", "undo"]
RuledResult = Literal["red", "blue", "draw", "none", "annulled", "replay"]
"""A winner, a draw, a game that both bots lose (none), or a game that does not count (annulled) or is played again."""


class Ruling(Struct, frozen=True, kw_only=True):
    """A decision of the organiser about a stored game, a bye or a bot.  It is never changed; another one reverts it."""

    number: int
    """From 1, in the order in which they were made."""
    at: str
    """ISO 8601 in UTC."""
    by: str
    reason: RulingReason
    kind: RulingKind
    game: str | None = None
    """Id of the stored game or of the bye; None for a ruling about a bot."""
    bot: str | None = None
    """The bot, if the ruling is about one."""
    previous: RuledResult | None = None
    """The result of the game before the ruling."""
    result: RuledResult | None = None
    """The result of the game by the ruling."""
    replacement: str | None = None
    """Id of the game that is played instead."""
    undoes: int | None = None
    """Number of the ruling that this one reverts."""
    games: int = 0
    """Number of stored games when it was made."""
    rounds: int = 0
    """Number of rounds that had begun when it was made."""
    first_round: int = 1
    """The first round whose games a disqualification changes; those of earlier rounds stay as they are."""
    replays: Mapping[str, str] = {}
    """Walkovers that are played because of a reinstatement: their ids with those of the games that are played instead.

    Of the reversal of a reinstatement: those that were played by then, which stay.
    """

    @property
    def replacements(self) -> Mapping[str, str]:
        """The ids of the games that are played again, each with the id of the game that is played instead."""
        return self.replays if self.game is None or self.replacement is None else {self.game: self.replacement}


UNRATED_SERIES: Final = 0
"""Number of the series of unrated games."""


# --- games ----------------------------------------------------------------------------------------


class StoredGame(Struct, frozen=True, gc=False):
    """A finished game: what is needed to count and list it. The record holds the rest."""

    id: str
    round: int
    pair: int
    red: str
    blue: str
    winner: Seat | None
    ending: Ending
    reason: AnyReason | None
    plies: int
    red_points: float
    blue_points: float
    started: str
    """ISO 8601 in UTC."""
    seconds: float
    """Duration by the wall clock."""
    fingerprint: str = ""
    """Fingerprint of the start and the actions: equal for identical games, '' before the first action."""
    red_ms: float = 0.0
    """Time charged to red's clock for all its answers, 0 if not known."""
    blue_ms: float = 0.0
    conditions: PlayingConditions | None = None
    """The machine and the arbiter during the game; None if not known."""
    series: int = 1
    """Number of the match in its results file, from 1; a tournament has one series."""
    red_program: str = ""
    """Digest of red's program when the game began; empty for a walkover, a person, or if not known."""
    blue_program: str = ""

    @property
    def why(self) -> str:
        """The reason as an English sentence; empty if it is not known."""
        return write_reason(self.reason)

    @property
    def is_unrated(self) -> bool:
        """True for a game of an unrated match."""
        return is_unrated_id(self.id)

    @property
    def ending_words(self) -> str:
        """The ending in a few words, a limit with its number."""
        return write_ending(self.ending, self.reason)

    @property
    def forfeiters(self) -> tuple[str, ...]:
        """The bots that forfeited the game: none, the loser, or both if neither got through the setup."""
        return tuple(getattr(self, seat) for seat in find_forfeiters(self.winner, self.ending))

    @property
    def before_rulings(self) -> "StoredGame":
        """The game as it was stored, without rulings on it and on its bots."""
        return self

    @property
    def took_place(self) -> bool:
        """False for a walkover, whatever result a ruling gave it later."""
        return self.ending != "walkover"

    @property
    def was_played(self) -> bool:
        """True if its moves count: it took place, and is neither annulled nor lost by a disqualification."""
        return self.took_place and self.ending not in {"annulled", "disqualified"}


class RuledGame(StoredGame, frozen=True, kw_only=True, gc=False):
    """A game with the result that a ruling gave it, or a game that is played instead of another one."""

    ruling: Ruling
    as_played: StoredGame
    """The game before the ruling; the other game if this one is played instead of it."""

    @property
    def ending_words(self) -> str:
        """The ending in a few words, a limit with its number."""
        return write_ending(self.ending, self.reason)

    @property
    def is_replay(self) -> bool:
        """True if this game is played instead of another one."""
        return self.id in self.ruling.replacements.values()

    @property
    def before_rulings(self) -> StoredGame:
        return self if self.is_replay else self.as_played.before_rulings

    @property
    def took_place(self) -> bool:
        """True if the moves were played, whatever the ruled result."""
        return super().took_place if self.is_replay else self.as_played.took_place


def find_forfeiters(winner: Seat | None, ending: Ending) -> tuple[Seat, ...]:
    """Return the seats that forfeited a game: none, the loser, or both if neither got through the setup."""
    if ending not in FORFEITS:
        return ()
    return SEATS if winner is None else (OPPONENT[winner],)


def score_game(game: StoredGame, bot: str) -> float:
    """Return the usual score of a bot in a game of its own that is not annulled: 1 for a win, a half for a draw."""
    if game.winner is None:
        return 0.0 if game.forfeiters or game.ending == "double_loss" else 0.5
    return float(bot == getattr(game, game.winner))


def is_lost_by(game: StoredGame, bot: str) -> bool:
    """Return True if a bot lost a game."""
    return bot in game.forfeiters or (game.winner is not None and bot == getattr(game, OPPONENT[game.winner]))


def find_absent(
    games: Iterable[StoredGame], returned: Collection[str], lifted: Collection[tuple[str, str]]
) -> frozenset[str]:
    """Return the bots that lost a game by walkover, whatever a ruling made of it.

    Bots that have `returned` are left out, unless a walkover was due to a suspension; those that are `lifted`, ids of
    games with bots, are left out too.
    """
    walkovers = (one for game in games if (one := game.before_rulings).ending == "walkover")
    lost = ((one, bot) for one in walkovers for bot in one.forfeiters if (one.id, bot) not in lifted)
    return frozenset(bot for one, bot in lost if bot not in returned or is_suspension_walkover(one, bot))


def is_suspension_walkover(game: StoredGame, bot: str) -> bool:
    """Return True if a bot lost a game by walkover because it was suspended."""
    return (
        game.ending == "walkover"
        and bot in game.forfeiters
        and any(isinstance(one, Suspended) and one.bot == bot for one in list_reasons(game.reason))
    )
