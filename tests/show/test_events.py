"""Events as objects for programs."""

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from arbiter.show.tables.run.status import event_object
from arbiter.tournament.events import Acted, Closing, Event, Notice, Progress

PAGE = (Path(__file__).parent.parent.parent / "docs" / "organisers.md").read_text("utf-8")


@pytest.mark.parametrize("kind", get_args(Event))
def test_each_event_is_documented_for_the_command_line_and_for_python(kind):
    assert f"\n| `{kind.__name__}` | " in PAGE
    assert kind is Notice or f"\n| `{kind.__struct_config__.tag}` | " in PAGE


@pytest.mark.parametrize(
    ("event", "written"),
    [
        (Acted("a~b~1", b'{"type":"act"}'), {"event": "act", "id": "a~b~1", "line": {"type": "act"}}),
        (Progress(1, 2, ()), {"event": "standings", "played": 1, "total": 2, "standings": []}),
        (Closing(), {"event": "closing"}),
    ],
)
def test_an_event_is_one_object_with_its_kind(event, written):
    assert msgspec.json.decode(msgspec.json.encode(event_object(event))) == written
