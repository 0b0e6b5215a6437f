"""Tournament reports of FIDE: random events are written, read again, and have the same standings."""

import random
import re
from itertools import groupby
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from tournament.schedules import FirstChoice, finish, first_name_wins, make_schedule, play_games
from tournament.standings.regulations import Regulations
from tournament.standings.test_regulations import ENDINGS, play_event

from arbiter import __version__
from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS
from arbiter.show.formats.trf import write_trf
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.event_data import EventTable
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.standings.stored_game import Points

NOT_ANNULLED = [one for one in ENDINGS if one[1] != "annulled"]
TIE_BREAKS = ("points", "buchholz-cut-1", "buchholz", "progressive", "wins", "won-on-board", "direct", "koya")


def make_tournament(schedule, **keys):
    ratings = schedule.stages[0].entrants.ratings
    bots = [BotConfig(name=bot, rating=ratings.get(bot)) for bot in schedule.stages[0].entrants.bots]
    return resolve_names(TournamentFile(name="Open", bots=bots, **keys))


class Report:
    """A report as another program reads it: by columns."""

    def __init__(self, text):
        lines = text.split("\r\n")
        self.heads = {line[:3]: line[4:] for line in lines if line[:3] not in ("001", "###", "")}
        self.remarks = [line for line in lines if line.startswith("###")]
        self.players = {}
        for line in lines:
            if line.startswith("001"):
                cells = [line[start : start + 8].ljust(8) for start in range(91, len(line), 10)]
                self.players[int(line[4:8])] = SimpleNamespace(
                    name=line[14:47].strip(),
                    rating=int(line[48:52].strip() or 0),
                    points=float(line[80:84]),
                    rank=int(line[85:89]),
                    rounds=[(int(cell[:4].strip() or 0), cell[5], cell[7]) for cell in cells],
                )
        worth = {"W": 1, "D": 0.5, "L": 0} | {
            sign: float(value) for sign, value in re.findall("([WDL]) *([0-9.]+)", self.heads.get("162", ""))
        }
        self.worth = dict.fromkeys("1+U", worth["W"]) | dict.fromkeys("=DH", worth["D"]) | {"0": worth["L"]}
        self.deviations = {
            (int(number), int(column)): float(points)
            for line in self.remarks
            for number, column, points in re.findall(r"points of (\d+) in round (\d+): (\S+) instead", line)
        }
        self.rounds = {
            column: int(number)
            for line in self.remarks
            for number, first, last in re.findall(r"round (\d+): rounds (\d+) to (\d+)", line)
            for column in range(int(first), int(last) + 1)
        }

    def find_points(self, number, column, result):
        return self.deviations.get((number, column), self.worth.get(result, 0))

    def list_games(self):
        for number, one in self.players.items():
            for column, (other, colour, result) in enumerate(one.rounds, start=1):
                if colour != "w":
                    continue
                back, mirrored, answer = self.players[other].rounds[column - 1]
                assert (back, mirrored) == (number, "b")
                winner = {"1": "red", "+": "red"}.get(result) or {"1": "blue", "+": "blue"}.get(answer)
                ending = "walkover" if {result, answer} & {"+", "-"} else "agreed" if result == "=" else "flag_taken"
                yield SimpleNamespace(
                    round=self.rounds[column],
                    red=one.name,
                    blue=self.players[other].name,
                    winner=winner,
                    ending="double_loss" if (result, answer) == ("0", "0") else ending,
                    red_points=self.find_points(number, column, result),
                    blue_points=self.find_points(other, column, answer),
                )

    def list_byes(self):
        for number, one in self.players.items():
            cells = enumerate(one.rounds, start=1)
            byes = [(self.rounds[column], column, cell[2]) for column, cell in cells if cell[2] in ("U", "H", "Z")]
            for round_, group in groupby(byes, key=lambda one: one[0]):
                rows = list(group)
                points = sum(self.find_points(number, column, sign) for _, column, sign in rows)
                yield SimpleNamespace(
                    bot=one.name, round=round_, games=len(rows), points=points, requested=rows[0][2] != "U"
                )


def rank(report, size, *, is_swiss):
    read = Regulations(
        [one.name for one in report.players.values()],
        report.list_games(),
        report.list_byes(),
        size=size,
        rounds=int(report.heads["142"]) // size if is_swiss else None,
        forfeits=FORFEITS,
        ratings={one.name: one.rating for one in report.players.values()},
    )
    return read.rank(TIE_BREAKS)


@pytest.mark.heavy(keep=10)
@pytest.mark.slow(keep=40)
@pytest.mark.parametrize("seed", range(400))
def test_random_events_have_the_same_standings_when_they_are_read_again(seed):
    schedule = play_event(random.Random(seed), NOT_ANNULLED, tie_breaks=TIE_BREAKS)
    stage = schedule.stages[0]
    made = write_trf(make_tournament(schedule), schedule, stage)
    report = Report(made.text)
    form = stage.format.name
    if form != "gauntlet":  # in which the points per game come first
        expected = rank(report, stage.entrants.games if form == "swiss" else 2, is_swiss=form == "swiss")
        ranks = {one.name: one.rank for one in report.players.values()}
        assert [min(ranks[name] for name in group) for group in expected] == sorted(set(ranks.values()))
        assert all(len({ranks[name] for name in group}) == 1 for group in expected)
    if made.left_out is None:
        games = {(one.round, one.red, one.blue, one.winner) for one in schedule.games_in(stage)}
        assert {(one.round, one.red, one.blue, one.winner) for one in report.list_games()} == games
        for one in schedule.rank(stage):
            player = next(other for other in report.players.values() if other.name == one.bot)
            number = next(number for number, other in report.players.items() if other is player)
            cells = enumerate(player.rounds, start=1)
            assert one.points == pytest.approx(sum(report.find_points(number, at, cell[2]) for at, cell in cells))
            assert one.rank == player.rank


# c has the bye in round 1, and wins on time and by walkover in round 2; then a is absent.
LONG = "b-with-a-name-of-more-than-thirty-three"
HEAD = f"""\
012 Open
022 Köln
042 2026/11/20
052 2026/11/20
062 3
072 1
092 Individual: swiss, matches of 2 games
102 Club
122 60 s for all moves, 0.1 s for each move
132 26/11/20 26/11/20 26/11/20 26/11/20
142 4
162 W 6.0 D 3.0 L 1.0
182 arbiter {__version__}
### Each round of this report is one game; red is white (w), blue is black (b).
### round 1: rounds 001 to 002 of this report
### round 2: rounds 003 to 004 of this report
"""
PLAYERS = f"""\
001 1 a 1800 NED 15.0 2 2 w 1 2 b = 0000 - H 0000 - H
001 2 {LONG[:33]} 5.0 3 1 b 0 1 w = 3 b 0 3 w -
001 3 c 24.0 1 0000 - U 0000 - U 2 w 1 2 b +
### name of 0002: {LONG}
### points of 0002 in round 003: 0 instead of 1, out of time
"""


@pytest.fixture(name="finished")
def _finished():
    results = iter([("red", "flag_taken"), (None, "agreed"), ("red", "timeout"), ("blue", "walkover")])
    schedule = make_schedule("swiss", ("a", LONG, "c"), rounds=2, absences={"a": (2,)}, ratings={"a": 1800})
    play_games(schedule, FirstChoice(), how=lambda fixture: finish(fixture, *next(results)))
    return schedule


def test_a_report(finished):
    tournament = make_tournament(finished, event=EventTable(place="Köln", organiser="Club"))
    bots = [replace(bot, country="NED" if bot.name == "a" else "Nederland") for bot in tournament.file.bots]
    tournament = replace(tournament, file=replace(tournament.file, bots=bots))
    made = write_trf(tournament, finished, finished.stages[0])
    assert [" ".join(line.split()) for line in made.text.splitlines()] == (HEAD + PLAYERS).splitlines()
    assert (made.left_out, made.deviations) == (None, 1)
    assert all(line.endswith("\r") for line in made.text.split("\n")[:-1])


def test_a_swiss_round_in_progress_is_left_out(finished):
    games = finished.games_in(finished.stages[0])
    schedule = make_schedule("swiss", ("a", LONG, "c"), rounds=2, absences={"a": (2,)}, played=games[:3])
    made = write_trf(make_tournament(schedule), schedule, schedule.stages[0])
    assert made.left_out == 2
    assert [len(one.rounds) for one in Report(made.text).players.values()] == [2, 2, 2]


def test_codes_of_tie_breaks_are_those_that_give_the_same_order():
    schedule = make_schedule("swiss", "abcd", tie_breaks=("points", "buchholz-cut-1", "direct", "lots", "wins"))
    made = write_trf(make_tournament(schedule, points="simple"), schedule, schedule.stages[0])
    assert Report(made.text).heads["212"] == "PTS,BH/C2,DE/P"
    assert "162" not in Report(made.text).heads


@pytest.mark.parametrize(
    ("points", "why"),
    [
        (Points(win=1, draw=0.25, loss=0, forfeit=0), "a result is worth 0.25"),
        (Points(win=1000, draw=0, loss=0, forfeit=0), "has room for 9,999 points, a bot has 12,000"),
    ],
)
def test_results_without_room_in_the_format(points, why):
    schedule = make_schedule("round-robin", "ab", 12)
    play_games(schedule, FirstChoice(), how=first_name_wins)
    with pytest.raises(ConfigError, match=why):
        write_trf(make_tournament(schedule, points=points), schedule, schedule.stages[0])
