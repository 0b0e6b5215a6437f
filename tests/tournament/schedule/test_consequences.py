"""The consequences of a ruling, found before it is stored, compared with the tables afterwards."""

import random

import pytest
from tournament.results.test_random_rulings import BOTS, FORMATS, RandomEvent
from tournament.rulings import DECISION, Event

from arbiter.errors import ConfigError
from arbiter.show.consequences import consequence_sheets
from arbiter.tournament.results.rulings import Request, make_ruling, preview_ruling
from arbiter.tournament.schedule.consequences import find_consequences


@pytest.fixture
def path(tmp_path):
    return tmp_path / "club.sqlite"


def preview(path, **request):
    found = preview_ruling(path, Request(**request), DECISION)
    return found, find_consequences(found.before, found.after)


def test_a_ruling_on_a_game_names_its_bots(path):
    Event(path, "abc").play()
    found, changes = preview(path, kind="result", about="b~c~1", result="annulled")
    assert [one.id for one in changes.games] == ["b~c~1"]
    assert {one.bot: (one.before.points, one.after.points) for one in changes.bots} == {"b": (14, 8), "c": (4, 3)}
    assert (changes.rounds, changes.to_play, changes.go_beyond(found.ruling)) == ((), (), False)


def test_another_rank_goes_beyond_the_game(path):
    Event(path, "abc").play()
    found, changes = preview(path, kind="result", about="a~b~1", result="blue")
    assert [(one.bot, one.before.rank, one.after.rank) for one in changes.bots] == [("a", 1, 1), ("b", 2, 1)]
    assert changes.go_beyond(found.ruling)


def test_a_withdrawal_before_a_swiss_round_changes_its_pairings(path):
    Event(path, "abcdef", format="swiss", rounds=3).play(6)
    found, changes = preview(path, kind="withdraw", about="b")
    (one,) = changes.rounds
    assert (one.number, one.before) == (2, ("a - c", "b - d", "e - f"))
    assert sorted(one.after) == ["a - c", "b: absent", "d - e", "f: bye"]
    assert set(changes.to_play) == {"d~e~1", "e~d~1"}
    assert changes.go_beyond(found.ruling)


def test_the_bracket_is_shown_before_it_is_forced(path):
    Event(path, "abcd", format="knockout").play()
    found, changes = preview(path, kind="disqualify", about="a")
    assert "add --force" in found.objection
    assert {one.id: one.after.state.words for one in changes.games if not one.after.state.counts} == {
        "a~b~1": "not in the bracket",
        "b~a~1": "not in the bracket",
    }
    assert changes.to_play == ("d~b~1", "b~d~1")
    with pytest.raises(ConfigError, match="add --force"):
        make_ruling(path, Request(kind="disqualify", about="a"), DECISION)


def test_additional_pairs_of_a_match_belong_to_its_round(path):
    def how(fixture):
        tied = {fixture.red, fixture.blue} == {"a", "d"} and fixture.pair == 1
        return "red" if tied or fixture.red < fixture.blue else "blue", "agreed"

    Event(path, "abcd", how, format="knockout").play()
    _, changes = preview(path, kind="result", about="d~a~1", result="blue")
    (one,) = changes.rounds
    assert (one.number, set(one.before), set(one.after)) == (1, {"a - d (2 times)", "b - c"}, {"a - d", "b - c"})


def test_the_ending_is_shown_if_the_winner_stays(path):
    Event(path, "abc").play()
    _, changes = preview(path, kind="disqualify", about="b")
    (games, *_) = consequence_sheets(changes)
    shown = {row[0]: tuple(row[3:]) for row in games.rows}
    assert shown["a~b~1"] == ("red (flag taken)", "red (disqualified)")
    assert shown["b~c~1"] == ("red", "blue")


def test_a_reinstatement_lists_the_games_to_play(path):
    def how(fixture):
        return (
            ("red" if fixture.blue == "b" else "blue", "crash") if "b" in fixture.bots.values() else ("red", "agreed")
        )

    event = Event(path, "abc", how, suspend_after=2, withdrawn_games="keep")
    event.suspend_after = 2
    event.play()
    _, changes = preview(path, kind="reinstate", about="b")
    assert len(changes.to_play) == 2
    assert [one.after.state.code for one in changes.games] == ["replaced", "replaced"]


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("seed", range(100))
def test_the_preview_is_what_happens(path, seed):
    """The change of each row of the final ranking is announced, and no other one."""
    chance = random.Random(seed)
    event = RandomEvent(path, list(FORMATS)[seed % len(FORMATS)], chance)
    event.play(chance.randrange(4, 30))
    for _ in range(6):
        _, schedule, played = event.read()
        bot, game = chance.choice(BOTS), chance.choice(played).id
        request = chance.choice(
            [
                Request(kind="result", about=game, result=chance.choice(["red", "blue", "draw", "annulled", "replay"])),
                Request(kind="result", about=game, undo=True),
                Request(kind="disqualify", about=bot, first_round=chance.choice([1, 3])),
                Request(kind="withdraw", about=bot, undo=chance.random() < 0.5),
                Request(kind="reinstate", about=bot),
            ]
        )
        before = {one.bot: one for one in schedule.rank_all()}
        try:
            found = preview_ruling(path, request, DECISION)
        except ConfigError:
            continue
        assert event.read()[0].rulings == schedule.history.rulings
        changes = find_consequences(found.before, found.after)
        if found.objection is not None:
            continue
        make_ruling(path, request, DECISION)
        after = {one.bot: one for one in event.read()[1].rank_all()}
        announced = {one.bot: (one.after.rank, one.after.points, one.after.games) for one in changes.bots}
        for name, row in after.items():
            now = (row.rank, row.points, row.games)
            assert announced.get(name, (before[name].rank, before[name].points, before[name].games)) == now
