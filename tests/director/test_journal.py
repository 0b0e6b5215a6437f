"""The journal of a run: games that are stored but not announced yet when everything is read again."""

import pytest
from tournament.results.test_condensed import RandomLadder

from arbiter.director.journal import Journal, RulingReader
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Finished
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.store import Store


@pytest.mark.parametrize("is_summed_up", [False, True])
def test_a_game_that_is_stored_while_all_games_are_read_again_counts_once(tmp_path, is_summed_up):
    event = RandomLadder(tmp_path / "ladder.sqlite", 1)
    event.play(11)
    with Store.create_or_resume(event.path, event.manifest) as store, Store.read(event.path) as reader:
        history = store.history()
        journal = Journal(event.manifest, list(history.games), store=store, reader=reader, history=history)
        journal.condense_at = 1 if is_summed_up else journal.condense_at
        schedule = event.manifest.schedule(history)
        decisions = RulingReader(journal, schedule, None)
        decisions.dispatcher = dispatcher = Dispatcher(schedule, history)
        first, second = (event.finish(dispatcher.take()) for _ in range(2))
        journal.keep([NewGame(game, b"record") for game in (first, second)])
        dispatcher.add(first)
        journal.receive(Finished(first))
        if is_summed_up:
            assert store.condense(1)
        decisions.enlarge()
        dispatcher.add(second)
        journal.receive(Finished(second))
        assert [game.id for game in journal.games].count(second.id) == 1
        assert schedule.played == 13
        (stage,) = schedule.stages
        again = event.manifest.schedule(store.history())
        assert schedule.tabulate(stage) == again.tabulate(again.stages[0])
        assert schedule.rank(stage) == again.rank(again.stages[0])
