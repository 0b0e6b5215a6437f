"""Ladder: the choice of pairs, crashing bots, absent bots, stops and resumption, limits."""

from collections import Counter
from datetime import UTC, datetime
from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import pytest
from cli.command_line import call_ok, call_refused, write_tournament
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tournament.schedules import finish, finish_by_id, make_schedule, play_games

import sample_bots
from arbiter.show.schedule import list_pairings
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.ratings.pairs import pair_games
from arbiter.tournament.schedule.pairing_counts import PairingCounter
from arbiter.tournament.schedule.strengths import KnownStrengths
from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.stored_game import Ruling
from protocol.reasons import Stated

BOTS = [f"b{number}" for number in range(8)]
ELO = {bot: 60 * number for number, bot in enumerate(BOTS)}


def begin(bots=BOTS, played=(), **keys):
    return make_schedule("ladder", bots, played=played, **keys)


def play_by_strength(elo):
    """Return a function that finishes a game with a result drawn by strengths and by its id."""

    def how(fixture):
        chance = Random(f"1 {fixture.id}")
        won = 1 / (1 + 10 ** ((elo[fixture.blue] - elo[fixture.red]) / 400))
        if chance.random() < 0.1:
            return finish(fixture, None, "agreed")
        return finish(fixture, "red" if chance.random() < won else "blue")

    return how


def count_pairings(bots, played):
    counter = PairingCounter(bots)
    for pair in pair_games(played):
        counter.add(pair)
    return counter.counts


def play_one_by_one(schedule, how, most=None):
    played = []
    while (most is None or len(played) < most) and (fixture := schedule.take()):
        played.append(how(fixture))
        schedule.add(played[-1])
    return played


def list_rows(schedule):
    table = schedule.tabulate(schedule.stages[0])
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def count_games(played):
    return Counter(bot for one in played for bot in (one.red, one.blue))


def crash_of(bot):
    """Let a bot crash in each of its games, and the others play by their strengths."""
    others = play_by_strength(ELO)
    return lambda fixture: (
        finish(fixture, "red" if fixture.blue == bot else "blue", "crash")
        if bot in (fixture.red, fixture.blue)
        else others(fixture)
    )


# --- the choice -----------------------------------------------------------------------------------


def test_neighbours_meet_most_and_every_pairing_meets():
    played = play_one_by_one(begin(max_games=600), play_by_strength(ELO))
    pairs = Counter(frozenset((one.red, one.blue)) for one in played)
    assert set(pairs) == {frozenset(pairing) for pairing in combinations(BOTS, 2)}
    near = [pairs[frozenset(pairing)] for pairing in pairwise(BOTS)]
    far = [pairs[frozenset((one, two))] for one, two in combinations(BOTS, 2) if abs(ELO[one] - ELO[two]) >= 240]
    assert sum(near) / len(near) > 2 * sum(far) / len(far)


@pytest.mark.parametrize("bot", ["b0", "b3", "b7"])
def test_a_bot_that_crashes_gets_no_more_games_than_others(bot):
    games = count_games(play_one_by_one(begin(max_games=400), crash_of(bot)))
    assert games[bot] <= games.total() / len(BOTS)


def test_no_bot_waits_for_long():
    schedule = begin(max_games=800)
    played = play_one_by_one(schedule, play_by_strength({bot: 300 * place for place, bot in enumerate(BOTS)}))
    for bot in BOTS:
        numbers = sorted({one.round for one in played if bot in (one.red, one.blue)})
        assert max(later - earlier for earlier, later in pairwise(numbers)) <= 5 * len(BOTS)


def test_bots_that_only_repeat_their_games_leave_the_pairs_to_others():
    def how(fixture):
        if {fixture.red, fixture.blue} == {"b0", "b1"}:
            return replace(finish(fixture, "red"), fingerprint="same")
        return play_by_strength(ELO)(fixture)

    pairs = Counter(frozenset((one.red, one.blue)) for one in play_one_by_one(begin(max_games=1000), how))
    assert pairs[frozenset(("b0", "b1"))] < pairs.total() / len(pairs)


def test_people_are_rated_apart_and_change_no_rating_of_a_program():
    people = ("ann", "bea")
    strengths = ELO | {"ann": 1000, "bea": -1000}
    schedule = begin([*BOTS, *people], people=frozenset(people), max_games=400)
    played = play_one_by_one(schedule, play_by_strength(strengths))
    counts = count_pairings([*BOTS, *people], played)
    alone = KnownStrengths(tuple(BOTS), {pairing: one for pairing, one in counts.items() if set(pairing) <= set(BOTS)})
    together = schedule.stages[0].source.knowledge
    assert any(set(pairing) & set(people) for pairing in counts)
    for number, bot in enumerate(BOTS):
        assert together.rate(number) == pytest.approx(alone.rate(number)), bot
        assert together.expect_rate(number) == pytest.approx(alone.expect_rate(number)), bot
    mixed = KnownStrengths((*BOTS, *people), counts)
    for number in (8, 9):  # their intervals are about those of a common pool
        assert 0.8 < together.rate(number)[1] / mixed.rate(number)[1] < 1.25
        assert 0.8 < together.compare(number, 0)[1] / mixed.compare(number, 0)[1] < 1.25
    rated = {row["bot"]: row["rating"] for row in list_rows(schedule)}
    assert rated["ann"] > max(rated[bot] for bot in BOTS) > min(rated[bot] for bot in BOTS) > rated["bea"]
    assert [one.bot for one in schedule.rank_all()][-2:] == ["ann", "bea"]
    assert {row["bot"] for row in list_rows(schedule) if row["state"] == "person"} == set(people)
    assert [one.bot for one in schedule.stages[0].source.rate_bots().bots][-2:] == ["ann", "bea"]


def test_a_slow_bot_holds_up_no_other_one():
    schedule = begin(max_games=400)
    slow = [schedule.take() for _ in range(2)]
    played = play_one_by_one(schedule, finish_by_id)
    assert len(played) == 398
    assert not schedule.finished
    for fixture in slow:
        schedule.add(finish_by_id(fixture))
    assert schedule.finished


def test_a_bot_that_is_not_connected_waits_and_then_plays():
    ready = set(BOTS) - {"b0"}
    schedule = begin()
    dispatcher = Dispatcher(schedule, is_ready=lambda bot, _games: bot in ready)
    schedule.may_choose = dispatcher.may_choose

    for _ in range(200):
        game = finish_by_id(dispatcher.take())
        assert "b0" not in (game.red, game.blue)
        dispatcher.add(game)
    assert not any("b0" in one.bots.values() for one in schedule.fixtures)
    ready.clear()
    assert dispatcher.take() is None
    assert dispatcher.awaits_bots
    ready |= set(BOTS)
    taken = [dispatcher.take() for _ in range(20)]
    assert not dispatcher.awaits_bots
    assert any("b0" in one.bots.values() for one in taken[:2])
    assert len(taken) == len(set(taken)) == 20


def test_a_pairing_has_one_pair_of_games_in_progress():
    schedule = begin(["a", "b", "c"])
    taken = []
    while fixture := schedule.take():
        taken.append(fixture)
    assert Counter(frozenset((one.red, one.blue)) for one in taken) == dict.fromkeys(
        map(frozenset, ("ab", "ac", "bc")), 2
    )


def test_both_colours_are_played_equally_often():
    played = play_games(begin(max_games=300), Random(3))
    seats = Counter((one.red, one.blue, one.pair) for one in played)
    assert set(seats.values()) == {1}
    assert all((blue, red, pair) in seats for red, blue, pair in seats)


# --- stops ----------------------------------------------------------------------------------------


@settings(max_examples=12)
@given(st.integers(3, 7), st.integers(0, 60))
def test_a_stopped_ladder_continues_as_if_it_had_not_stopped(size, stop):
    how = play_by_strength(ELO)
    whole = play_one_by_one(begin(BOTS[:size], max_games=60), how)
    kept = play_one_by_one(begin(BOTS[:size], max_games=60), how, stop)
    resumed = begin(BOTS[:size], kept, max_games=60)
    assert [*kept, *play_one_by_one(resumed, how)] == whole
    assert resumed.finished


@settings(max_examples=12)
@given(st.integers(3, 7), st.integers(0, 60), st.randoms(use_true_random=False))
def test_a_killed_ladder_plays_no_game_twice_and_completes_its_pairs(size, stop, chance):
    kept = play_games(begin(BOTS[:size], max_games=60), chance, stop)
    resumed = begin(BOTS[:size], kept, max_games=60)
    kept += play_games(resumed, chance)
    assert resumed.finished
    assert len({one.id for one in kept}) == len(kept) == 60
    again = begin(BOTS[:size], kept, max_games=60)
    assert sorted(one.id for one in again.fixtures) == sorted(one.id for one in kept)


def test_a_ruling_keeps_the_games_in_progress():
    schedule = begin()
    taken = [schedule.take() for _ in range(6)]
    stored = [finish_by_id(one) for one in taken[:3]]
    for one in stored:
        schedule.add(one)
    schedule.restart(
        History(tuple(stored), (Ruling(number=1, at="", by="", reason=Stated(""), kind="withdraw", bot=taken[0].red),))
    )
    assert {one.id for one in taken} <= {one.id for one in schedule.fixtures}
    new = [schedule.take() for _ in range(4)]
    assert not {one.id for one in taken} & {one.id for one in new}
    assert all(taken[0].red not in (one.red, one.blue) for one in new)


def test_a_bot_that_lost_by_walkover_is_not_paired_again():
    def how(fixture):
        if "b3" in (fixture.red, fixture.blue):
            return finish(fixture, "red" if fixture.blue == "b3" else "blue", "walkover")
        return finish_by_id(fixture)

    assert count_games(play_one_by_one(begin(max_games=200), how))["b3"] == 2


def test_a_bot_that_joins_is_paired_soon():
    played = play_one_by_one(begin(max_games=200), play_by_strength(ELO))
    elo = ELO | {"new": 100}
    later = play_one_by_one(begin([*BOTS, "new"], played, max_games=240), play_by_strength(elo))
    assert count_games(later)["new"] >= 10


# --- versions and anchors -------------------------------------------------------------------------


def test_anchors_meet_all_others_but_not_each_other():
    anchors = ["b0", "b3", "b7"]
    schedule = begin(max_games=400, anchors=anchors)
    met = {frozenset((one.red, one.blue)) for one in play_one_by_one(schedule, play_by_strength(ELO))}
    assert met == {frozenset(pairing) for pairing in combinations(BOTS, 2) if not set(pairing) <= set(anchors)}
    assert {row["bot"] for row in list_rows(schedule) if row["state"] == "anchor"} == set(anchors)


@pytest.mark.parametrize("size", [2, 3])
def test_anchors_alone_do_not_play(size):
    assert begin(BOTS[:size], anchors=BOTS[:size]).take() is None


def test_a_version_starts_as_strong_as_its_parent_and_less_certain():
    played = play_one_by_one(begin(max_games=400), play_by_strength(ELO))
    schedule = begin([*BOTS, "new"], played, max_games=400, parents={"new": "b6"})
    rows = {row["bot"]: row for row in list_rows(schedule)}
    assert [rows["new"][name] for name in ("games", "opponents", "last pair", "state", "parent", "Elo")] == [
        0, 0, None, "inactive", "b6", 0,
    ]  # fmt: skip
    assert rows["new"]["+/-"] > 300
    assert rows["new"]["± rating"] > 2 * rows["b6"]["± rating"]
    assert [rows["new"]["rating"], rows["new"]["trend"]] == [rows["b6"]["rating"], None]
    counts = count_pairings([*BOTS, "new"], played)
    known = KnownStrengths((*BOTS, "new"), counts, {"new": "b6"})
    without = KnownStrengths(tuple(BOTS), counts)
    assert known.strengths[:-1] == pytest.approx(without.strengths)
    assert known.strengths[-1] == pytest.approx(known.strengths[6])


def test_the_difference_to_the_parent_becomes_certain():
    elo = ELO | {"new": 300}
    schedule = begin([*BOTS, "new"], max_games=1600, parents={"new": "b0"})
    play_one_by_one(schedule, play_by_strength(elo))
    (row,) = [row for row in list_rows(schedule) if row["bot"] == "new"]
    difference, half, needed = row["Elo"], row["+/-"], row["needed"]
    assert abs(difference - 300) < half + 50
    assert difference > half
    assert needed == 0


def test_a_bot_that_left_is_shown_as_inactive():
    played = play_one_by_one(begin(max_games=40), finish_by_id)
    rulings = (Ruling(number=1, at="", by="", reason=Stated(""), kind="withdraw", bot="b3"),)
    schedule = begin(max_games=400)
    schedule.restart(History(tuple(played), rulings))
    play_one_by_one(schedule, finish_by_id)
    assert {row["bot"] for row in list_rows(schedule) if row["state"] == "inactive"} == {"b3"}


def test_a_new_program_is_a_new_bot(tmp_path):
    program = tmp_path / "mine" / "bot.py"
    program.parent.mkdir()
    source = (Path(sample_bots.__path__[0]) / "stdlib_player.py").read_text(encoding="utf-8")
    program.write_text(source, encoding="utf-8")
    keys = {"format": "ladder", "max_games": 2}
    mine = {"name": "mine", "command": ["./mine/bot.py"]}
    file = write_tournament(tmp_path, bots=(mine, "hunter"), **keys)
    call_ok("run", file)
    program.write_text(f"{source}# changed\n", encoding="utf-8")
    told = call_refused("run", file)
    assert 'enter the new program as a bot with a name of its own and parent = "mine"' in told
    assert 'parent = "mine"' in call_refused("run", file, "--accept-new", "mine")


@pytest.mark.parametrize(
    ("form", "bots", "told"),
    [
        ("swiss", {"hunter": "random"}, 'bots.hunter.parent: is for format "ladder"'),
        ("ladder", {"hunter": "radom"}, "did you mean 'random'?"),
        ("ladder", {"hunter": "random", "random": "hunter"}, "hunter <- random <- hunter is a circle"),
        ("ladder", {"hunter": "hunter"}, "hunter <- hunter is a circle"),
    ],
)
def test_wrong_parents_are_named(tmp_path, form, bots, told):
    entries = [{"name": name} | ({"parent": bots[name]} if name in bots else {}) for name in ("hunter", "random")]
    assert told in call_refused("run", write_tournament(tmp_path, format=form, bots=entries))


# --- how it is shown ------------------------------------------------------------------------------


def test_the_last_pairs_and_those_in_progress_are_listed():
    schedule = begin()
    first = schedule.take()
    play_one_by_one(schedule, finish_by_id, 80)  # first the second game of the first pair
    listed = list_pairings(schedule)
    assert [(one.round, one.missing) for one in listed] == [(1, 1), *((number, 0) for number in range(22, 41)), (41, 1)]
    assert {listed[0].red, listed[0].blue} == {first.red, first.blue}


def test_what_has_no_rounds_is_shown_without_rounds(tmp_path):
    until, event = datetime(2999, 1, 1, tzinfo=UTC), {"starts": datetime(2026, 12, 5, 19, tzinfo=UTC)}
    file = write_tournament(tmp_path, format="ladder", max_games=2, until=until, event=event)
    call_ok("run", file)
    assert len(call_ok("games", file, "--format", "csv").splitlines()) == 3
    assert call_refused("standings", file, "--format", "trf").endswith("use --format csv or json")
    assert "a ladder has no rounds with times" in call_refused("schedule", file, "--format", "ics")
    assert "Games per pairing" not in call_ok("standings", file, "--show", "event")
    assert "last 1 of 1 pairs so far" in call_ok("schedule", file)
    call_ok("report", file, "-o", tmp_path / "pages")
    first, games = ((tmp_path / "pages" / name).read_text(encoding="utf-8") for name in ("index.html", "games.html"))
    assert ", pair 1" in first
    assert ">Pair</th>" in games
    assert "round 1" not in first + games
    write_tournament(tmp_path, format="ladder")
    assert "Duration of games without a limit" in call_ok("run", file, "--dry-run")


# --- limits ---------------------------------------------------------------------------------------


def test_a_ladder_without_limits_has_no_end():
    schedule = begin()
    assert schedule.is_endless
    assert len(play_one_by_one(schedule, finish_by_id, 500)) == 500
    assert schedule.is_endless
    assert not schedule.finished


def test_a_ladder_ends_at_its_date(tmp_path):
    file = write_tournament(tmp_path, format="ladder", until=datetime(2020, 1, 1, tzinfo=UTC), max_games=2)
    call_ok("run", file)
    assert len(call_ok("games", file, "--format", "csv").splitlines()) == 1


def test_standings_rank_by_rate():
    schedule = begin(max_games=800)
    play_one_by_one(schedule, play_by_strength({bot: 150 * place for place, bot in enumerate(BOTS)}))
    (stage,) = schedule.stages
    assert [one.bot for one in schedule.rank(stage)] == BOTS[::-1]
    assert [row[0] for row in schedule.tabulate(stage).rows] == BOTS[::-1]


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"max_games": 3}, "max_games: is 3, must be an even number of at least 2"),
        ({"anchors": ["huter"]}, "anchors: unknown bot 'huter': did you mean 'hunter'?"),
        ({"games": 4}, "games: is 4, but a ladder decides itself who meets how often; leave it out"),
        ({"until": "soon"}, 'until: is "soon", must be a date and a time without quotes, as in 2026-12-05T19:00'),
    ],
)
def test_wrong_settings_are_named(tmp_path, keys, told):
    assert told in call_refused("run", write_tournament(tmp_path, format="ladder", **keys))
