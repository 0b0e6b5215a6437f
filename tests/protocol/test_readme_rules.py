"""The short rules in the README are sufficient: a bot that knows only them agrees with the arbiter on legal moves."""

import pytest
from bot_games import BOARD_GAMES, connect_in_process, play_game

from protocol.bot import Player
from protocol.words import SEATS, Deployed, Move, Moved, Placed, Removed, Stop

IMMOVABLE = {"bomb", "flag"}


class ReadmePlayer(Player):
    """Plays by the rules of protocol/README.md, and compares its moves with the legal ones in each turn."""

    def __init__(self, game):
        super().__init__(game)
        self.seat_at = {}
        self.positions = set()
        self.turns = []  # for each own turn: source, destination, crossed borders
        self.long_movers = {"scout"} | ({"colonel"} if game.rules.id == "clone-wars-powers" else set())

    def hear(self, fact):
        match fact:
            case Deployed(seat, places):
                self.seat_at.update(dict.fromkeys(places, seat))
            case Moved(_, src, dst):
                self.seat_at[dst] = self.seat_at.pop(src)
            case Removed(_, place):
                del self.seat_at[place]
            case Placed(seat, place):
                self.seat_at[place] = seat
        self.positions.add(frozenset(self.seat_at.items()))

    def choose(self, turn):
        if turn.phase != "turn":
            self.turns.append(None)
            return Stop()
        moves = dict(self.list_moves(turn))
        allowed = {move for move, borders in moves.items() if self.obeys_two_squares(move, borders)}
        safe = {move for move in allowed if self.is_safe(turn, move)}
        legal = {action for action in turn.legal if isinstance(action, Move)}
        assert safe <= legal <= allowed
        move = self.choose_move(turn, safe or legal)
        self.turns.append((move.src, move.dst, moves[move]))
        return move

    def choose_move(self, turn, moves):
        """Choose a move that continues the last one if possible, preferably next to an enemy piece, to chase it."""
        ranked = sorted(moves, key=lambda move: (move.src, move.dst))
        turn.rng.shuffle(ranked)
        last = self.turns[-1] if self.turns else None
        return max(
            ranked,
            key=lambda move: (
                bool(last) and move.src == last[1] and turn.rng.random() < 0.9,
                move.dst not in turn.enemies,
                self.is_next_to_an_enemy(turn, move),
            ),
        )

    def list_moves(self, turn):
        """Yield all moves of one step and of scouts, each with the borders that it crosses."""
        for src, rank in turn.own.items():
            if rank in IMMOVABLE:
                continue
            for ray in self.game.board.rays[src]:
                crossed = []
                for here, dst in zip((src, *ray), ray, strict=False):
                    crossed.append(frozenset((here, dst)))
                    if dst not in turn.own:
                        yield Move(src, dst), set(crossed)
                    if dst in turn.own or dst in turn.enemies or rank not in self.long_movers:
                        break

    def obeys_two_squares(self, move, borders):
        limit = self.game.rules.two_squares
        last = self.turns[-limit:]
        if not limit or len(last) < limit or None in last:
            return True
        path = [*[place for src, dst, _ in last for place in (src, dst)][1:], move.src]
        same_piece = all(one == other for one, other in zip(path[::2], path[1::2], strict=True))
        return not (same_piece and borders.intersection(*(crossed for _, _, crossed in last)))

    def is_safe(self, turn, move):
        """Return True if a move certainly obeys the more-squares rule."""
        if self.game.rules.more_squares == "off" or move.dst in turn.enemies:
            return True
        after = {place: seat for place, seat in self.seat_at.items() if place != move.src}
        after[move.dst] = self.game.seat
        return not self.is_next_to_an_enemy(turn, move) or frozenset(after.items()) not in self.positions

    def is_next_to_an_enemy(self, turn, move):
        return any(place in turn.enemies for place in self.game.board.neighbours[move.dst])


@pytest.mark.parametrize("name", BOARD_GAMES)
def test_the_short_rules_agree_with_the_arbiter(name):
    for seed in range(2):
        play_game(name, {seat: connect_in_process(ReadmePlayer, "readme") for seat in SEATS}, seed, max_plies=200)
