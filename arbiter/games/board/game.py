"""A rule set made ready to play: its tables compiled once, shared by all its games."""

from functools import cached_property
from typing import TYPE_CHECKING, Final

from arbiter.games.base import Chance
from arbiter.games.board.lines import Line, lines
from arbiter.games.board.ruleset import Ruleset
from arbiter.games.fights import Fight, decide
from arbiter.games.ranks import Trait
from protocol.messages import BoardShape, RankNumber, Rules
from protocol.words import OPPONENT, SEATS, Seat

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay


class BoardGame:
    """A board game as the referee sees it: start it, describe it."""

    next_to_act: Final[dict[Seat, tuple[Seat, ...]]] = {seat: (OPPONENT[seat],) for seat in SEATS}

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.name = ruleset.name
        self.land = ruleset.board.land
        self.bit = ruleset.board.bit
        self.beside = ruleset.board.beside
        self.neighbours = ruleset.board.neighbours
        self.index = {rank.id: number for number, rank in enumerate(ruleset.ranks)}
        self.moves = tuple(not rank.has(Trait.IMMOVABLE) for rank in ruleset.ranks)
        self.runs = tuple(rank.has(Trait.RUNNER) for rank in ruleset.ranks)

    def start(self, chance: Chance) -> "BoardPlay":
        """Begin a game."""
        from arbiter.games.board.play import BoardPlay

        return BoardPlay(self, self.ruleset.first or chance.first())

    @cached_property
    def lines(self) -> dict[tuple[str, str], Line]:
        """Every straight way of the board."""
        return lines(self.ruleset.board)

    @cached_property
    def _fights(self) -> dict[tuple[int, int], Fight]:
        return {}

    def fight(self, attacker: int, defender: int) -> Fight:
        """Look up the fight of two ranks, given by index."""
        fight = self._fights.get((attacker, defender))
        if fight is None:
            ruleset = self.ruleset
            ranks = ruleset.ranks[attacker], ruleset.ranks[defender]
            fight = self._fights[attacker, defender] = decide(ruleset.fights, ruleset.disclosure, *ranks)
        return fight

    def terms(self, first: Seat) -> Rules:
        """Describe the rules as a bot is told them in `start`."""
        ruleset = self.ruleset
        names = ruleset.board.names
        return Rules(
            id=ruleset.name,
            options=list(ruleset.options),
            army=dict(ruleset.army),
            first=first,
            no_attack_plies=ruleset.no_attack_plies,
            max_plies=ruleset.max_plies,
            ranks=[RankNumber(rank.id, rank.number) for rank in ruleset.ranks],
            board=BoardShape(ruleset.board.files, ruleset.board.rows, list(ruleset.board.lakes)),
            deploy={seat: [names[square] for square in ruleset.deployment(seat)] for seat in SEATS},
            two_squares=ruleset.two_squares,
            more_squares=ruleset.more_squares,
        )
