"""Other programs store games and rulings while a ruling is worked out: it fits them, and they do not wait."""

from contextlib import contextmanager

import pytest
from tournament.results.test_condensed import RandomLadder
from tournament.rulings import (
    DECISION,
    FORCED,
    Event,
    disqualify,
    first_name_wins,
    reinstate,
    results_of,
    rule_game,
    undo_reinstatement,
    withdraw,
)

from arbiter.errors import ConfigError
from arbiter.tournament.results import rulings
from arbiter.tournament.results.store import Store


def write_meanwhile(monkeypatch, work):
    """Call a function each time that a ruling was worked out and is not stored; return a list that counts this."""
    times = []
    whole = rulings.snapshot

    @contextmanager
    def snapshot(connection):
        with whole(connection):
            yield
            times.append(None)
            work()  # it would wait here for a program that has locked the results

    monkeypatch.setattr(rulings, "snapshot", snapshot)
    return times


def make_ladder(path):
    event = RandomLadder(path, 1)
    event.play(20)
    return event


def make_suspended(path):
    """Round robin of a, b and c: b forfeits two games, and loses the next one by walkover."""

    def forfeit(fixture):
        return ("red" if fixture.blue == "b" else "blue", "timeout") if "b" in fixture.id else first_name_wins(fixture)

    event = Event(path, "abc", forfeit, suspend_after=2, games=4, withdrawn_games="keep")
    event.suspend_after = 2
    event.play(9)
    return event


def make_swiss(path):
    """Four bots, two rounds: one game of the first round is missing."""
    event = Event(path, "abcd", results_of(""), format="swiss", rounds=2)
    event.play(3)
    return event


def play(most):
    return lambda event: event.play(most)


def rule_again(event):
    """Rule on a game so that it has another result each time."""
    event.more = getattr(event, "more", 0) + 1
    rulings.snapshot, ours = SNAPSHOT, rulings.snapshot
    try:
        with Store.read(event.path) as store:
            game = store.games_as_stored()[0]
        rule_game(event.path, game.id, ("draw", "annulled")[event.more % 2], DECISION)
    finally:
        rulings.snapshot = ours


SNAPSHOT = rulings.snapshot
MOST = 3
CASES = {
    "a bot leaves a ladder": (make_ladder, play(7), lambda path: withdraw(path, "a")),
    "a bot of a ladder is disqualified": (make_ladder, play(7), lambda path: disqualify(path, "a", DECISION)),
    "a game of a ladder is ruled": (make_ladder, play(7), lambda path: rule_game(path, "a~b~1", "none", DECISION)),
    "others rule all the time": (make_ladder, rule_again, lambda path: withdraw(path, "a")),
    "a bot is let back": (make_suspended, play(1), lambda path: reinstate(path, "b", DECISION)),
    "a bot is not let back": (make_suspended, play(1), lambda path: undo_reinstatement(path, "b", FORCED)),
    "a game of a round": (make_swiss, play(0), lambda path: rule_game(path, "a~c~1", "none", DECISION)),
    "the last game of a round": (make_swiss, play(1), lambda path: rule_game(path, "a~c~1", "none", FORCED)),
}


@pytest.mark.parametrize(("make", "work", "rule"), CASES.values(), ids=CASES)
def test_a_ruling_is_as_if_it_were_made_after_what_others_store_meanwhile(tmp_path, monkeypatch, make, work, rule):
    event, other = make(tmp_path / "one.sqlite"), make(tmp_path / "two.sqlite")
    if rule is CASES["a bot is not let back"][2]:
        for one in (event, other):
            reinstate(one.path, "b", DECISION)
            one.how = first_name_wins
    times = write_meanwhile(monkeypatch, lambda: work(event))
    made = rule(event.path)
    monkeypatch.undo()
    assert 0 < len(times) <= MOST
    for _ in times:
        work(other)
    expected = rule(other.path)
    assert {name: getattr(made, name) for name in made.__struct_fields__ if name != "at"} == {
        name: getattr(expected, name) for name in made.__struct_fields__ if name != "at"
    }


def test_a_ruling_is_refused_if_a_round_began_meanwhile_that_followed_from_the_result(tmp_path, monkeypatch):
    event = make_swiss(tmp_path / "one.sqlite")
    write_meanwhile(monkeypatch, lambda: event.play(2))
    with pytest.raises(ConfigError, match="add --force"):
        rule_game(event.path, "a~c~1", "none", DECISION)
