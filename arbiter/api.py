"""The stable interface for Python.

Games in one process, for search, learning and analysis, are described in docs/learning.md; tournaments in
docs/organisers.md.  What tournaments need is imported when it is used, so that importing games stays cheap.
"""

from collections.abc import Iterable
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Final, Self

from msgspec.structs import replace

from arbiter.errors import ConfigError, IllegalAction
from arbiter.games.base import Outcome, visible_to
from arbiter.games.catalogue import RULE_SETS
from arbiter.games.chance import Seed, SeededChance, derive_seed
from arbiter.games.contest import Contest
from arbiter.games.ruleset import NO_OVERRIDES, Overrides
from arbiter.record import ActEntry, GameHeader, GameResult, PlayerName, RecordWriter
from protocol.bot.session import draw_deployment
from protocol.messages import BoardView, CardView, Rules
from protocol.view import Knowledge, new_knowledge
from protocol.words import AnyAction, AnyFact, Deploy, Phase, Seat

if TYPE_CHECKING:
    from arbiter.director.interface import RunningTournament, read_results, run_tournament
    from arbiter.director.publication import CheckedPublication, read_publication
    from arbiter.director.run import RunOutcome
    from arbiter.director.venue import PlaySettings
    from arbiter.director.verification import VerifiedResults, verify_results
    from arbiter.publish import ReportSettings, write_report
    from arbiter.tournament.config.tournament import Tournament, load_tournament
    from arbiter.tournament.events import (
        Acted,
        Audited,
        Began,
        Closing,
        Event,
        Finished,
        Notice,
        Progress,
        Ruled,
        RunBegan,
        Void,
    )
    from arbiter.tournament.results.reader import Results

__all__ = [
    "RULE_SET_NAMES",
    "Acted",
    "Audited",
    "Began",
    "CheckedPublication",
    "Closing",
    "ConfigError",
    "Event",
    "Finished",
    "GameState",
    "IllegalAction",
    "Notice",
    "Outcome",
    "Overrides",
    "PlaySettings",
    "Progress",
    "ReportSettings",
    "Results",
    "Ruled",
    "RunBegan",
    "RunOutcome",
    "RunningTournament",
    "Tournament",
    "VerifiedResults",
    "Void",
    "derive_seed",
    "load_tournament",
    "read_publication",
    "read_results",
    "run_tournament",
    "start_game",
    "verify_results",
    "write_report",
]

_TOURNAMENTS: Final = (
    "arbiter.tournament.events",
    "arbiter.tournament.config.tournament",
    "arbiter.tournament.results.reader",
    "arbiter.director.venue",
    "arbiter.director.publication",
    "arbiter.director.verification",
    "arbiter.director.run",
    "arbiter.director.interface",
    "arbiter.publish",
)
"""The modules with names for tournaments."""


def __getattr__(name: str) -> object:
    """Import a name for tournaments when it is used for the first time."""
    for module in _TOURNAMENTS if name in __all__ else ():
        if hasattr(import_module(module), name):
            globals()[name] = getattr(import_module(module), name)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


RULE_SET_NAMES: Final = tuple(ruleset.name for ruleset in RULE_SETS)


def start_game(
    rules: str = "original",
    *,
    options: Iterable[str] = (),
    overrides: Overrides = NO_OVERRIDES,
    position: str | None = None,
    first: Seat | None = None,
    seed: Seed = 0,
) -> "GameState":
    """Begin a game by a rule set, as in a tournament file.

    `position` is a position in rows or letters.  The same seed and the same actions give the same game.
    Raises ConfigError if the rule set, an option, an override or the position does not exist or makes no sense.
    """
    header = GameHeader(
        rules=rules, options=tuple(options), overrides=overrides, position=position, first=first, seed=seed
    )
    return GameState(header)


class GameState:
    """A game in progress, with full information; `facts`, `news` and `view` return what one seat may know."""

    def __init__(self, header: GameHeader) -> None:
        ruleset = header.game()
        self._header = header
        self._contest = Contest(ruleset.start(SeededChance(header.seed or 0)))
        self._acts: list[ActEntry] = []
        self._known: dict[Seat, tuple[Knowledge, int]] = {}  # with the number of acts that it includes
        self.rules: Rules = ruleset.describe(self._contest.play.first)
        """The rules as bots receive them: army, board, deployment squares, limits, the seat that moves first."""

    # --- the whole game ---------------------------------------------------------------------------

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats to act now: both while both have to deploy, then one, none at the end."""
        return self._contest.to_act

    @property
    def phase(self) -> Phase:
        return self._contest.play.phase

    @property
    def plies(self) -> int:
        return self._contest.play.plies

    @property
    def outcome(self) -> Outcome | None:
        """The winner (None = draw), the ending and the reason; None while the game is in progress."""
        return self._contest.outcome

    def legal_actions(self, seat: Seat) -> list[AnyAction]:
        """List the legal actions of a seat, without resignations and draws.

        The list is empty if the seat is not to act, and in phase `setup`, in which a seat deploys.
        """
        return self._contest.play.legal_actions(seat) if seat in self.to_act else []

    def random_deployment(self, seat: Seat, rng: Random) -> Deploy:
        """Draw a random deployment, the action for phase `setup`."""
        view = self.view(seat)
        hand = [card.place for card in view.hand] if isinstance(view, CardView) else []
        return draw_deployment(self.rules, seat, rng, hand)

    def act(self, seat: Seat, action: AnyAction, *, offer_draw: bool = False) -> None:
        """Carry out an action.  Raises IllegalAction and then changes nothing."""
        facts = self._contest.act(seat, action, offer_draw=offer_draw)
        self._acts.append(ActEntry(seat=seat, action=action, facts=facts, offer_draw=offer_draw))

    def copy(self) -> Self:
        """Return an independent copy.  Random choices after it are the same in both."""
        twin = type(self).__new__(type(self))
        twin._header = self._header
        twin._contest = self._contest.copy()
        twin._acts = self._acts.copy()
        twin._known = {seat: (knowledge.copy(), acts) for seat, (knowledge, acts) in self._known.items()}
        twin.rules = self.rules
        return twin

    # --- what a seat may know ---------------------------------------------------------------------

    def facts(self, seat: Seat) -> list[AnyFact]:
        """List all facts that a seat has received, from the start."""
        return visible_to(seat, self._contest.play.opening) + self._list_facts(seat, self._acts)

    def news(self, seat: Seat) -> list[AnyFact]:
        """List the facts that a seat has received since its last question, those of its own last action included."""
        last = next((number for number in range(len(self._acts) - 1, -1, -1) if self._acts[number].seat == seat), None)
        if last is None:
            return self.facts(seat)
        return self._list_facts(seat, self._acts[last:])

    @staticmethod
    def _list_facts(seat: Seat, acts: Iterable[ActEntry]) -> list[AnyFact]:
        return [fact for act in acts for fact in visible_to(seat, act.facts or ())]

    def view(self, seat: Seat) -> BoardView | CardView:
        """Return the board or the cards as a seat may know them."""
        knowledge, noted = self._known.get(seat) or (new_knowledge(self.rules, seat), 0)
        if seat not in self._known:
            for fact in visible_to(seat, self._contest.play.opening):
                knowledge.note_fact(fact)
        for act in self._acts[noted:]:
            if act.seat == seat:
                knowledge.note_action(act.action)
            for fact in visible_to(seat, act.facts or ()):
                knowledge.note_fact(fact)
        self._known[seat] = knowledge, len(self._acts)
        return knowledge.view()

    # --- storing ----------------------------------------------------------------------------------

    def record(self, red: str = "red", blue: str = "blue") -> bytes:
        """Return the record of a finished game, for `arbiter replay` and `arbiter verify`; the players have names.

        Raises ValueError if the game is in progress.
        """
        outcome = self.outcome
        if outcome is None:
            raise ValueError("the game is in progress; only a finished game has a record")
        seats: dict[Seat, PlayerName] = {"red": PlayerName(red), "blue": PlayerName(blue)}
        writer = RecordWriter(
            replace(self._header, first=self._contest.play.first, seats=seats, facts=self._contest.play.opening)
        )
        for act in self._acts:
            writer.act(act)
        return writer.finish(
            GameResult(winner=outcome.winner, ending=outcome.ending, why=outcome.why, plies=self.plies)
        )
