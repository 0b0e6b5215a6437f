"""The results as JSON: contents, pages of games, tags, and requests that cannot be answered."""

import json

import pytest
from serve.client import BOTS, LIVE, FakeTournament, run_with_client
from show.report.sample_reports import make_game

from arbiter.serve.api import BURST, PER_S, Quotas
from arbiter.serve.live_games import make_spectator_settings

OPEN = make_spectator_settings(show_all=False, delay=0, lang="en")


def ask(*targets, games=7, **headers):
    """Ask a tournament of a few games, and return the answers."""
    source = FakeTournament()
    source.games = [make_game(number, *BOTS) for number in range(games)]
    found = []

    async def talk(client):
        found.extend([await client.request(f"/api/v1/{target}", **headers) for target in targets])

    run_with_client(source, OPEN, talk)
    return found


def read(*targets):
    answers = ask(*targets)
    assert [one.body for one in answers if one.status != 200] == []
    assert {one.headers["content-type"] for one in answers} == {"application/json"}
    return [json.loads(one.body) for one in answers]


def test_every_address_answers():
    tournament, standings, bot, live = read("tournament", "standings", "bots/hunter", "live")
    assert (tournament["running"], tournament["finished"], tournament["total"]) == (True, False, 4)
    assert {one["bot"] for one in standings["standings"]} == set(BOTS)
    assert bot in [{**one, "opponents": bot["opponents"], "rating_history": []} for one in standings["standings"]]
    (opponent,) = bot["opponents"]
    assert opponent["opponent"] == "mine"
    assert opponent["red"]["games"] + opponent["blue"]["games"] == bot["games"]
    assert live["games"] == [
        {"id": LIVE.fixture.id, "round": 1, "red": "hunter", "blue": "mine", "began": "2026-01-01T12:34:56+00:00"}
    ]


def test_games_are_listed_page_by_page():
    (all_games,) = read("games")
    assert all_games["next"] is None
    assert not any("conditions" in one for one in all_games["games"]), "they name machines"
    numbers = [one["number"] for one in all_games["games"]]
    assert numbers == [7, 6, 5, 4, 3, 2, 1]
    found, following = [], ""
    while following is not None:
        (page,) = read(f"games?limit=3&bot=hunter&opponent=mine{following and f'&before={following}'}")
        found += page["games"]
        following = page["next"]
    assert found == all_games["games"]
    (game,) = read(f"games/{found[2]['id']}")
    assert game == found[2]


def test_an_answer_is_sent_again_only_if_it_has_changed():
    (first,) = ask("games")
    tag = first.headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        (again,) = ask("games", if_none_match=known)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    (changed,) = ask("games", games=8, if_none_match=tag)
    assert changed.status == 200
    assert changed.headers["etag"] != tag


@pytest.mark.parametrize(
    ("target", "status", "told"),
    [
        ("bots/nobody", 404, "there is no bot 'nobody'"),
        ("games/nothing", 404, "there is no finished game 'nothing'"),
        ("games?bot=nobody", 404, "there is no bot 'nobody'"),
        ("games?limit=0", 400, "limit: must be a whole number from 1 to 1000"),
        ("games?limit=1001", 400, "limit: must be"),
        ("games?limit=\u0663", 400, "limit: must be"),
        ("games?before=" + "9" * 5000, 400, "before: must be"),
        ("games?bots=hunter", 400, "unknown parameter 'bots'"),
        ("players", 404, "there is nothing at /api/v1/players"),
        ("", 404, "there is nothing at /api/v1/"),
    ],
)
def test_requests_that_cannot_be_answered(target, status, told):
    (answer,) = ask(target)
    assert answer.status == status
    assert told in json.loads(answer.body)["error"]


def test_too_many_requests_are_refused_for_a_while():
    source, answers = FakeTournament(), []

    async def talk(client):
        while not answers or answers[-1].status == 200:  # a slow machine earns requests while it answers
            answers.append(await client.request("/api/v1/live"))

    run_with_client(source, OPEN, talk)
    assert len(answers) > BURST
    assert answers[-1].status == 429
    assert answers[-1].headers["retry-after"] == "1"
    assert "too many requests" in json.loads(answers[-1].body)["error"]


def test_a_quota_comes_back_and_is_that_of_one_address():
    now = 0.0
    quotas = Quotas(lambda: now)
    assert [quotas.spend("a") for _ in range(int(BURST))] == [0.0] * int(BURST)
    assert quotas.spend("a") == 1 / PER_S
    assert quotas.spend("b") == 0.0
    now = 1.5 / PER_S
    assert [quotas.spend("a"), round(quotas.spend("a"), 6)] == [0.0, 0.5 / PER_S]
    for number in range(20_000):
        quotas.spend(str(number))
    assert len(quotas._left) == 10_000
