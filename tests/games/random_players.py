"""Random deployments and random players: some prefer repetitions, some prefer powers."""

from random import Random

from msgspec import UNSET

from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import NO_OVERRIDES
from protocol.words import OPPONENT, SEATS, Deploy, Move, Stop

STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))


def random_deployment(description, seat, rng, *, front=0):
    """Deploy the army at random; with `front`, on that many squares nearest to the enemy."""
    squares = list(description.deploy[seat])
    if front:
        squares = squares[-front:] if seat == "red" else squares[:front]
    rng.shuffle(squares)
    ranks = [rank for rank, count in description.army.items() for _ in range(count)]
    return Deploy(pieces=dict(zip(squares, ranks, strict=False)))


def start_game(rules, seed, *, options=(), overrides=NO_OVERRIDES, front=0):
    """Start a game of a rule set and deploy both armies at random; return it and the facts of each deployment."""
    game = find_game(rules, options, overrides)
    play = game.start(SeededChance(seed))
    rng = Random(seed)
    description = game.describe(play.first)
    facts = [play.act(seat, random_setup(play, description, seat, rng, front=front)) for seat in SEATS]
    return play, facts


def random_setup(play, description, seat, rng, *, front=0):
    """Deploy at random: an army on a board, or a line of cards."""
    return (
        random_line(play, seat, rng)
        if description.deploy is UNSET
        else random_deployment(description, seat, rng, front=front)
    )


def random_line(play, seat, rng):
    """Lay random cards of the hand into the line."""
    side = play.sides[seat]
    hand = [f"hand:{number}" for number in range(len(side.hand))]
    return Deploy(line=rng.sample(hand, min(len(side.line), len(hand))))


def random_action(play, rng):
    """Choose any legal action; after a regroup, any deployment."""
    (seat,) = play.to_act
    if play.phase == "setup":
        return random_line(play, seat, rng)
    return rng.choice(play.legal_actions(seat))


class RepetitivePlayer:
    """A player that moves back and forth, stays next to enemies, runs away from them and rarely attacks."""

    def __init__(self, rng, *, attacks=0.02):
        self.rng = rng
        self.attacks = attacks
        self.last = dict.fromkeys(SEATS)

    def choose(self, play):
        """Choose a legal move, preferably a repetitive one; within a turn, any action."""
        (seat,) = play.to_act
        if play.phase != "turn":
            return self.rng.choice(play.legal_actions(seat))
        moves = [action for action in play.legal_actions(seat) if isinstance(action, Move)]
        enemies = {place for place, piece in seats_by_square(play).items() if piece == OPPONENT[seat]}
        peaceful = [move for move in moves if move.dst not in enemies]
        if peaceful and self.rng.random() >= self.attacks:
            moves = peaceful
        move = self.rng.choices(moves, [self.weight(seat, move, enemies) for move in moves])[0]
        self.last[OPPONENT[seat]], self.last[seat] = self.last[OPPONENT[seat]], move
        return move

    def weight(self, seat, move, enemies):
        """Prefer going back, chasing the piece that just evaded, and evading the piece that just came."""
        mine, theirs = self.last[seat], self.last[OPPONENT[seat]]
        returns = mine is not None and (move.dst, move.src) == (mine.src, mine.dst)
        chases = theirs is not None and theirs.dst in neighbours(move.dst)
        evades = theirs is not None and theirs.dst in neighbours(move.src) and not chases
        return 1 + 3 * returns + 4 * bool(neighbours(move.dst) & enemies) + 40 * chases + 40 * evades


def seats_by_square(play):
    names = play.tables.ruleset.board.names
    return {names[piece.square]: piece.seat for piece in play.position.placed_pieces()}


def neighbours(square):
    """Return the names next to a square, including lakes and squares off the board."""
    file, row = ord(square[0]), int(square[1:])
    return {f"{chr(file + right)}{row + up}" for right, up in STEPS}


class PowerPlayer:
    """A player that moves forward, attacks and uses powers; at least half of its guesses are right."""

    def __init__(self, rng, *, powers=0.4):
        self.rng = rng
        self.powers = powers

    def choose(self, play):
        """Choose among all legal actions."""
        (seat,) = play.to_act
        actions = play.legal_actions(seat)
        special = [action for action in actions if not isinstance(action, Move | Stop)]
        if play.phase != "turn":
            return self.rng.choice(
                [Stop()] if self.rng.random() < 0.25 else [action for action in actions if action != Stop()]
            )
        if special and self.rng.random() < self.powers:
            return self.rng.choice(special if self.rng.random() < 0.5 else right_guesses(play, special))
        return self.step(play, seat, [action for action in actions if isinstance(action, Move)])

    def step(self, play, seat, moves):
        """Prefer attacks and moves forward."""
        enemies = {place for place, piece in seats_by_square(play).items() if piece == OPPONENT[seat]}
        ahead, goal = (1, "10") if seat == "red" else (-1, "1")
        weights = [
            1
            + 12 * (move.dst in enemies)
            + 4 * (ahead * (int(move.dst[1:]) - int(move.src[1:])) > 0)
            + 20 * (move.dst[1:] == goal != move.src[1:])
            for move in moves
        ]
        return self.rng.choices(moves, weights)[0]


def right_guesses(play, actions):
    """Leave out wrong guesses if there are other actions."""
    names = play.tables.ruleset.board.names
    ranks = {names[piece.square]: piece.rank for piece in play.position.placed_pieces()}
    right = [action for action in actions if getattr(action, "rank", None) in (None, ranks.get(action.dst))]
    return right or actions
