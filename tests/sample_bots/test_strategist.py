"""The strategist's search: its choices, and its limits on time and positions."""

from itertools import count
from types import SimpleNamespace

import pytest
from bot_games import connect_in_process, new_game, play_game
from hypothesis import given
from hypothesis import strategies as st

from protocol.words import BLUE, RED
from sample_bots.fights import Foe, value
from sample_bots.random_player import choose
from sample_bots.strategist import MAX_NODES, MAX_SECONDS, PART_OF_BANK, PART_OF_TURN, Strategist, allowed_seconds

GAME = new_game()


def new_strategist():
    """Return a player that has just seen an attack, and that does not search."""
    player = Strategist(GAME)
    player.caution = 1.0
    player.depth = 0
    player.nodes = 0
    return player


def known(**ranks):
    return {place: Foe({rank: 1.0}, GAME) for place, rank in ranks.items()}


def own(**ranks):
    return {place: (rank, True) for place, rank in ranks.items()}


COLONEL = known(a5="colonel")
BLOCKED_MAJOR = own(a4="major", a3="bomb", b4="bomb")


def test_it_expects_the_loss_of_a_piece_that_the_enemy_can_take():
    assert new_strategist().expect(own(a4="major"), COLONEL) == pytest.approx(-value("major"), rel=0.1)
    assert new_strategist().expect(own(a4="bomb"), COLONEL) >= 0
    assert new_strategist().expect(own(b4="major"), COLONEL) == 0


def test_it_flees_if_it_can():
    assert new_strategist().search_own_turn(own(a4="major"), COLONEL, 1) > -1
    assert new_strategist().search_own_turn(BLOCKED_MAJOR, COLONEL, 1) < -0.8 * value("major")


def test_it_attacks_a_piece_that_it_beats_unless_that_piece_is_guarded():
    general = own(a4="general")
    assert new_strategist().search_own_turn(general, COLONEL, 1) > 0.8 * value("colonel")
    assert new_strategist().search_own_turn(general, COLONEL | known(a6="marshal"), 1) < 1


def test_it_finds_a_recapture_two_turns_ahead():
    guarded = BLOCKED_MAJOR | own(b4="general")
    assert new_strategist().search_enemy_turn(guarded, COLONEL, 0) == new_strategist().search_enemy_turn(
        BLOCKED_MAJOR, COLONEL, 0
    )
    assert (
        new_strategist().search_enemy_turn(guarded, COLONEL, 2)
        > new_strategist().search_enemy_turn(BLOCKED_MAJOR, COLONEL, 2) + 1
    )


def test_an_unknown_enemy_branches_into_its_possible_ranks():
    unknown = {"a5": Foe({"colonel": 0.5, "scout": 0.5}, GAME)}
    ends = [
        new_strategist().search_enemy_turn(BLOCKED_MAJOR, foes, 0) for foes in (COLONEL, unknown, known(a5="scout"))
    ]
    assert ends == sorted(ends)
    assert ends[0] < ends[1] < ends[2]


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("tick", [0.001, 0, 0.05])
def test_a_search_never_exceeds_its_budget(monkeypatch, tick):
    clock = count()
    monkeypatch.setattr("sample_bots.strategist.process_time", lambda: next(clock) * tick)
    searches = []

    class Timed(Strategist):
        def find_best(self, turn):
            before = next(clock)
            action = super().find_best(turn)
            searches.append(((next(clock) - before) * tick, self.nodes))
            return action

    play_game(
        "original",
        {RED: connect_in_process(Timed, "timed"), BLUE: connect_in_process(choose, "random")},
        seed=2,
        max_plies=50,
    )
    assert max(seconds for seconds, _ in searches) <= MAX_SECONDS + 5 * tick
    assert max(nodes for _, nodes in searches) <= MAX_NODES + 1


def test_a_busy_machine_does_not_change_the_game(monkeypatch):
    monkeypatch.setattr("sample_bots.strategist.process_time", lambda: 0.0)

    def play_with_clock(tick):
        clock = count()
        monkeypatch.setattr("protocol.bot.game.perf_counter", lambda: next(clock) * tick)
        bots = {RED: connect_in_process(Strategist, "strategist"), BLUE: connect_in_process(choose, "random")}
        return play_game("original", bots, seed=2, max_plies=60)

    assert play_with_clock(tick=1e-6) == play_with_clock(tick=1)


seconds = st.floats(0, 1000)


@given(seconds, seconds, seconds)
def test_it_uses_only_a_part_of_its_time(red, blue, left):
    clock = SimpleNamespace(red_ms=red * 1000, blue_ms=blue * 1000)
    for seat, bank in ((RED, red), (BLUE, blue)):
        allowed = allowed_seconds(SimpleNamespace(seat=seat, clock=clock, seconds_left=left))
        assert 0 <= allowed <= MAX_SECONDS
        assert allowed <= min(PART_OF_BANK * bank, PART_OF_TURN * left) + 1e-9
