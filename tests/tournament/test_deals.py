"""The deals of games: what follows from the secret, and what an attempt has of its own."""

import hashlib
from pathlib import Path

import msgspec
import pytest
import trio
from games.test_deployments import DRAWN, OTHER
from msgspec.structs import replace
from referee.real_games import bot
from tournament.stored_games import attempt
from tournament.test_secrets import make_tournament
from tournament.tournaments import tournament_file

from arbiter.games.catalogue import find_game
from arbiter.record import read_record
from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.arena import Arena, ArenaSettings
from arbiter.tournament.config.deployment_book import load_book
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.deals import draw_deal
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.execution.executor import GameSpecs
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.results.integrity import GameCheck, check_game

KEY = "5ec7" * 8
CARDS, BOOK = "cards", "a book"
GAMES = [make_fixture(*seats, pair, 1) for pair in (1, 2) for seats in (("one", "two"), ("two", "one"))]
FIRST = {
    (CARDS, "shared"): "c3d25ee74cb712b0",
    (CARDS, "separate"): "849c4cfba6d666da",
    (BOOK, "shared"): "25b7e54c73b1e728",
    (BOOK, "separate"): "059f1f9d94e3942a",
}
"""Digests of the deals of first attempts, which those of stored games are."""


@pytest.fixture(params=FIRST, ids=" ".join)
def chosen(request, tmp_path):
    """The kind of the tournament, and the tournament."""
    kind, deals = request.param
    if kind == CARDS:
        return request.param, make_tournament(names=("one", "two"), deals=deals, first="lot")
    path = tmp_path / "book.txt"
    path.write_text(f"{DRAWN}\n{OTHER}\n{OTHER.replace('M..', '..M')}", "utf-8")
    tournament = resolve(tournament_file(rules="duel", deals=deals, first="lot"), Path())
    return request.param, replace(tournament, deployments=load_book(path, find_game("duel")))


def test_the_deals_of_first_attempts_stay_as_they_are(chosen):
    kind, tournament = chosen
    deals = [draw_deal(tournament, KEY, fixture, 0) for fixture in GAMES]
    drawn = msgspec.json.encode([(deal.seed, deal.bot_seeds, deal.first, deal.position) for deal in deals])
    assert hashlib.sha256(drawn).hexdigest()[:16] == FIRST[kind]


def test_each_attempt_has_a_deal_of_its_own(chosen):
    (kind, _), tournament = chosen
    for fixture in GAMES:
        deals = [draw_deal(tournament, KEY, fixture, number) for number in range(6)]
        assert len({deal.seed for deal in deals}) == 6
        assert len({seed for deal in deals for seed in deal.bot_seeds.values()}) == 12
        assert len({deal.position for deal in deals}) == (6 if kind == BOOK else 1), "all six that the book allows"
        assert len({deal.first for deal in deals}) == 1, "each bot moves first in one game of a pair"
        assert len({deal.pair_seed for deal in deals}) == 1, "the other game of the pair keeps its deal"
    again = [draw_deal(tournament, KEY, fixture, 1).seed for fixture in GAMES]
    assert len(set(again)) == len(GAMES)
    assert draw_deal(tournament, "1" * 32, GAMES[0], 1).seed not in again


def play(attempts=()):
    """Play a pair of card games against a bot that kills itself once; return the records and the voided attempts."""
    tournament = make_tournament(names=("dies", "other"), deals="separate")
    programs = (bot("sees_and_dies"), bot("remembers_cards"))
    programs = tuple(replace(one, name=name) for one, name in zip(programs, ("dies", "other"), strict=True))
    tournament, stored = replace(tournament, programs=programs), []
    arena = Arena(
        tournament, KEY, LocalExecutor(ProcessIsolation(), 1), stored.extend, ArenaSettings(attempts=attempts)
    )
    trio.run(arena.play, Dispatcher(tournament.schedule(KEY)))
    return tournament, stored


def test_a_game_that_is_played_again_shows_other_cards_and_seeds():
    tournament, (voided, *games) = play()
    again, other = (read_record(one.record).header for one in games)
    assert (voided.attempt.id, again.attempt, other.attempt) == (again.id, 1, msgspec.UNSET)
    before = GameSpecs(tournament, KEY, {}).make(make_fixture("dies", "other", 1, 1)).header
    assert set(before.bot_seeds.values()).isdisjoint(again.bot_seeds.values())
    sent = b"".join(line.text for line in voided.log.wire["red"].lines if line.sent)
    assert f'"seed":{before.bot_seeds["red"]}'.encode() in sent
    assert f'"seed":{again.bot_seeds["red"]}'.encode() not in sent
    assert before.seed != again.seed


ATTEMPTS = {
    "a run that continues": ((), 1),
    "a resumed run": ((attempt("dies~other~1", "killed", "red"),), 1),
    "an error of the arbiter, then the kill": ((attempt("dies~other~1", "error"),), 2),
    "stopped runs and lost workers": (
        tuple(attempt("dies~other~1", reason) for reason in ("stopped", "lost", "refused", "audit")),
        1,
    ),
    "attempts of other games": ((attempt("other~dies~1", "error"), attempt("dies~other~2", "error")), 1),
}


@pytest.mark.parametrize(("attempts", "number"), ATTEMPTS.values(), ids=ATTEMPTS)
def test_the_number_of_the_attempt_is_that_of_the_stored_ones(attempts, number):
    _, stored = play(attempts)
    headers = [read_record(one.record).header for one in stored if hasattr(one, "record")]
    assert next(header.attempt for header in headers if header.id == "dies~other~1") == number


@pytest.mark.parametrize(("reason", "needs"), [("stopped", True), ("lost", False), ("audit", False), ("killed", True)])
def test_remote_programs_and_people_see_no_deal_again_after_a_stop(reason, needs):
    made = attempt("dies~other~1", reason)
    assert made.needs_deal(["other"]) is made.needs_deal({"dies", "hal"}) is needs
    assert made.needs_deal(["hal", "dies", "other"]) is (reason == "killed")


def test_verification_compares_the_deal():
    tournament, (_, again, _) = play()
    fixture = make_fixture("dies", "other", 1, 1)
    right = [[draw_deal(tournament, KEY, fixture, number)] for number in range(2)]
    first = draw_deal(tournament, KEY, fixture, 0)
    header = replace(read_record(again.record).header, facts=None)
    cases = {
        "as it was played": (header, right, ""),
        "no voided attempt": (header, right[:1], "its record is that after 1 voided attempt, but 0 are stored"),
        "another number": (replace(header, attempt=msgspec.UNSET), right, "its seeds or its position are not those"),
        "another seed": (replace(header, seed=first.seed), right, "that follow from the secret after 1 voided attempt"),
        "other seeds of bots": (replace(header, bot_seeds=first.bot_seeds), right, "its seeds or its position"),
        "other decks": (
            replace(header, decks={**header.decks, "red": header.decks["red"][::-1]}),
            right,
            "red's deck is not the one that follows from the seed",
        ),
    }
    for name, (changed, deals, fault) in cases.items():
        _, rest = again.record.split(b"\n", 1)
        found = check_game(GameCheck(again.game, msgspec.json.encode(changed) + b"\n" + rest, None, deals=deals))
        assert bool(found) == bool(fault), (name, found)
        assert fault in "; ".join(found), name
