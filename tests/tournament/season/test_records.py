"""Records of a season, and an independent search for the longest runs."""

from itertools import groupby
from random import Random

from msgspec.structs import replace
from tournament.season.test_season_table import make_event, make_file
from tournament.stored_games import RESULTS, game

from arbiter.tournament.season.records import find_records
from arbiter.tournament.season.table import rank_season


def number_games(games, first):
    """Let games begin one after the other, from a minute on."""
    return [
        replace(
            one, started=f"2026-01-01T{(first + number) // 60:02}:{(first + number) % 60:02}:00", plies=first + number
        )
        for number, one in enumerate(games)
    ]


def find_longest(letters, good):
    """Return the length of the longest run of good letters."""
    return max((len(list(run)) for is_good, run in groupby(letters, good.__contains__) if is_good), default=0)


def test_runs_and_counts_are_those_of_an_independent_search():
    chance = Random(2)
    for _ in range(40):
        events = []
        for first in (0, 300):
            games = [
                game(*chance.sample("abc", 2), *chance.choice(list(RESULTS.values())), pair=number, system="simple")
                for number in range(chance.randint(3, 15))
            ]
            events.append(make_event("abc", number_games(games, first)))
        letters = dict.fromkeys("abc", "")
        for event in events:
            for one in event.games:
                letters[one.red] += {"red": "W", "blue": "L", None: "D"}[one.winner]
                letters[one.blue] += {"red": "L", "blue": "W", None: "D"}[one.winner]
        found = {one.kind: one for one in find_records(events, rank_season(make_file(2), events))}
        for kind, values in (
            ("unbeaten", {bot: find_longest(text, "WD") for bot, text in letters.items()}),
            ("winning", {bot: find_longest(text, "W") for bot, text in letters.items()}),
            ("games_won", {bot: text.count("W") for bot, text in letters.items()}),
            ("games_played", {bot: len(text) for bot, text in letters.items()}),
        ):
            most = max(values.values())
            expected = tuple(bot for bot in "abc" if values[bot] == most) if most else None
            assert (found[kind].bots if kind in found else None) == expected, kind
            assert not most or found[kind].value == most
        played = [one for event in events for one in event.games]
        assert found["longest_game"].value == max(one.plies for one in played)
        assert ("shortest_win" in found) == any(one.winner for one in played)


def test_forfeits_and_walkovers():
    games = number_games([game("a", "b", "red", "walkover"), game("a", "b", "red", "timeout")], 5)
    found = {one.kind: one for one in find_records([make_event("ab", games)], ())}
    assert found["winning"].value == 1  # a walkover was not played
    assert "shortest_win" not in found  # a forfeit is not won on the board
    assert found["longest_game"].value == 6


def test_an_event_in_progress_is_not_won():
    games = number_games([game("a", "b", "red", "flag_taken")], 5)
    kinds = {one.kind for one in find_records([make_event("ab", games, is_finished=False)], ())}
    assert not {"events_won", "best_event"} & kinds
