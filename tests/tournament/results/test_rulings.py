"""Rulings in each format; points and tie-breaks are worked out by hand."""

import re

import pytest
from tournament.rulings import (
    DECISION,
    FORCED,
    Event,
    disqualify,
    first_name_wins,
    reinstate,
    results_of,
    rule_game,
    undo_disqualification,
    undo_game_ruling,
    undo_reinstatement,
    withdraw,
)
from tournament.tournaments import manifest

from arbiter.errors import ConfigError
from arbiter.tournament.config.tournament_file import StageTable
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.suspensions import Suspensions


@pytest.fixture
def path(tmp_path):
    return tmp_path / "club.sqlite"


def refusal(function, *arguments):
    with pytest.raises(ConfigError) as caught:
        function(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestRoundRobin:
    """Points `isf`: a win is worth 6, a draw 3, a loss 1, a forfeit 0, a double loss 1 for each."""

    @pytest.fixture
    def event(self, path):
        event = Event(path, "abc")
        event.play()
        assert event.points() == {"a": 24, "b": 14, "c": 4}
        return event

    @pytest.mark.parametrize(
        ("result", "points"),
        [
            ("blue", {"a": 19, "b": 19, "c": 4}),
            ("draw", {"a": 21, "b": 16, "c": 4}),
            ("none", {"a": 19, "b": 14, "c": 4}),
            ("annulled", {"a": 18, "b": 13, "c": 4}),
            ("replay", {"a": 18, "b": 13, "c": 4}),
        ],
    )
    def test_a_ruling_changes_the_points_and_its_reversal_restores_them(self, event, result, points):
        ruling = rule_game(event.path, "a~b~1", result, DECISION)
        assert (ruling.number, ruling.previous, ruling.result, ruling.by) == (1, "red", result, "ann")
        assert event.points() == points
        undone = undo_game_ruling(event.path, "a~b~1", DECISION)
        assert (undone.number, undone.undoes, undone.previous, undone.result) == (2, 1, result, "red")
        assert event.points() == {"a": 24, "b": 14, "c": 4}
        with Store.read(event.path) as store:
            assert [game.winner for game in store.games_as_played() if game.id == "a~b~1"] == ["red"]
            assert len(store.rulings()) == 2

    def test_tie_breaks_follow_a_ruling(self, path):
        """Cyclic wins: a beats b, b beats c, c beats a, twice each.  Then the first game of a and b becomes a draw."""
        event = Event(
            path,
            "abc",
            results_of("a~b~1 1-0\nb~a~1 0-1\nb~c~1 1-0\nc~b~1 0-1\nc~a~1 1-0\na~c~1 0-1"),
            tie_breaks=["points", "wins", "direct", "sonneborn-berger"],
        )
        event.play()
        assert event.points() == {"a": 14, "b": 14, "c": 14}
        rule_game(path, "a~b~1", "draw", DECISION)
        assert event.points() == {"b": 16, "c": 14, "a": 11}
        table = {one.bot: one for one in event.schedule().rank(event.schedule().stages[0])}
        # Scores: a 1.5, b 2.5, c 2.  a scored 1.5 against b and 0 against c; b 0.5 against a, 2 against c.
        assert {bot: one.tie_breaks["sonneborn-berger"] for bot, one in table.items()} == {
            "a": 1.5 * 2.5,
            "b": 0.5 * 1.5 + 2 * 2,
            "c": 2 * 1.5,
        }
        assert table["a"].rulings == table["b"].rulings == (1,)
        assert table["c"].rulings == ()

    def test_a_double_loss_counts_as_a_loss_of_both(self, event):
        rule_game(event.path, "a~b~1", "none", DECISION)
        table = {one.bot: one for one in event.schedule().rank(event.schedule().stages[0])}
        assert [(table[bot].wins, table[bot].losses, table[bot].forfeits) for bot in "abc"] == [
            (3, 1, 0),
            (2, 2, 0),
            (0, 4, 0),
        ]

    def test_a_game_is_replayed_under_another_id_and_the_first_stays_readable(self, event):
        ruling = rule_game(event.path, "a~b~1", "replay", DECISION)
        assert ruling.replacement == "a~b~1~r2"
        assert not event.schedule().finished
        event.how = results_of("a~b~1~r2 0-1")
        assert event.play() == ["a~b~1~r2"]
        assert event.points() == {"a": 19, "b": 19, "c": 4}
        assert event.schedule().finished
        with Store.read(event.path) as store:
            assert store.record("a~b~1") == store.record("a~b~1~r2") == b"record"
            assert "a~b~1" not in {game.id for game in store.games()}
        assert rule_game(event.path, "a~b~1~r2", "replay", DECISION).replacement == "a~b~1~r3"
        event.how = first_name_wins
        assert event.play() == ["a~b~1~r3"]
        assert event.points() == {"a": 24, "b": 14, "c": 4}
        undo_game_ruling(event.path, "a~b~1", DECISION)
        assert event.points() == {"a": 24, "b": 14, "c": 4}
        assert rule_game(event.path, "a~b~1", "replay", DECISION).replacement == "a~b~1~r4"

    def test_the_last_of_several_rulings_counts(self, event):
        rule_game(event.path, "a~b~1", "draw", DECISION)
        assert rule_game(event.path, "a~b~1", "blue", DECISION).previous == "draw"
        assert event.points()["b"] == 19
        undo_game_ruling(event.path, "a~b~1", DECISION)
        assert event.points()["b"] == 16

    def test_a_walkover_can_be_ruled_and_does_not_count_for_ratings(self, path):
        event = Event(path, "ab", lambda _: ("red", "walkover"), withdrawn_games="keep")
        event.play()
        rule_game(path, "a~b~1", "draw", DECISION)
        assert event.points() == {"a": 3, "b": 9}
        with Store.read(path) as store:
            assert [game.was_played for game in store.games()] == [False, False]

    @pytest.mark.parametrize(
        ("game", "result", "message"),
        [
            ("a~b~1", "red", "a~b~1: is a win of red already; there is nothing to rule"),
            ("a~b~2", "draw", r"there is no game 'a~b~2'; did you mean a~b~1.*\?"),
            ("x", "draw", "there is no game 'x'; `arbiter games .*` lists the games"),
        ],
    )
    def test_a_ruling_that_cannot_be_made(self, event, game, result, message):
        assert re.fullmatch(message, refusal(rule_game, event.path, game, result, DECISION))

    def test_a_game_that_is_not_played_yet(self, path):
        Event(path, "abc").play(1)
        assert "is not played yet" in refusal(rule_game, path, "a~b~1", "draw", DECISION)

    def test_a_game_that_is_replaced(self, event):
        rule_game(event.path, "a~b~1", "replay", DECISION)
        message = refusal(rule_game, event.path, "a~b~1", "annulled", DECISION)
        assert message == "a~b~1: is to be played again as a~b~1~r2 by a ruling; revert it with --undo first"
        event.play()
        message = refusal(rule_game, event.path, "a~b~1", "annulled", DECISION)
        assert "was played again as a~b~1~r2 by a ruling; name that game" in message

    def test_nothing_to_undo(self, event):
        assert "no such ruling on it is in force" in refusal(undo_game_ruling, event.path, "a~b~1", DECISION)
        rule_game(event.path, "a~b~1", "draw", DECISION)
        undo_game_ruling(event.path, "a~b~1", DECISION)
        assert "no such ruling on it is in force" in refusal(undo_game_ruling, event.path, "a~b~1", DECISION)

    def test_more_games_can_be_added_after_a_ruling(self, event):
        rule_game(event.path, "a~b~1", "replay", DECISION)
        event.manifest = manifest(tuple("abc"), games=4)
        assert sorted(event.play())[:2] == ["a~b~1~r2", "a~b~2"]


def test_a_gauntlet_ranks_by_the_mean_of_the_games_that_count(path):
    """The challenger a wins all 4 games: 6 a game; b and c have 1 a game.  After a draw and an annulled game:

    a has 6 + 6 + 3 points in 3 games, b 3 + 1 in 2, c 1 in 1.
    """
    event = Event(path, "abc", format="gauntlet", challengers=["a"])
    event.play()
    rule_game(path, "a~b~1", "draw", DECISION)
    rule_game(path, "a~c~1", "annulled", DECISION)
    schedule = event.schedule()
    table = schedule.rank(schedule.stages[0])
    assert [(one.bot, one.points, one.tie_breaks["average"]) for one in table] == [
        ("a", 15, 5),
        ("b", 4, 2),
        ("c", 1, 1),
    ]


class TestSwiss:
    """Five bots and three rounds; the first name wins both games of a round: 12 points for it, 2 for its opponent.

    Round 1: a-c, b-d, bye e.  Round 2: the winners a, b and the bye e have 12 points, c and d have 2.
    """

    @pytest.fixture
    def event(self, path):
        return Event(path, "abcde", format="swiss", rounds=3, tie_breaks=["points", "buchholz"])

    def test_a_result_of_the_round_in_progress_needs_no_force(self, event):
        event.play(1)
        rule_game(event.path, "a~c~1", "blue", DECISION)
        event.play()
        assert event.schedule().finished

    def test_a_ruling_on_an_earlier_round_needs_force_and_pairings_stay(self, event):
        event.play(5)  # all of round 1, and a game of round 2
        paired = event.meetings()
        assert len(paired) == 2
        message = refusal(rule_game, event.path, "a~c~1", "blue", DECISION)
        assert "rounds that have begun" in message
        assert "--force: the pairings stay as they are" in message
        before = event.points()
        rule_game(event.path, "a~c~1", "blue", FORCED)
        assert event.meetings() == paired
        assert event.points() == before | {"a": before["a"] - 5, "c": before["c"] + 5}
        event.play()
        assert event.meetings()[:2] == paired
        assert event.schedule().finished

    def test_a_round_that_has_not_begun_is_paired_again(self, event):
        event.play(4)
        assert event.meetings()[1] == ["a-e", "b-c"]
        rule_game(event.path, "a~c~1", "blue", DECISION)
        rule_game(event.path, "c~a~1", "red", DECISION)
        assert event.meetings()[1] == ["b-a", "c-e"]

    def test_later_rounds_follow_the_ruled_results(self, path):
        plain = Event(path.with_name("plain.sqlite"), "abcd", format="swiss", rounds=2)
        plain.play(4)
        ruled = Event(path, "abcd", format="swiss", rounds=2)
        ruled.play(3)
        rule_game(path, "a~c~1", "blue", DECISION)
        rule_game(path, "c~a~1", "red", DECISION)
        ruled.play(1)
        assert plain.meetings()[1] == ["a-b", "c-d"]
        assert ruled.meetings()[1] == ["b-c", "a-d"]

    def test_a_game_of_an_earlier_round_is_replayed_before_the_next_round_is_paired(self, event):
        event.play(6)  # round 1, and two games of round 2
        paired = event.meetings()
        rule_game(event.path, "b~d~1", "replay", FORCED)
        assert event.meetings() == paired
        played = event.play(3)
        assert played[0] == "b~d~1~r2"
        event.play()
        assert event.meetings()[:2] == paired
        assert len(event.meetings()) == 3
        assert event.schedule().finished

    @pytest.mark.parametrize(
        ("result", "points", "buchholz"),
        [
            # The bye is an opponent with the score of e itself: 2 for two wins, 1 for two draws.
            ("none", 0, 0),
            ("annulled", 0, 0),
            ("draw", 6, 1),
        ],
    )
    def test_a_bye_can_be_ruled(self, event, result, points, buchholz):
        event.play(4)
        before = event.points()["e"]
        assert before == 12
        rule_game(event.path, "e~bye1", result, FORCED)
        assert event.points()["e"] == points
        schedule = event.schedule()
        (row,) = [one for one in schedule.rank(schedule.stages[0]) if one.bot == "e"]
        assert (row.rulings, row.tie_breaks["buchholz"]) == ((1,), buchholz)
        undo_game_ruling(event.path, "e~bye1", FORCED)
        assert event.points()["e"] == 12

    def test_a_bye_cannot_be_replayed(self, event):
        event.play(4)
        assert "is a bye; it cannot be replayed" in refusal(rule_game, event.path, "e~bye1", "replay", FORCED)

    def test_an_annulled_round_counts_as_an_opponent_with_the_own_score(self, path):
        """Round 1: a-c, b-d. Round 2: a-b, c-d; scores a 4, b 2, c 2, d 0. Buchholz of a: c 2 + b 2 = 4.

        With a-c annulled, a has the score 2 and c 2; then a's Buchholz is its own 2 and b 2, c's its own 2 and d 0.
        """
        event = Event(path, "abcd", format="swiss", rounds=2, tie_breaks=["points", "buchholz"])
        event.play()
        schedule = event.schedule()
        assert {one.bot: one.tie_breaks["buchholz"] for one in schedule.rank(schedule.stages[0])} == {
            "a": 4,
            "b": 4,
            "c": 4,
            "d": 4,
        }
        for game in ("a~c~1", "c~a~1"):
            rule_game(path, game, "annulled", FORCED)
        schedule = event.schedule()
        assert {one.bot: one.tie_breaks["buchholz"] for one in schedule.rank(schedule.stages[0])} == {
            "a": 2 + 2,
            "b": 2 + 0,
            "c": 2 + 0,
            "d": 2 + 2,
        }


class TestKnockout:
    """Four bots: a-d and b-c, then the winners."""

    @pytest.fixture
    def event(self, path):
        return Event(path, "abcd", format="knockout")

    def test_the_bracket_follows_a_ruling_on_the_round_in_progress(self, event):
        event.play(3)
        rule_game(event.path, "a~d~1", "blue", DECISION)
        rule_game(event.path, "d~a~1", "red", DECISION)
        event.play()
        assert event.meetings()[1] in (["d-b"], ["b-d"])

    def test_a_ruling_that_changes_who_advances_needs_force_and_the_bracket_follows(self, event):
        event.play()
        assert event.points() == {"a": 24, "b": 14, "c": 2, "d": 2}
        rule_game(event.path, "a~d~1", "blue", FORCED)  # 1 : 1, a tie: playoff games decide
        message = refusal(rule_game, event.path, "d~a~1", "red", DECISION)
        assert "--force: the bracket then follows the ruling" in message
        rule_game(event.path, "d~a~1", "red", FORCED)
        assert event.meetings()[:2] == [["a-d", "b-c"], ["d-b"]]
        assert [game_id for game_id in event.play() if "a" not in game_id] == ["d~b~1", "b~d~1"]
        schedule = event.schedule()
        assert schedule.finished
        assert [one.bot for one in schedule.rank(schedule.stages[0])][:2] == ["b", "d"]
        with Store.read(event.path) as store:
            assert {"a~b~1", "b~a~1"} <= {game.id for game in store.games_as_played()}
        for game in ("d~a~1", "a~d~1"):
            undo_game_ruling(event.path, game, FORCED)
        schedule = event.schedule()
        assert [one.bot for one in schedule.rank(schedule.stages[0])][:2] == ["a", "b"]

    def test_a_ruling_that_changes_nobody_who_advances_needs_no_force(self, event):
        event.play()
        rule_game(event.path, "a~d~1", "draw", DECISION)
        assert event.schedule().finished

    def test_annulled_games_make_a_tie_that_playoffs_decide(self, event):
        event.play()
        for game in ("a~d~1", "d~a~1"):
            rule_game(event.path, game, "annulled", FORCED)
        assert event.play() == ["a~d~2", "d~a~2"]
        assert event.schedule().finished

    def test_a_replay_reopens_a_match(self, event):
        event.play()
        assert "--force" in refusal(rule_game, event.path, "a~d~1", "replay", DECISION)
        rule_game(event.path, "a~d~1", "replay", FORCED)
        assert not event.schedule().finished
        assert event.play() == ["a~d~1~r2"]
        assert event.schedule().finished
        assert event.points() == {"a": 24, "b": 14, "c": 2, "d": 2}


class TestStages:
    """A round robin of four; its best two play a knockout."""

    @pytest.fixture
    def event(self, path):
        stages = [{"format": "round-robin"}, {"format": "knockout", "best": 2}]
        return Event(path, "abcd", stages=[StageTable(**stage) for stage in stages])

    def test_qualification_follows_a_ruling_made_before_it(self, event):
        """Games of b and c: c wins both, and with 26 points qualifies before b with 16."""
        event.how = results_of("c~d~1 1-0")
        event.play(11)
        with Store.read(event.path) as store:
            assert {"b~c~1", "c~b~1"} <= {game.id for game in store.games_as_stored()}
        rule_game(event.path, "b~c~1", "blue", DECISION)
        rule_game(event.path, "c~b~1", "red", DECISION)
        event.play()
        assert event.meetings()[1] == ["a-c"]

    def test_qualification_stays_after_the_next_stage_was_paired(self, event):
        event.play(13)
        assert event.meetings()[1] == ["a-b"]
        for game, winner in (("b~c~1", "blue"), ("c~b~1", "red")):
            assert "the pairings stay as they are" in refusal(rule_game, event.path, game, winner, DECISION)
            rule_game(event.path, game, winner, FORCED)
        assert event.meetings()[1] == ["a-b"]
        event.play()
        first = event.schedule()
        assert {one.bot: one.points for one in first.rank(first.stages[0])} == {"a": 36, "c": 26, "b": 16, "d": 6}
        assert first.finished


class TestDisqualification:
    """Round robin of a, b, c; b disqualified after 3 or 4 of its 4 games."""

    @pytest.mark.parametrize(
        ("rule", "points", "games"),
        [
            ("strike", {"a": 12, "c": 2, "b": 0}, "struck"),
            ("keep", {"a": 24, "c": 14, "b": 0}, "lost"),
            ("half", {"a": 24, "c": 14, "b": 0}, "lost"),
        ],
    )
    def test_games_are_struck_or_lost_by_the_rule_for_withdrawn_bots(self, path, rule, points, games):
        event = Event(path, "abc", withdrawn_games=rule)
        event.play()
        ruling = disqualify(path, "b", DECISION)
        assert (ruling.kind, ruling.bot) == ("disqualify", "b")
        assert event.points() == points
        schedule = event.schedule()
        (row,) = [one for one in schedule.rank(schedule.stages[0]) if one.bot == "b"]
        assert (row.status, row.withdrawn, row.rulings) == ("disqualified", games, (1,))
        with Store.read(path) as store:
            assert {game.ending for game in store.games(bot="b")} == {"disqualified"}
            assert {game.ending for game in store.games_as_played(bot="b")} == {"flag_taken"}
            assert not any(game.was_played for game in store.games(bot="b"))
        undo_disqualification(path, "b", DECISION)
        assert event.points() == {"a": 24, "b": 14, "c": 4}

    def test_a_later_ruling_on_a_game_outweighs_it(self, path):
        event = Event(path, "abc", withdrawn_games="keep")
        event.play()
        rule_game(path, "a~b~1", "draw", DECISION)
        disqualify(path, "b", DECISION)
        assert event.points() == {"a": 24, "c": 14, "b": 0}
        rule_game(path, "b~c~1", "annulled", DECISION)
        assert event.points() == {"a": 24, "c": 8, "b": 0}

    def test_in_a_knockout_its_opponents_advance(self, path):
        event = Event(path, "abcd", format="knockout")
        event.play(5)
        assert "--force" in refusal(disqualify, path, "a", DECISION)
        disqualify(path, "a", FORCED)
        assert event.meetings()[1] == ["d-b"]

    def test_the_winner_of_a_knockout(self, path):
        """The final is replayed by the bots that a eliminated, or its opponent of the final wins."""
        event = Event(path, "abcd", format="knockout")
        event.play()
        assert "Or add --from-round N, such as --from-round 2" in refusal(disqualify, path, "a", DECISION)
        disqualify(path, "a", FORCED)
        assert event.play() == ["d~b~1", "b~d~1"]
        undo_disqualification(path, "a", FORCED)
        disqualify(path, "a", DECISION, first_round=2)
        schedule = event.schedule()
        assert schedule.finished
        assert [(one.bot, one.rank) for one in schedule.rank_all()] == [("b", 1), ("a", 2), ("c", 3), ("d", 3)]
        assert event.points() == {"b": 24, "a": 12, "c": 2, "d": 2}

    @pytest.mark.parametrize("rule", ["half", "keep", "strike"])
    def test_results_before_a_round_stay(self, path, rule):
        """Rounds of three bots: b-c, a-c, a-b.  Disqualified from round 3 on, b loses only to a."""
        event = Event(path, "abc", withdrawn_games=rule)
        event.play()
        last = max(game.round for game in event.schedule().history.games if "b" in (game.red, game.blue))
        disqualify(path, "b", DECISION, first_round=last)
        changed = {game.id for game in event.schedule().history.games if game.ending == "disqualified"}
        assert len(changed) == 2
        undo_disqualification(path, "b", DECISION)
        assert event.points() == {"a": 24, "b": 14, "c": 4}

    def test_wrong_bots(self, path):
        Event(path, "abc").play()
        assert "unknown bot 'x'" in refusal(disqualify, path, "x", DECISION)
        disqualify(path, "b", DECISION)
        assert refusal(disqualify, path, "b", DECISION) == "b: is disqualified already"
        assert "no such ruling on it is in force" in refusal(undo_disqualification, path, "a", DECISION)


def forfeit(fixture):
    """Let b forfeit its first two games, and lose the others by walkover; the first name wins other games."""
    if "b" not in (fixture.red, fixture.blue):
        return first_name_wins(fixture)
    winner = "red" if fixture.blue == "b" else "blue"
    return winner, "timeout" if fixture.round == 1 else "walkover"


class TestReinstatement:
    """Round robin of a, b, c with four games of each pairing: b forfeits two games and loses six by walkover."""

    @pytest.fixture
    def event(self, path):
        event = Event(path, "abc", forfeit, suspend_after=2, games=4, withdrawn_games="keep")
        event.play()
        return event

    def test_its_walkovers_are_played(self, event):
        with Store.read(event.path) as store:
            walkovers = {game.id for game in store.games() if game.ending == "walkover"}
        assert len(walkovers) == 6
        ruling = reinstate(event.path, "b", DECISION)
        assert (ruling.kind, ruling.number) == ("reinstate", 1)
        assert ruling.replays == {game: f"{game}~r2" for game in walkovers}
        assert "`arbiter reinstate --undo" in refusal(undo_game_ruling, event.path, min(walkovers), DECISION)
        event.how = first_name_wins
        assert set(event.play()) == {f"{game}~r2" for game in walkovers}
        assert event.schedule().finished
        assert "is not suspended" in refusal(reinstate, event.path, "b", DECISION)

    def test_its_forfeits_are_counted_from_zero(self, event):
        with Store.read(event.path) as store:
            assert Suspensions(2, store.history()).is_suspended("b")
        reinstate(event.path, "b", DECISION)
        with Store.read(event.path) as store:
            assert not Suspensions(2, store.history()).is_suspended("b")

    @pytest.mark.parametrize("most", [0, 2])
    def test_its_reversal_restores_the_walkovers_that_were_not_played_again(self, event, most):
        before = event.points()
        with Store.read(event.path) as store:
            walkovers = {game.id for game in store.games() if game.ending == "walkover"}
        reinstate(event.path, "b", DECISION)
        event.how = first_name_wins
        replayed = event.play(most)
        assert len(replayed) == most
        ruling = undo_reinstatement(event.path, "b", DECISION)
        assert (ruling.number, ruling.undoes) == (2, 1)
        assert set(ruling.replays.values()) == set(replayed)
        with Store.read(event.path) as store:
            history = store.history()
            current = {game.id for game in store.games()}
        assert Suspensions(2, history).is_suspended("b")
        assert len(current) == 12
        assert {game.removesuffix("~r2") for game in replayed} == walkovers - current
        assert current >= set(replayed)
        assert event.schedule().finished
        assert (event.points() == before) == (most == 0)
        assert "no such ruling on it is in force" in refusal(undo_reinstatement, event.path, "b", DECISION)

    @pytest.mark.parametrize("rule", ["half", "keep", "strike"])
    def test_a_ruling_on_a_game_does_not_lift_the_suspension(self, path, rule):
        event = Event(path, "abc", forfeit, suspend_after=2, games=4, withdrawn_games=rule)
        event.play()
        with Store.read(event.path) as store:
            stored = [game for game in store.games() if "b" in (game.red, game.blue)]
        before = event.points()
        results = ["red", "blue", "draw", "none", "annulled"] * len(stored)
        for game, result in [*zip(stored, results, strict=False), *zip(stored, results[3:], strict=False)]:
            if result == game.winner:
                continue
            rule_game(path, game.id, result, DECISION)
            schedule = event.schedule()
            (row,) = [one for one in schedule.rank(schedule.stages[0]) if one.bot == "b"]
            assert (row.status, row.withdrawn) == ("suspended", "kept" if rule == "keep" else "struck")
            points = event.points()
            assert rule == "keep" or points == before
            assert {bot for bot in "abc" if points[bot] != before[bot]} <= {game.red, game.blue}
            undo_game_ruling(event.path, game.id, DECISION)
        assert event.points() == before

    @pytest.mark.parametrize(
        ("rule", "games", "played"), [("half", "struck", 0), ("keep", "kept", 8), ("strike", "struck", 0)]
    )
    def test_the_rule_for_withdrawn_games_governs_suspended_bots(self, path, rule, games, played):
        event = Event(path, "abc", forfeit, suspend_after=2, games=4, withdrawn_games=rule)
        event.play()
        schedule = event.schedule()
        (row,) = [one for one in schedule.rank(schedule.stages[0]) if one.bot == "b"]
        assert (row.status, row.withdrawn, row.games) == ("suspended", games, played)
        reinstate(path, "b", DECISION)
        schedule = event.schedule()
        (row,) = [one for one in schedule.rank(schedule.stages[0]) if one.bot == "b"]
        assert (row.status, row.games) == (None, 2)

    def test_a_walkover_with_a_ruling_keeps_no_bot_suspended(self, path):
        """The ruling on the walkover outweighs the reinstatement, which has it played no more."""
        event = Event(path, "abc", forfeit, suspend_after=2, games=4, withdrawn_games="strike")
        event.play()
        with Store.read(path) as store:
            walkover = next(game.id for game in store.games() if game.ending == "walkover")
        rule_game(path, walkover, "draw", DECISION)
        assert walkover not in reinstate(path, "b", DECISION).replays
        schedule = event.schedule()
        (row,) = [one for one in schedule.rank(schedule.stages[0]) if one.bot == "b"]
        assert (row.status, row.games) == (None, 3)

    @pytest.mark.parametrize("leave", [disqualify, lambda path, bot, _: withdraw(path, bot)])
    def test_a_bot_that_has_left_is_refused(self, event, leave):
        leave(event.path, "b", DECISION)
        text = refusal(reinstate, event.path, "b", DECISION)
        assert text.startswith("b: would lose its games by walkover again, because it ")
        assert "`arbiter withdraw --undo" in text or "`arbiter disqualify --undo" in text
        assert len(event.schedule().history.rulings) == 1

    def test_a_bot_that_is_not_suspended(self, event):
        assert refusal(reinstate, event.path, "a", DECISION) == "a: is not suspended"
        disqualify(event.path, "a", DECISION)
        assert "`arbiter disqualify --undo" in refusal(reinstate, event.path, "a", DECISION)


def test_a_running_schedule_takes_up_a_ruling_and_gives_no_game_out_twice(path):
    event = Event(path, "abc")
    with Store.create_or_resume(path, event.manifest) as store:
        schedule = store.schedule()
        fixtures = [schedule.take() for _ in range(4)]
        for fixture in fixtures[:2]:
            game = event.finish(fixture)
            store.add([NewGame(game, b"")])
            schedule.add(game)
        rule_game(path, fixtures[0].id, "replay", DECISION)
        history = store.history()
        schedule.restart(history)
        left = []
        while fixture := schedule.take():
            left.append(fixture.id)
        expected = {"a~b~1", "b~a~1", "a~c~1", "c~a~1", "b~c~1", "c~b~1", f"{fixtures[0].id}~r2"}
        assert set(left) == expected - {fixture.id for fixture in fixtures}
        for fixture in fixtures[2:]:
            schedule.add(event.finish(fixture))
        assert not schedule.finished
