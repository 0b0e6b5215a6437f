"""The use of pieces and of time by bots, counted from records."""

import random

import pytest

from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.record import ActEntry, GameHeader, GameResult, RecordWriter, read_record
from arbiter.show.tables.habits import evals_sheet, pieces_sheet, times_sheet
from arbiter.show.tables.sheet import FORMATS, write_sheets
from arbiter.tournament.habits import Habits
from protocol.words import OPPONENT, SEATS, Deploy, Move, Moved, Removed, Revealed


def play_game(seed):
    """Play barrage, red by the first legal action and blue at random; return the record, and the attacks lost on seen pieces."""
    rng = random.Random(seed)
    play = find_game("barrage").start(SeededChance(seed))
    terms = find_game("barrage").describe("red")
    army = [rank for rank, count in terms.army.items() for _ in range(count)]
    writer = RecordWriter(GameHeader(rules="barrage", seed=seed))
    seen = {seat: set() for seat in SEATS}  # squares of the opponent's pieces whose rank the seat has seen
    lost = dict.fromkeys(SEATS, 0)
    while play.outcome is None:
        for seat in play.to_act:
            if play.phase == "setup":
                squares = rng.sample(terms.deploy[seat], len(army))
                action = Deploy(dict(zip(squares, army, strict=True)))
            else:
                action = play.legal_actions(seat)[0] if seat == "red" else rng.choice(play.legal_actions(seat))
            facts = [one.fact for one in play.act(seat, action)]
            writer.act(
                ActEntry(seat=seat, action=action, ms=50 if seat == "red" else 2, eval=7 if seat == "red" else 0)
            )
            removed = [(fact.seat, fact.place) for fact in facts if isinstance(fact, Removed)]
            if isinstance(action, Move) and action.dst in seen[seat] and [one for one, _ in removed] == [seat]:
                lost[seat] += 1
            for fact in facts:
                squares = seen[OPPONENT[fact.seat]]
                if isinstance(fact, Revealed):
                    squares.add(fact.place)
                elif isinstance(fact, Moved) and fact.src in squares:
                    squares.remove(fact.src)
                    squares.add(fact.dst)
                elif isinstance(fact, Removed):
                    squares.discard(fact.place)
    result = GameResult(
        winner=play.outcome.winner, ending=play.outcome.ending, reason=play.outcome.reason, plies=play.plies
    )
    return read_record(writer.finish(result)), lost


@pytest.fixture(scope="module")
def played():
    """Play games; return their habits, their records, and the attacks lost against pieces that were seen."""
    habits = Habits()
    games = [play_game(seed) for seed in range(12)]
    for record, _ in games:
        habits.add(record, {"red": "first", "blue": "any"})
    return habits, [record for record, _ in games], [lost for _, lost in games]


def total(habits, bot, field):
    return sum(getattr(use, field) for (name, _), use in habits.pieces.items() if name == bot)


def test_moves_and_attacks_are_counted(played):
    habits, records, lost = played
    for seat, bot in (("red", "first"), ("blue", "any")):
        moves = [act for record in records for act in record.acts if act.seat == seat and isinstance(act.action, Move)]
        assert total(habits, bot, "moves") == len(moves) > 0
        assert total(habits, bot, "pieces") == 8 * len(records)
        assert 0 < total(habits, bot, "moved") < total(habits, bot, "pieces")
        assert total(habits, bot, "known_lost") == sum(game[seat] for game in lost)
        assert habits.pieces[bot, "bomb"].moves == habits.pieces[bot, "flag"].moves == 0
    assert total(habits, "first", "known_lost") + total(habits, "any", "known_lost") > 0


def test_a_bot_that_takes_the_first_action_is_named(played):
    habits, _, _ = played
    assert habits.choices["first"].first == habits.choices["first"].choices
    assert habits.choices["any"].first < 2 * habits.choices["any"].expected
    text = write_sheets([pieces_sheet(habits)], "table")
    assert "first: 100 % of its choices were the first of `legal`" in text
    assert text.count("does it take the first of equal actions?") == 1
    assert all(write_sheets([pieces_sheet(habits)], form) for form in FORMATS)


def test_times_are_divided_by_phase(played):
    habits, records, _ = played
    answers = sum(len(record.acts) for record in records) - 2 * len(records)
    assert sum(len(use.ms) for use in habits.times.values()) == answers
    assert len(habits.times["first", "middlegame"].ms) > 0
    rows = list_rows(times_sheet(habits))
    assert {(row["bot"], row["median ms"]) for row in rows} == {("first", 50), ("any", 2)}


def test_evaluations_are_compared_with_results(played):
    habits, records, _ = played
    rows = list_rows(evals_sheet(habits))
    answers = [
        record.result.winner == "red"
        for record in records
        if record.result.winner
        for act in record.acts
        if act.seat == "red" and not isinstance(act.action, Deploy)
    ]
    rights = [use for use in habits.evals.values() if use.bot == "first"]
    assert sum(len(use.won) for use in rights) == sum(answers)
    assert sum(len(use.won) + len(use.lost) for use in rights) == len(answers)
    assert {row["right %"] for row in rows if row["bot"] == "any"} == {None}
    assert {row["mean if won"] for row in rows if row["bot"] == "first"} <= {7, None}


def list_rows(sheet):
    return [dict(zip(sheet.head, row, strict=True)) for row in sheet.rows]


def test_a_game_of_cards_has_no_pieces():
    habits = Habits()
    record = read_record(
        RecordWriter(GameHeader(rules="card-game", seed=1)).finish(GameResult(winner=None, ending="agreed"))
    )
    habits.add(record, {"red": "a", "blue": "b"})
    assert habits.pieces == {}
    assert [sheet(habits).notes[0].split(":")[0] for sheet in (pieces_sheet, times_sheet, evals_sheet)] == [
        "Nothing was counted",
        "Nothing was counted",
        "No evaluations",
    ]
