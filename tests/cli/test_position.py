"""`position`: positions of games agree with the rules, and positions are checked and converted."""

import json

import pytest
from cli.command_line import call, call_ok, call_refused

from arbiter.record import GameResult, RecordWriter, read_record
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.verify import begin, replay
from protocol.reasons import NeverMoves, RefusedAction
from protocol.words import SEATS, Deploy

GAME = "hunter~random~1"
EMPTY_ROW = " ." * 10
LAKES = " . . ~ ~ . . ~ ~ . ."
ROWS = [
    " . . . . . . . . . bF",
    " . . . . . . . . b3 .",
    *[EMPTY_ROW] * 2,
    LAKES,
    LAKES,
    *[EMPTY_ROW] * 3,
    " RF R3" + " ." * 8,
]


@pytest.fixture
def record(played, tmp_path):
    call("games", played, "--id", GAME, "--export", tmp_path)
    return tmp_path / f"{GAME}.jsonl"


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "position.txt"
    path.write_text("\n".join(ROWS), encoding="utf-8")
    return path


def shown(*words):
    return json.loads(call_ok("position", *words, "--json"))


def test_every_position_of_a_game_is_that_of_the_rules(record):
    game = read_record(record.read_bytes())
    contest, chance = begin(game)
    ply = 0
    for entry, _ in replay(contest, chance, game):
        if isinstance(entry.action, Deploy):
            continue
        ply += 1
        if ply % 5 and not contest.play.outcome:
            continue
        position = shown(record, "--at", str(ply))
        assert position["letters"].split()[0] == repr(contest.play.position)
        assert position["to_move"] == (contest.play.to_act[0] if contest.play.to_act else None)
        known = {piece["place"] for piece in position["pieces"] if piece.get("known")}
        board = contest.play.position.board
        names = contest.play.tables.ruleset.board.names
        assert known == {names[square] for square, piece in enumerate(board) if piece in contest.play.shown}
    assert ply > 5
    assert position["ending"]


@pytest.mark.parametrize("seat", SEATS)
def test_a_seat_sees_only_the_ranks_that_it_knows(record, seat):
    everything = shown(record, "--at", "5")
    seen = shown(record, "--at", "5", "--as", seat)
    assert seen["letters"] is None
    for piece, all_known in zip(seen["pieces"], everything["pieces"], strict=True):
        may_know = piece["seat"] == seat or piece.get("known", False)
        assert piece["rank"] == (all_known["rank"] if may_know else None)
    hidden = sum(everything["hidden"]["blue" if seat == "red" else "red"].values())
    assert sum(piece["rank"] is None for piece in seen["pieces"]) == hidden > 0


def test_conversion_goes_both_ways(rows, tmp_path):
    letters = call_ok("position", rows, "--rules", "duel", "--to", "letters").strip()
    assert letters.endswith(" red")
    drawn = call_ok("position", letters, "--rules", "duel")
    again = tmp_path / "again.txt"
    again.write_text(drawn, encoding="utf-8")
    assert call_ok("position", again, "--rules", "duel") == drawn
    assert "red to move\n# red has 2 pieces; blue does not know 2: 3 F\n" in drawn


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("abc", "POSITION: position: 3 letters; a position has 100"),
        ("nowhere.txt", "nowhere.txt: there is no such file"),
    ],
)
def test_faults(text, why):
    assert why in call_refused("position", text)


def test_more_pieces_than_an_army_has(rows):
    rows.write_text("\n".join(ROWS).replace("b3 .", "bF ."), encoding="utf-8")
    assert "blue has 2 pieces of rank flag, but an army of duel has 1" in call_refused(
        "position", rows, "--rules", "duel"
    )


def test_a_game_that_is_over_before_it_starts(rows):
    rows.write_text("\n".join(ROWS).replace("R3", ". "), encoding="utf-8")
    assert "# the game is over: " in call_ok("position", rows, "--rules", "duel")


def test_a_seat_has_no_letters(record):
    assert "only the arbiter's position has letters" in call_refused(
        "position", record, "--as", "red", "--to", "letters", "--at", "3"
    )


def test_a_card_game_has_no_position(rows):
    assert "cannot start from a position" in call_refused("position", rows, "--rules", "card-game")


def test_the_reason_of_a_forfeit_is_shown_only_to_viewers_that_see_the_pieces_of_the_loser(record):
    """It may name a hidden piece."""
    reason = RefusedAction("blue", NeverMoves("a4", "a5"))
    game = read_record(record.read_bytes())
    writer = RecordWriter(game.header)
    for act in game.acts:
        writer.act(act)
    record.write_bytes(writer.finish(GameResult(winner="red", ending="immovable_moved", reason=reason, plies=31)))
    shown = {viewer: "never moves" in call_ok("position", record, "--as", viewer) for viewer in VIEWERS}
    assert shown == {"arbiter": True, "red": False, "blue": True, "spectator": False}
