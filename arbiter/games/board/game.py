"""A board game as the referee sees it: start it, describe it."""

from msgspec.structs import replace

from arbiter.games.base import Chance
from arbiter.games.board.play import BoardPlay
from arbiter.games.board.ruleset import Ruleset
from arbiter.games.board.tables import Tables
from arbiter.games.family import terms
from protocol.messages import BoardShape, Rules
from protocol.words import SEATS, Seat


class BoardGame:
    """A rule set of the board family, ready to be played."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.name = ruleset.name
        self._tables = Tables(ruleset)

    def start(self, chance: Chance) -> BoardPlay:
        """Begin a game."""
        return BoardPlay(self._tables, self.ruleset.first or chance.first())

    def terms(self, first: Seat) -> Rules:
        """Describe the rules as a bot is told them in `start`."""
        ruleset = self.ruleset
        names = ruleset.board.names
        return replace(
            terms(ruleset, first),
            board=BoardShape(ruleset.board.files, ruleset.board.rows, list(ruleset.board.lakes)),
            deploy={seat: [names[square] for square in ruleset.deployment(seat)] for seat in SEATS},
            two_squares=ruleset.two_squares,
            more_squares=ruleset.more_squares,
        )
