"""Results that are read while they grow: only new games are read, and everything is as if all were read again."""

import random

import msgspec
import pytest
from tournament.results.test_random_rulings import FORMATS, RandomEvent

from arbiter.serve.results import ServedResults
from arbiter.tournament.results.reader import Results


def describe(snapshot):
    """Return all that pages show of a snapshot, in plain values."""
    plan = snapshot.plan
    stages = [[plan.rank(stage), plan.games_in(stage), plan.tabulate(stage)] for stage in plan.stages]
    return msgspec.json.decode(
        msgspec.json.encode(
            [
                *stages,
                plan.rank_all(),
                plan.uncounted,
                plan.history.as_played,
                plan.history.walkovers,
                snapshot.games,
                snapshot.rated,
                [plan.played, None if plan.is_endless else plan.total, plan.opened, plan.begun, plan.finished],
            ],
            enc_hook=str,  # phrases
        )
    )


@pytest.mark.parametrize("form", FORMATS)
def test_results_that_grow_are_those_that_are_read_at_once(tmp_path, form):
    chance = random.Random(form)
    event = RandomEvent(tmp_path / "club.sqlite", form, chance)
    with ServedResults.read(event.path) as served:
        while True:
            with Results.read(event.path) as whole:
                assert describe(served.snapshot()) == describe(whole.snapshot())
            if not event.play(chance.choice([1, 2, 3, 5])):
                break
            if chance.random() < 0.15:
                event.rule_at_random()


def test_only_new_games_are_read(tmp_path, monkeypatch):
    event = RandomEvent(tmp_path / "club.sqlite", "swiss", random.Random(1))
    read = []
    with ServedResults.read(event.path) as served:
        new_games = served.new_games
        monkeypatch.setattr(served, "new_games", lambda last: read.append(new_games(last)) or read[-1])
        event.play(3)
        served.snapshot()
        played = [event.play(count) for count in (1, 2) if served.snapshot()]
        served.snapshot()
    assert [[game.id for game in games] for games in read] == [[], played[0], played[1]]
