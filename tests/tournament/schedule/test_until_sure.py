"""Round robin with `games = "until sure"`: evidence, the choice of pairings, and the decision."""

import json
from random import Random

import pytest
from cli.command_line import call_ok, call_refused, write_tournament
from msgspec.structs import replace
from tournament.schedules import ALL_FORMATS, finish, make_entrants, make_schedule, play_games

from arbiter.errors import ConfigError
from arbiter.tournament.ratings.pairs import PAIR_SCORES
from arbiter.tournament.schedule.allocation import Knowledge, choose_pairing, list_open
from arbiter.tournament.schedule.evidence import Limits, PairingCount, count_pairings, judge

FORM = "round-robin until sure"
LIMITS = Limits(error=0.05, width=60, claims=10)


def play_by_strength(elo, seed=1, drawn=0.1):
    """Return a function that finishes a game with a result drawn by strengths and by its id."""

    def how(fixture):
        chance = Random(f"{seed} {fixture.id}")
        won = 1 / (1 + 10 ** ((elo[fixture.blue] - elo[fixture.red]) / 400))
        if chance.random() < drawn:
            return finish(fixture, None, "agreed")
        return finish(fixture, "red" if chance.random() < won else "blue")

    return how


# --- evidence -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((0, 0, 0, 0, 0), None),
        ((0, 0, 0, 0, 5), None),
        ((0, 0, 0, 0, 20), "ahead"),
        ((20, 0, 0, 0, 0), "behind"),
        ((0, 0, 200, 0, 0), "equal"),
        ((10, 20, 40, 20, 10), None),
        ((60, 120, 200, 120, 60), "equal"),
        ((50, 100, 200, 150, 200), "ahead"),
    ],
)
def test_verdicts(counts, verdict):
    assert judge(counts, LIMITS) == verdict
    turned = {"ahead": "behind", "behind": "ahead"}.get(verdict, verdict)
    assert judge(counts[::-1], LIMITS) == turned


@pytest.mark.parametrize("shares", [(0.5, 0, 0, 0, 0.5), (0.1, 0.2, 0.4, 0.2, 0.1), (0.3, 0, 0.3, 0.2, 0.2)])
def test_a_claim_about_equal_bots_is_wrong_as_rarely_as_stated(shares):
    """Follow all sequences of pairs exactly: the probability that "ahead" is ever claimed is at most the share."""
    assert sum(share * score for share, score in zip(shares, PAIR_SCORES, strict=True)) <= 1
    limits = Limits(error=0.3, width=100, claims=1)
    wrong = 0.0
    open_ = {(0,) * 5: 1.0}
    for _ in range(14):
        following = {}
        for counts, probability in open_.items():
            for place, share in enumerate(shares):
                if share:
                    new = tuple(count + (number == place) for number, count in enumerate(counts))
                    if judge(new, limits) == "ahead":
                        wrong += probability * share
                    else:
                        following[new] = following.get(new, 0.0) + probability * share
        open_ = following
    assert 0 < wrong <= 0.3


def test_repeated_games_count_once_and_pairings_without_new_games_are_exhausted():
    schedule = make_schedule(FORM, "ab", min_games=40, max_games=40)
    games = [
        replace(finish(fixture, "red"), fingerprint=f"{fixture.red} {min(fixture.pair, 5)}")
        for fixture in schedule.fixtures
    ]
    (found,) = count_pairings("ab", games).values()
    assert (found.counts, found.played, found.is_exhausted) == ((0, 0, 5, 0, 0), 20, True)


# --- what follows from verdicts -------------------------------------------------------------------


def know(bots, **verdicts):
    """Make knowledge from verdicts such as ab="ahead"."""
    return Knowledge(tuple(bots), {}, {tuple(pair): verdict for pair, verdict in verdicts.items()}, 30)


@pytest.mark.parametrize(
    ("known", "order", "ranks", "opened"),
    [
        (know("abc", ab="ahead", bc="ahead"), "abc", (1, 2, 3), []),
        (know("abc", ab="behind", ac="behind", bc="behind"), "cba", (1, 2, 3), []),
        (know("abc", ab="equal", bc="ahead"), "abc", (1, 1, 3), []),
        (know("abc", ab="equal", bc="equal"), "abc", (1, 1, 1), []),
        (know("abc", ab="equal", bc="equal", ac="ahead"), "abc", (1, 1, 3), []),
        (know("abc", ab="ahead", bc="ahead", ac="behind"), "abc", (1, 1, 1), []),  # a circle
        (know("abc", bc="behind"), "acb", (1, 1, 3), [1, 2]),
        (know("abcd", ab="ahead", ac="ahead", ad="ahead"), "abcd", (1, 2, 2, 2), [2, 3]),
    ],
)
def test_the_order_follows_from_verdicts(known, order, ranks, opened):
    assert "".join(known.bots[bot] for bot in known.order) == order
    assert known.ranks == ranks
    assert list_open(known, range(1, len(known.bots))) == opened


def test_the_choice_is_a_pure_function_that_prefers_idle_pairings():
    known = know("abcd", ab="ahead")
    chosen = [choose_pairing(known, [1], (), number) for number in range(40)]
    assert chosen == [choose_pairing(known, [1], (), number) for number in range(40)]
    assert len(set(chosen)) > 1
    assert ("a", "b") not in chosen
    for number, pairing in enumerate(chosen):
        assert choose_pairing(known, [1], [pairing], number) not in {pairing, None}
    assert choose_pairing(know("ab"), [1], [("a", "b")], 1) == ("a", "b")
    assert choose_pairing(know("ab", ab="equal"), [1], (), 1) is None
    exhausted = replace(know("ab"), counts={("a", "b"): PairingCount(is_exhausted=True)})
    assert choose_pairing(exhausted, [1], (), 1) is None


def test_close_bots_meet_more_often():
    counts = {
        ("a", "b"): PairingCount((10, 20, 40, 22, 10), 102),
        ("a", "c"): PairingCount((2, 5, 20, 30, 40), 97),
        ("b", "c"): PairingCount((2, 5, 20, 30, 40), 97),
    }
    known = Knowledge(("a", "b", "c"), counts, {}, 30)
    chosen = [choose_pairing(known, [1], (), number) for number in range(50)]
    assert chosen.count(("a", "b")) > 40
    assert known.expect_rate(0) > known.expect_rate(2)


# --- tournaments ----------------------------------------------------------------------------------

ELO = {"a": 300, "b": 150, "c": 0, "d": -150}


@pytest.mark.parametrize(("decide", "known"), [("order", "abcd"), ("winner", "a"), (2, "ab")])
def test_a_tournament_ends_when_it_is_sure(decide, known):
    schedule = make_schedule(FORM, "dbca", decide=decide, min_games=6)
    played = play_games(schedule, Random(1), how=play_by_strength(ELO))
    assert schedule.finished
    assert 12 <= len(played) < 3000
    table = schedule.rank(schedule.stages[0])
    names = "".join(one.bot for one in table)
    assert set(names[: len(known)]) == set(known)
    assert all(one.games >= 6 for one in table)
    assert not any(one.decided_by for one in (table if decide == "order" else table[:1] if decide == "winner" else ()))
    detail = schedule.tabulate(schedule.stages[0])
    assert "certain, with an error of at most 5 %" in detail.title
    assert sum(row[2] for row in detail.rows) == 2 * len(played)


def test_bots_that_nothing_separates_share_a_rank():
    schedule = make_schedule(FORM, "abcd", min_games=4)
    table = schedule.rank(schedule.stages[0])
    assert [(one.rank, one.decided_by) for one in table] == [(1, "rate")] * 4
    play_games(schedule, Random(1), how=play_by_strength(ELO))
    assert {one.decided_by for one in schedule.rank(schedule.stages[0])} == {None}


def test_the_schedule_depends_on_the_secret_and_on_nothing_else():
    how = play_by_strength(dict.fromkeys("abcde", 0))

    def play(seed, chance):
        schedule = make_schedule(FORM, "abcde", max_games=120, min_games=4, seed=seed)
        play_games(schedule, chance, how=how)
        return [fixture.id for fixture in schedule.fixtures]

    assert play("0" * 32, Random(1)) == play("0" * 32, Random(2))
    assert play("0" * 32, Random(1)) != play("1" * 32, Random(1))
    assert len(play("0" * 32, Random(1))) == 120


def test_more_games_begin_with_the_same_ones():
    how = play_by_strength(dict.fromkeys("abcd", 0))
    schedules = [make_schedule(FORM, "abcd", max_games=most) for most in (60, 110)]
    short, long = ({one.id for one in play_games(schedule, Random(1), how=how)} for schedule in schedules)
    assert short < long
    assert (len(short), len(long)) == (60, 110)


def test_a_bot_that_left_is_not_paired_again_and_comes_last():
    play = play_by_strength(ELO)

    def how(fixture):
        present = [seat for seat in ("red", "blue") if getattr(fixture, seat) != "a"]
        return play(fixture) if len(present) == 2 or fixture.round < 2 else finish(fixture, present[0], "walkover")

    schedule = make_schedule(FORM, "abcd", decide="winner", min_games=4)
    games = play_games(schedule, Random(1), how=how)
    left = min((game.round for game in games if game.ending == "walkover"), default=0)
    assert left
    assert not any("a" in (game.red, game.blue) for game in games if game.round > left)
    table = schedule.rank(schedule.stages[0])
    assert (table[0].bot, table[-1].bot, table[-1].rank) == ("b", "a", 4)


def test_equal_bots_end_and_share_a_rank():
    schedule = make_schedule(FORM, "ab", width=200, error=0.2)
    games = play_games(schedule, Random(1), how=play_by_strength({"a": 0, "b": 0}))
    assert len(games) < 1000
    assert [one.rank for one in schedule.rank(schedule.stages[0])] == [1, 1]


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"decide": 3}, "decide: is 3, must be less than the number of bots, 3"),
        ({"max_games": 10}, "max_games: is 10, but min_games = 10 takes 18 games; change one of them"),
    ],
)
def test_settings_that_contradict_each_other(settings, complaint):
    with pytest.raises(ConfigError) as caught:
        ALL_FORMATS[FORM].check(make_entrants("abc", form=FORM, **settings))
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"games": "until shure"}, 'games: is "until shure", must be an even number'),
        ({"games": "until sure", "format": "swiss"}, "games: \"until sure\" is for format 'round-robin'"),
        ({"games": "until sure", "decide": "all"}, 'decide: is "all", must be "order" or "winner" or a whole number'),
        ({"games": "until sure", "error": 0}, "error: is 0, must be a number of more than 0 and less than 0.5"),
        ({"games": 4, "decide": "winner"}, 'decide: is for games = "until sure"'),
        ({"games": "until sure", "decyde": "winner"}, "decyde: unknown key; did you mean decide?"),
    ],
)
def test_faults_are_reported(tmp_path, settings, complaint):
    assert complaint in call_refused("schedule", write_tournament(tmp_path, **settings))


def test_it_is_played_stopped_resumed_and_shown(tmp_path):
    settings = {"bots": ("hunter", "random", "stdlib"), "games": "until sure", "min_games": 2}
    settings |= {"processes": "reused", "draws": {"max_plies": 40}}
    file = write_tournament(tmp_path, max_games=8, **settings)
    assert "until the result is certain: at most 8 in all." in call_ok("run", file, "--dry-run")
    text = call_ok("run", file)
    assert "Until sure: the order, not certain" in text
    head = next(line for line in text.splitlines() if line.startswith("  rank  bot"))
    assert head.split()[2:5] == ["rate", "%", "games"]  # points do not count
    assert "The numbers of games differ" in text
    before = [json.loads(line)["id"] for line in call_ok("games", file, "--json").splitlines()]
    more = write_tournament(tmp_path, max_games=12, **settings)
    call_ok("run", more)
    after = [json.loads(line)["id"] for line in call_ok("games", more, "--json").splitlines()]
    assert set(before) <= set(after)
    rows = [json.loads(line) for line in call_ok("standings", more, "--show", "standings", "--json").splitlines()]
    assert [row["certain"] for row in rows] == [row["decided_by"] != "rate" for row in rows]
    call_ok("verify", more)
    call_ok("report", more, "-o", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Until sure: the order, " in page
    assert "The winner is" not in page
    assert "Score over time" not in page
