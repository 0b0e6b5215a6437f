"""Ratings on served pages: they follow the games, and cost less than a hundredth of a core."""

from tournament.stored_games import game
from tournament.tournaments import manifest

from arbiter.serve.results import LiveRatings
from arbiter.tournament.results.snapshot import rate_bots

BOTS = manifest(("a", "b"))
GAMES = [game("a", "b", "red", "flag_taken", pair=1), game("b", "a", None, "agreed", pair=1)]


class Clock:
    """A clock on which computing ratings takes two seconds."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def rate_for_two_seconds(self, *words):
        self.now += 2
        return rate_bots(*words)


def test_ratings_are_computed_again_after_a_hundred_times_their_duration(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("arbiter.serve.results.rate_bots", clock.rate_for_two_seconds)
    live = LiveRatings(clock, meter=clock)
    first = live.rate(BOTS, GAMES[:1], playing=True)
    assert first == rate_bots(BOTS, GAMES[:1])
    clock.now += 199
    assert live.rate(BOTS, GAMES, playing=True) is first
    assert not live.may_improve(playing=True)
    clock.now += 1.5
    assert live.may_improve(playing=True)
    second = live.rate(BOTS, GAMES, playing=True)
    assert second == rate_bots(BOTS, GAMES)
    clock.now += 1000
    assert not live.may_improve(playing=True), "they lack no games"
    assert live.rate(BOTS, list(GAMES), playing=True) is second


def test_after_the_last_game_the_ratings_are_complete_at_once():
    live = LiveRatings(lambda: 5.0)
    live.rate(BOTS, GAMES[:1], playing=True)
    assert live.rate(BOTS, GAMES, playing=False) == rate_bots(BOTS, GAMES)
