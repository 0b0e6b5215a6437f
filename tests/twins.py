"""Pairs of games that differ only in what one seat cannot know, for the tests of secrecy.

A pair is the same acts on two deployments: two pieces of the seat's opponent have changed places which the
seat has never seen and both of which could have made every move made so far.
"""

from random import Random
from typing import NamedTuple

from games.wanderers import Chaser, deployment, wander

from arbiter.games.catalogue import find_game
from arbiter.games.chance import Seeded
from arbiter.games.overrides import NO_OVERRIDES
from protocol.words import OPPONENT, SEATS, Deploy, Moved, Removed, Revealed

IMMOVABLE = frozenset({"bomb", "flag"})


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
    """What the board shows everyone of a piece: where it is now, whether it moved, whether it ran, whether it was seen."""

    home: str
    moved: bool = False
    ran: bool = False
    seen: bool = False


def twins(seed, observer, *, rules="original", overrides=NO_OVERRIDES, front=0, plies=60):
    """Play a random game and pair it with one that the observer cannot tell from it; None where there is none."""
    game = find_game(rules, overrides=overrides)
    rng = Random(seed)
    play = game.start(Seeded(seed))
    terms = game.terms(play.first)
    deployed = {seat: deployment(terms, seat, rng, front=front) for seat in SEATS}
    for seat, action in deployed.items():
        play.act(seat, action)
    actions, traces = wander_on(
        play, rng, plies, {square: Trace(square) for square in deployed[OPPONENT[observer]].pieces}
    )
    swap = exchangeable(deployed[OPPONENT[observer]].pieces, traces, rng)
    if swap is None:
        return None
    other = deployed | {OPPONENT[observer]: exchanged(deployed[OPPONENT[observer]], *swap)}
    return Twins(game, seed, observer, (deployed, other), tuple(actions))


def wander_on(play, rng, plies, traces):
    """Play on at random; return the acts and what they show of each traced piece, by its home."""
    chooser = Chaser(rng, attacks=0.1)
    choose = rng.choice((chooser.choose, lambda play: wander(play, rng)))
    actions, gone = [], []
    while play.to_act and len(actions) < plies:
        (seat,) = play.to_act
        action = choose(play)
        actions.append((seat, action))
        for told in play.act(seat, action):
            follow(told.fact, traces, gone)
    return actions, [*traces.values(), *gone]


def follow(fact, traces, gone):
    """Follow the traced pieces over the board by what is told."""
    match fact:
        case Moved(_, src, dst) if src in traces:
            trace = traces.pop(src)
            traces[dst] = trace._replace(moved=True, ran=trace.ran or distance(src, dst) > 1)
        case Revealed(_, place, _) if place in traces:
            traces[place] = traces[place]._replace(seen=True)
        case Removed(_, place) if place in traces:
            gone.append(traces.pop(place))


def distance(src, dst):
    return abs(ord(src[0]) - ord(dst[0])) + abs(int(src[1:]) - int(dst[1:]))


def exchangeable(pieces, traces, rng):
    """Find two unseen pieces of different rank, both able to have made all moves of both."""
    hidden = [trace for trace in traces if not trace.seen]
    pairs = [
        (one.home, other.home)
        for one in hidden
        for other in hidden
        if one.home < other.home
        and pieces[one.home] != pieces[other.home]
        and able(pieces[one.home], other)
        and able(pieces[other.home], one)
    ]
    return rng.choice(sorted(pairs)) if pairs else None


def able(rank, trace):
    """Say whether a piece of a rank could have moved as a trace shows."""
    return not (trace.moved and rank in IMMOVABLE) and not (trace.ran and rank != "scout")


def exchanged(deploy, one, other):
    """Exchange two pieces of a deployment, which is then written in another order too."""
    pieces = deploy.pieces | {one: deploy.pieces[other], other: deploy.pieces[one]}
    return Deploy(pieces=dict(reversed(pieces.items())))
