"""Read the events of a season from their results, which unknown people may have written."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from arbiter.director.files import TOML, find_results, results_file
from arbiter.errors import ConfigError, ConfigErrors, list_messages, unknown_name
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.entrants import read_tournament_file
from arbiter.tournament.config.tournament import locate_faults
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.reader import Results
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.season import EventResult, Season, SeasonEvent, load_season, rank_season
from arbiter.tournament.standings.stored_game import find_points


def read_season(path: Path) -> Season:
    """Read a season file and its events, and rank the bots.  Raises ConfigError with all faults."""
    file = load_season(path)
    faults: list[str] = []
    events: list[EventResult] = []
    known: dict[tuple[object, ...], str] = {}
    for number, entry in enumerate(file.events, start=1):
        try:
            events.append(_read_event(path.parent, entry, known))
        except ConfigError as error:
            faults += (f"events.#{number}.{message}" for message in list_messages(error))
    with locate_faults(path):
        if faults:
            raise ConfigErrors(faults)
        bots: dict[str, BotConfig] = {}
        for event in events:
            bots |= event.bots
        return Season(file=file, events=events, bots=bots, ranking=rank_season(file, events))


def _read_event(folder: Path, entry: SeasonEvent, known: dict[tuple[object, ...], str]) -> EventResult:
    """Read an event; add its file to the `known` ones.

    A tournament that has no results has not begun.  Raises ConfigError: the texts begin with a key of the event.
    """
    path = folder / entry.file
    found: tuple[Manifest, Schedule] | None = None
    try:
        if path.suffix == TOML and path.is_file() and not results_file(path, None).exists():
            file = read_tournament_file(path)
        else:
            with Results.read(find_results(path)) as results:
                if len(results.series()) > 1:
                    raise ConfigError(f"{results.path}: contains several matches; name the results of one tournament")
                results.freeze()
                found = results.manifest, results.snapshot().plan
                file = results.manifest.tournament
    except ConfigError as error:
        raise ConfigErrors(f"file: {message}" for message in list_messages(error)) from None
    names = _find_names(file.bot_names, entry.names)
    event = EventResult(
        title=entry.title or file.name,
        event=file.event,
        rules=file.rule_set,
        formats=[stage.format for stage in file.stage_tables],
        weight=entry.weight,
        link=entry.link or file.event.link,
        bots={names[bot.name]: replace(bot, name=names[bot.name]) for bot in file.bots},
    )
    if found is None:
        return event
    manifest, plan = found
    mark = (manifest.secret, manifest.seed, manifest.created)
    if mark in known:
        raise ConfigError(f"file: contains the same tournament as {known[mark]}; list it once")
    known[mark] = entry.file
    stages = [plan.rank(stage) for stage in plan.stages]
    return replace(
        event,
        points=find_points(file.points),
        games=sum(len(plan.counted_games_in(stage)) for stage in plan.stages),
        total=plan.total,
        is_finished=plan.finished,
        ranking=[replace(row, bot=names[row.bot]) for row in plan.rank_all()],
        scores={names[bot]: sum(row.points for rows in stages for row in rows if row.bot == bot) for bot in names},
    )


def _find_names(bots: Sequence[str], changed: Mapping[str, str]) -> dict[str, str]:
    """Return the names in the season of the bots of an event.  Raises ConfigError."""
    for old in changed:
        if old not in bots:
            raise ConfigError(f"names: {unknown_name('bot', old, bots)}")
    names = {bot: changed.get(bot, bot) for bot in bots}
    for name in names.values():
        twins = [other for other, same in names.items() if same == name]
        if len(twins) > 1:
            raise ConfigError(
                f"names: {' and '.join(twins)} of this event are both {name} in the season; name one of them otherwise"
            )
    return names
