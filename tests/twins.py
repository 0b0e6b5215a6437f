"""Pairs of games that differ only in what one player cannot know, for the tests of secrecy.

In the second game, two pieces of the opponent have exchanged their places.  The player has never seen them, and each
could have done everything that the other did.
"""

from itertools import combinations
from random import Random
from typing import NamedTuple

from games.random_players import PowerPlayer, RepetitivePlayer, random_action, random_deployment

from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import NO_OVERRIDES, Overrides
from protocol.words import OPPONENT, SEATS, Deploy, Guessed, Move, Moved, Placed, Removed, Rescue, Revealed, Stop

IMMOVABLE = frozenset({"bomb", "flag"})

# Arguments of `make_twins`; small armies close together if powers are to meet.
SMALL = {"general": 0, "colonel": 0, "major": 0, "captain": 0, "lieutenant": 2, "sergeant": 2, "miner": 1, "scout": 2}
POWERFUL = {"colonel": 2, "major": 1, "captain": 1, "lieutenant": 2, "sergeant": 1, "miner": 1, "scout": 2}
OPTIONS = ("aggressor-advantage", "silent-defence", "rescue")
ARMIES = {
    "the whole army": {},
    "a few pieces close together": {
        "overrides": Overrides(army=SMALL | {"bomb": 1, "spy": 0, "marshal": 1}, no_attack_plies=0),
        "front": 14,
        "plies": 120,
    },
    "a few pieces, two squares at once, the whole game": {
        "overrides": Overrides(army=SMALL | {"bomb": 2}, two_squares=1, more_squares="game"),
        "front": 20,
        "plies": 120,
    },
    "duel": {"rules": "duel", "front": 20, "plies": 100},
    "original-2000": {"rules": "original-2000"},
    "infiltrator": {
        "rules": "infiltrator",
        "overrides": Overrides(army=SMALL | {"bomb": 2, "infiltrator": 4}),
        "front": 18,
        "plies": 120,
    },
    "clone-wars": {"rules": "clone-wars"},
    "clone-wars-powers": {
        "rules": "clone-wars-powers",
        "overrides": Overrides(army=POWERFUL | {"bomb": 2, "berserker": 3, "marksman": 2}),
        "front": 24,
        "plies": 120,
    },
    "us": {"rules": "us"},
    **{
        " ".join(("us", *options)): {
            "rules": "us",
            "options": options,
            "overrides": Overrides(army=SMALL | {"bomb": 2}, no_attack_plies=0),
            "front": 16,
            "plies": 160,
        }
        for options in [chosen for size in range(1, 4) for chosen in combinations(OPTIONS, size)]
    },
}


class Twins(NamedTuple):
    """Two games that one observer cannot distinguish: the same actions on two deployments."""

    game: object
    seed: int
    observer: str
    deployments: tuple
    """For each of the two games: seat -> deployment."""
    actions: tuple
    """For each of the two games: (seat, action), after the deployments."""

    def start(self):
        """Start a game for either of the two, without deployments."""
        return self.game.start(SeededChance(self.seed))

    def acts(self, which):
        """Return all actions of one of the two games, deployments first: (seat, action)."""
        return [*self.deployments[which].items(), *self.actions[which]]


class Trace(NamedTuple):
    """Knowledge that both players have about a piece, without its rank."""

    home: str
    """The square where it began."""
    moved: bool = False
    ran: bool = False
    """It has moved over more than one square."""
    seen: bool = False
    """Its rank was revealed."""
    returned: bool = False
    """It was captured and came back."""
    rescues: bool = False
    """It has reached the back row and rescued a piece."""
    fought: tuple = ()
    """Attacks against it: (rank index of the attacker, result)."""
    denied: tuple = ()
    """Ranks that were guessed wrong."""


def make_twins(seed, observer, *, rules="original", options=(), overrides=NO_OVERRIDES, front=0, plies=60):
    """Play a random game and pair it with one that the observer cannot distinguish; return None if there is none.

    Two pieces of the opponent exchange their places in the second deployment.
    """
    game = find_game(rules, options, overrides)
    rng = Random(seed)
    play = game.start(SeededChance(seed))
    description = game.describe(play.first)
    deployed = {seat: random_deployment(description, seat, rng, front=front) for seat in SEATS}
    for seat, action in deployed.items():
        play.act(seat, action)
    enemy = OPPONENT[observer]
    hidden = deployed[enemy].pieces
    actions, traces = play_at_random(play, rng, plies, {square: Trace(square) for square in hidden})
    swap = choose_pieces_to_exchange(hidden, traces, game, rng)
    if swap is None:
        return None
    deployments = (deployed, deployed | {enemy: exchange(deployed[enemy], *swap)})
    try:
        return Twins(game, seed, observer, deployments, translate(game, seed, observer, deployments, actions))
    except NotTwins:
        return None


def translate(game, seed, observer, deployments, actions):
    """Return the actions of both games, up to the last moment at which the same question is open in both."""
    plays = [game.start(SeededChance(seed)) for _ in deployments]
    for play, deployed in zip(plays, deployments, strict=True):
        for seat, action in deployed.items():
            play.act(seat, action)
    twin_plays = TwinPlays(*plays, observer)
    first, second = (), ()
    for number, (seat, action) in enumerate(actions, start=1):
        twin_plays.act(seat, action)
        if any(play.outcome for play in plays) or plays[0].phase == plays[1].phase:
            first, second = tuple(actions[:number]), tuple(twin_plays.actions)
        if any(play.outcome for play in plays):
            break
    return first, second


def play_at_random(play, rng, plies, traces):
    """Play on at random; return the actions and the traces of the traced pieces, which are given by square."""
    repetitive = RepetitivePlayer(rng, attacks=0.1)
    powerful = PowerPlayer(rng)
    choose = rng.choice((repetitive.choose, powerful.choose, lambda play: random_action(play, rng)))
    actions, gone, last = [], {}, None
    while play.to_act and len(actions) < plies:
        (seat,) = play.to_act
        action = choose(play)
        actions.append((seat, action))
        trace_attack(play, action, traces)
        captured = list(play.position.captured)
        for addressed in play.act(seat, action):
            match addressed.fact:
                case Placed(_, place) if last in traces:
                    traces[last] = traces[last]._replace(rescues=True)
                    (piece,) = set(captured) - set(play.position.captured)
                    traces[place] = gone.pop(home_of(play, piece))._replace(returned=True)
                case fact:
                    trace_fact(fact, traces, gone)
        last = getattr(action, "dst", None)
    return actions, [*traces.values(), *gone.values()]


def home_of(play, piece):
    """Return the square on which a piece began: pieces are numbered by seat, in board order."""
    seat = SEATS[piece > 100]
    return play.tables.ruleset.board.names[play._deployments[seat][(piece - 1) % 100].square]


def trace_attack(play, action, traces):
    """Record an attack on a traced piece with its result."""
    if isinstance(action, Move) and action.dst in traces:
        square = play.tables.ruleset.board.square
        position = play.position
        attacker, defender = (position.rank[position.board[square[place]]] for place in (action.src, action.dst))
        result = play.tables.fight(attacker, defender)
        trace = traces[action.dst]
        traces[action.dst] = trace._replace(fought=(*trace.fought, (attacker, result)))


def trace_fact(fact, traces, gone):
    """Update the traces (by square, and by home if the piece is captured) after a fact."""
    match fact:
        case Moved(_, src, dst) if src in traces:
            trace = traces.pop(src)
            traces[dst] = trace._replace(moved=True, ran=trace.ran or distance(src, dst) > 1)
        case Revealed(_, place, _) if place in traces:
            traces[place] = traces[place]._replace(seen=True)
        case Guessed(_, _, place, rank, right=False) if place in traces:
            traces[place] = traces[place]._replace(denied=(*traces[place].denied, rank))
        case Removed(_, place) if place in traces:
            trace = traces.pop(place)
            gone[trace.home] = trace


def distance(src, dst):
    return abs(ord(src[0]) - ord(dst[0])) + abs(int(src[1:]) - int(dst[1:]))


def choose_pieces_to_exchange(pieces, traces, game, rng):
    """Choose two unseen pieces of different rank, each able to have done what the other did; None if there are none.

    Pieces that have fought or returned are preferred.
    """
    hidden = [trace for trace in traces if not trace.seen]
    pairs = [
        (one.home, other.home)
        for one in hidden
        for other in hidden
        if one.home < other.home
        and pieces[one.home] != pieces[other.home]
        and can_have_done(pieces[one.home], other, game.tables)
        and can_have_done(pieces[other.home], one, game.tables)
    ]
    eventful = {trace.home for trace in hidden if trace.fought or trace.returned}
    return rng.choice(sorted(pair for pair in pairs if eventful & {*pair}) or sorted(pairs)) if pairs else None


def can_have_done(rank, trace, tables):
    """Return True if a piece of a rank could have moved, fought and returned as in a trace."""
    runs = tables.runs[tables.index[rank]]
    return (
        not ((trace.moved or trace.returned) and rank in IMMOVABLE)
        and not (trace.ran and not runs)
        and not (trace.rescues and runs)
        and rank not in trace.denied
        and all(tables.fight(attacker, tables.index[rank]) == result for attacker, result in trace.fought)
    )


def exchange(deploy, one, other):
    """Exchange two pieces of a deployment; the order in which it is written changes too."""
    pieces = deploy.pieces | {one: deploy.pieces[other], other: deploy.pieces[one]}
    return Deploy(pieces=dict(reversed(pieces.items())))


class NotTwins(Exception):
    """The observer can distinguish the games."""


class TwinPlays:
    """Two games in progress that the observer cannot distinguish; an action in the first is translated for the second.

    A rescue brings the same piece back, whatever its rank is there.  The observer does not learn if the opponent was
    asked for a rescue and declined: if only one of the games asks, the question is declined there.

    Raises NotTwins if the same piece cannot return in the second game: of several captured pieces of a rank the one
    that the observer has not seen returns first, so that the return of a known one shows that there is no other.
    """

    def __init__(self, play, other, observer):
        self.play, self.other, self.observer = play, other, observer
        self.actions = []  # those of the second game

    def act(self, seat, action):
        """Carry out an action in both games; return the facts of each."""
        before = list(self.play.position.captured)
        facts = self.play.act(seat, action)
        if isinstance(action, Rescue) and seat != self.observer:
            (piece,) = set(before) - set(self.play.position.captured)
            action = Rescue(self.other.position.rank_id(piece), action.dst)
            facts_of_other = self._act_in_other(seat, action)
            if piece in self.other.position.captured:
                raise NotTwins
            return facts, facts_of_other
        declined_in_first_only = isinstance(action, Stop) and self.other.phase == "turn"
        other = () if declined_in_first_only else self._act_in_other(seat, action)
        if self.other.phase == "rescue" and self.play.phase == "turn" and seat != self.observer:
            self._act_in_other(seat, Stop())
        return facts, other

    def _act_in_other(self, seat, action):
        self.actions.append((seat, action))
        return self.other.act(seat, action)
