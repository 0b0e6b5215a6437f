"""Summaries of long ladders: nothing depends on which games are summed up."""

import sqlite3
import threading
from contextlib import closing
from random import Random

import msgspec
import pytest
from msgspec.structs import replace
from tournament.rulings import DECISION, FORCED, Event, disqualify, reinstate, rule_game, undo_game_ruling, withdraw
from tournament.stored_games import RESULTS

from arbiter.director.verification import verify_results
from arbiter.packing import pack, unpack
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results import store as store_module
from arbiter.tournament.results.condensed import write_summary
from arbiter.tournament.results.reader import Results, Selection
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.ladder_state import LadderState
from arbiter.tournament.standings.history import Earlier, SavedLadder

BOTS = ("a", "b", "c", "d", "e")


class RandomLadder(Event):
    suspend_after = 3

    def __init__(self, path, seed, **settings):
        self.chance = Random(seed)
        settings |= {"format": "ladder", "games": 2, "tie_breaks": None, "secret": "5ec7" * 8}
        super().__init__(path, BOTS, self.choose_result, **settings)

    def choose_result(self, fixture):
        if "e" in (fixture.red, fixture.blue) and self.chance.random() < 0.7:
            return "red" if fixture.blue == "e" else "blue", "crash"
        return self.chance.choice(list(RESULTS.values()))

    def condense(self):
        with Store.create_or_resume(self.path, self.manifest) as store:
            return store.condense(1)


def describe(store, *, condensed):
    """Return all that follows from the games of a ladder: standings, tables, and the next pairs."""
    history = store.history(condensed=condensed)
    schedule = store.manifest.schedule(history)
    (stage,) = schedule.stages
    dispatcher = Dispatcher(schedule, history, suspend_after=RandomLadder.suspend_after)
    found = {
        "ranking": schedule.rank(stage),
        "table": schedule.tabulate(stage),
        "ratings": stage.source.rate_bots(),
        "samples": [  # the intervals depend on the bots that were entered then
            (one.pair, one.at, {bot: elo for bot, (elo, _) in one.elo.items()}) for one in stage.source.state.samples
        ],
        "played": (schedule.played, schedule.total, history.count, history.last_round, history.count_games()),
        "lifted": history.lifted,
        "next": [dispatcher.take() for _ in range(8)],
    }
    return found, history.earlier


def verify_in_parts(path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_module, "PART", 7)
        return verify_results(path)


def assert_same(path):
    with Store.read(path) as store:
        whole, _ = describe(store, condensed=False)
        found, earlier = describe(store, condensed=True)
        assert found == whole
        assert store.verify_chain().faults == ()
    verified, in_parts = verify_results(path), verify_in_parts(path)
    assert in_parts == verified
    assert all("its record cannot be read" in fault for fault in verified.faults), "the records are not those of games"
    return earlier


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("seed", range(4))
def test_nothing_depends_on_the_games_that_are_summed_up(tmp_path, seed):
    event = RandomLadder(tmp_path / "ladder.sqlite", seed)
    for _ in range(3):
        event.play(event.chance.randrange(1, 40))
        assert event.condense()
        assert assert_same(event.path).games > 0
        event.play(event.chance.randrange(1, 20))
        assert_same(event.path)


def test_results_are_verified_while_games_are_stored(tmp_path):
    event = RandomLadder(tmp_path / "ladder.sqlite", 5)
    event.play(40)
    event.condense()
    ended = threading.Event()
    with Store.create_or_resume(event.path, event.manifest) as store:
        dispatcher = Dispatcher(store.schedule(), store.history())

        def play():
            while not ended.is_set():
                game = event.finish(dispatcher.take())
                store.add([NewGame(game, b"record")])
                dispatcher.add(game)

        player = threading.Thread(target=play)
        player.start()
        try:
            found = [verify_in_parts(event.path) for _ in range(5)]
        finally:
            ended.set()
            player.join()
    assert [fault for one in found for fault in one.faults if "its record cannot be read" not in fault] == []
    assert found[0].games < found[-1].games


def test_bots_leave_and_come_back_after_a_summary(tmp_path):
    event = RandomLadder(tmp_path / "ladder.sqlite", 1)
    event.play(60)
    event.condense()
    for change in (
        lambda: withdraw(event.path, "a"),
        lambda: event.play(10),
        lambda: withdraw(event.path, "a", back=True),
        lambda: event.play(10),
        lambda: reinstate(event.path, "e", FORCED),
        lambda: event.play(10),
        event.condense,
        lambda: event.play(10),
    ):
        change()
        assert_same(event.path)


def test_a_ruling_on_an_earlier_game_counts_all_games_again(tmp_path):
    event = RandomLadder(tmp_path / "ladder.sqlite", 2)
    first, *_ = event.play(30)
    event.condense()
    rule_game(event.path, first, "draw", DECISION)
    assert assert_same(event.path) is None
    event.condense()
    assert assert_same(event.path).rulings == 1
    undo_game_ruling(event.path, first, DECISION)
    disqualify(event.path, "b", DECISION)
    assert assert_same(event.path) is None
    event.condense()
    assert_same(event.path)


def test_bots_join_and_change_their_order(tmp_path):
    event = RandomLadder(tmp_path / "ladder.sqlite", 3)
    event.play(30)
    event.condense()
    bots = event.manifest.tournament.bots
    for order, is_valid in (([*bots, BotConfig(name="z")], True), ([*bots[::-1], BotConfig(name="z")], False)):
        with Store.create_or_resume(event.path, replace_bots(event.manifest, order)):
            pass
        assert (assert_same(event.path) is not None) is is_valid


def replace_bots(manifest, bots):
    return replace(manifest, tournament=replace(manifest.tournament, bots=bots))


def test_a_pairing_that_has_met_before_the_summary_is_not_paused_by_its_first_voided_game(tmp_path):
    event = RandomLadder(tmp_path / "ladder.sqlite", 4)
    event.play(60)
    event.condense()
    with Store.read(event.path) as store:
        history = store.history(condensed=True)
        schedule = store.manifest.schedule(history)
        assert not history.games
        dispatcher = Dispatcher(schedule, history, met=schedule.met)
    fixture = dispatcher.take()
    dispatcher.void(fixture)
    assert not dispatcher.is_paused(fixture)
    dispatcher.void(fixture)
    assert dispatcher.is_paused(fixture)


@pytest.mark.parametrize("content", [b"", b"x", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_a_summary_that_cannot_be_read_is_made_again(tmp_path, content):
    event = RandomLadder(tmp_path / "ladder.sqlite", 4)
    event.play(20)
    event.condense()
    with closing(sqlite3.connect(event.path)) as connection, connection:
        connection.execute("UPDATE condensed SET packed = ? WHERE block = 0", (content,))
    with Store.read(event.path) as store:
        found, earlier = describe(store, condensed=True)
        assert earlier is None
        assert found == describe(store, condensed=False)[0]
        assert "table condensed was changed by another program" in store.verify_chain().faults
    event.condense()
    with Store.read(event.path) as store:
        assert describe(store, condensed=True)[1].games == 20


def forge(path, change):
    """Replace the summary by another one, with its links, as somebody who knows the format can do it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (packed,) = connection.execute("SELECT packed FROM condensed WHERE block = 0").fetchone()
        number, earlier = msgspec.msgpack.decode(unpack(packed), type=tuple[int, Earlier])
        state = msgspec.msgpack.decode(earlier.ladder.state, type=LadderState)
        number, earlier = change(number, earlier, state) or (number, earlier)
        forged = replace(earlier, ladder=SavedLadder(msgspec.msgpack.encode(state)))
        connection.execute("BEGIN")
        write_summary(connection, 1, number, forged)
        connection.execute("COMMIT")


def rename(_number, _earlier, state):
    state.pairs["a", "nobody"] = 3


def stop(_number, _earlier, state):
    state.interval = 0
    state.bots["b"].total = replace(state.bots["a"].total, wins=77)


def forget(_number, _earlier, state):
    state.numbers.clear()
    state.in_progress[("a", "b"), 9] = []


FORGED = {
    "a bot that takes no part": rename,
    "a pair in progress without a number": forget,
    "a number too high": lambda _number, earlier, _state: (2**64 - 1, earlier),
    "a negative number": lambda _number, earlier, _state: (-5, earlier),
    "rulings that do not exist": lambda number, earlier, _state: (number, replace(earlier, rulings=7)),
    "a negative number of rulings": lambda number, earlier, _state: (number, replace(earlier, rulings=-1)),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_a_summary_that_no_arbiter_makes_is_left_out(tmp_path, change):
    event = RandomLadder(tmp_path / "ladder.sqlite", 5)
    event.play(20)
    event.condense()
    forge(event.path, change)
    assert assert_same(event.path) is None


def test_digests_that_are_cut_off_make_a_summary_invalid(tmp_path):
    event = RandomLadder(tmp_path / "ladder.sqlite", 5)
    event.play(20)
    event.condense()
    with closing(sqlite3.connect(event.path)) as connection, connection:
        connection.execute("INSERT INTO condensed VALUES (1, 99, ?)", (pack(b"odd"),))
    with Store.read(event.path) as store:
        assert describe(store, condensed=True)[1] is None


def test_verify_finds_a_summary_that_does_not_fit_the_games(tmp_path):
    event = RandomLadder(tmp_path / "ladder.sqlite", 6)
    event.play(20)
    event.condense()
    fault = "the summary of the first games does not fit them: standings may be wrong"
    assert fault not in verify_results(event.path).faults
    forge(event.path, stop)
    with Store.read(event.path) as store:
        assert store.verify_chain().faults == ()
    assert fault in verify_results(event.path).faults


def test_tournaments_with_rounds_have_no_summary(tmp_path):
    event = Event(tmp_path / "club.sqlite", BOTS)
    event.play(10)
    with Store.create_or_resume(event.path, event.manifest) as store:
        assert not store.condense(1)
        assert store.history(condensed=True).earlier is None


def list_in_parts(store, asked, **words):
    """List games in parts, from both ends; return them by their numbers, and the states of those that do not count."""
    forward = list(store.list_games(asked, **words))
    assert len(forward) > 1
    games = {number: game for part in forward for number, game in part.games.items()}
    uncounted = {game_id: state for part in forward for game_id, state in part.uncounted.items()}
    for most in (1, 7, 30, 1000):
        last = store.list_last(asked, most, **words)
        assert list(last.games.items()) == list(games.items())[-most:]
        assert last.is_cut == (len(games) > most)
        assert all(last.uncounted.get(game.id) == uncounted.get(game.id) for game in last.games.values())
    return games, uncounted


def test_games_are_listed_in_parts_as_they_are_together(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "LATEST", 7)
    event = RandomLadder(tmp_path / "ladder.sqlite", 2)
    event.play(40)
    with Store.read(event.path) as store:
        first, second, third = [game.id for game in store.games_as_stored()[3:6]]
    rule_game(event.path, first, "replay", DECISION)
    rule_game(event.path, second, "annulled", DECISION)
    rule_game(event.path, third, "red", DECISION)
    event.play(30)
    disqualify(event.path, "b", DECISION, first_round=20)
    with Results.read(event.path) as results:
        states, numbers = results.uncounted(), results.game_numbers()
        assert {"annulled", "replaced"} == {state.code for state in states.values()}
        for asked in (Selection(), Selection(bots=("a",)), Selection(bots=("a", "c")), Selection(lost_by="b")):
            for as_played in (False, True):
                games, uncounted = list_in_parts(results, asked, as_played=as_played)
                every = results.games_as_played() if as_played else results.games()
                chosen = [game for game in every if asked.selects(game) and {game.red, game.blue} >= {*asked.bots}]
                assert games == {numbers[game.id]: game for game in chosen}
                assert uncounted == {game.id: states[game.id] for game in chosen if game.id in states}
        for number, game_id in ((4, first), (5, second), (6, third)):
            (found,) = results.list_games(Selection(game=game_id), as_played=True)
            assert list(found.games) == [number]
            (found,) = results.list_games(Selection(game=game_id))
            assert list(found.games) == ([] if game_id == first else [number])


def test_a_replay_that_is_reverted_while_a_ladder_is_played_brings_no_stored_game_again(tmp_path):
    event = RandomLadder(tmp_path / "one.sqlite", 1)
    event.play(20)
    with Store.read(event.path) as store:
        stored = [game.id for game in store.games_as_stored()]
        rule_game(event.path, stored[0], "replay", DECISION)
        plan = store.schedule()
        undo_game_ruling(event.path, stored[0], DECISION)
        plan.follow(store.rulings())
    taken = [plan.take() for _ in range(4)]
    assert all(taken)
    assert {fixture.id for fixture in taken}.isdisjoint(stored)
