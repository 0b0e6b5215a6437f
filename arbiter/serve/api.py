"""The results as JSON for programs, below `/api/v1/`: read-only, with an ETag for each answer."""

import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from math import ceil
from typing import Any, Final

import msgspec
import trio
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arbiter.serve.pages import Pages
from arbiter.serve.places import find_client
from arbiter.show.report.bots import count_scores
from arbiter.show.report.values import ReportData
from arbiter.show.tables.games import game_object
from arbiter.show.tables.ratings import with_ratings
from arbiter.show.tables.standings import standings_sheet
from arbiter.tournament.standings.crosstable import Tally
from arbiter.tournament.standings.stored_game import StoredGame

ADDRESS: Final = "/api/v1"
MOST_GAMES: Final = 1000
"""Games in one answer."""
_USUAL_GAMES: Final = 100
BURST: Final = 60.0
"""Requests of one address at once."""
PER_S: Final = 5.0
"""Requests of one address a second, in the long run."""
_MOST_ADDRESSES: Final = 10_000

_Query = Mapping[str, str]


class _Fault(Exception):
    """A request that cannot be answered, with the status and the reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Quotas:
    """The requests that each address may make: some at once, then one after another."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}
        """Requests that are left, and the time for which that holds; the address that asked last is the last one."""

    def spend(self, address: str) -> float:
        """Count a request; return 0, or after how many seconds the next one is allowed if this one is not."""
        now = self._clock()
        left, at = self._left.pop(address, (BURST, now))
        left = min(BURST, left + (now - at) * PER_S)
        while len(self._left) >= _MOST_ADDRESSES:
            del self._left[next(iter(self._left))]
        self._left[address] = max(left - 1, left % 1), now
        return 0.0 if left >= 1 else (1 - left) / PER_S


def make_api_routes(pages: Pages) -> list[Route]:
    """Make the routes of the interface."""
    quotas = Quotas()

    def make_route(path: str, answer: Callable[[ReportData, _Query], Any]) -> Route:
        async def send(request: Request) -> Response:
            wait_s = quotas.spend(find_client(request.scope).name)
            if wait_s:
                refusal = _send(request, {"error": f"too many requests; at most {PER_S:.0f} a second"}, 429)
                refusal.headers["Retry-After"] = str(ceil(wait_s))
                return refusal
            results = await pages.read_results()
            query = {**request.query_params, **request.path_params}
            try:
                found = await trio.to_thread.run_sync(answer, results, query)
            except _Fault as fault:
                return _send(request, {"error": str(fault)}, fault.status)
            return _send(request, found)

        return Route(f"{ADDRESS}/{path}", send)

    return [
        make_route("tournament", _describe_tournament),
        make_route("standings", _list_standings),
        make_route("bots/{bot}", _describe_bot),
        make_route("games", _list_games),
        make_route("games/{game}", _find_game),
        make_route("live", _list_live),
        make_route("{other:path}", _refuse),
    ]


def _send(request: Request, content: Any, status: int = 200) -> Response:  # noqa: ANN401 - any JSON
    body = msgspec.json.encode(content)
    tag = f'"{sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    known = {one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")}
    if known & {tag, "*"}:
        return Response(status_code=304, headers=headers)
    return Response(body, status, headers, "application/json")


def _describe_tournament(results: ReportData, _query: _Query) -> Mapping[str, Any]:
    return {
        "name": results.name,
        "rules": results.rules,
        "format": results.format,
        "arbiter": results.arbiter,
        "created": results.created,
        "played": results.played,
        "total": results.total,
        "finished": results.finished,
        "running": results.live is not None and results.live.playing,
        "bots": [one.bot for one in results.final],
    }


def _list_standings(results: ReportData, _query: _Query) -> Mapping[str, Any]:
    """List the standings and, of a format with a table of its own, such as a ladder, the rows of this table."""
    tables = [sheet.objects for part in results.parts for sheet in part.more]
    return {"standings": with_ratings(standings_sheet(results.final), results.ratings).objects, "tables": tables}


def _describe_bot(results: ReportData, query: _Query) -> Mapping[str, Any]:
    bot = query["bot"]
    found = next((one for one in results.final if one.bot == bot), None)
    if found is None:
        raise _Fault(404, f"there is no bot {bot!r}; {ADDRESS}/standings lists the bots")
    (row,) = with_ratings(standings_sheet([found]), results.ratings).objects
    earlier = () if results.list_earlier_ratings is None else results.list_earlier_ratings()
    history: list[Mapping[str, object]] = [
        {"games": one.games, "elo": rating.rating.elo, "low": rating.rating.low, "high": rating.rating.high}
        for one in earlier
        for rating in one.ratings.bots
        if rating.bot == bot and rating.rating is not None
    ]
    if results.ladder is not None:
        history = [
            {"pairs": one.pair, "at": one.at, "elo": elo, "low": elo - half, "high": elo + half}
            for one in results.ladder.state.samples
            if bot in one.elo
            for elo, half in [one.elo[bot]]
        ]
    opponents = [
        {"opponent": one.opponent, "red": _count(one.red), "blue": _count(one.blue)}
        for one in count_scores(bot, results)
    ]
    return {**row, "opponents": opponents, "rating_history": history}


def _count(tally: Tally) -> Mapping[str, Any]:
    return {name: value for name, value in asdict(tally).items() if name != "ruled"} | {"games": tally.games}


def _list_games(results: ReportData, query: _Query) -> Mapping[str, Any]:
    """List finished games, the one stored last first; `next` is the value of `before` for those that may follow."""
    unknown = query.keys() - {"bot", "opponent", "before", "limit"}
    if unknown:
        raise _Fault(400, f"unknown parameter {min(unknown)!r}; use bot, opponent, before and limit")
    bots = {query[name] for name in ("bot", "opponent") if name in query}
    if absent := bots - {one.bot for one in results.final}:
        raise _Fault(404, f"there is no bot {min(absent)!r}; {ADDRESS}/standings lists the bots")
    limit = _read_number(query, "limit", _USUAL_GAMES, MOST_GAMES)
    before = _read_number(query, "before", 10**9, 10**9)
    asked = [query[name] for name in ("bot", "opponent") if name in query]
    found, following = ({}, None) if results.finder is None else results.finder.list(asked, before, limit)
    return {"games": [_write_game(results, number, game) for number, game in found.items()], "next": following}


def _find_game(results: ReportData, query: _Query) -> Mapping[str, Any]:
    found = None if results.finder is None else results.finder.find(query["game"])
    if found is None:
        raise _Fault(404, f"there is no finished game {query['game']!r}; {ADDRESS}/games lists the games")
    return _write_game(results, *found)


def _write_game(results: ReportData, number: int, game: StoredGame) -> Mapping[str, object]:
    written = {key: value for key, value in game_object(game).items() if key != "conditions"}  # which name machines
    return {**written, "number": number, "counts": results.find_state(game).counts}


def _list_live(results: ReportData, _query: _Query) -> Mapping[str, Any]:
    games = results.live.games if results.live is not None else ()
    return {
        "games": [
            {"id": one.fixture.id, "round": one.fixture.round, **one.fixture.bots, "began": one.at} for one in games
        ]
    }


def _refuse(_results: ReportData, query: _Query) -> Mapping[str, Any]:
    raise _Fault(404, f"there is nothing at {ADDRESS}/{query['other']}; see {ADDRESS}/tournament")


def _read_number(query: _Query, name: str, usual: int, most: int) -> int:
    text = query.get(name, str(usual))
    if not (text.isascii() and text.isdigit() and len(text) < len(str(10**10)) and 1 <= int(text) <= max(most, usual)):
        raise _Fault(400, f"{name}: must be a whole number from 1 to {most}")
    return int(text)
