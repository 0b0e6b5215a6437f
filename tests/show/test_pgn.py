"""Headers of games as PGN, read by a small reader as other programs read them."""

import re

from msgspec.structs import replace
from tournament.stored_games import game

from arbiter.show.tables.games import write_pgn

TAG = re.compile(r'^\[(\w+) "((?:[^"\\]|\\.)*)"\]$')


def read_pgn(text):
    """Return the tags of each game, and the result after them."""
    parts = text.strip().split("\n\n")
    tags = [dict(TAG.fullmatch(line).groups() for line in part.splitlines()) for part in parts[::2]]
    return list(zip(tags, parts[1::2], strict=True))


def test_each_game_has_its_headers():
    games = [
        game("a", "b", "red", "flag_taken", pair=3, round_=2),
        game("b", "a", "red", "timeout", pair=3, round_=2),
        game("a", "b", None, "agreed"),
    ]
    found = read_pgn("".join(write_pgn(games, "Cup")))
    assert [result for _, result in found] == ["1-0", "1-0", "1/2-1/2"]
    assert found[0][0] == {
        "Event": "Cup",
        "Site": "?",
        "Date": "2026.11.20",
        "Round": "2.3",
        "White": "a",
        "Black": "b",
        "Result": "1-0",
        "Termination": "flag_taken",
        "PlyCount": "103",
    }


def test_a_loss_of_red():
    ((tags, result),) = read_pgn("".join(write_pgn([game("a", "b", "blue", "flag_taken")], "Cup")))
    assert (tags["Result"], result) == ("0-1", "0-1")


def test_foreign_text_stays_within_its_tag():
    foreign = replace(game("a", "b", "red", "flag_taken"), red='x"]\n[Result "0-1', blue="c:\\x\x1b[2J")
    ((tags, _),) = read_pgn("".join(write_pgn([foreign], 'a "cup"\n')))
    assert tags["Result"] == "1-0"
    assert tags["White"].replace('\\"', '"').startswith('x"]')
    assert "\x1b" not in tags["Black"]
    assert len(tags) == 9
