"""Rulings on stored games, byes and bots, their reversal, and what they change."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, TypedDict, Unpack

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError, check_known, write_command
from arbiter.tournament.fixture import RoundBye
from arbiter.tournament.results.database import (
    Connection,
    Patience,
    open_database,
    snapshot,
    transaction,
    translate_errors,
)
from arbiter.tournament.results.rows import insert_ruling, select_games, select_rulings
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import History, find_base, find_kind, find_result, make_bye_id, make_replay_id
from arbiter.tournament.standings.stored_game import (
    RuledResult,
    Ruling,
    RulingKind,
    is_suspension_walkover,
)
from arbiter.tournament.standings.suspensions import Suspensions
from protocol.reasons import RulingReason

_MOST_MATCHES: Final = 3
_TRIES: Final = 3
_DESCRIPTIONS: Final[dict[RuledResult, str]] = {
    "red": "a win of red",
    "blue": "a win of blue",
    "draw": "a draw",
    "none": "lost by both bots",
    "annulled": "annulled",
    "replay": "to be played again",
}


class Request(Struct, frozen=True, kw_only=True):
    """A ruling that somebody asks for."""

    kind: Literal["result", "disqualify", "reinstate", "withdraw"]
    about: str
    """Id of a stored game or of a bye, or the name of a bot."""
    result: RuledResult | None = None
    """The result of the game."""
    first_round: int = 1
    """The first round whose games a disqualification changes."""
    undo: bool = False
    """Revert the last ruling of this kind that is in force."""


class Decision(Struct, frozen=True):
    """The author and the reason of a ruling."""

    by: str
    reason: RulingReason
    force: bool = False
    """Accept that rounds which have begun are affected."""


class Preview(Struct, frozen=True):
    """A ruling, and the schedule without and with it."""

    ruling: Ruling
    before: Schedule
    after: Schedule
    objection: str | None
    """The reason why it needs `force`; None if it does not."""


def preview_ruling(path: Path, request: Request, decision: Decision) -> Preview:
    """Make a ruling that is not stored.  Raises ConfigError as `make_ruling`, but not if the ruling needs `force`."""
    with _read_to_change(path) as store:
        desk = _RulingDesk(store, request, decision)
        return Preview(desk.ruling, desk.schedule, desk.after, desk.find_objection())


def make_ruling(
    path: Path, request: Request, decision: Decision, notify: Callable[[str], object] = lambda _text: None
) -> Ruling:
    """Make a ruling and store it; another arbiter may be playing the tournament.

    Other programs can write while it is worked out; then it is only checked that what they wrote changes nothing.
    `notify` receives what this waits for.
    Raises ConfigError if there is no such game or bot, if the ruling would change nothing, or if it needs `force`.
    """
    with _read_to_change(path) as store:
        manifest = store.manifest
    with closing(open_database(path, "mode=rw")) as connection, translate_errors(path):
        connection.patience = Patience(notify)

        def decide() -> _RulingDesk:
            desk = _RulingDesk(Store(path, connection, manifest, None), request, decision)
            objection = desk.find_objection()
            if objection is not None and not decision.force:
                raise ConfigError(objection)
            return desk

        for _ in range(_TRIES):
            with snapshot(connection):
                desk = decide()
            with transaction(connection):
                later = desk.count_later_games(connection)
                if later is not None:
                    ruling = replace(desk.ruling, games=desk.ruling.games + later)
                    insert_ruling(connection, ruling)
                    return ruling
        with transaction(connection):  # this succeeds however often others write
            ruling = decide().ruling
            insert_ruling(connection, ruling)
            return ruling


def _read_to_change(path: Path) -> Store:
    """Open results that are about to be changed.  Raises ConfigError if they are an incomplete copy."""
    store = Store.read(path)
    if store.incomplete:
        store.close()
        raise ConfigError(store.incomplete)
    return store


class _RulingContent(TypedDict, total=False):
    """The subject and the effect of a ruling: fields of a `Ruling`."""

    game: str | None
    bot: str | None
    previous: RuledResult | None
    result: RuledResult | None
    replacement: str | None
    undoes: int | None
    first_round: int
    replays: dict[str, str]


class _RulingDesk:
    """The state of a tournament in which a ruling is made."""

    def __init__(self, store: Store, request: Request, decision: Decision) -> None:
        """Read the series of the game; the latest one if there is no such game."""
        store.select_series(store.series_of(request.about))
        self._path = store.path
        self._manifest = store.manifest
        self._is_ladder = store.manifest.tournament.is_ladder
        self._request = request
        self._decision = decision
        # In a ladder, no game counts differently if a bot leaves.
        self._history = store.history(condensed=request.kind == "withdraw")
        self._last_number = store.last_number()
        self._is_played = store.lock_owner() is not None

    @cached_property
    def schedule(self) -> Schedule:
        """The schedule without the ruling; to work it out takes long after many games."""
        return self._manifest.schedule(self._history)

    @cached_property
    def _begun(self) -> int:
        """The number of rounds that have begun."""
        if self._is_ladder:
            return 1 if self._is_played or self._history.count else 0
        # The games of an open round begin at once if an arbiter plays.
        return self.schedule.opened if self._is_played else self.schedule.begun

    @cached_property
    def _byes(self) -> dict[str, RoundBye]:
        if self._is_ladder:
            return {}
        return {make_bye_id(bye): bye for stage in self.schedule.stages for bye in stage.byes if bye.games}

    def count_later_games(self, connection: Connection) -> int | None:
        """Count the games that were stored since; None if they, or other rulings, may change the ruling."""
        ruling = self.ruling
        if len(select_rulings(connection)) >= ruling.number:
            return None
        later = select_games(connection, {"series": self._manifest.series}, after=self._last_number)
        kind = find_kind(ruling, self._history.rulings)
        if kind == "reinstate" and any(ruling.bot in (game.red, game.blue) for game in later):
            return None
        plan = self.schedule if later and not self._is_ladder else None
        if plan and (len(later) >= plan.missing or any(plan.find_round(game.id) != self._begun for game in later)):
            return None  # it may be another number of rounds that have begun
        return len(later)

    @cached_property
    def after(self) -> Schedule:
        """The schedule with the ruling."""
        return self._manifest.schedule(self._add(self.ruling))

    def _add(self, ruling: Ruling) -> History:
        return replace(self._history, rulings=(*self._history.rulings, ruling))

    @cached_property
    def ruling(self) -> Ruling:
        """The ruling that somebody asks for.  Raises ConfigError."""
        request = self._request
        match request:
            case Request(kind="result", about=game_id, undo=True):
                return self._undo_game_ruling(game_id)
            case Request(kind="result", about=game_id, result=result) if result is not None:
                return self._rule_game(game_id, result)
        check_known("bot", request.about, self._manifest.tournament.bot_names)
        match request:
            case Request(kind="reinstate", about=bot, undo=True):
                found = self._find_last("reinstate", bot)
                # Walkovers that were not played again yet count.
                played = {game.id for game in self._history.as_played}
                replays = {game_id: replay for game_id, replay in found.replays.items() if replay in played}
                return replace(self._revert(found), replays=replays)
            case Request(kind="reinstate", about=bot):
                return self._reinstate(bot)
            case Request(undo=True):
                return self._revert(self._find_last(request.kind, request.about))
        known = self._history.withdrawn if request.kind == "withdraw" else self._history.disqualified
        if request.about in known:
            raise ConfigError(f"{request.about}: is {_LEFT[request.kind]} already")
        return self._make(request.kind, bot=request.about, first_round=request.first_round)

    def _make(self, kind: RulingKind, **about: Unpack[_RulingContent]) -> Ruling:
        """Make a ruling on the tournament as it is now."""
        return Ruling(
            number=len(self._history.rulings) + 1,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            by=self._decision.by,
            reason=self._decision.reason,
            kind=kind,
            games=self._history.count,
            rounds=self._begun,
            **about,
        )

    def _rule_game(self, game_id: str, result: RuledResult) -> Ruling:
        previous = self._find_previous_result(game_id)
        if result == "replay" and game_id in self._byes:
            raise ConfigError(f"{game_id}: is a bye; it cannot be replayed, but annulled or given a result")
        kind: RulingKind = "annul" if result == "annulled" else "replay" if result == "replay" else "result"
        replacement = self._make_replay_id(game_id) if kind == "replay" else None
        ruling = self._make(kind, game=game_id, previous=previous, result=result, replacement=replacement)
        if game_id in self._byes:
            is_change = result != previous
        else:
            before, after = (
                [
                    (one.id, one.winner, one.red_points, one.blue_points, one.ending == "annulled")
                    for one in history.games
                ]
                for history in (self._history, self._add(ruling))
            )
            is_change = before != after
        if not is_change:
            raise ConfigError(f"{game_id}: is {_DESCRIPTIONS[result]} already; there is nothing to rule")
        return ruling

    def _make_replay_id(self, game_id: str) -> str:
        """Make an id that no game and no earlier replay has."""
        planned = (replay for ruling in self._history.rulings for replay in ruling.replacements.values())
        return make_replay_id(game_id, [*(game.id for game in self._history.as_played), *planned])

    def _find_previous_result(self, game_id: str) -> RuledResult:
        """Return the result that a game or a bye has now.  Raises ConfigError."""
        if game_id in self._byes:
            ruling = self._history.find_bye_ruling(self._byes[game_id])
            return "red" if ruling is None or ruling.result is None else ruling.result
        games = {game.id: game for game in self._history.games}
        if game_id in games:
            return find_result(games[game_id])
        stored = {game.id for game in self._history.as_played}
        current = self._history.find_current_id(find_base(game_id))
        if game_id in stored and current != game_id:
            raise ConfigError(
                f"{game_id}: was played again as {current} by a ruling; "
                "name that game, or revert the ruling with --undo"
                if current in stored
                else f"{game_id}: is to be played again as {current} by a ruling; revert it with --undo first"
            )
        if self.schedule.find_round(game_id) is not None:
            raise ConfigError(f"{game_id}: is not played yet; rule on it when it is")
        close = get_close_matches(game_id, [*games, *self._byes], n=_MOST_MATCHES)
        listing = f"`{write_command('games', self._path)}` lists the games"
        hint = f"did you mean {' or '.join(close)}?" if close else listing
        raise ConfigError(f"there is no game {game_id!r}; {hint}")

    # --- bots -------------------------------------------------------------------------------------

    def _reinstate(self, bot: str) -> Ruling:
        """Lift the suspension of a bot, and have its walkovers played.  Raises ConfigError if it is not suspended."""
        walkovers = [game.id for game in self._history.games if is_suspension_walkover(game, bot)]
        suspensions = Suspensions(self._manifest.tournament.suspend_after, self._history)
        hint = ""
        if bot in self._history.withdrawn:
            hint = f"it was withdrawn: `{write_command('withdraw', '--undo', self._path, bot)}`"
        elif bot in self._history.disqualified:
            command = write_command("disqualify", "--undo", self._path, bot, "--because", "TEXT")
            hint = f"it is disqualified: `{command}`"
        if not walkovers and not suspensions.is_suspended(bot):
            raise ConfigError(f"{bot}: is not suspended{hint and f'; {hint}'}")
        if hint:
            raise ConfigError(f"{bot}: would lose its games by walkover again, because {hint} reverts that")
        replays = {game_id: self._make_replay_id(game_id) for game_id in walkovers}
        return self._make("reinstate", bot=bot, replays=replays)

    # --- reversal ---------------------------------------------------------------------------------

    def _undo_game_ruling(self, game_id: str) -> Ruling:
        found = [ruling for ruling in self._history.in_force if ruling.game == game_id]
        if found:
            return self._revert(found[-1])
        for ruling in self._history.in_force:
            if game_id in ruling.replays and ruling.bot is not None:
                command = write_command("reinstate", "--undo", self._path, ruling.bot, "--because", "TEXT")
                raise ConfigError(
                    f"{game_id}: is played again because of ruling {ruling.number}, the reinstatement of {ruling.bot}; "
                    f"`{command}` reverts it"
                )
        raise self._explain_missing(game_id)

    def _find_last(self, kind: RulingKind, bot: str) -> Ruling:
        """Return the last ruling of a kind on a bot that is in force.  Raises ConfigError if there is none."""
        found = [ruling for ruling in self._history.in_force if ruling.kind == kind and ruling.bot == bot]
        if not found:
            raise self._explain_missing(bot)
        return found[-1]

    def _explain_missing(self, name: str) -> ConfigError:
        command = write_command("rule", self._path)
        return ConfigError(f"{name}: no such ruling on it is in force; `{command}` lists all rulings")

    def _revert(self, ruling: Ruling) -> Ruling:
        """Make a ruling that reverts another one."""
        return self._make(
            "undo",
            game=ruling.game,
            bot=ruling.bot,
            previous=ruling.result,
            result=ruling.previous,
            undoes=ruling.number,
        )

    # --- rounds that have begun -------------------------------------------------------------------

    def find_objection(self) -> str | None:
        """Return the reason why the ruling needs `force`, if it affects rounds that have begun.  Raises ConfigError."""
        ruling = self.ruling
        if self._is_ladder:
            return None
        old, new = (
            {
                find_base(game.id): (game.id, game.winner, game.ending, game.red_points, game.blue_points)
                for game in history.games
            }
            for history in (self._history, self.after.history)
        )
        changed = {game_id for game_id in old.keys() | new.keys() if old.get(game_id) != new.get(game_id)}
        stages = self.schedule.stages
        rounds = [(stage, one) for stage in stages for one in stage.rounds]
        numbers = [number for game_id in changed if (number := self.schedule.find_round(game_id)) is not None]
        numbers += [
            number
            for number, (_, one) in enumerate(rounds, start=1)
            if ruling.game in {make_bye_id(bye) for bye in one.byes}
        ]
        first = min(numbers, default=self._begun)
        if first >= self._begun:
            return None
        effect = "the pairings stay as they are, and only the standings and later pairings follow the ruling"
        stage, _ = rounds[first - 1]
        if stages[-1].format.follows_results and stage is stages[-1]:
            again = [one for stage in self.after.stages for one in stage.rounds]
            if again[: self._begun] == [one for _, one in rounds[: self._begun]]:
                return None
            effect = "the bracket then follows the ruling, and games of matches that are no longer in it do not count"
            if ruling.kind == "disqualify":
                last = max(game.round for game in self._history.games if ruling.bot in (game.red, game.blue))
                effect += (
                    f". Or add --from-round N, such as --from-round {last}, the round of its last match: the results "
                    "of earlier rounds then stay, and its opponent of that round advances or wins"
                )
        return f"the ruling changes a result from which rounds that have begun followed; add --force: {effect}"


_LEFT: Final = {"withdraw": "withdrawn", "disqualify": "disqualified"}
