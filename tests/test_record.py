"""Records: reading a record and writing it again gives the same bytes."""

import tracemalloc
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import replace

from arbiter.games.base import Addressed
from arbiter.record import (
    GameResult,
    PlayerKind,
    PlayerName,
    RecordError,
    RecordWriter,
    compute_fingerprint,
    read_record,
)
from protocol.words import SEATS, Moved

GOLDEN = sorted((Path(__file__).parent / "games" / "golden").glob("*.jsonl"))
HEADER = b'{"type":"game","rules":"original","facts":null}'
ACT = b'{"type":"act","seat":"red","action":{"type":"move","src":"a4","dst":"a5"}%s}'


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_reading_and_writing_a_record_keeps_every_byte(path):
    record = read_record(path.read_bytes())
    writer = RecordWriter(record.header)
    for act in record.acts:
        writer.act(act)
    assert writer.finish(record.result) == path.read_bytes()


def read_act(rest):
    (act,) = read_record(HEADER + b"\n" + ACT % rest).acts
    return act


def test_facts_are_read_as_facts_with_their_audience():
    moved = b'{"type":"moved","seat":"red","src":"a4","dst":"a5","to":["red","blue"]}'
    assert read_act(b',"facts":[%s]' % moved).facts == (Addressed(Moved("red", "a4", "a5"), SEATS),)


def test_an_evaluation_is_recorded_and_does_not_change_the_fingerprint():
    plain, rated = read_act(b""), read_act(b',"eval":-12.5')
    assert (plain.eval, rated.eval) == (None, -12.5)
    records = [read_record(HEADER + b"\n" + ACT % rest) for rest in (b"", b',"eval":-12.5')]
    assert compute_fingerprint(records[0]) == compute_fingerprint(records[1])
    writer = RecordWriter(records[1].header)
    writer.act(rated)
    result = GameResult(winner=None, ending="agreed")
    assert read_record(writer.finish(result)).acts == (rated,)


@pytest.mark.parametrize("kind", get_args(PlayerKind))
def test_a_note_of_a_player_over_the_network_is_shown_only_when_the_game_is_over(kind):
    noted = read_act(b',"note":"marks: e8 = 3"')
    followed = []
    writer = RecordWriter(
        replace(read_record(HEADER).header, seats={"red": PlayerName("ann", kind=kind)}), followed.append
    )
    writer.act(noted)
    assert (b"e8 = 3" in followed[-1]) is (kind in ("program", "terminal"))
    result = GameResult(winner=None, ending="agreed")
    assert read_record(writer.finish(result)).acts == (noted,)


@pytest.mark.parametrize(
    "facts",
    [
        b"null",
        b"7",
        b'[{"type":"flew","seat":"red","to":[]}]',
        b'[{"type":"regrouped","seat":"red"}]',
        b'[{"type":"regrouped","seat":"red","to":["green"]}]',
    ],
)
def test_invalid_facts_are_refused(facts):
    with pytest.raises(RecordError, match="line 2 is cut off or not part of a record"):
        read_act(b',"facts":%s' % facts)


@pytest.mark.parametrize("before", [b"", b" \n"])
def test_another_format_is_refused_whatever_else_is_in_it(before):
    why = "has format 2, but this arbiter reads format 1; use the arbiter that wrote it"
    with pytest.raises(RecordError, match=f"^{why}$"):
        read_record(before + b'{"type":"game","format":2,"rules":["duel"]}\n{}')


@pytest.mark.parametrize("line", [b"\n", b" \n"])
def test_a_record_of_millions_of_lines_does_not_fill_the_memory(line):
    data = line * 2**20
    tracemalloc.start()
    try:
        with pytest.raises(RecordError):
            read_record(data)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
