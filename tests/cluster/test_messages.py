"""Orders to workers: they arrive as they were sent."""

from pathlib import Path

import pytest
from tournament.tournaments import tournament_file

from arbiter.cluster.messages import Assignment, GiveBack, StopGame, decode_order, encode
from arbiter.referee.pool import SharedParts
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.execution.executor import Excuses, GameSpecs
from arbiter.tournament.fixture import make_fixture

SECRETS = {"seed": 17, "secret": "5ec7" * 8}


@pytest.mark.parametrize("rules", ["duel", "original", "card-game"])
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_an_order_arrives_as_it_was_sent(rules, secret):
    fixture = make_fixture("random", "stdlib", 1, 1)
    spec = GameSpecs(resolve(tournament_file(("random", "stdlib"), rules=rules), Path()), secret).make(fixture)
    excuses = Excuses()
    assert excuses.use(fixture.id, "random", "killed")
    order = Assignment(
        key="key",
        fixture=fixture,
        header=spec.header,
        retries=2,
        used_excuses=excuses.list_used(fixture.id, (fixture.red, fixture.blue)),
        versions={"red": "a", "blue": "b"},
        shared=SharedParts(secret, frozenset(["deployment", 3])),
        follow=True,
    )
    assert decode_order(encode(order)) == order
    for other in (StopGame("key"), GiveBack("key")):
        assert decode_order(encode(other)) == other


def test_the_excuses_of_one_game_decide_as_those_of_the_tournament():
    games = ("one~two~1", "two~one~1")
    for used in (
        ("one~two~1", "one", "killed"),
        ("one~two~1", "one", "sandbox_killed"),
        ("two~one~1", "two", "killed"),
    ):
        for game in games:
            for asked in ((bot, evidence) for bot in ("one", "two") for evidence in ("killed", "sandbox_killed")):
                whole = Excuses()
                whole.use(*used)
                part = Excuses.of_game(game, whole.list_used(game, ("one", "two")))
                assert part.use(game, *asked) == whole.use(game, *asked)
