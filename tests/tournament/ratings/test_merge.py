"""Games of several tournaments in one fit."""

from msgspec.structs import replace
from tournament.ratings.test_rate import make_pairs

from arbiter.tournament.ratings.pairs import find_distinct, merge_games, pair_games, select_distinct_games
from arbiter.tournament.ratings.rate import rate


def play(text, programs=("", ""), prefix="", fingerprint=""):
    """Make games of a and b with the digests of their programs."""
    digest = dict(zip("ab", programs, strict=True))
    return [
        replace(
            one,
            id=f"{prefix}{one.id}",
            red_program=digest[one.red],
            blue_program=digest[one.blue],
            fingerprint=fingerprint and f"{fingerprint}{one.red}{one.pair}",
        )
        for one in make_pairs("a", "b", text)
    ]


def test_pairs_of_different_files_are_different_and_complete():
    merged = merge_games([play("11 10"), play("00 1=")])
    assert [pair.score for pair in pair_games(merged)] == [2, 1, 0, 1.5]
    assert len({one.id for one in merged}) == 8


def test_stages_stay_apart():
    assert len(pair_games(merge_games([[*play("11"), *play("10", prefix="s2~")]]))) == 2


def test_each_version_is_a_player():
    merged = merge_games([play("11", ("1" * 64, "f" * 64)), play("00", ("2" * 64, "f" * 64))])
    assert {name for one in merged for name in (one.red, one.blue)} == {"a@11111111", "a@22222222", "b"}
    assert [(pair.one, pair.score) for pair in pair_games(merged)] == [("a@11111111", 2), ("a@22222222", 0)]
    rated = rate({"a@11111111", "a@22222222", "b"}, merged, 1)
    assert [one.bot for one in rated.bots] == ["a@11111111", "b", "a@22222222"]


def test_versions_can_be_merged():
    sources = [play("11", ("1" * 64, "f" * 64)), play("00", ("2" * 64, "f" * 64))]
    merged = merge_games(sources, merge_versions=True)
    assert {name for one in merged for name in (one.red, one.blue)} == {"a", "b"}


def test_unknown_programs_keep_the_name():
    merged = merge_games([play("11"), play("00", ("2" * 64, "f" * 64))])
    assert {name for one in merged for name in (one.red, one.blue)} == {"a", "b"}


def test_games_that_repeat_those_of_another_file_count_once():
    merged = merge_games([play("11 10", fingerprint="x"), play("11 10", fingerprint="x"), play("01", fingerprint="y")])
    assert len(find_distinct(pair_games(merged))) == 3
    assert [one.id for one in select_distinct_games(merged)] == [
        *("1~a~b~1", "1~b~a~1", "1~a~b~2", "1~b~a~2"),
        *("3~a~b~1", "3~b~a~1"),
    ]


def test_only_games_that_count_are_selected():
    played = play("11 1.")
    unplayed = [replace(one, ending="walkover", pair=9, id=f"{one.red}~{one.blue}~9") for one in play("11")]
    assert select_distinct_games([*played, *unplayed]) == played
