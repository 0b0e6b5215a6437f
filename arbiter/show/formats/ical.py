"""The rounds of a tournament for calendars, in iCalendar (RFC 5545)."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from arbiter import __version__
from arbiter.show.schedule import PlannedRound
from arbiter.show.text import plain
from arbiter.tournament.config.event_data import EventTable

_MOST_OCTETS: Final = 75  # of a line, without its end


def write_calendar(
    name: str, event: EventTable, rounds: Sequence[PlannedRound], titles: Mapping[str, str], now: datetime
) -> str:
    """Write the rounds of a tournament as events; `titles` are names of bots for people.

    Times without an offset from UTC are those of the reader's calendar.
    """
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//arbiter//arbiter {__version__}//EN",
        *(line for one in rounds for line in _list_event(name, event, one, titles, now)),
        "END:VCALENDAR",
    ]
    return "".join(f"{_fold(line)}\r\n" for line in lines)


def _list_event(
    name: str, event: EventTable, one: PlannedRound, titles: Mapping[str, str], now: datetime
) -> Iterator[str]:
    """Yield the lines of a round; the same round has the same UID whenever it is written."""
    where = f"{event.title or ''}\n{name}\n{one.stage}\n{one.round}"
    digest = hashlib.sha256(where.encode(errors="replace")).hexdigest()[:32]
    pairings = [
        f"{titles.get(pairing.red, pairing.red)} - {titles.get(pairing.blue, pairing.blue)}"
        if pairing.blue
        else f"{titles.get(pairing.red, pairing.red)}: {pairing.bye_words}"
        for pairing in one.pairings
    ]
    yield "BEGIN:VEVENT"
    yield f"UID:{digest}@arbiter"
    yield f"DTSTAMP:{_write_time(now)}"
    yield f"DTSTART:{_write_time(one.starts)}"
    yield f"DTEND:{_write_time(one.starts + timedelta(minutes=one.minutes))}"
    yield f"SUMMARY:{_escape(f'{event.title or name}: round {one.round}')}"
    if event.place:
        yield f"LOCATION:{_escape(event.place)}"
    if event.link:
        yield f"URL:{event.link}"
    if pairings:
        yield "DESCRIPTION:" + r"\n".join(map(_escape, (name, *pairings)))
    yield "END:VEVENT"


def _write_time(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y%m%dT%H%M%SZ}" if time.tzinfo else f"{time:%Y%m%dT%H%M%S}"


def _escape(text: str) -> str:
    """Escape the signs of a text value (3.3.11)."""
    text = plain(text)
    for sign in "\\;,":
        text = text.replace(sign, f"\\{sign}")
    return text


def _fold(line: str) -> str:
    """Break a line after at most 75 octets, within no character; a continuation begins with a space (3.1)."""
    parts = [""]
    size = 0
    for sign in line:
        octets = len(sign.encode(errors="replace"))
        if size + octets > _MOST_OCTETS:
            parts.append(" ")
            size = 1
        parts[-1] += sign
        size += octets
    return "\r\n".join(parts)
