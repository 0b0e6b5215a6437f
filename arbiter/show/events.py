"""Events of a running tournament as objects for programs: one description for every command."""

from typing import Any

import msgspec
from msgspec.structs import asdict

from arbiter.show.tables.games import game_object
from arbiter.show.tables.standings import standings_sheet
from arbiter.tournament.events import (
    Acted,
    Audited,
    Began,
    Closing,
    Event,
    Finished,
    Notice,
    Progress,
    Ruled,
    RunBegan,
    Void,
    Withdrawn,
)


def event_object(event: Event) -> dict[str, Any]:
    """Return an event as an object for programs: `event` is its kind."""
    match event:
        case RunBegan(total, played, jobs):
            values = {"total": total, "played": played, **jobs.values()}
        case Ruled(ruling):
            values = asdict(ruling)
        case Progress(played, total, standings):
            table = [dict(row) for row in standings_sheet(standings).objects]
            values = {"played": played, "total": total, "standings": table}
        case Withdrawn() | Notice() | Closing():
            values = asdict(event)
        case Began(fixture, at):
            values = {"id": fixture.id, "round": fixture.round, "red": fixture.red, "blue": fixture.blue, "at": at}
        case Acted(game_id, line):
            values = {"id": game_id, "line": msgspec.Raw(line)}
        case Finished(game):
            values = dict(game_object(game))
        case Void(fixture, attempt):
            values = {
                "id": fixture.id,
                "reason": attempt.reason,
                "why": attempt.why.strip().splitlines()[-1],
                "seat": attempt.seat,
                "bot": attempt.bot,
                "plies": attempt.plies,
                "lag_ms": None if attempt.conditions is None else attempt.conditions.lag_ms,
            }
        case Audited(game, second):
            why = {} if second is None else {"why": second.why}
            values = {"id": game.id, "same": second is None, **why}
    return {"event": event.__struct_config__.tag, **values}
