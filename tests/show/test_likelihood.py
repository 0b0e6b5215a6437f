"""The likelihood of ranks by counting, and the plies after which a rank is certain, in the terminal."""

import pytest
from show.report.sample_reports import GOLDEN

from arbiter.record import read_record
from arbiter.show.replay.likelihood import find_certain_plies, find_likelihoods
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import count_possible_ranks
from protocol.messages import BoardView
from protocol.words import OPPONENT, SEATS, Move

BOARDS = [path for path in GOLDEN if isinstance(Replay(read_record(path.read_bytes())).view(0, "red"), BoardView)]


def read(path):
    return Replay(read_record(path.read_bytes()))


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_the_shares_of_each_rank_are_those_that_are_left(path):
    replay = read(path)
    for number in range(0, len(replay), 7):
        for seat in SEATS:
            view = replay.view(number, OPPONENT[seat])
            shares = find_likelihoods(view, replay.rules, seat, replay.runner_places(number))
            hidden = {piece.place for piece in view.pieces if piece.seat == seat and piece.rank is None}
            assert shares.keys() == hidden
            for each in shares.values():
                assert sum(each.values()) == pytest.approx(1)
            left = count_possible_ranks(view, replay.rules, seat)
            for rank in left:
                assert sum(each.get(rank, 0) for each in shares.values()) <= left[rank] + 1e-6


def list_certain(replay, owner):
    """List by frame the squares of the pieces of a seat whose rank is certain to its opponent."""
    for number in range(len(replay)):
        view, ran = replay.view(number, OPPONENT[owner]), replay.runner_places(number)
        shares = find_likelihoods(view, replay.rules, owner, ran)
        own = [piece for piece in view.pieces if piece.seat == owner]
        yield {piece.place for piece in own if piece.rank or len(shares[piece.place]) == 1}


@pytest.mark.parametrize("viewer", ["arbiter", "red", "spectator"])
@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_plies_are_marked_after_which_one_more_rank_is_certain(path, viewer):
    replay = read(path)
    found = find_certain_plies(replay, viewer)
    for owner in SEATS:
        certain = list(list_certain(replay, owner))
        expected = set()
        for number in range(1, len(replay)):
            entry = replay.act(number).entry
            is_own_move = entry.seat == owner and isinstance(entry.action, Move)
            moved = {entry.action.dst} if is_own_move and entry.action.src in certain[number - 1] else set()
            if owner != viewer and certain[number] - certain[number - 1] - moved:
                expected.add(replay.ply(number))
        assert {ply for ply, owners in found.items() if owner in owners} == expected
