from msgspec.structs import replace
from tournament.stored_games import game

from arbiter.record import ActEntry, GameHeader, RecordWriter
from arbiter.tournament.standings.crosstable import Repeats, count_repeats
from protocol.words import Move


def read_games(text):
    """Read games written as red, blue and the fingerprint, `-` without actions."""
    names = (line.split() for line in text.splitlines())
    return [replace(game(red, blue, "red", "flag_taken"), fingerprint=acts.strip("-")) for red, blue, acts in names]


def test_games_identical_to_an_earlier_one_of_the_pairing_are_counted():
    assert count_repeats(read_games("a b x\nb a x\na b x\na b y\nc a x\nc b z\nb c z")) == (
        Repeats("a", "b", 4, 2),
        Repeats("b", "c", 2, 1),
    )


def test_games_without_actions_are_no_repeats():
    assert count_repeats(read_games("a b -\na b -\na b -")) == ()


def make_fingerprint(*moves, header=None):
    writer = RecordWriter(header or GameHeader(rules="duel"))
    for number, (src, dst) in enumerate(moves):
        writer.act(ActEntry(seat=("red", "blue")[number % 2], action=Move(src, dst), ms=number, note=f"note {number}"))
    return writer.fingerprint


def test_the_fingerprint():
    same = make_fingerprint(("a4", "a5"), ("j7", "j6"))
    named = GameHeader(rules="duel", id="another", seed=5)
    assert same == make_fingerprint(("a4", "a5"), ("j7", "j6"), header=named) != ""
    others = [
        make_fingerprint(("a4", "a5")),
        make_fingerprint(("a4", "a5"), ("j7", "i7")),
        make_fingerprint(("j7", "j6"), ("a4", "a5")),
        make_fingerprint(("a4", "a5"), ("j7", "j6"), header=GameHeader(rules="duel", position="a" * 100)),
        make_fingerprint(("a4", "a5"), ("j7", "j6"), header=GameHeader(rules="duel", decks={"red": ("flag",)})),
        make_fingerprint(),
    ]
    assert len({same, *others}) == 7
    assert make_fingerprint() == ""
