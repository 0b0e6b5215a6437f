"""The rules of a board game, as an immutable value."""

from functools import cached_property
from typing import Final, Self

from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.board.deployments import DEPLOYMENT_ROWS
from arbiter.games.board.diagram import Diagram, read_letters, read_rows
from arbiter.games.board.geometry import CLASSIC_BOARD, Geometry
from arbiter.games.board.play import BoardPlay
from arbiter.games.board.position import Tables
from arbiter.games.board.powers.base import FollowUp
from arbiter.games.chance import Chance
from arbiter.games.fights import DisclosureRule, show_both
from arbiter.games.ruleset import Overrides, Power, RuleSet
from protocol.messages import BoardShape, Rules
from protocol.words import SEATS, MoreSquares, Seat

_MOST_LETTERS: Final = 65_536  # of a position that is read


class BoardRules(RuleSet, frozen=True, kw_only=True, dict=True):
    """The rules of one board game."""

    board: Geometry = CLASSIC_BOARD
    two_squares: int = 3
    """Limit of the two-squares rule in turns; 0 = off."""
    more_squares: MoreSquares = "chase"
    """Positions that the more-squares rule counts."""
    immovable_loses: bool = True
    """True if moving a bomb or flag loses at once."""
    disclosure: DisclosureRule = show_both
    powers: tuple[Power[BoardPlay], ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    position: Diagram | None = None
    """The starting position; None = both players deploy."""

    @cached_property
    def tables(self) -> Tables:
        """The lookup tables that all games by these rules share."""
        return Tables(self)

    def deployment(self, seat: Seat) -> tuple[int, ...]:
        """List the squares on which a seat deploys, in board order."""
        depth = DEPLOYMENT_ROWS * self.board.files
        squares = range(depth) if seat == "red" else range(self.board.size - depth, self.board.size)
        return tuple(squares)

    def with_overrides(self, overrides: Overrides) -> Self:
        changed = super().with_overrides(overrides)
        pieces = sum(changed.army.values())
        room = len(self.deployment("red"))
        if pieces > room:
            raise ConfigError(f"army: {pieces} pieces do not fit on {room} squares")
        if not pieces:
            raise ConfigError("army: no piece is left; set a rank to 1 or more")
        return changed

    def at_position(self, position: str) -> Self:
        if len(position) > _MOST_LETTERS:
            raise ConfigError(f"position: {len(position)} letters with its comments; write {_MOST_LETTERS} at most")
        read = read_rows if "\n" in position.strip() else read_letters
        diagram = read(position, self.board, [rank.id for rank in self.ranks])
        return replace(self, position=diagram, first=diagram.first or self.first)

    def write_start(self) -> str | None:
        return None if self.position is None else self.position.write(self.board)

    def start(self, chance: Chance) -> BoardPlay:
        return BoardPlay(self.tables, self.first or chance.draw_first())

    def describe(self, first: Seat) -> Rules:
        names = self.board.names
        return replace(
            super().describe(first),
            board=BoardShape(self.board.files, self.board.rows, list(self.board.lakes)),
            deploy={seat: [names[square] for square in self.deployment(seat)] for seat in SEATS},
            two_squares=self.two_squares,
            more_squares=self.more_squares,
        )
