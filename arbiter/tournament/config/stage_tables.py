"""The stages of a tournament as its organiser writes them, and what there is to check of them."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.tournament.schedule import FORMATS, find_format
from arbiter.tournament.schedule.format import Entrants
from arbiter.tournament.schedule.stages import Plan

EvenGames = Annotated[
    int,
    Meta(
        ge=2,
        le=1_000_000,
        multiple_of=2,
        description="an even number from 2 to 1,000,000: games come in pairs, colours swapped",
    ),
]
Rounds = Annotated[int, Meta(ge=1, le=1000)]
FurtherPairs = Annotated[int, Meta(ge=0, le=1000)]
Best = Annotated[int, Meta(ge=2, le=1_000_000)]

OF_FORMATS: Final = ("rounds", "challengers", "further_pairs")  # settings that not every format has
NOT_SET: Final[tuple[object, ...]] = (None, [])


class StageTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A stage: its format, how many bots of the stage before go on to it, and the settings of the format."""

    format: str
    best: Best | None = None
    games: EvenGames | None = None
    rounds: Rounds | None = None
    challengers: list[str] = []
    further_pairs: FurtherPairs | None = None


def plans(stages: Sequence[StageTable], first: Entrants) -> tuple[Plan, ...]:
    """Plan stages, of which the first is played by all bots.  Raises ConfigError."""
    return tuple(
        Plan(find_format(stage.format), field) for stage, field in zip(stages, _fields(stages, first), strict=True)
    )


def _fields(stages: Sequence[StageTable], first: Entrants) -> Iterator[Entrants]:
    bots = first.bots
    for number, stage in enumerate(stages, start=1):
        bots = bots[: stage.best]
        yield replace(
            first,
            bots=bots,
            games=stage.games or first.games,
            stage=number,
            rounds=stage.rounds,
            challengers=tuple(stage.challengers),
            playoff_pairs=stage.further_pairs,
        )


def check_stages(stages: Sequence[StageTable], key: str, first: Entrants) -> None:
    """Check stages, whose place in the file is `key`.  Raises ConfigError."""
    left = len(first.bots)
    for number, (stage, field) in enumerate(zip(stages, _fields(stages, first), strict=True), start=1):
        where = f"{key}#{number}." if key else ""
        try:
            _check_best(stage.best, left, number)
            _check_settings(stage)
            if number > 1 and stage.challengers:
                raise ConfigError("challengers: only the first stage can name them, as nobody knows who goes on")
            if check := FORMATS[stage.format].check:
                check(field)
        except ConfigError as error:
            raise ConfigError(f"{where}{error}") from None
        left = len(field.bots)


def _check_best(best: int | None, left: int, number: int) -> None:
    if number == 1 and best is not None:
        raise ConfigError("best: all bots play the first stage; leave it out")
    if number > 1 and best is None:
        raise ConfigError("best: is missing, must be how many bots of the stage before go on")
    if best is not None and best > left:
        raise ConfigError(f"best: is {best}, but only {left} bots play the stage before")


def _check_settings(stage: StageTable) -> None:
    """Refuse a setting that the format does not have."""
    try:
        known = find_format(stage.format).settings
    except ConfigError as error:
        raise ConfigError(f"format: {error}") from None
    for key in OF_FORMATS:
        if key not in known and getattr(stage, key) not in NOT_SET:
            homes = " or ".join(f'"{name}"' for name, form in FORMATS.items() if key in form.settings)
            raise ConfigError(f'{key}: is a setting of format {homes}, but the format is "{stage.format}"')
