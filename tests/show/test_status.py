"""The status of a tournament as text, even if the clock of the machine was changed."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace
from tournament.stored_games import CONDITIONS, games, void

from arbiter.show.tables.run.machines import ongoing_sheet
from arbiter.show.tables.run.status import Status, status_object, write_status
from arbiter.tournament.events import Began, LiveStatus, LockOwner
from arbiter.tournament.fixture import make_fixture

FIXTURE = make_fixture("hunter", "random", 9, 2)
DAYS = ("2026-03-01", "2026-03-02", "2026-03-09")


def make_status(started="2026-03-02T12:00:00+00:00", since="2026-03-02T11:00:00+00:00", **changes):
    played = [replace(one, started=started) for one in games("hunter random 1-0\nrandom hunter 1-0")]
    began = Began(FIXTURE, started)
    live_status = LiveStatus((began,), finished=2, since=100.0, begun={FIXTURE.id: 150.0})
    values = {
        "name": "Club night",
        "total": 8,
        "played": len(changes.get("games", played)),
        "games": played,
        "rated": played,
        "finished": False,
        "seed": 1,
        "secret": None,
        "holder": LockOwner(17, "here", since),
        "live_status": live_status,
        "live": False,
        "now": 160.0,
    }
    return Status(**values | changes)


@pytest.mark.parametrize("started", DAYS)
@pytest.mark.parametrize("since", DAYS)
def test_the_time_left_does_not_depend_on_the_clock_of_the_day(started, since):
    """The clock jumps by hours and days between the start of the run, the games, and now."""
    lines = write_status(make_status(f"{started}T09:30:00+00:00", f"{since}T16:00:00+00:00"))
    assert lines[0] == "Club night: 2/8 games, 2.0 games a minute, 3:00 left"
    assert lines[2] == "1 game in progress, 5 waiting"


def test_without_a_limit_no_games_wait():
    lines = write_status(make_status(endless=True))
    assert lines[0] == "Club night: 2 games, 2.0 games a minute"
    assert lines[2] == "1 game in progress"


def test_on_another_machine_durations_are_not_known():
    lines = write_status(make_status(now=None))
    assert lines[0] == "Club night: 2/8 games"
    values = status_object(make_status(now=None))
    assert values["games_a_minute"] is values["seconds_left"] is values["in_progress"][0]["seconds"] is None


def test_rulings_and_voided_attempts_are_counted():
    attempts = [void("hunter~random~1", "killed", "red").attempt, void("hunter~random~1", "killed", "red").attempt]
    found = make_status(attempts=attempts, rulings=1)
    assert write_status(found)[-2:] == [
        "1 ruling in force",
        "voided attempts, and the bots on turn: 2 bot killed by an unknown sender (hunter 2)",
    ]
    values = status_object(found)
    assert (values["forfeits"], values["void"], values["rulings"]) == (0, 2, 1)


def test_machines_and_their_games_are_listed():
    now = datetime.now(UTC)
    played = [
        replace(
            game,
            started=(now - timedelta(minutes=ago)).isoformat(),
            seconds=60,
            conditions=replace(CONDITIONS, host=host, speed=speed),
        )
        for game, (ago, host, speed) in zip(
            games("hunter random 1-0\nrandom hunter 1-0\nhunter random 1-0\nrandom hunter 1-0"),
            [(50, "attic", 1.0), (5, "attic", 1.5), (4, "attic", 1.4), (2, "cellar", None)],
            strict=True,
        )
    ]
    lost = replace(
        void("hunter~random~1", "lost").attempt, conditions=replace(CONDITIONS, host="hall"), started=now.isoformat()
    )
    began = Began(FIXTURE, now.isoformat(), "attic", "tcp://10.0.0.2:4000")
    live_status = LiveStatus((began,), finished=4, since=100.0, begun={FIXTURE.id: 150.5})
    values = status_object(make_status(games=played, attempts=[lost], live_status=live_status))
    assert [
        (one["number"], one["host"], one["playing"], one["games"], one["void"], one["speed"], one["a_minute"])
        for one in values["machines"]
    ] == [(1, "attic", 1, 3, 0, 1.4, 0.4), (2, "cellar", 0, 1, 0, None, 0.5), (3, "hall", 0, 0, 1, None, 0.0)]
    (ongoing,) = values["in_progress"]
    assert (ongoing["id"], ongoing["host"], ongoing["worker"]) == (FIXTURE.id, "attic", "tcp://10.0.0.2:4000")
    assert ongoing["seconds"] == 9.5


def test_of_many_games_in_progress_a_person_sees_the_first_ones():
    sheet = ongoing_sheet([Began(make_fixture("hunter", "random", number, 1), DAYS[0]) for number in range(1, 31)], {})
    assert (len(sheet.rows), len(sheet.objects), sheet.notes) == (20, 30, ("And 10 more; --json lists all.",))
