"""The event, the settings and the bots of stored results, as values for tables and pages."""

from collections.abc import Iterable
from typing import Final

from msgspec import UNSET, structs

from arbiter.show.tables.event import EventData
from arbiter.show.tables.groups import Details, categories_sheets, teams_sheet
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.stored_game import StoredGame

_DRAW_LIMITS: Final = ("no_attack_plies", "max_plies")


def list_details(manifest: Manifest) -> Details:
    """Return the texts about each bot."""
    return {bot.name: bot for bot in manifest.tournament.bots}


def make_event_data(manifest: Manifest, games: Iterable[StoredGame]) -> EventData:
    """Collect the event, the settings and the conditions of the games.  Raises ConfigError."""
    tournament = resolve_names(manifest.tournament)
    file = tournament.file
    changes = structs.asdict(tournament.overrides)
    stages = file.stage_tables
    return EventData(
        name=file.name,
        event=file.event,
        game=tournament.game,
        options=file.options,
        changes={key: value for key, value in changes.items() if value is not UNSET and key not in _DRAW_LIMITS},
        format=", then ".join(stage.format for stage in stages),
        games=[stage.games or file.games for stage in stages],
        time=file.time,
        scale_time=file.cluster.scale_time,
        points=tournament.points,
        sandbox=manifest.sandbox,
        arbiter=manifest.arbiter,
        conditions=[game.conditions for game in games if game.conditions is not None],
    )


def list_categories(plan: Schedule, bots: Details) -> list[Sheet]:
    """List the standings of categories; empty if no bot has one."""
    return list(categories_sheets(plan.rank_all(), bots))


def list_teams(plan: Schedule, bots: Details) -> list[Sheet]:
    """List the standings of teams; empty if no bot has one."""
    sheet = teams_sheet(plan.rank_all(), [plan.rank(stage) for stage in plan.stages], bots)
    return [] if sheet is None else [sheet]
