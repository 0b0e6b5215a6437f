"""Estimates of hidden pieces: the chances add up, and no true rank is ever excluded."""

from collections import Counter

import pytest
from bot_games import BOARD_GAMES, connect_in_process, new_game, play_game
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.bot import Player
from protocol.words import BLUE, RED, SEATS, Attacked, Deployed, Moved, Removed, Revealed
from sample_bots.beliefs import IMMOVABLE, Beliefs, balance

ROWS = [f"{file}{row}" for row in (7, 8, 9, 10) for file in "abcdefghij"]


def new_beliefs(name="original"):
    """Return the estimates of red once blue has deployed on its rows."""
    beliefs = Beliefs(new_game(name))
    beliefs.follow([Deployed(BLUE, ROWS[: sum(beliefs.army.values())])], {})
    return beliefs


def sum_chances(chances):
    """Return the expected number of pieces of each rank."""
    return sum((Counter(chance) for chance in chances.values()), Counter())


def test_at_the_start_the_chances_add_up_to_the_army_and_follow_the_book():
    chances = new_beliefs().estimate(Counter())
    assert sum_chances(chances) == pytest.approx(new_beliefs().army, rel=0.02)
    assert chances["a10"]["flag"] > 5 * chances["a7"].get("flag", 0)
    assert chances["a7"]["scout"] > chances["a9"]["scout"]


def test_a_position_without_hidden_pieces_has_nothing_to_estimate():
    """A game from a position can have fewer pieces than the army."""
    beliefs = Beliefs(new_game("original"))
    beliefs.follow([Deployed(BLUE, ["a10"]), Revealed(BLUE, "a10", "flag")], {})
    assert beliefs.estimate(Counter()) == {"a10": {"flag": 1.0}}


def test_a_moved_piece_is_no_bomb_or_flag_and_one_that_moved_far_is_a_scout():
    beliefs = new_beliefs()
    beliefs.follow([Moved(BLUE, "a7", "a6"), Moved(BLUE, "b7", "b5")], {})
    chances = beliefs.estimate(Counter())
    assert chances["a6"].keys().isdisjoint(IMMOVABLE)
    assert chances["b5"]["scout"] > 0.9


def test_a_revealed_piece_stays_known_when_it_moves():
    beliefs = new_beliefs()
    beliefs.follow([Revealed(BLUE, "a7", "general"), Moved(BLUE, "a7", "a6")], {})
    chances = beliefs.estimate(Counter())
    assert chances["a6"] == {"general": 1}
    assert not any("general" in chance for place, chance in chances.items() if place != "a6")


def estimate_after(news, own):
    """Return the estimates after the rank of red's major was shown and blue has moved."""
    beliefs = new_beliefs()
    beliefs.follow([Attacked(RED, "a5", "b5"), *news], own)
    return beliefs.estimate(Counter())


def sum_chances_to_beat_a_major(chance):
    return sum(chance.get(rank, 0) for rank in ("colonel", "general", "marshal"))


def test_a_piece_that_approaches_a_known_piece_is_strong_and_one_that_retreats_is_weak():
    elsewhere = estimate_after([Moved(BLUE, "a7", "a6")], {"j4": "major"})["a6"]
    close = estimate_after([Moved(BLUE, "a7", "a6")], {"a5": "major"})["a6"]
    assert sum_chances_to_beat_a_major(close) > 1.5 * sum_chances_to_beat_a_major(elsewhere)
    gone = estimate_after([Moved(BLUE, "a7", "a6"), Moved(BLUE, "a6", "b6")], {"a5": "major"})["b6"]
    assert sum_chances_to_beat_a_major(gone) < sum_chances_to_beat_a_major(elsewhere)


def test_a_piece_that_neither_attacks_nor_flees_is_more_likely_a_bomb():
    adjacent, apart = (estimate_after([Moved(BLUE, "j7", "j6")], {place: "major"})["a7"] for place in ("a6", "a3"))
    beliefs = new_beliefs()
    beliefs.exposed = {"a6"}
    beliefs.follow([Moved(BLUE, "j7", "j6")], {"a6": "major"})
    assert beliefs.estimate(Counter())["a7"]["bomb"] > 1.1 * apart["bomb"]
    assert adjacent == apart  # the enemy does not know the piece on a6


def test_a_captured_piece_of_unknown_rank_still_counts():
    beliefs = new_beliefs()
    beliefs.follow([Removed(BLUE, "a7")], {})
    assert sum_chances(beliefs.estimate(Counter(unknown=1))).total() == pytest.approx(39, abs=0.1)
    assert sum_chances(beliefs.estimate(Counter(unknown=1)))["marshal"] < 1


class CheckedRandomPlayer(Player):
    """Plays random actions and compares its estimates with the true position."""

    def __init__(self, game):
        super().__init__(game)
        self.beliefs = Beliefs(game)

    def choose(self, turn):
        lost = Counter(turn.view.captured[self.game.enemy])
        self.beliefs.follow(turn.news, turn.own)
        self.compare(turn, self.beliefs.estimate(lost), lost)
        return turn.rng.choice(turn.legal)

    def compare(self, turn, chances, lost):
        foe = self.bots[self.game.enemy].knowledge.view()
        true = {piece.place: piece.rank for piece in foe.pieces if piece.seat == self.game.enemy}
        assert chances.keys() == true.keys()
        assert all(chances[place].get(rank, 0) > 0 for place, rank in true.items())
        assert all(sum(chance.values()) == pytest.approx(1, abs=0.02) for chance in chances.values())
        assert all(chances[place].keys().isdisjoint(IMMOVABLE) for place in turn.movers)
        assert all(chances[place] == {rank: 1} for place, rank in turn.enemies.items() if rank)
        if not lost["unknown"]:
            left = Counter(true.values())
            estimated = sum_chances(chances)
            assert all(abs(estimated[rank] - left[rank]) < max(1, left[rank]) for rank in left)


@pytest.mark.parametrize("name", BOARD_GAMES)
@pytest.mark.heavy(keep=1)
@pytest.mark.slow(keep=2)
def test_estimates_add_up_and_never_exclude_the_true_rank(name):
    bots = {}
    player = type("Checked", (CheckedRandomPlayer,), {"bots": bots})
    bots.update((seat, connect_in_process(player, seat)) for seat in SEATS)
    play_game(name, bots, seed=5, max_plies=200)


@settings(max_examples=30)
@given(st.data())
def test_balancing_scales_rows_to_one_and_columns_to_the_pieces_left(data):
    left = data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=6))
    weight = st.floats(0.2, 5)
    table = data.draw(
        st.lists(st.lists(weight, min_size=len(left), max_size=len(left)), min_size=sum(left), max_size=sum(left))
    )
    balanced = balance(table, left)
    assert [sum(row) for row in balanced] == pytest.approx([1] * sum(left))
    assert [sum(column) for column in zip(*balanced, strict=True)] == pytest.approx(left, rel=0.1)
