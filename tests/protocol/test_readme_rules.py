"""The rules in short are enough to play by: a bot that knows only them agrees with the arbiter's list of legal moves."""

import pytest
from bot_games import NAMES, connect_in_process, play_game
from msgspec import UNSET

from arbiter.games.catalogue import find_game
from protocol.bot import Player
from protocol.words import RED, SEATS, Deployed, Move, Moved, Placed, Removed, Stop

BOARD_GAMES = [name for name in NAMES if find_game(name).terms(RED).board is not UNSET]
STILL = {"bomb", "flag"}


class Reader(Player):
    """Plays by protocol/README.md, and compares at each turn."""

    def __init__(self, game):
        super().__init__(game)
        self.standing = {}
        self.seen = set()
        self.turns = []  # of each own turn: where the piece stood, where it went, what borders it crossed
        self.runners = {"scout"} | ({"colonel"} if game.rules.id == "clone-wars-powers" else set())

    def hear(self, fact):
        match fact:
            case Deployed(seat, places):
                self.standing.update(dict.fromkeys(places, seat))
            case Moved(_, src, dst):
                self.standing[dst] = self.standing.pop(src)
            case Removed(_, place):
                del self.standing[place]
            case Placed(seat, place):
                self.standing[place] = seat
        self.seen.add(frozenset(self.standing.items()))

    def choose(self, turn):
        if turn.phase != "turn":
            self.turns.append(None)
            return Stop()
        moves = dict(self.moves(turn))
        allowed = {move for move, borders in moves.items() if self.keeps_two_squares(move, borders)}
        safe = {move for move in allowed if self.is_safe(turn, move)}
        legal = {action for action in turn.legal if isinstance(action, Move)}
        assert safe <= legal <= allowed
        move = self.pick(turn, safe or legal)
        self.turns.append((move.src, move.dst, moves[move]))
        return move

    def pick(self, turn, moves):
        """Pick a move that goes on with the last one where there is one, beside an enemy rather: to chase."""
        ranked = sorted(moves, key=lambda move: (move.src, move.dst))
        turn.rng.shuffle(ranked)
        last = self.turns[-1] if self.turns else None
        return max(
            ranked,
            key=lambda move: (
                bool(last) and move.src == last[1] and turn.rng.random() < 0.9,
                move.dst not in turn.enemies,
                self.is_beside_an_enemy(turn, move),
            ),
        )

    def moves(self, turn):
        """List the moves of one step, and of a scout, each with the borders that it crosses."""
        for src, rank in turn.own.items():
            if rank in STILL:
                continue
            for ray in self.game.board.rays[src]:
                crossed = []
                for here, dst in zip((src, *ray), ray, strict=False):
                    crossed.append(frozenset((here, dst)))
                    if dst not in turn.own:
                        yield Move(src, dst), set(crossed)
                    if dst in turn.own or dst in turn.enemies or rank not in self.runners:
                        break

    def keeps_two_squares(self, move, borders):
        limit = self.game.rules.two_squares
        last = self.turns[-limit:]
        if not limit or len(last) < limit or None in last:
            return True
        way = [*[place for src, dst, _ in last for place in (src, dst)][1:], move.src]
        same_piece = all(one == other for one, other in zip(way[::2], way[1::2], strict=True))
        return not (same_piece and borders.intersection(*(crossed for _, _, crossed in last)))

    def is_safe(self, turn, move):
        """Say whether a move keeps more squares for certain."""
        if self.game.rules.more_squares == "off" or move.dst in turn.enemies:
            return True
        after = {place: seat for place, seat in self.standing.items() if place != move.src}
        after[move.dst] = self.game.seat
        return not self.is_beside_an_enemy(turn, move) or frozenset(after.items()) not in self.seen

    def is_beside_an_enemy(self, turn, move):
        return any(place in turn.enemies for place in self.game.board.neighbours[move.dst])


@pytest.mark.parametrize("name", BOARD_GAMES)
def test_the_rules_in_short_are_those_of_the_arbiter(name):
    for seed in range(3):
        play_game(name, {seat: connect_in_process(Reader, "reader") for seat in SEATS}, seed, max_plies=300)
