"""Random games: armies set up at random, and players that love what the repetition rules forbid."""

from random import Random

from arbiter.games.catalogue import find_game
from arbiter.games.chance import Seeded
from protocol.words import OPPONENT, SEATS, Deploy

STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))


def deployment(terms, seat, rng, *, front=0):
    """Set the army up at random; with `front`, on that many squares nearest to the enemy."""
    squares = list(terms.deploy[seat])
    if front:
        squares = squares[-front:] if seat == "red" else squares[:front]
    rng.shuffle(squares)
    ranks = [rank for rank, count in terms.army.items() for _ in range(count)]
    return Deploy(pieces=dict(zip(squares, ranks, strict=False)))


def new_game(rules, seed, *, overrides=None, front=0):
    """Start a game of a rule set and deploy both armies at random; return it and what was told."""
    game = find_game(rules) if overrides is None else find_game(rules, overrides=overrides)
    play = game.start(Seeded(seed))
    rng = Random(seed)
    terms = game.terms(play.first)
    told = [play.act(seat, deployment(terms, seat, rng, front=front)) for seat in SEATS]
    return play, told


def wander(play, rng):
    """Choose any legal action."""
    (seat,) = play.to_act
    return rng.choice(play.legal(seat))


class Chaser:
    """A player that goes back the way it came, stays beside enemies, runs from them and seldom attacks."""

    def __init__(self, rng, *, attacks=0.02):
        self.rng = rng
        self.attacks = attacks
        self.last = dict.fromkeys(SEATS)

    def choose(self, play):
        """Choose among the legal moves, the repetitive ones first."""
        (seat,) = play.to_act
        moves = play.legal(seat)
        enemies = {place for place, piece in places(play).items() if piece == OPPONENT[seat]}
        peaceful = [move for move in moves if move.dst not in enemies]
        if peaceful and self.rng.random() >= self.attacks:
            moves = peaceful
        move = self.rng.choices(moves, [self.weight(seat, move, enemies) for move in moves])[0]
        self.last[OPPONENT[seat]], self.last[seat] = self.last[OPPONENT[seat]], move
        return move

    def weight(self, seat, move, enemies):
        """Prefer going back, hunting on the piece that just fled, and fleeing from the piece that just came."""
        mine, theirs = self.last[seat], self.last[OPPONENT[seat]]
        returns = mine is not None and (move.dst, move.src) == (mine.src, mine.dst)
        hunts = theirs is not None and theirs.dst in around(move.dst)
        flees = theirs is not None and theirs.dst in around(move.src) and not hunts
        return 1 + 3 * returns + 4 * bool(around(move.dst) & enemies) + 40 * hunts + 40 * flees


def places(play):
    """Return who stands where."""
    names = play.tables.ruleset.board.names
    return {names[standing.square]: standing.seat for standing in play.standings()}


def around(square):
    """Return the names beside a square, lakes and the void included."""
    file, row = ord(square[0]), int(square[1:])
    return {f"{chr(file + right)}{row + up}" for right, up in STEPS}
