"""The secret of a tournament: no bot can find the seed by trial, and seed and secret repeat the whole event."""

from pathlib import Path

import trio
from msgspec.structs import replace
from referee.real_games import AMPLE, bot
from tournament.schedules import FirstChoice, play_games
from tournament.stored_games import game
from tournament.tournaments import make_table

from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import load_tournament, resolve_names
from arbiter.tournament.config.tournament_file import StageTable, TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.execution.executor import GameSpecs
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.results.manifest import new_manifest, resume_manifest
from arbiter.tournament.standings.history import History
from protocol.words import SEATS

EXAMPLES = Path(__file__).parent.parent.parent / "tournaments"
SEED = 2026
NO_SECRET = "0" * 32
NAMES = ("attacker", "other")
GAME = "attacker~other~1"
WAYS = ("its own seed", "the name of the game", "its cards")


def make_tournament(*, rules="card-game", names=NAMES, **settings):
    bots = [BotConfig(name=name) for name in names]
    return resolve_names(
        make_table(TournamentFile, name="event", rules=rules, seed=SEED, time=AMPLE, bots=bots, **settings)
    )


def make_manifest(tournament, secret):
    return replace(new_manifest(tournament, "process"), secret=secret)


def attack(secret):
    """Play a game with a secret against a bot that knows the tournament file; return what it guessed."""
    tournament = make_tournament()
    attacker = bot("guesses_the_seed", *NAMES, GAME)
    tournament = replace(tournament, programs=tuple(replace(attacker, name=name) for name in NAMES))
    key = make_manifest(tournament, secret).key
    stored = []
    arena = Arena(tournament, key, LocalExecutor(ProcessIsolation(), 1), stored.extend)
    trio.run(arena.play, Dispatcher(tournament.schedule(key)))
    (log,) = (result.log for result in stored if result.game.id == GAME)
    return log.stderr["red"].strip()


def test_a_bot_finds_a_short_seed():
    """The attack works with a secret that the bot knows."""
    assert attack(NO_SECRET) == "guessed " + "; ".join(f"{SEED} by {way}" for way in WAYS)


def test_a_bot_finds_nothing_if_it_does_not_know_the_secret():
    assert attack(new_manifest(make_tournament(), "process").secret) == "guessed nothing"


def list_choices(secret, names="abcdefg", **settings):
    """List all random choices of an event that is played by the same results: pairings, seeds, names, decks, positions."""
    tournament = make_tournament(names=tuple(names), **settings)
    key = make_manifest(tournament, secret).key
    schedule = tournament.schedule(key)
    programs = tuple(replace(bot(), name=name) for name in names)
    makes = GameSpecs(replace(tournament, programs=programs), key)

    def draw(fixture):
        made = game(fixture.red, fixture.blue, None, "ply_limit", pair=fixture.pair, round_=fixture.round)
        return replace(made, id=fixture.id)

    play_games(schedule, FirstChoice(), how=draw)
    specs = {fixture.id: makes.make(fixture) for fixture in schedule.fixtures}
    return specs, schedule.rank_all()


STAGES = [
    StageTable(format="swiss", settings={"rounds": 2}),
    StageTable(format="knockout", best=4, settings={"further_pairs": 0}),
]


def test_seed_and_secret_repeat_an_event():
    secret = new_manifest(make_tournament(), "process").secret
    settings = {"stages": STAGES, "tie_breaks": ["points", "lots"]}
    assert list_choices(secret, **settings) == list_choices(secret, **settings)
    assert list_choices(secret, **settings) != list_choices(NO_SECRET, **settings)


def test_another_secret_changes_every_random_choice():
    one, ranks = list_choices("1" * 32, tie_breaks=["points", "lots"])
    two, other_ranks = list_choices("2" * 32, tie_breaks=["points", "lots"])
    assert [line.bot for line in ranks] != [line.bot for line in other_ranks]
    for game_id, spec in one.items():
        other = two[game_id]
        assert spec.settings.name != other.settings.name
        assert spec.header.seed != other.header.seed
        assert not set(spec.settings.bot_seeds.values()) & set(other.settings.bot_seeds.values())


def test_the_draws_of_a_knockout_depend_on_the_secret():
    """All games are drawn, so that a random draw decides every match."""
    settings = {"format": "knockout", "further_pairs": 0}
    winners = {list_choices(f"{number:032x}", **settings)[1][0].bot for number in range(20)}
    assert len(winners) > 3


def test_deployments_from_a_book_depend_on_the_secret():
    tournament = load_tournament(EXAMPLES / "duplicate.toml")
    (fixture, *_) = tournament.schedule(0).fixtures

    def choose(secret):
        return GameSpecs(tournament, make_manifest(tournament, secret).key).make(fixture)

    positions = {choose(f"{number:032x}").header.position for number in range(20)}
    assert len(positions) > 10


def test_all_bots_of_an_event_have_different_seeds_in_all_games():
    specs, _ = list_choices("1" * 32, games=4)
    seeds = [spec.settings.bot_seeds[seat] for spec in specs.values() for seat in SEATS]
    assert len(seeds) == len(set(seeds)) == 2 * 21 * 4
    pairs = {spec.header.seed for spec in specs.values()}
    assert len(pairs) == 21 * 2


def test_stored_games_keep_their_secret():
    secret = "1" * 32
    tournament = make_tournament()
    before = make_manifest(tournament, secret)
    stored = [game(*NAMES, "red", "flag_taken")]
    assert resume_manifest(before, new_manifest(tournament, "process"), History(stored)).secret == secret
