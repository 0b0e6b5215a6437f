"""What a bot believes of hidden pieces: chances that add up, and never exclude what is true."""

from collections import Counter

import pytest
from chairs import BOARD_GAMES, in_process, new_game, play_game
from hypothesis import given
from hypothesis import strategies as st

from protocol.bot import Player
from protocol.words import BLUE, RED, SEATS, Attacked, Deployed, Moved, Removed, Revealed
from sample_bots.beliefs import STILL, Beliefs, balance

ROWS = [f"{file}{row}" for row in (7, 8, 9, 10) for file in "abcdefghij"]


def believer(name="original"):
    """Begin to believe, as red, when blue stands on its rows."""
    beliefs = Beliefs(new_game(name))
    beliefs.follow([Deployed(BLUE, ROWS[: sum(beliefs.army.values())])], {})
    return beliefs


def summed(chances):
    return sum((Counter(chance) for chance in chances.values()), Counter())


def test_at_first_the_chances_are_the_army_and_follow_the_book():
    chances = believer().chances(Counter())
    assert summed(chances) == pytest.approx(believer().army, rel=0.02)
    assert chances["a10"]["flag"] > 5 * chances["a7"].get("flag", 0)
    assert chances["a7"]["scout"] > chances["a9"]["scout"]


def test_who_has_moved_is_no_bomb_and_no_flag_and_who_has_run_is_a_scout():
    beliefs = believer()
    beliefs.follow([Moved(BLUE, "a7", "a6"), Moved(BLUE, "b7", "b5")], {})
    chances = beliefs.chances(Counter())
    assert chances["a6"].keys().isdisjoint(STILL)
    assert chances["b5"]["scout"] > 0.9


def test_a_piece_that_was_seen_stays_known_where_it_goes():
    beliefs = believer()
    beliefs.follow([Revealed(BLUE, "a7", "general"), Moved(BLUE, "a7", "a6")], {})
    chances = beliefs.chances(Counter())
    assert chances["a6"] == {"general": 1}
    assert not any("general" in chance for place, chance in chances.items() if place != "a6")


def after(news, own):
    """Believe after red's major has shown itself and blue has moved."""
    beliefs = believer()
    beliefs.follow([Attacked(RED, "a5", "b5"), *news], own)
    return beliefs.chances(Counter())


def beating_a_major(chance):
    return sum(chance.get(rank, 0) for rank in ("colonel", "general", "marshal"))


def test_who_comes_close_to_a_known_piece_is_strong_and_who_goes_away_is_weak():
    elsewhere = after([Moved(BLUE, "a7", "a6")], {"j4": "major"})["a6"]
    close = after([Moved(BLUE, "a7", "a6")], {"a5": "major"})["a6"]
    assert beating_a_major(close) > 1.5 * beating_a_major(elsewhere)
    gone = after([Moved(BLUE, "a7", "a6"), Moved(BLUE, "a6", "b6")], {"a5": "major"})["b6"]
    assert beating_a_major(gone) < beating_a_major(elsewhere)


def test_who_neither_strikes_nor_flees_is_rather_a_bomb():
    beside, apart = (after([Moved(BLUE, "j7", "j6")], {place: "major"})["a7"] for place in ("a6", "a3"))
    beliefs = believer()
    beliefs.shown = {"a6"}
    beliefs.follow([Moved(BLUE, "j7", "j6")], {"a6": "major"})
    assert beliefs.chances(Counter())["a7"]["bomb"] > 1.1 * apart["bomb"]
    assert beside == apart  # the enemy does not know the piece on a6


def test_a_captive_of_whom_nothing_was_told_still_counts():
    beliefs = believer()
    beliefs.follow([Removed(BLUE, "a7")], {})
    assert summed(beliefs.chances(Counter(unknown=1))).total() == pytest.approx(39, abs=0.1)
    assert summed(beliefs.chances(Counter(unknown=1)))["marshal"] < 1


class Random(Player):
    """Plays anything, and compares what it believes with what is true."""

    def __init__(self, game):
        super().__init__(game)
        self.beliefs = Beliefs(game)

    def choose(self, turn):
        lost = Counter(turn.view.captured[self.game.enemy])
        self.beliefs.follow(turn.news, turn.own)
        self.compare(turn, self.beliefs.chances(lost), lost)
        return turn.rng.choice(turn.legal)

    def compare(self, turn, chances, lost):
        foe = self.chairs[self.game.enemy]._fold.view()
        true = {piece.place: piece.rank for piece in foe.pieces if piece.seat == self.game.enemy}
        assert chances.keys() == true.keys()
        assert all(chances[place].get(rank, 0) > 0 for place, rank in true.items())
        assert all(sum(chance.values()) == pytest.approx(1, abs=0.02) for chance in chances.values())
        assert all(chances[place].keys().isdisjoint(STILL) for place in turn.movers)
        assert all(chances[place] == {rank: 1} for place, rank in turn.enemies.items() if rank)
        if not lost["unknown"]:
            left = Counter(true.values())
            believed = summed(chances)
            assert all(abs(believed[rank] - left[rank]) < max(1, left[rank]) for rank in left)


@pytest.mark.parametrize("name", BOARD_GAMES)
def test_beliefs_add_up_and_never_exclude_the_truth(name):
    chairs = {}
    player = type("Believer", (Random,), {"chairs": chairs})
    chairs.update((seat, in_process(player, seat)) for seat in SEATS)
    play_game(name, chairs, seed=5, max_plies=400)


@given(st.data())
def test_balancing_brings_rows_to_one_and_columns_to_what_is_left(data):
    left = data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=6))
    weight = st.floats(0.2, 5)
    table = data.draw(
        st.lists(st.lists(weight, min_size=len(left), max_size=len(left)), min_size=sum(left), max_size=sum(left))
    )
    balanced = balance(table, left)
    assert [sum(row) for row in balanced] == pytest.approx([1] * sum(left))
    assert [sum(column) for column in zip(*balanced, strict=True)] == pytest.approx(left, rel=0.1)
