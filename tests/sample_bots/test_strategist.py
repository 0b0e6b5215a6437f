"""The strategist's looking ahead: what it sees, and that it ends within its budget whatever the clock says."""

from itertools import count
from types import SimpleNamespace

import pytest
from chairs import in_process, new_game, play_game
from hypothesis import given
from hypothesis import strategies as st

from protocol.words import BLUE, RED
from sample_bots.fights import Foe, value
from sample_bots.random_player import choose
from sample_bots.strategist import AT_MOST, NODES, OF_THE_BANK, OF_THE_TURN, Strategist, allowance

GAME = new_game()


def thinker():
    """Begin a game in which nothing presses."""
    player = Strategist(GAME)
    player.caution, player.horizon, player.nodes = 1.0, 0, 0
    return player


def known(**ranks):
    return {place: Foe({rank: 1.0}, GAME) for place, rank in ranks.items()}


def own(**ranks):
    return {place: (rank, True) for place, rank in ranks.items()}


COLONEL = known(a5="colonel")
HEMMED_IN = own(a4="major", a3="bomb", b4="bomb")


def test_it_sees_what_the_enemy_takes():
    assert thinker().expect(own(a4="major"), COLONEL) == pytest.approx(-value("major"), rel=0.1)
    assert thinker().expect(own(a4="bomb"), COLONEL) >= 0
    assert thinker().expect(own(b4="major"), COLONEL) == 0


def test_it_flees_where_it_can():
    assert thinker().ours(own(a4="major"), COLONEL, 1) > -1
    assert thinker().ours(HEMMED_IN, COLONEL, 1) < -0.8 * value("major")


def test_it_attacks_what_it_beats_unless_that_is_guarded():
    general = own(a4="general")
    assert thinker().ours(general, COLONEL, 1) > 0.8 * value("colonel")
    assert thinker().ours(general, COLONEL | known(a6="marshal"), 1) < 1


def test_it_sees_two_turns_ahead_that_a_loss_is_avenged():
    guarded = HEMMED_IN | own(b4="general")
    assert thinker().theirs(guarded, COLONEL, 0) == thinker().theirs(HEMMED_IN, COLONEL, 0)
    assert thinker().theirs(guarded, COLONEL, 2) > thinker().theirs(HEMMED_IN, COLONEL, 2) + 1


def test_an_unknown_enemy_branches_into_what_he_may_be():
    unknown = {"a5": Foe({"colonel": 0.5, "scout": 0.5}, GAME)}
    ends = [thinker().theirs(HEMMED_IN, foes, 0) for foes in (COLONEL, unknown, known(a5="scout"))]
    assert ends == sorted(ends)
    assert ends[0] < ends[1] < ends[2]


@pytest.mark.parametrize("tick", [0, 0.001, 0.05])
def test_it_never_looks_longer_than_it_may(monkeypatch, tick):
    clock = count()
    monkeypatch.setattr("sample_bots.strategist.process_time", lambda: next(clock) * tick)
    looks = []

    class Timed(Strategist):
        def best(self, turn):
            before = next(clock)
            action = super().best(turn)
            looks.append(((next(clock) - before) * tick, self.nodes))
            return action

    play_game("original", {RED: in_process(Timed, "timed"), BLUE: in_process(choose, "random")}, seed=2, max_plies=120)
    assert max(seconds for seconds, _ in looks) <= AT_MOST + 5 * tick
    assert max(nodes for _, nodes in looks) <= NODES + 1


def test_a_busy_machine_changes_nothing(monkeypatch):
    monkeypatch.setattr("sample_bots.strategist.process_time", lambda: 0.0)

    def ending(tick):
        clock = count()
        monkeypatch.setattr("protocol.bot.turn.perf_counter", lambda: next(clock) * tick)
        chairs = {RED: in_process(Strategist, "strategist"), BLUE: in_process(choose, "random")}
        return play_game("original", chairs, seed=2, max_plies=400)

    assert ending(tick=1e-6) == ending(tick=1)


seconds = st.floats(0, 1000)


@given(seconds, seconds, seconds)
def test_what_it_allows_itself_is_a_part_of_what_it_has(red, blue, left):
    clock = SimpleNamespace(red_ms=red * 1000, blue_ms=blue * 1000)
    for seat, bank in ((RED, red), (BLUE, blue)):
        allowed = allowance(SimpleNamespace(seat=seat, clock=clock, seconds_left=left))
        assert 0 <= allowed <= AT_MOST
        assert allowed <= min(OF_THE_BANK * bank, OF_THE_TURN * left) + 1e-9
