"""The event, its settings, texts about bots, and the standings of teams and categories, as sheets."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from arbiter.clock import TimeSettings
from arbiter.errors import write_count
from arbiter.games.cards.ruleset import CardRules
from arbiter.games.ruleset import RuleSet
from arbiter.show.tables.sheet import EVERYWHERE, JSON, LISTED, Coded, Column, Outputs, Sheet
from arbiter.show.text import number, tidied
from arbiter.tournament.config.event_data import BotDetails, EventTable
from arbiter.tournament.machine import PlayingConditions
from arbiter.tournament.standings.stored_game import Points
from arbiter.tournament.standings.table import Standing, TeamStanding, rank_categories, rank_teams


class EventData(Struct, frozen=True, kw_only=True):
    """A tournament as its organiser announces it, and under which conditions its games were played."""

    name: str
    event: EventTable
    game: RuleSet
    """With options, changes to the rules and draw limits."""
    options: Sequence[str]
    changes: Mapping[str, object]
    """The organiser's changes to the rule set, by their keys, without draw limits."""
    format: str
    games: Sequence[int | str]
    """Games per pairing, for each stage that has rounds."""
    time: TimeSettings
    scale_time: bool = False
    """If True, the clocks were scaled by the speed of each machine."""
    points: Points
    sandbox: str
    """Isolation of the bots in the first run."""
    arbiter: str
    """Version of the arbiter in the first run."""
    conditions: Sequence[PlayingConditions] = ()
    """Conditions of each game that was played, as far as they are known."""


def describe_event(event: EventTable) -> dict[str, str]:
    """Describe an event as texts by their labels, without notes and link."""
    texts = {"Event": event.title, "Organiser": event.organiser, "Place": event.place, "Dates": event.dates}
    return {label: text for label, text in texts.items() if text is not None}


def describe_settings(data: EventData) -> dict[str, str]:
    """Describe the settings of a tournament, and its machine without the name of the host, by their labels."""
    played, time, game = data.conditions, data.time, data.game
    clock = (
        "elapsed time" if time.clock == "wall" else "processor time",
        f"margin {number(time.margin_ms)} ms",
        "pondering" if time.pondering else "no pondering",
    )
    control = [f"{number(time.bank_s)} s + {number(time.increment_s)} s a turn"]
    control += [] if time.move_s is None else [f"at most {number(time.move_s)} s an answer"]
    control += [f"deployment {number(time.setup_s)} s", *["all divided by the speed of a core"] * data.scale_time]
    quiet = "turns without a card removed" if isinstance(game, CardRules) else "plies without an attack"
    limits = {quiet: game.no_attack_plies, "plies": game.max_plies}
    processors = (", ".join(filter(None, (one.processor, write_count(one.cores, "core")))) for one in played)
    speeds = sorted({one.speed for one in played if one.speed is not None})
    texts = {
        "Rules": ", ".join([game.title, *data.options]),
        "Changed rules": ", ".join(f"{key} = {_write_value(value)}" for key, value in data.changes.items()),
        "Format": data.format,
        "Games per pairing": ", then ".join(map(str, data.games)),
        "Time control": ", ".join(control),
        "Clock": ", ".join(clock),
        "Points": ", ".join(f"{name.replace('_', ' ')} {number(worth)}" for name, worth in asdict(data.points).items()),
        "Draw limits": " or ".join(f"{limit} {what}" for what, limit in limits.items() if limit) or "none",
        "Sandbox": _list_values(Counter(one.sandbox or data.sandbox for one in played)) or data.sandbox,
        "Processor": _list_values(Counter(processors)),
        "Speed of a core": " to ".join(map(number, dict.fromkeys((*speeds[:1], *speeds[-1:])))) * data.scale_time,
        "System": _list_values(Counter(one.system for one in played if one.system)),
        "Games at a time": _list_values(Counter(str(one.jobs) for one in played)),
        "Python": _list_values(Counter(one.python for one in played if one.python)),
        "Arbiter": _list_values(Counter(one.arbiter or data.arbiter for one in played)) or data.arbiter,
    }
    return {label: text for label, text in texts.items() if text}


_SETTINGS: Final[tuple[Column[tuple[str, str]], ...]] = (
    Column("setting", value=lambda one: one[0], align="left"),
    Column("value", value=lambda one: one[1], align="left"),
)


def event_sheet(data: EventData) -> Sheet:
    """Make the sheet of a tournament's event and settings."""
    event = data.event
    links = {} if event.link is None else {"Link": event.link}
    played = data.conditions
    machines = dict.fromkeys((one.processor, one.system, one.cores, one.jobs) for one in played)
    values = {
        "name": data.name,
        "event": {field: getattr(data.event, field) for field in EventTable.__struct_fields__},
        "rules": data.game.name,
        "options": list(data.options),
        "changes": data.changes,
        "format": data.format,
        "games": list(data.games),
        "time": data.time,
        "scale_time": data.scale_time,
        "points": data.points,
        "draws": {"no_attack_plies": data.game.no_attack_plies, "max_plies": data.game.max_plies},
        "sandbox": list(dict.fromkeys(one.sandbox or data.sandbox for one in played)) or [data.sandbox],
        "machines": [dict(zip(("processor", "system", "cores", "jobs"), one, strict=True)) for one in machines],
        "python": list(dict.fromkeys(one.python for one in played if one.python)),
        "arbiter": list(dict.fromkeys(one.arbiter or data.arbiter for one in played)) or [data.arbiter],
    }
    texts = {"Tournament": data.name, **describe_event(event), **links, **describe_settings(data)}
    return Sheet(
        title="Tournament",
        columns=_SETTINGS,
        items=tuple(texts.items()),
        data=(values,),
        notes=() if event.notes is None else tuple(event.notes.splitlines()),
    )


def _write_value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{count} {rank}" for rank, count in value.items())
    return str(value)


def _list_values(values: Counter[str]) -> str:
    """List different values with the number of games that had each; only the value if all have the same."""
    if len(values) == 1:
        return next(iter(values))
    return "; ".join(f"{value} ({write_count(count, 'game')})" for value, count in values.items())


# --- texts about bots, teams and categories -------------------------------------------------------


Details = Mapping[str, BotDetails]
"""The texts about each bot by its name."""

_DETAILS: Final = (
    *("title", "author", "club", "team", "country", "category", "language", "newcomer", "link", "notes"),
)
_COUNTS: Final[tuple[Column[Any], ...]] = (  # of `Standing` and `TeamStanding`
    Column("points", value=lambda one: tidied(one.points)),
    *(Column(field) for field in ("games", "wins", "draws", "losses", "forfeits")),
)
_TEAMS: Final[tuple[Column[TeamStanding], ...]] = (
    Column("rank"),
    Column("team", align="left"),
    *_COUNTS,
    Column("bots", align="left"),
)
TEAM_NOTES: Final = (
    "The points of a team are the sum of the points of its bots, over all stages; equal teams are ranked by wins.",
    "A team with more bots, or with bots that played more games, can win more points.",
)


def with_details(sheet: Sheet, bots: Details, on: Outputs = ("csv", "json")) -> Sheet:
    """Add the facts about bots to a sheet with a column `bot`: titles, kinds, and all others on some outputs."""
    find_bot = sheet.column("bot").read

    def make_column(field: str, on: Outputs) -> Column[Any]:
        return Column(
            field,
            value=lambda item: getattr(bots.get(find_bot(item)), field, None) or None,
            align="left",
            on=on,
            is_optional=True,
        )

    title, *others, notes = _DETAILS
    kind = make_column("kind", LISTED)
    marked = replace(kind, text=lambda item: None if kind.read(item) == "program" else kind.read(item))
    sheet = sheet.add([make_column(title, LISTED), marked], after="bot")
    return sheet.add([*(make_column(field, on) for field in others), make_column(notes, JSON)])


def with_titles_as_names(sheet: Sheet, bots: Details) -> Sheet:
    """Show titles instead of names in the column `bot`; CSV and JSON still contain the names."""
    titles = {bot: Coded(bot, one.title) for bot, one in bots.items() if one.title}
    shown = sheet.column("bot")
    titled = replace(shown, text=lambda item: titles.get(shown.read(item), shown.read(item)))
    return replace(sheet, columns=[titled if column is shown else column for column in sheet.columns])


def bots_sheet(bots: Details) -> Sheet | None:
    """Make the sheet of the texts about bots; None if there are none besides titles."""
    sheet = Sheet(
        title="Bots",
        columns=[Column("bot", value=lambda bot: bot, align="left")],
        items=list(bots),
        notes=tuple(f"{bot}: {' '.join(one.notes.split())}" for bot, one in bots.items() if one.notes),
    )
    full = with_details(sheet, bots, EVERYWHERE)
    return full if full.notes or {*full.head} - {"bot", "title"} else None


def categories_sheets(final: Sequence[Standing], bots: Details) -> Iterator[Sheet]:
    """Yield the standings of each category."""
    overall = {one.bot: one.rank for one in final}
    categories = {bot: one.category for bot, one in bots.items() if one.category}
    columns: tuple[Column[Standing], ...] = (
        Column("rank"),
        Column("bot", align="left"),
        *_COUNTS,
        Column("overall", value=lambda one: overall[one.bot]),
    )
    for category, ranking in rank_categories(categories, final).items():
        yield with_details(Sheet(title=f"Category: {category}", columns=columns, items=ranking), bots)


def teams_sheet(final: Sequence[Standing], stages: Sequence[Sequence[Standing]], bots: Details) -> Sheet | None:
    """Make the sheet of the standings of teams; None if there are none."""
    teams = {bot: one.team for bot, one in bots.items() if one.team}
    ranking = rank_teams(teams, final, stages)
    return Sheet(title="Teams", columns=_TEAMS, items=ranking, notes=TEAM_NOTES) if ranking else None
