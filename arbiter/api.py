"""The stable interface for Python.

Games in one process, for search, learning and analysis, are described in docs/learning.md; tournaments in
docs/organisers.md.  What tournaments need is imported when it is used, so that importing games stays cheap.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Final, Self

from msgspec.structs import replace

from arbiter.beliefs.belief import Belief, Weights
from arbiter.beliefs.board import BoardBelief
from arbiter.beliefs.cards import CardBelief
from arbiter.errors import ConfigError
from arbiter.games.base import IllegalAction, Outcome, visible_to
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.cards.ruleset import CardRules
from arbiter.games.catalogue import RULE_SETS, find_described, find_overrides
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
        Presence,
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
    "KnownGame",
    "Notice",
    "Outcome",
    "Overrides",
    "PlaySettings",
    "Presence",
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


class KnownGame:
    """The knowledge of one seat: `note_facts` adds what it receives, and `sample` draws the rest."""

    def __init__(self, rules: Rules, seat: Seat) -> None:
        """Know nothing but the rules, as a bot receives them.  Raises ConfigError if they are unknown here."""
        self.rules = rules
        self.seat: Seat = seat
        ruleset = find_described(rules)
        self._header = GameHeader(
            rules=rules.id, options=tuple(rules.options), overrides=find_overrides(rules), first=rules.first, seed=0
        )
        self._acts: list[ActEntry] = []
        self._belief: Belief
        if isinstance(ruleset, BoardRules):
            self._belief = BoardBelief(ruleset, seat)
        elif isinstance(ruleset, CardRules):
            self._belief = CardBelief(ruleset, seat)

    def note_action(self, action: AnyAction) -> None:
        """Note an action of this seat, before the facts that follow from it."""
        self._belief.note_action(action)

    def note_facts(self, facts: Sequence[AnyFact]) -> None:
        """Note the facts that the seat received up to a question.  Raises ValueError if they contradict the rules."""
        self._belief.note_facts(facts)
        self._acts += (
            ActEntry(seat=act.seat, action=act.action, facts=act.facts, offer_draw=act.offers)
            for act in self._belief.acts[len(self._acts) :]
        )

    def sample(self, rng: Random, weights: Weights | None = None) -> "GameState":
        """Return a game that agrees with everything that this seat knows, with the hidden ranks drawn at random.

        Each way to give the hidden pieces their ranks has the same probability.  With `weights`, which have a weight
        for each rank on some squares or places of cards, it is nearly proportional to the product of these weights.
        Raises ValueError if no ranks agree with the facts.
        """
        sampled = self._belief.sample(rng, weights)
        header = self._header if sampled.position is None else replace(self._header, position=sampled.position)
        state = GameState._continue(header, self.rules, sampled.contest, self._acts.copy())
        state._drawn = sampled.actions
        state._learn = sampled.knowledge
        return state


class GameState:
    """A game in progress, with full information; `facts`, `news` and `view` return what one seat may know."""

    def __init__(self, header: GameHeader) -> None:
        ruleset = header.game()
        self._header = header
        self._contest = Contest(ruleset.start(SeededChance(header.seed or 0)))
        self._acts: list[ActEntry] = []
        self._root: tuple[int, Contest] | None = None  # the game before the first act that can be taken back
        self._earlier: list[Contest] = []  # the game before each of the last acts, once one has been taken back
        self._saves = False
        self._drawn: Callable[[], Mapping[int, AnyAction]] | None = None  # returns acts of a sample, by their numbers
        self._learn: Callable[[Seat], Knowledge] | None = None  # returns what a seat knew if acts are missing
        self._known: dict[Seat, tuple[Knowledge, int]] = {}  # with the number of acts that it includes
        self.rules: Rules = ruleset.describe(self._contest.play.first)
        """The rules as bots receive them: army, board, deployment squares, limits, the seat that moves first."""

    @staticmethod
    def from_view(
        rules: Rules, seat: Seat, facts: Sequence[AnyFact] = (), actions: Iterable[AnyAction] = ()
    ) -> KnownGame:
        """Return what a seat knows of a game from the rules and all facts that it received, up to a question.

        `actions` are its own actions in their order; of these, deployments and rescues are needed.
        Raises ConfigError if the rules are unknown here, and ValueError if the facts contradict them.
        """
        known = KnownGame(rules, seat)
        for action in actions:
            known.note_action(action)
        known.note_facts(facts)
        return known

    @classmethod
    def _continue(cls, header: GameHeader, rules: Rules, contest: Contest, acts: list[ActEntry]) -> Self:
        """Continue a game after some acts."""
        state = cls.__new__(cls)
        state._header = header
        state._contest = contest
        state._acts = acts
        state._root = None
        state._earlier = []
        state._saves = False
        state._drawn = None
        state._learn = None
        state._known = {}
        state.rules = rules
        return state

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
        if self._root is None:
            self._root = (len(self._acts), self._contest.copy())
        before = self._contest.copy() if self._saves else None
        facts = self._contest.act(seat, action, offer_draw=offer_draw)
        if before is not None:
            self._earlier.append(before)
        self._acts.append(ActEntry(seat=seat, action=action, facts=facts, offer_draw=offer_draw))

    def undo(self) -> None:
        """Take back the last act.  Raises ValueError if there is none since the start, or since the game was sampled.

        The first call repeats the game; from then on, each act costs a copy more, and taking it back nearly nothing.
        """
        if self._root is None or len(self._acts) <= self._root[0]:
            raise ValueError("there is no act to take back")
        if not self._earlier:
            self._saves = True
            number, root = self._root
            contest = root.copy()
            for act in self._acts[number:]:
                self._earlier.append(contest.copy())
                contest.act(act.seat, act.action, offer_draw=act.offer_draw)
        self._contest = self._earlier.pop()
        self._acts.pop()
        self._known = {seat: known for seat, known in self._known.items() if known[1] <= len(self._acts)}

    def copy(self) -> Self:
        """Return an independent copy.  Random choices after it are the same in both."""
        twin = self._continue(self._header, self.rules, self._contest.copy(), self._acts.copy())
        twin._root = self._root
        twin._drawn = self._drawn
        twin._learn = self._learn
        twin._known = {seat: (knowledge.copy(), acts) for seat, (knowledge, acts) in self._known.items()}
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def __getstate__(self) -> dict[str, object]:
        self._complete_acts()
        return {**vars(self), "_earlier": [], "_saves": False}

    def _complete_acts(self) -> None:
        """Put drawn ranks into the acts of a sample; most samples need them only for the position."""
        if self._drawn is not None:
            for number, action in self._drawn().items():
                self._acts[number] = replace(self._acts[number], action=action)
            self._drawn = None

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
        self._complete_acts()
        knowledge, noted = self._known.get(seat) or ((self._learn or self._begin_knowledge)(seat), 0)
        for act in self._acts[noted:]:
            if act.seat == seat:
                knowledge.note_action(act.action)
            for fact in visible_to(seat, act.facts or ()):
                knowledge.note_fact(fact)
        self._known[seat] = knowledge, len(self._acts)
        return knowledge.view()

    def _begin_knowledge(self, seat: Seat) -> Knowledge:
        """Return what a seat knows before the first action."""
        knowledge = new_knowledge(self.rules, seat)
        for fact in visible_to(seat, self._contest.play.opening):
            knowledge.note_fact(fact)
        return knowledge

    # --- storing ----------------------------------------------------------------------------------

    def record(self, red: str = "red", blue: str = "blue") -> bytes:
        """Return the record of a finished game, for `arbiter replay` and `arbiter verify`; the players have names.

        Raises ValueError if the game is in progress, or began with a sample of cards.
        """
        outcome = self.outcome
        if outcome is None or self._learn is not None:
            why = "the game is in progress; only a finished game" if outcome is None else "only a whole game"
            raise ValueError(f"{why} has a record")
        seats: dict[Seat, PlayerName] = {"red": PlayerName(red), "blue": PlayerName(blue)}
        self._complete_acts()
        writer = RecordWriter(
            replace(self._header, first=self._contest.play.first, seats=seats, facts=self._contest.play.opening)
        )
        for act in self._acts:
            writer.act(act)
        return writer.finish(
            GameResult(winner=outcome.winner, ending=outcome.ending, reason=outcome.reason, plies=self.plies)
        )
