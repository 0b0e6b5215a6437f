"""Read the events of a season from their results, which unknown people may have written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from arbiter.director.files import TOML, find_results, results_file
from arbiter.errors import ConfigError, ConfigErrors, list_messages, unknown_name
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.entrants import read_entrants, read_tournament_file
from arbiter.tournament.config.tournament import locate_faults
from arbiter.tournament.results.manifest import Manifest, describe_other_rules
from arbiter.tournament.results.reader import Results
from arbiter.tournament.season.season_file import SeasonEvent, SeasonFile, load_season
from arbiter.tournament.season.table import EventResult, Season
from arbiter.tournament.standings.stored_game import StoredGame, find_points
from arbiter.tournament.standings.table import Standing


def read_season(path: Path) -> Season:
    """Read a season file, its entrants and its events.  Raises ConfigError with all faults."""
    file = load_season(path)
    faults: list[str] = []
    events: list[EventResult] = []
    manifests: dict[int, Manifest] = {}
    bots: dict[str, BotEntry] = {}
    for number in range(1, len(file.events) + 1):
        try:
            events.append(_read_event(path.parent, file, number, manifests))
            bots |= events[-1].bots
        except ConfigError as error:
            faults += (f"events.#{number}.{message}" for message in list_messages(error))
    with locate_faults(path):
        if file.entrants is not None:
            try:
                entrants = read_entrants(path.parent / file.entrants).bots
                bots |= {bot.name: bot for bot in entrants if bot.name in bots}
            except ConfigError as error:
                faults += (f"entrants: {message}" for message in list_messages(error))
        known = {bot for event in events for bot in event.bots}
        if not faults:
            faults += _list_unknown_names(file, known)
        if faults:
            raise ConfigErrors(faults)
    return Season(file=file, events=tuple(events), bots=bots)


def _list_unknown_names(file: SeasonFile, known: Iterable[str]) -> Iterator[str]:
    """Yield a fault for each name that no bot of the season has."""
    names = sorted(known)
    for old, new in file.names.items():
        if new not in names:
            yield f"names: {unknown_name('bot', old, names)}"


def _read_event(folder: Path, file: SeasonFile, number: int, manifests: dict[int, Manifest]) -> EventResult:
    """Read the event of a number, from 1; add its manifest to those of the events before.

    A tournament that has no results has not begun.  Raises ConfigError: the texts begin with a key of the event.
    """
    entry = file.events[number - 1]
    path = folder / entry.file
    link = entry.link
    try:
        if path.suffix == TOML and path.is_file() and not results_file(path, None).exists():
            planned = read_tournament_file(path)
            names = _find_names(planned.bot_names, file, entry)
            return EventResult(
                title=entry.title or planned.name,
                event=planned.event,
                rules=planned.rule_set,
                formats=[stage.format for stage in planned.stage_tables],
                link=link or planned.event.link,
                bots={names[bot.name]: replace(bot, name=names[bot.name]) for bot in planned.bots},
            )
        with Results.read(find_results(path)) as results:
            if len(results.series()) > 1:
                raise ConfigError(f"{results.path}: contains several matches; name the results of one tournament")
            results.freeze()
            manifest, snapshot = results.manifest, results.snapshot()
    except ConfigError as error:
        raise ConfigErrors(f"file: {message}" for message in list_messages(error)) from None
    played = manifest.tournament
    names = _find_names(played.bot_names, file, entry)
    mark = (manifest.secret, manifest.seed, manifest.created)
    for other, one in manifests.items():
        if (one.secret, one.seed, one.created) == mark:
            raise ConfigError(f"file: contains the same tournament as {file.events[other - 1].file}; list it once")
    manifests[number] = manifest
    pool = next(other for other, one in manifests.items() if not describe_other_rules(one, manifest))
    plan = snapshot.plan
    stages = [plan.rank(stage) for stage in plan.stages]
    byes = [bye for stage in plan.stages for bye in plan.byes_in(stage)]
    scores = {names[bot]: sum(row.points for rows in stages for row in rows if row.bot == bot) for bot in names}
    games = [
        sum(row.games for rows in stages for row in rows if row.bot == bot)
        + sum(bye.games for bye in byes if bye.bot == bot)
        for bot in names
    ]
    return EventResult(
        title=entry.title or played.name,
        event=played.event,
        rules=played.rule_set,
        formats=[stage.format for stage in played.stage_tables],
        weight=entry.weight,
        link=link or played.event.link,
        points=find_points(played.points),
        total=plan.total,
        is_finished=plan.finished,
        ranking=[_rename_row(row, names) for row in plan.rank_all()],
        scores=scores,
        most_games=max(games, default=0),
        games=[_rename_game(game, names) for stage in plan.stages for game in plan.counted_games_in(stage)],
        bots={names[bot.name]: replace(bot, name=names[bot.name]) for bot in played.bots},
        pool=pool,
        seed=manifest.seed,
    )


def _find_names(bots: Sequence[str], file: SeasonFile, entry: SeasonEvent) -> dict[str, str]:
    """Return the names in the season of the bots of an event.  Raises ConfigError."""
    for old in entry.names:
        if old not in bots:
            raise ConfigError(f"names: {unknown_name('bot', old, bots)}")
    names = {bot: entry.names.get(bot, file.names.get(bot, bot)) for bot in bots}
    for bot, name in names.items():
        twins = [other for other, same in names.items() if same == name]
        if len(twins) > 1:
            raise ConfigError(
                f"names: {' and '.join(twins)} of this event are both {name} in the season, {bot} needs another name"
            )
    return names


def _rename_row(row: Standing, names: Mapping[str, str]) -> Standing:
    return replace(row, bot=names[row.bot])


def _rename_game(game: StoredGame, names: Mapping[str, str]) -> StoredGame:
    red, blue = names[game.red], names[game.blue]
    renamed = game.id.replace(f"{game.red}~{game.blue}~", f"{red}~{blue}~", 1)  # pairs are found by their ids
    return replace(game, id=renamed, red=red, blue=blue)
