"""Rounds in iCalendar, read by another program."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from arbiter.show.formats.ical import write_calendar
from arbiter.show.schedule import Pairing, PlannedRound
from arbiter.tournament.config.event_data import EventTable

icalendar = pytest.importorskip("icalendar", reason="needs the package icalendar")

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
LOCAL = datetime(2026, 12, 5, 19, 0)  # noqa: DTZ001 - a time of the place
HARD = "Köln, Café; a\\b \\n 猎人 " + "é" * 80 + "猎" * 60


def write(starts=LOCAL, name="Main group", **event):
    pairings = (Pairing(1, 1, "one", "two", 2), Pairing(1, 1, "three", None, 0))
    rounds = [PlannedRound(1, 1, starts, 30, pairings), PlannedRound(1, 2, starts + timedelta(minutes=30), 30, ())]
    return write_calendar(name, EventTable(**event), rounds, {"two": HARD}, NOW)


def read(text):
    return icalendar.Calendar.from_ical(text).walk("VEVENT")


def test_texts_are_escaped_and_folded():
    text = write(title=HARD, place=HARD, link="https://example.org/" + "a" * 200)
    assert text.endswith("\r\n")
    lines = text.removesuffix("\r\n").split("\r\n")
    assert max(len(line.encode()) for line in lines) == 75
    assert not any("\n" in line for line in lines)
    first, second = read(text)
    assert first["SUMMARY"] == f"{HARD}: round 1"
    assert second["SUMMARY"] == f"{HARD}: round 2"
    assert first["LOCATION"] == HARD
    assert first["DESCRIPTION"] == f"Main group\none - {HARD}\nthree: bye"
    assert first["URL"] == "https://example.org/" + "a" * 200
    assert "DESCRIPTION" not in second


@pytest.mark.parametrize(
    ("starts", "expected"),
    [(LOCAL, LOCAL), (LOCAL.replace(tzinfo=timezone(timedelta(hours=1))), datetime(2026, 12, 5, 18, 0, tzinfo=UTC))],
    ids=["of the place", "with an offset"],
)
def test_times(starts, expected):
    first, second = read(write(starts))
    assert first["DTSTART"].dt == expected
    assert first["DTEND"].dt == second["DTSTART"].dt == expected + timedelta(minutes=30)
    assert first["DTSTAMP"].dt == NOW


def test_a_round_keeps_its_identity_and_each_has_another():
    first, second = read(write())
    assert first["UID"] != second["UID"]
    assert [one["UID"] for one in read(write(LOCAL + timedelta(days=1)))] == [first["UID"], second["UID"]]
    assert read(write(name="Group B"))[0]["UID"] != first["UID"]


def test_a_name_with_line_ends_stays_in_its_line():
    first, _ = read(write(name="a\r\nEND:VCALENDAR"))
    assert first["SUMMARY"] == r"a\r\nEND:VCALENDAR: round 1"
