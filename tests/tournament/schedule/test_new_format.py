"""A format that this file adds: it shows that a format is one module, and one entry in `FORMATS`."""

from typing import Annotated

import pytest
from cli.command_line import call_ok, call_refused, write_tournament
from msgspec import Meta
from tournament.schedules import FirstChoice, first_name_wins, play_games

from arbiter.errors import ConfigError
from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.config.tournament_file import plan_stages
from arbiter.tournament.fixture import Fixtures, Meeting, Round
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import NewGame, Store
from arbiter.tournament.schedule import FORMATS
from arbiter.tournament.schedule.format import Format, FormatSettings
from arbiter.tournament.standings.crosstable import PlainTable
from arbiter.tournament.standings.stored_game import SYSTEMS

# --- the format -----------------------------------------------------------------------------------


class RungsSettings(FormatSettings, frozen=True, kw_only=True):
    """Settings of a format with rungs."""

    climbs: Annotated[int, Meta(ge=1, le=10)] = 2
    """Number of rounds."""


def list_rungs(entrants, games):
    """Work out the order of the bots: in each round, the winner of a meeting takes the higher place."""
    order = list(entrants.bots)
    for number in range(entrants.first_round, max((game.round for game in games), default=0) + 1):
        points = {}
        for game in (game for game in games if game.round == number):
            points[game.red] = points.get(game.red, 0) + game.red_points
            points[game.blue] = points.get(game.blue, 0) + game.blue_points
        for place in range((number - 1) % 2, len(order) - 1, 2):
            order[place : place + 2] = sorted(order[place : place + 2], key=lambda bot: -points.get(bot, 0))
    return order


def next_round(entrants, rounds, games):
    if len(rounds) == entrants.settings.climbs:
        return Round()
    order = list_rungs(entrants, games)
    number = entrants.first_round + len(rounds)
    pairings = [(order[place], order[place + 1]) for place in range((number - 1) % 2, len(order) - 1, 2)]
    first_pair = 1 + len(rounds) * entrants.games // 2
    meetings = tuple(Meeting(one, two, number, first_pair) for one, two in pairings)
    return Round(Fixtures(meetings, pairs=entrants.games // 2, stage=entrants.stage))


RUNGS = Format(
    name="rungs",
    pairings="bots on neighbouring rungs meet, and the winner takes the higher one",
    settings=RungsSettings,
    next_round=next_round,
    least=lambda entrants: entrants.settings.climbs * (len(entrants.bots) - 1) // 2 * entrants.games,
    tabulate=lambda entrants, _order, games, _byes: PlainTable(
        "Rungs", ("rung", "bot"), tuple(enumerate(list_rungs(entrants, games), start=1))
    ),
    count_rounds=lambda entrants: entrants.settings.climbs,
    takes_absences=True,
    is_closed=True,
)


# --- its tests ------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(FORMATS, "rungs", RUNGS)


def write(folder, **keys):
    return write_tournament(folder, bots=("random", "hunter", "stdlib"), **{"format": "rungs", **keys})


def test_it_is_loaded_played_and_shown(tmp_path):
    file = write(tmp_path, climbs=3)
    tournament = load_tournament(file)
    results = tmp_path / "results" / "club.sqlite"
    with Store.create_or_resume(results, new_manifest(tournament, "process")) as store:
        schedule = store.schedule()
        store.add([NewGame(game, b"") for game in play_games(schedule, FirstChoice(), how=first_name_wins)])
    assert schedule.finished
    assert schedule.stages[0].entrants.settings == RungsSettings(climbs=3)
    with Store.read(results) as store:
        assert store.schedule().finished
        assert {game.round for game in store.games()} == {1, 2, 3}
    shown = call_ok("standings", file)
    table = shown[shown.index("Rungs") :]
    assert [line.split() for line in table.splitlines()[2:7]] == [
        ["rung", "bot"],
        ["------", "------"],
        ["1", "hunter"],
        ["2", "random"],
        ["3", "stdlib"],
    ]
    call_ok("report", file, "-o", tmp_path / "report")
    assert "Rungs" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_its_default_is_used(tmp_path):
    file = load_tournament(write(tmp_path))
    assert file.schedule(0).stages[0].entrants.settings == RungsSettings(climbs=2)
    assert file.file.settings == {}


def test_it_can_be_a_stage(tmp_path):
    stages = [{"format": "round-robin"}, {"format": "rungs", "best": 2, "climbs": 1}]
    file = write_tournament(tmp_path, bots=("random", "hunter", "stdlib"), stages=stages)
    assert plan_stages(load_tournament(file).file, SYSTEMS["isf"])[1].entrants.settings == RungsSettings(climbs=1)


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"climbs": 0}, "climbs: is 0, must be a whole number from 1 to 10"),
        ({"climbs": "two"}, 'climbs: is "two", must be a whole number from 1 to 10'),
        ({"climb": 3}, "climb: unknown key; did you mean climbs?"),
        ({"rounds": 3}, 'rounds: is a setting of format "swiss", but the format is "rungs"'),
        (
            {"format": "round-robin", "climbs": 3},
            'climbs: is a setting of format "rungs", but the format is "round-robin"',
        ),
        ({"settings": {"climbs": 3}}, "settings: unknown key; did you mean stages?"),
        ({"format": "lader"}, "format: unknown format 'lader': did you mean 'ladder'?"),
    ],
)
def test_faults_in_its_settings_are_reported_with_their_lines(tmp_path, keys, fault):
    file = write(tmp_path, **keys)
    told = call_refused("run", file)
    assert fault in told
    assert told.startswith(f"arbiter: {file}: line ")


def test_an_absence_is_for_formats_that_pair_round_by_round(tmp_path):
    bots = [{"name": "random", "absent": [1]}, "hunter"]
    assert (
        load_tournament(write_tournament(tmp_path, bots=bots, format="rungs")).schedule(0).stages[0].entrants.absences
    )
    told = call_refused("run", write_tournament(tmp_path, bots=bots))
    assert 'bots.random.absent: is for format "swiss" or "rungs", in which rounds are paired one by one' in told


def test_its_settings_are_part_of_the_schedule_of_stored_results(tmp_path):
    results = tmp_path / "results" / "club.sqlite"
    with Store.create_or_resume(results, new_manifest(load_tournament(write(tmp_path, climbs=2)), "process")) as store:
        store.add([NewGame(game, b"") for game in play_games(store.schedule(), FirstChoice(), how=first_name_wins)])
    with pytest.raises(ConfigError, match="climbs: 2 before, 1 now, which leaves out 2 of them"):
        Store.create_or_resume(results, new_manifest(load_tournament(write(tmp_path, climbs=1)), "process"))
