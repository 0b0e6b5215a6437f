"""Tournaments whose processes play several games: what they have seen must not help them in a later game."""

import pytest
import trio
from msgspec.structs import replace
from referee.real_games import AMPLE, bot
from tournament.test_secrets import EXAMPLES

from arbiter.games.board.deployments import letters_of
from arbiter.record import read_record
from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import load_tournament, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.execution.executor import GameSpecs
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.results.manifest import new_manifest
from protocol.words import OPPONENT, SEATS

NAMES = ("one", "two")


class NaiveExecutor(LocalExecutor):
    """An executor that knows nothing about the hidden parts that games share."""

    async def try_game(self, task):
        make_spec = task.make_spec
        return await super().try_game(replace(task, make_spec=lambda speed: replace(make_spec(speed), shared=None)))


def play_cards(executor, *, games=4, jobs=1, withdrawn=()):
    """Play a card game between bots that remember cards; return the stored games."""
    bots = [BotConfig(name=name) for name in NAMES]
    file = TournamentFile(name="cards", rules="card-game", games=games, time=AMPLE, processes="reused", bots=bots)
    tournament = replace(resolve_names(file), programs=tuple(replace(bot("remembers_cards"), name=n) for n in NAMES))
    key = new_manifest(tournament, "process").key
    stored = []
    dispatcher = Dispatcher(tournament.schedule(key), pairs_apart=tournament.has_revealing_pairs)
    trio.run(
        Arena(tournament, key, executor(ProcessIsolation(), jobs, keeps_processes=True), stored.extend).play, dispatcher
    )
    return stored


def count_known_hands(stored):
    """Return how many bots knew the cards of their opponent, and how many processes had played before."""
    known = 0
    for one in stored:
        record = read_record(one.record)
        for act in record.acts[:2]:
            hand = record.header.decks[OPPONENT[act.seat]][: len(act.note.split())]
            known += act.note == " ".join(hand)
    return known, sum(len(one.game.conditions.earlier_games) for one in stored)


def test_no_process_knows_the_cards_of_the_second_game_of_a_pair():
    assert count_known_hands(play_cards(LocalExecutor)) == (0, 4)


def test_the_attack_works_if_processes_are_used_again_for_each_game():
    known, reused = count_known_hands(play_cards(NaiveExecutor))
    assert (known, reused) == (4, 6)


@pytest.mark.slow
def test_no_process_knows_cards_with_several_games_at_a_time():
    known, reused = count_known_hands(play_cards(LocalExecutor, games=40, jobs=3))
    assert known == 0
    assert reused > 40


def make_specs(file):
    tournament = load_tournament(EXAMPLES / file)
    key = new_manifest(tournament, "process").key
    return tournament, GameSpecs(tournament, key), list(tournament.schedule(key).fixtures)


def test_both_games_of_a_pair_have_a_part_that_no_other_pair_has():
    _, specs, fixtures = make_specs("cards.toml")
    pairs = {}
    for fixture in fixtures:
        pair = (frozenset((fixture.red, fixture.blue)), fixture.pair)
        pairs.setdefault(pair, set()).add(specs.make(fixture).shared)
    assert all(len(shared) == 1 for shared in pairs.values())
    assert len(set.union(*pairs.values())) == len(pairs) > 2


@pytest.mark.parametrize("file", ["cards.toml", "duplicate.toml"])
def test_games_with_separate_deals_have_no_part_in_common(file):
    tournament = load_tournament(EXAMPLES / file)
    assert tournament.has_revealing_pairs
    tournament = replace(tournament, file=replace(tournament.file, deals="separate"))
    assert not tournament.has_revealing_pairs
    key = new_manifest(tournament, "process").key
    specs = GameSpecs(tournament, key)
    fixtures = list(tournament.schedule(key).fixtures)[:40]
    made = [specs.make(fixture) for fixture in fixtures]
    assert len({spec.header.seed for spec in made}) == len(made)
    assert len({fixture.pair for fixture in fixtures}) < len(fixtures)
    pairs = {}
    for fixture, spec in zip(fixtures, made, strict=True):
        pairs.setdefault((frozenset((fixture.red, fixture.blue)), fixture.pair), []).append(spec.header.position)
    if tournament.deployments:
        assert all(one != other for one, other in pairs.values())


def test_games_of_a_book_share_their_deployments():
    """A bot that has seen a deployment of the book knows it when it meets it again."""
    tournament, specs, fixtures = make_specs("duplicate.toml")
    for fixture in fixtures[:4]:
        spec = specs.make(fixture)
        game = spec.settings.game
        found = {
            letters_of({game.board.names[p.square]: p.rank for p in game.position.pieces if p.seat == seat}, seat, game)
            for seat in SEATS
        }
        assert spec.shared.parts == found <= set(tournament.deployments)


def test_games_without_a_common_secret_share_nothing():
    _, specs, fixtures = make_specs("demo.toml")
    assert specs.make(fixtures[0]).shared is None
