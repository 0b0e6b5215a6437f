"""Withdrawals between two runs and during a round, in every format: who is paired, what counts, and reversals."""

import msgspec
import pytest
from tournament.rulings import DECISION, Event, disqualify, results_of, rule_game, withdraw

from arbiter.errors import ConfigError
from arbiter.tournament.config.tournament_file import StageTable
from arbiter.tournament.results.live_files import LOCK_SUFFIX, Lock
from arbiter.tournament.results.store import Store
from protocol.reasons import Withdrawn


def make_event(folder, form, bots="abcdef", **settings):
    stages = {
        "swiss, knockout": [{"format": "swiss", "rounds": 2}, {"format": "knockout", "best": 4}],
        "round-robin, swiss": [{"format": "round-robin"}, {"format": "swiss", "best": 4, "rounds": 2}],
    }
    if form in stages:
        settings["stages"] = [StageTable(**make_stage(**stage)) for stage in stages[form]]
    else:
        settings["format"] = form
    return Event(folder / "club.sqlite", bots, **settings)


def make_stage(**keys):
    settings = {key: keys.pop(key) for key in ("rounds",) if key in keys}
    return keys | {"settings": settings}


def list_pairings(event, number):
    return set(event.meetings()[number - 1])


def list_byes(event):
    return [bye.bot for bye in event.schedule().stages[0].byes if not bye.requested]


def encode(event):
    schedule = event.schedule()
    return msgspec.json.encode([schedule.rank_all(), *(schedule.rank(stage) for stage in schedule.stages)])


CASES = {
    # format: games before, bot, walkovers after it, status, its games
    "round-robin": (12, "b", 6, "withdrawn", "struck"),
    "gauntlet": (8, "b", 2, "withdrawn", "kept"),
    "swiss": (6, "b", 0, "withdrawn", "kept"),
    "swiss in a round": (7, "b", 2, "withdrawn", "kept"),
    "knockout": (5, "b", 2, "withdrawn", "kept"),
    "swiss, knockout": (12, "b", 0, "withdrawn", "kept"),
    "swiss, knockout in the second stage": (13, "b", 2, "withdrawn", "kept"),
    "round-robin, swiss": (30, "b", 0, "withdrawn", "kept"),
    "round-robin, swiss in the second stage": (31, "b", 2, "withdrawn", "kept"),
}
SETTINGS = {"gauntlet": {"challengers": ["a"], "games": 4}, "swiss": {"rounds": 3}}


@pytest.mark.parametrize("case", CASES)
def test_in_every_format(tmp_path, case):
    played, bot, walkovers, status, games = CASES[case]
    form = case.split(" in ")[0]
    event = make_event(tmp_path, form, **SETTINGS.get(form, {}))
    event.play(played)
    before = encode(event)
    withdraw(event.path, bot)
    withdraw(event.path, bot, back=True)
    assert encode(event) == before
    withdraw(event.path, bot)
    event.play()
    schedule = event.schedule()
    assert schedule.finished
    lost = [game for game in schedule.history.games if game.ending == "walkover"]
    assert len(lost) == walkovers
    assert all(game.reason == Withdrawn(bot) for game in lost)
    (row,) = [one for stage in schedule.stages[:1] for one in schedule.rank(stage) if one.bot == bot]
    assert (row.status, row.withdrawn) == (status, games)
    with Store.read(event.path) as store:
        assert all(schedule.has(game.id) for game in store.games_as_played())


class TestSwiss:
    """Six bots, three rounds of two games; the first name wins."""

    @pytest.fixture
    def event(self, tmp_path):
        event = make_event(tmp_path, "swiss", rounds=3)
        event.play(6)
        assert list_pairings(event, 2) == {"a-c", "b-d", "e-f"}
        return event

    def test_between_rounds_the_bye_goes_to_the_lowest_bot_that_may_have_it(self, event):
        withdraw(event.path, "b")
        assert list_pairings(event, 2) == {"a-c", "d-e"}
        assert list_byes(event) == ["f"]
        event.play(4)
        withdraw(event.path, "f")
        assert list_byes(event) == ["f"]
        assert len(list_pairings(event, 3)) == 2

    def test_in_a_round_the_pairing_stays_and_the_next_one_is_without_the_bot(self, event):
        event.play(1)
        withdraw(event.path, "b")
        assert list_pairings(event, 2) == {"a-c", "b-d", "e-f"}
        event.play(5)
        assert not any("b" in pairing for pairing in list_pairings(event, 3))
        withdraw(event.path, "b", back=True)
        assert any("b" in pairing for pairing in list_pairings(event, 3))
        event.play(1)
        withdraw(event.path, "b")
        assert any("b" in pairing for pairing in list_pairings(event, 3))

    def test_a_round_is_not_paired_again_while_an_arbiter_plays(self, event):
        with Lock(event.path.with_name(event.path.name + LOCK_SUFFIX)):
            withdraw(event.path, "b")
        assert list_pairings(event, 2) == {"a-c", "b-d", "e-f"}

    def test_a_disqualified_bot_is_not_paired(self, event):
        disqualify(event.path, "a", DECISION)
        assert list_pairings(event, 2) == {"b-d", "c-e"}

    def test_the_round_follows_a_ruling_and_a_withdrawal(self, event):
        rule_game(event.path, "c~f~1", "blue", DECISION)
        rule_game(event.path, "f~c~1", "red", DECISION)
        withdraw(event.path, "d")
        assert list_pairings(event, 2) == {"a-f", "b-c"}
        assert list_byes(event) == ["e"]
        event.play()
        assert event.schedule().finished


def test_a_withdrawn_bot_does_not_qualify(tmp_path):
    """The games of b, the second of the round robin, are struck or kept; in both cases a, c, d and e qualify."""
    event = make_event(tmp_path, "round-robin, swiss")
    event.play(30)
    withdraw(event.path, "b")
    assert event.schedule().stages[1].entrants.bots == ("a", "c", "d", "e")
    withdraw(event.path, "b", back=True)
    assert event.schedule().stages[1].entrants.bots == ("a", "b", "c", "d")


@pytest.mark.parametrize(("rule", "last"), [("strike", "d"), ("keep", "e")])
def test_struck_games_do_not_decide_who_qualifies(tmp_path, rule, last):
    """d and e draw; f, which leaves before its last game, loses to e and beats d."""
    event = make_event(tmp_path, "round-robin, swiss", withdrawn_games=rule)
    event.how = results_of("d~e~1 1/2\ne~d~1 1/2\nd~f~1 0-1\nf~d~1 1-0")
    event.play(29)
    withdraw(event.path, "f")
    event.play(1)
    assert event.schedule().stages[1].entrants.bots == ("a", "b", "c", last)


def test_refusals(tmp_path):
    event = make_event(tmp_path, "swiss")
    event.play(2)
    with pytest.raises(ConfigError, match="b: no such ruling on it is in force"):
        withdraw(event.path, "b", back=True)
    withdraw(event.path, "b")
    with pytest.raises(ConfigError, match="b: is withdrawn already"):
        withdraw(event.path, "b")
    with pytest.raises(ConfigError, match="unknown bot 'x'"):
        withdraw(event.path, "x")
