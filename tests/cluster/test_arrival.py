"""Reports of workers: damaged and false ones are refused."""

import math
import zlib
from contextlib import nullcontext
from pathlib import Path

import pytest
import trio
from msgspec import json
from msgspec.structs import replace
from tournament.tournaments import tournament_file

from arbiter.cluster.messages import TaskReport, decode_report, encode
from arbiter.packing import SAFE_BYTES, pack_start, unpack
from arbiter.record import RecordWriter, read_record
from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.events import Attempt, Void
from arbiter.tournament.execution.arrival import (
    ReportRefused,
    check_elapsed,
    check_machine,
    check_played,
    check_voided,
    report_played,
)
from arbiter.tournament.execution.executor import GameSpecs
from arbiter.tournament.execution.local import try_game
from arbiter.tournament.execution.machines import Machine
from arbiter.tournament.fixture import make_fixture
from protocol.reasons import ArbiterFailed

OTHER = {"red": "blue", "blue": "red"}


class Honest:
    """The honest report of a game."""

    def __init__(self, rules):
        tournament = resolve(tournament_file(("random", "stdlib"), rules=rules), Path())
        self.fixture = make_fixture("random", "stdlib", 1, 1)
        spec = GameSpecs(tournament, "5ec7" * 8).make(self.fixture)
        played = trio.run(try_game, self.fixture, spec, ProcessIsolation())
        self.header = spec.header
        self.machine = Machine(
            id="id", host=played.conditions.host, cores=1, slots=1, speed=1.0, sandbox="process", processor="",
            python="", arbiter="",
        )  # fmt: skip
        own = report_played(played, played.game.log)
        report = TaskReport(worker="tcp://desk:1", machine=self.machine, games=(own,))
        (decoded,) = decode_report(encode(report)).games
        self.report = replace(decoded, conditions=replace(decoded.conditions, speed=self.machine.speed))
        self.record_data = self.report.unfinished.finish(self.report.result).data
        self.record = read_record(unpack(self.record_data))

    def rewrite(self, *, header=None, acts=None):
        """Return the report with other parts of its record."""
        writer = RecordWriter(self.record.header if header is None else header)
        for act in self.record.acts if acts is None else acts:
            writer.act(act)
        return replace(self.report, unfinished=writer.unfinished().pack())

    def change_header(self, **changes):
        return self.rewrite(header=replace(self.record.header, **changes))

    def change_act(self, number, **changes):
        acts = list(self.record.acts)
        acts[number] = replace(acts[number], **changes)
        return self.rewrite(acts=acts)

    def change_result(self, **changes):
        return replace(self.report, result=replace(self.report.result, **changes))

    def change_conditions(self, **changes):
        return replace(self.report, conditions=replace(self.report.conditions, **changes))

    def change_lines(self, change):
        """Return the report with other lines of its record."""
        lines = pack_start(change(b"".join(unpack(self.record_data).splitlines(keepends=True)[:-1])))
        return self.change_unfinished(lines=lines)

    def change_packed(self, change):
        """Return the report with other compressed data."""
        lines = self.report.unfinished.lines
        return self.change_unfinished(lines=replace(lines, data=change(lines.data)))

    def change_unfinished(self, **changes):
        return replace(self.report, unfinished=replace(self.report.unfinished, **changes))


@pytest.fixture(scope="module")
def duel():
    return Honest("duel")


@pytest.fixture(scope="module")
def cards():
    return Honest("card-game")


def check(game, report):
    check_played(report, game.header, game.machine, "process")


def test_an_honest_report_is_accepted(duel, cards):
    for game in (duel, cards):
        check(game, game.report)
        check(game, game.rewrite())


def winner(game):
    return game.report.result.winner or "red"


LIES = {
    "other id": (lambda game: game.change_header(id="one~two~2"), "`id`"),
    "other seed": (lambda game: game.change_header(seed=7), "`seed`"),
    "other seeds of the bots": (lambda game: game.change_header(bot_seeds={"red": 1, "blue": 2}), "`bot_seeds`"),
    "other rules": (lambda game: game.change_header(rules="original"), "`rules`"),
    "easier rules": (
        lambda game: game.change_header(overrides=replace(game.header.overrides, max_plies=10)),
        "`overrides`",
    ),
    "more time": (lambda game: game.change_header(time=replace(game.header.time, bank_s=9999.0)), "`time`"),
    "seats swapped": (
        lambda game: game.change_header(seats={seat: game.record.header.seats[other] for seat, other in OTHER.items()}),
        "`seats`",
    ),
    "a seat missing": (
        lambda game: game.change_header(seats={"red": game.record.header.seats["red"]}),
        "seats are not those",
    ),
    "the other seat begins": (lambda game: game.change_header(first=OTHER[game.record.header.first]), "`first`"),
    "other arbiter": (lambda game: game.change_header(arbiter="0.0.1"), "another arbiter"),
    "winner swapped": (lambda game: game.change_result(winner=OTHER[winner(game)]), "breaks the rules"),
    "ended early": (lambda game: game.rewrite(acts=game.record.acts[:-3]), "breaks the rules"),
    "an act left out": (
        lambda game: game.rewrite(acts=(*game.record.acts[:4], *game.record.acts[5:])),
        "breaks the rules",
    ),
    "an act of the other seat": (
        lambda game: game.change_act(4, seat=OTHER[game.record.acts[4].seat]),
        "breaks the rules",
    ),
    "no facts of an act": (lambda game: game.change_act(4, facts=()), "breaks the rules in act 5"),
    "number of plies": (lambda game: game.change_result(plies=1), "breaks the rules"),
    "no number of plies": (lambda game: game.change_result(plies=None), "no plies"),
    "points": (lambda game: game.change_result(points={"red": 9.0, "blue": 0.0}), "has points"),
    "damaged": (lambda game: game.change_lines(lambda lines: lines[:-40]), "cannot be read"),
    "another result before": (
        lambda game: game.change_lines(lambda lines: lines + json.encode(game.report.result) + b"\n"),
        "cannot be read",
    ),
    "a part lost": (lambda game: game.change_packed(lambda data: data[:-40]), "cannot be read"),
    "not compressed": (lambda game: game.change_packed(lambda _: b"record"), "cannot be read: .* incorrect header"),
    "an end of its own": (lambda game: game.change_packed(lambda _: zlib.compress(b"record")), "other data follows"),
    "so much that it fills the memory": (
        lambda game: game.change_packed(lambda _: pack_start(bytes(SAFE_BYTES)).data),
        "of it become more than",
    ),
    "fingerprint": (lambda game: game.change_unfinished(fingerprint="0" * 16), "fingerprint"),
    "start": (lambda game: game.change_unfinished(started="2001-01-01T00:00:00+00:00"), "start"),
    "not a time": (lambda game: replace(game.report, seconds=math.nan), "times"),
    "a negative time": (lambda game: replace(game.report, used_ms={"red": -1.0, "blue": 0.0}), "times"),
    "less time than the record": (lambda game: game.change_act(5, ms=5000.0), "was charged"),
    "more time than the game": (
        lambda game: replace(game.report, used_ms=dict.fromkeys(OTHER, 9e6)),
        "red used .* ms, but the game took",
    ),
    "so fast": (lambda game: replace(game.report, seconds=1e-6), "cannot play .* plies in 0.001 ms"),
    "other speed": (lambda game: game.change_conditions(speed=0.1), "its speed is 0.1, but that of its machine is 1.0"),
    "other host": (lambda game: game.change_conditions(host="another"), "its host is 'another'"),
    "other sandbox": (lambda game: game.change_conditions(sandbox="full"), "its sandbox is 'full'"),
}


@pytest.mark.parametrize(("lie", "fault"), LIES.values(), ids=LIES.keys())
def test_a_lie_is_refused(duel, lie, fault):
    with pytest.raises(ReportRefused, match=fault):
        check(duel, lie(duel))


def test_a_game_without_a_sandbox_is_refused_in_a_tournament_with_one(duel):
    with pytest.raises(ReportRefused, match="its sandbox is 'process', but that of the tournament is 'full'"):
        check_played(duel.report, duel.header, duel.machine, "full")


def test_decks_must_follow_from_the_seed(cards):
    decks = {seat: deck[::-1] for seat, deck in cards.record.header.decks.items()}
    with pytest.raises(ReportRefused, match="`decks`"):
        check(cards, cards.change_header(decks=decks))


ATTEMPTS = {
    "id": ({"id": "two~one~1"}, "`id`"),
    "round": ({"round": 2}, "`round`"),
    "bot": ({"blue": "three"}, "`blue`"),
    "no conditions": ({"conditions": None}, "is not of"),
    "lost": ({"cause": "lost"}, "only the coordinator"),
    "refused": ({"cause": "refused"}, "only the coordinator"),
}


def make_attempt(game):
    return Attempt(
        id=game.fixture.id,
        round=1,
        red="random",
        blue="stdlib",
        started="2026-01-01T00:00:00+00:00",
        seconds=1.0,
        cause="error",
        reason=ArbiterFailed(""),
        seat=None,
        plies=0,
        conditions=game.report.conditions,
    )


@pytest.mark.parametrize("elapsed_s", [0.0, 3.0, 1e9])
def test_games_that_took_the_time_since_they_were_handed_out_are_accepted(duel, elapsed_s):
    check_elapsed([], elapsed_s)
    voided = Void(duel.fixture, replace(make_attempt(duel), seconds=elapsed_s / 2))
    check_elapsed([replace(duel.report, seconds=elapsed_s / 2), voided], elapsed_s)


@pytest.mark.parametrize("seconds", [4.0, math.nan, math.inf, -1.0])
def test_games_that_took_longer_than_since_they_were_handed_out_are_refused(duel, seconds):
    voided = Void(duel.fixture, replace(make_attempt(duel), seconds=seconds))
    for games in (
        [replace(duel.report, seconds=3.9 if seconds == 4 else 0.0), voided],
        [replace(duel.report, seconds=2 * seconds)],
    ):
        with pytest.raises(
            ReportRefused, match=r"its games took [78]\.\d s, but they were handed out 4.0 s ago|not numbers"
        ):
            check_elapsed(games, 4.0)


MACHINES = {
    "another host": ({"host": "another"}, False),
    "more cores": ({"cores": 64}, False),
    "another speed": ({"speed": 0.9}, False),
    "another process": ({"process": "new", "speed": 0.9}, True),
    "another speed of another process": ({"process": "new", "speed": 0.4}, False),
}


@pytest.mark.parametrize(("changes", "is_possible"), MACHINES.values(), ids=MACHINES.keys())
def test_a_machine_must_be_the_one_that_joined(duel, changes, is_possible):
    check_machine(duel.machine, duel.machine)
    with nullcontext() if is_possible else pytest.raises(ReportRefused, match="describes its machine otherwise"):
        check_machine(replace(duel.machine, **changes), duel.machine)


def test_an_honest_voided_attempt_is_accepted(duel):
    check_voided(make_attempt(duel), duel.fixture, duel.machine)


@pytest.mark.parametrize(("changes", "fault"), ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_a_voided_attempt_of_another_game_is_refused(duel, changes, fault):
    with pytest.raises(ReportRefused, match=fault):
        check_voided(replace(make_attempt(duel), **changes), duel.fixture, duel.machine)
