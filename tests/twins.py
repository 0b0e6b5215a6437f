"""Pairs of games that differ only in what one seat cannot know, for the tests of secrecy.

A pair is the same acts on two deployments: two pieces of the seat's opponent have changed places which the
seat has never seen and both of which could have made every move made so far.
"""

from itertools import combinations
from random import Random
from typing import NamedTuple

from games.wanderers import Chaser, PowerLover, deployment, wander

from arbiter.games.catalogue import find_game
from arbiter.games.chance import Seeded
from arbiter.games.ruleset import NO_OVERRIDES, Overrides
from protocol.words import OPPONENT, SEATS, Deploy, Guessed, Move, Moved, Placed, Removed, Rescue, Revealed, Stop

IMMOVABLE = frozenset({"bomb", "flag"})

# What secrecy is tried with: arguments of `twins`, small armies close together where powers are to meet.
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
    """Two games for one observer: `deployments` of each, and the acts that both are played with."""

    game: object
    seed: int
    observer: str
    deployments: tuple
    actions: tuple

    def start(self):
        """Start a game for either of the two, not yet deployed."""
        return self.game.start(Seeded(self.seed))

    def acts(self, which):
        """Return all acts of one of the two games, deployments first: (seat, action)."""
        return [*self.deployments[which].items(), *self.actions]


class Trace(NamedTuple):
    """What the board shows everyone of a piece, by the square it began on.

    `fought` holds the attacks it has withstood or not, each as attacker's rank and verdict; `denied` are the
    ranks that it was wrongly taken for; `rescues` says whether it has reached the back row and rescued.
    """

    home: str
    moved: bool = False
    ran: bool = False
    seen: bool = False
    returned: bool = False
    rescues: bool = False
    fought: tuple = ()
    denied: tuple = ()


def twins(seed, observer, *, rules="original", options=(), overrides=NO_OVERRIDES, front=0, plies=60):
    """Play a random game and pair it with one that the observer cannot tell from it; None where there is none."""
    game = find_game(rules, options, overrides)
    rng = Random(seed)
    play = game.start(Seeded(seed))
    terms = game.describe(play.first)
    deployed = {seat: deployment(terms, seat, rng, front=front) for seat in SEATS}
    for seat, action in deployed.items():
        play.act(seat, action)
    hidden = deployed[OPPONENT[observer]].pieces
    actions, traces = wander_on(play, rng, plies, {square: Trace(square) for square in hidden})
    swap = exchangeable(hidden, traces, game, rng)
    if swap is None:
        return None
    other = deployed | {OPPONENT[observer]: exchanged(deployed[OPPONENT[observer]], *swap)}
    return Twins(game, seed, observer, (deployed, other), tuple(actions))


def wander_on(play, rng, plies, traces):
    """Play on at random; return the acts and what they show of each traced piece, by its home."""
    chaser, lover = Chaser(rng, attacks=0.1), PowerLover(rng)
    choose = rng.choice((chaser.choose, lover.choose, lambda play: wander(play, rng)))
    actions, gone, last = [], {}, None
    while play.to_act and len(actions) < plies:
        (seat,) = play.to_act
        action = choose(play)
        actions.append((seat, action))
        note_fight(play, action, traces)
        captured = list(play.position.captured)
        for told in play.act(seat, action):
            match told.fact:
                case Placed(_, place) if last in traces:
                    traces[last] = traces[last]._replace(rescues=True)
                    (home,) = {home_of(play, piece) for piece in captured} - {
                        home_of(play, piece) for piece in play.position.captured
                    }
                    traces[place] = gone.pop(home)._replace(returned=True)
                case _:
                    follow(told.fact, traces, gone)
        last = getattr(action, "dst", None)
    return actions, [*traces.values(), *gone.values()]


def home_of(play, piece):
    """Name the square a piece began on: pieces are numbered by seat, in board order."""
    seat = SEATS[piece > 100]
    return play.tables.ruleset.board.names[play._deployments[seat][(piece - 1) % 100].square]


def note_fight(play, action, traces):
    """Note on a traced piece that it is attacked: it stays, falls or ties, whether its rank is told or not."""
    if isinstance(action, Move) and action.dst in traces:
        square = play.tables.ruleset.board.square
        attacker, defender = (
            play.position.rank[play.position.board[square[place]]] for place in (action.src, action.dst)
        )
        verdict = play.tables.fight(attacker, defender).result
        trace = traces[action.dst]
        traces[action.dst] = trace._replace(fought=(*trace.fought, (attacker, verdict)))


def follow(fact, traces, gone):
    """Follow the traced pieces over the board by what is told."""
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


def exchangeable(pieces, traces, game, rng):
    """Find two unseen pieces of different rank, both able to have done all that both have; best with a story."""
    hidden = [trace for trace in traces if not trace.seen]
    tables = game.start(Seeded(0)).tables
    pairs = [
        (one.home, other.home)
        for one in hidden
        for other in hidden
        if one.home < other.home
        and pieces[one.home] != pieces[other.home]
        and able(pieces[one.home], other, tables)
        and able(pieces[other.home], one, tables)
    ]
    storied = {trace.home for trace in hidden if trace.fought or trace.returned}
    return rng.choice(sorted(pair for pair in pairs if storied & {*pair}) or sorted(pairs)) if pairs else None


def able(rank, trace, tables):
    """Say whether a piece of a rank could have moved, fought and come back as a trace shows."""
    runs = tables.runs[tables.index[rank]]
    return (
        not ((trace.moved or trace.returned) and rank in IMMOVABLE)
        and not (trace.ran and not runs)
        and not (trace.rescues and runs)
        and rank not in trace.denied
        and all(tables.fight(attacker, tables.index[rank]).result == verdict for attacker, verdict in trace.fought)
    )


def exchanged(deploy, one, other):
    """Exchange two pieces of a deployment, which is then written in another order too."""
    pieces = deploy.pieces | {one: deploy.pieces[other], other: deploy.pieces[one]}
    return Deploy(pieces=dict(reversed(pieces.items())))


class Shadow:
    """The other game of a pair: it does what the first does, where the opponent's hidden pieces allow the same.

    A rescue brings the same piece back, whatever it is there.  Whether the opponent is asked for one is hidden
    from the observer, who is told nothing where it is declined: so a question is declined or left out.
    """

    def __init__(self, play, other, observer):
        self.play, self.other, self.observer = play, other, observer

    def act(self, seat, action):
        """Play an act in both games; return what was told in each."""
        if self.other.phase == "rescue" and seat != self.observer and not isinstance(action, Rescue | Stop):
            raise AssertionError("a question of the other game is still open")
        before = list(self.play.position.captured)
        told = self.play.act(seat, action)
        if isinstance(action, Rescue) and seat != self.observer:
            (piece,) = set(before) - set(self.play.position.captured)
            action = Rescue(self.other.position.rank_id(piece), action.dst)
        skipped = isinstance(action, Stop) and self.other.phase == "turn"
        other = () if skipped else self.other.act(seat, action)
        if self.other.phase == "rescue" and self.play.phase == "turn" and seat != self.observer:
            self.other.act(seat, Stop())
        return told, other
