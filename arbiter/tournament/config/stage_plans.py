"""Plan the stages of a tournament file."""

from typing import Final

from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.tournament.config.tournament_file import FORMAT_SETTINGS, StageTable, TournamentFile
from arbiter.tournament.schedule import FORMATS, find_format
from arbiter.tournament.schedule.format import Entrants
from arbiter.tournament.schedule.stage import Plan
from arbiter.tournament.standings.points import Points

_NOT_SET: Final[tuple[object, ...]] = (None, [], False)


def plan_stages(file: TournamentFile, points: Points) -> tuple[Plan, ...]:
    """Plan the stages with seed 0; all bots play the first one.  Raises ConfigError."""
    if file.stages:
        for key in ("format", *FORMAT_SETTINGS):
            if getattr(file, key) not in (*_NOT_SET, "round-robin"):
                raise ConfigError(f"{key}: the file has [[stages]] tables; move this key into one of them")
    absences = {bot.name: tuple(bot.absent) for bot in file.bots if bot.absent}
    if absences and not any(
        "half_byes" in FORMATS[table.format].settings for table in file.stage_tables if table.format in FORMATS
    ):
        raise ConfigError(
            f'bots.{next(iter(absences))}.absent: is for format "swiss", in which rounds are paired one by one'
        )
    entrants = Entrants(
        bots=file.bot_names,
        games=file.games,
        points=points,
        tie_breaks=(),
        seed=0,
        absences=absences,
    )
    plans: list[Plan] = []
    for number, table in enumerate(file.stage_tables, start=1):
        try:
            _check_table(table, number, len(entrants.bots))
            entrants = replace(
                entrants,
                bots=entrants.bots[: table.best],
                games=table.games or file.games,
                stage=number,
                rounds=table.rounds,
                half_byes=table.half_byes,
                challengers=tuple(table.challengers),
                playoff_pairs=table.further_pairs,
                sudden_death=table.sudden_death,
                third_place=table.third_place,
                early_stop=table.early_stop,
            )
            form = FORMATS[table.format]
            entrants = replace(
                entrants, tie_breaks=form.tie_breaks if file.tie_breaks is None else tuple(file.tie_breaks)
            )
            if form.check is not None:
                form.check(entrants)
        except ConfigError as error:
            raise ConfigError(f"stages.#{number}.{error}" if file.stages else str(error)) from None
        plans.append(Plan(form, entrants))
    return tuple(plans)


def _check_table(table: StageTable, number: int, bots: int) -> None:
    """Raise ConfigError if the stage of a number cannot follow one of so many bots, or has another format's setting."""
    if number == 1 and table.best is not None:
        raise ConfigError("best: all bots play the first stage; leave it out")
    if number > 1 and table.best is None:
        raise ConfigError("best: is missing, must be how many bots of the stage before qualify")
    if table.best is not None and table.best > bots:
        raise ConfigError(f"best: is {table.best}, but only {bots} bots play the stage before")
    try:
        known = find_format(table.format).settings
    except ConfigError as error:
        raise ConfigError(f"format: {error}") from None
    for key in FORMAT_SETTINGS:
        if key not in known and getattr(table, key) not in _NOT_SET:
            homes = " or ".join(f'"{name}"' for name, form in FORMATS.items() if key in form.settings)
            raise ConfigError(f'{key}: is a setting of format {homes}, but the format is "{table.format}"')
    if number > 1 and table.challengers:
        raise ConfigError("challengers: only the first stage can list them, as nobody knows which bots qualify")
