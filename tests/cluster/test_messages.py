"""Assignments and bots for workers: they arrive as they were sent."""

from pathlib import Path

import pytest
from tournament.tournaments import tournament_file

from arbiter.cluster.messages import Assignment, GameOrder, RunSettings, decode_assignment, decode_bot, encode
from arbiter.referee.pool import SharedParts
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.execution.executor import Excuses, GameSpecs
from arbiter.tournament.execution.portable import make_portable
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.new_results import KeptLogs
from arbiter.tournament.programs import ProgramDigests

SECRETS = {"seed": 17, "secret": "5ec7" * 8}


@pytest.mark.parametrize("rules", ["duel", "original", "card-game"])
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_an_assignment_arrives_as_it_was_sent(rules, secret):
    tournament = resolve(tournament_file(("random", "stdlib"), rules=rules), Path())
    excuses = Excuses()
    orders = []
    for fixture in (make_fixture("random", "stdlib", 1, 1), make_fixture("stdlib", "random", 1, 1)):
        spec = GameSpecs(tournament, secret).make(fixture)
        assert excuses.use(fixture.id, "random", "sandbox_killed")
        orders.append(
            GameOrder(
                fixture=fixture,
                header=spec.header,
                retries=2,
                used_excuses=excuses.list_used(fixture.id, (fixture.red, fixture.blue)),
                versions={"red": "a", "blue": "b"},
                shared=SharedParts(secret, frozenset(["deployment", 3])),
            )
        )
    run = RunSettings(
        run="arbiter-1",
        isolation="full",
        hidden_files=HiddenFiles((Path("/a/club.toml"),), (Path("/a/results"),)),
        logs=KeptLogs(losses_of=frozenset({"random"})),
        follow=True,
    )
    assignment = Assignment(
        run=run, games=tuple(orders), programs=tournament.programs, sent=("random",), blamed=("random",), absent=("x",)
    )
    assert decode_assignment(encode(assignment)) == assignment
    digests = ProgramDigests(tournament.programs, [Path("/a/club.toml")])
    for program in tournament.programs:
        bot = make_portable(program, digests, None)
        assert decode_bot(encode(bot)) == bot


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
