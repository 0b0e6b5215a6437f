"""The event, its settings, texts about bots, and the standings of teams and categories, as sheets."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from arbiter.clock import TimeSettings
from arbiter.errors import write_count
from arbiter.games.cards.ruleset import CardRules
from arbiter.games.ruleset import RuleSet
from arbiter.languages.phrase import capitalise, heading, join_phrases, name_code, phrase
from arbiter.show.rules_page import title_rules
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
    formats: Sequence[str]
    """The format of each stage."""
    games: Sequence[int]
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
    """Describe an event as texts by the keys of their labels, without notes and link."""
    texts = {"event": event.title, "organiser": event.organiser, "place": event.place, "dates": event.dates}
    return {label: text for label, text in texts.items() if text is not None}


def list_stages(stages: Iterable[object]) -> str:
    """List one thing for each stage of a tournament: `swiss, then knockout`."""
    names = map(name_code, map(str, stages))
    return reduce(lambda what, rest: phrase("then", what=what, rest=rest), names, next(names, ""))


def describe_settings(data: EventData) -> dict[str, str]:
    """Describe the settings of a tournament, and its machine without its name, as texts by the keys of their labels."""
    played, time, game = data.conditions, data.time, data.game
    clock = [
        phrase("elapsed_time" if time.clock == "wall" else "processor_time"),
        phrase("margin", ms=number(time.margin_ms)),
        phrase("pondering" if time.pondering else "no_pondering"),
    ]
    control = [phrase("time_per_turn", bank=number(time.bank_s), increment=number(time.increment_s))]
    control += [] if time.move_s is None else [phrase("time_per_answer", limit=number(time.move_s))]
    control += [phrase("time_to_deploy", limit=number(time.setup_s)), *[phrase("time_is_scaled")] * data.scale_time]
    quiet = "quiet_turns" if isinstance(game, CardRules) else "quiet_plies"
    limits = {quiet: game.no_attack_plies, "count_plies": game.max_plies}
    draws = [phrase(key, count=limit) for key, limit in limits.items() if limit]
    processors = (", ".join(filter(None, (one.processor, write_count(one.cores, "core")))) for one in played)
    speeds = sorted({one.speed for one in played if one.speed is not None})
    texts = {
        "rules": join_phrases(", ", [title_rules(game.name, game.title), *map(name_code, data.options)]),
        "changed_rules": ", ".join(f"{key} = {_write_value(value)}" for key, value in data.changes.items()),
        "format": list_stages(data.formats),
        "games_per_pairing": list_stages(data.games),
        "time_control": join_phrases(", ", control),
        "clock": join_phrases(", ", clock),
        "points": join_phrases(
            ", ", [phrase(f"points_{name}", points=number(worth)) for name, worth in asdict(data.points).items()]
        ),
        "draw_limits": reduce(lambda one, other: phrase("either", one=one, other=other), draws or [phrase("none")]),
        "sandbox": _list_values(Counter(one.sandbox or data.sandbox for one in played)) or data.sandbox,
        "processor": _list_values(Counter(processors)),
        "speed_of_a_core": " to ".join(map(number, dict.fromkeys((*speeds[:1], *speeds[-1:])))) * data.scale_time,
        "system": _list_values(Counter(one.system for one in played if one.system)),
        "games_at_a_time": _list_values(Counter(str(one.jobs) for one in played)),
        "python": _list_values(Counter(one.python for one in played if one.python)),
        "arbiter": _list_values(Counter(one.arbiter or data.arbiter for one in played)) or data.arbiter,
    }
    return {label: text for label, text in texts.items() if text}


_SETTINGS: Final[tuple[Column[tuple[str, str]], ...]] = (
    Column("setting", value=lambda one: capitalise(name_code(one[0])), align="left"),
    Column("value", value=lambda one: one[1], align="left"),
)


def event_sheet(data: EventData) -> Sheet:
    """Make the sheet of a tournament's event and settings."""
    event = data.event
    links = {} if event.link is None else {"link": event.link}
    played = data.conditions
    machines = dict.fromkeys((one.processor, one.system, one.cores, one.jobs) for one in played)
    values = {
        "name": data.name,
        "event": {field: getattr(data.event, field) for field in EventTable.__struct_fields__},
        "rules": data.game.name,
        "options": list(data.options),
        "changes": data.changes,
        "format": str(list_stages(data.formats)),
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
    texts = {"tournament": data.name, **describe_event(event), **links, **describe_settings(data)}
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
        title=heading("bots"),
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
        yield with_details(Sheet(title=phrase("in_category", category=category), columns=columns, items=ranking), bots)


def teams_sheet(final: Sequence[Standing], stages: Sequence[Sequence[Standing]], bots: Details) -> Sheet | None:
    """Make the sheet of the standings of teams; None if there are none."""
    teams = {bot: one.team for bot, one in bots.items() if one.team}
    ranking = rank_teams(teams, final, stages)
    notes = (phrase("team_points"), phrase("team_sizes"))
    return Sheet(title=heading("teams"), columns=_TEAMS, items=ranking, notes=notes) if ranking else None
