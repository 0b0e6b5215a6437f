"""Rulings on stored games, byes and bots, their reversal, and withdrawals of bots."""

from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Final, TypedDict, Unpack

from msgspec import Struct
from msgspec.structs import asdict, replace

from arbiter.errors import ConfigError, check_known, write_command
from arbiter.tournament.results.database import open_database, transaction, translate_errors
from arbiter.tournament.results.integrity import changing
from arbiter.tournament.results.rows import insert_row
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import History, find_base, find_result, make_bye_id, make_replay_id
from arbiter.tournament.standings.stored_game import (
    RuledResult,
    Ruling,
    RulingKind,
    is_suspension_walkover,
)
from arbiter.tournament.standings.suspensions import Suspensions

_MOST_MATCHES: Final = 3


class Decision(Struct, frozen=True):
    """Who rules, and why."""

    by: str
    because: str
    force: bool = False
    """Accept that rounds which are already paired are affected."""


class RulingContent(TypedDict, total=False):
    """What a ruling is about, and what it decides: fields of a `Ruling`."""

    game: str | None
    bot: str | None
    previous: RuledResult | None
    result: RuledResult | None
    replacement: str | None
    undoes: int | None


class RulingDesk:
    """The state of a tournament in which a ruling is made."""

    def __init__(self, store: Store, decision: Decision) -> None:
        self.store = store
        self._decision = decision
        self.history = store.history()
        self.withdrawn = store.withdrawn()
        self._schedule = self._work_out(self.history)
        self.byes = {make_bye_id(bye): bye for stage in self._schedule.stages for bye in stage.byes if bye.games}
        self.suspend_after = store.manifest.tournament.suspend_after

    def _work_out(self, history: History) -> Schedule:
        return self.store.manifest.schedule(history.games, self.withdrawn, history)

    def make(self, kind: RulingKind, **about: Unpack[RulingContent]) -> Ruling:
        """Make a ruling on the tournament as it is now."""
        return Ruling(
            number=len(self.history.rulings) + 1,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            by=self._decision.by,
            because=self._decision.because,
            kind=kind,
            games=len(self.history.as_played),
            rounds=self._schedule.opened,
            **about,
        )

    def revert(self, ruling: Ruling) -> Ruling:
        """Make a ruling that reverts another one."""
        return self.make(
            "undo",
            game=ruling.game,
            bot=ruling.bot,
            previous=ruling.result,
            result=ruling.previous,
            undoes=ruling.number,
        )

    def make_replay_id(self, game_id: str) -> str:
        """Make an id that no game and no earlier replay has."""
        planned = (ruling.replacement for ruling in self.history.rulings)
        return make_replay_id(game_id, [*(game.id for game in self.history.as_played), *filter(None, planned)])

    def find_previous_result(self, game_id: str) -> RuledResult:
        """Return the result that a game or a bye has now.  Raises ConfigError."""
        if game_id in self.byes:
            ruling = self.history.find_bye_ruling(self.byes[game_id])
            return "red" if ruling is None or ruling.result is None else ruling.result
        games = {game.id: game for game in self.history.games}
        if game_id in games:
            return find_result(games[game_id])
        stored = {game.id for game in self.history.as_played}
        current = self.history.find_current_id(find_base(game_id))
        if game_id in stored and current != game_id:
            raise ConfigError(
                f"{game_id}: was played again as {current} by a ruling; "
                "name that game, or revert the ruling with --undo"
                if current in stored
                else f"{game_id}: is to be played again as {current} by a ruling; revert it with --undo first"
            )
        if self._schedule.find_round(game_id) is not None:
            raise ConfigError(f"{game_id}: is not played yet; rule on it when it is")
        known = [*games, *self.byes]
        close = get_close_matches(game_id, known, n=_MOST_MATCHES)
        hint = (
            f"did you mean {' or '.join(close)}?"
            if close
            else f"`{write_command('games', self.store.path)}` lists the games"
        )
        raise ConfigError(f"there is no game {game_id!r}; {hint}")

    def is_change(self, ruling: Ruling) -> bool:
        """Return True if a ruling on a game or a bye changes its result or its points."""
        if ruling.game in self.byes:
            return ruling.result != ruling.previous
        after = replace(self.history, rulings=(*self.history.rulings, ruling))
        results = [
            [(game.id, game.winner, game.red_points, game.blue_points, game.ending == "void") for game in one.games]
            for one in (self.history, after)
        ]
        return results[0] != results[1]

    def check_rounds(self, rulings: Sequence[Ruling]) -> None:
        """Raise ConfigError if rulings affect rounds that are already paired."""
        opened = self._schedule.opened
        after = replace(self.history, rulings=(*self.history.rulings, *rulings))
        old, new = (
            {
                find_base(game.id): (game.id, game.winner, game.ending, game.red_points, game.blue_points)
                for game in games
            }
            for games in (self.history.games, after.games)
        )
        changed = {game_id for game_id in old.keys() | new.keys() if old.get(game_id) != new.get(game_id)}
        byes = {ruling.game for ruling in rulings if ruling.game in self.byes}
        stages = self._schedule.stages
        rounds = [(stage, one) for stage in stages for one in stage.rounds]
        numbers = [number for game_id in changed if (number := self._schedule.find_round(game_id)) is not None]
        numbers += [
            number for number, (_, one) in enumerate(rounds, start=1) if byes & {make_bye_id(bye) for bye in one.byes}
        ]
        first = min(numbers, default=opened)
        if first >= opened:
            return
        if stages[-1].format.follows_results and rounds[first - 1][0] is stages[-1]:
            again = [one for stage in self._work_out(after).stages for one in stage.rounds]
            if again[:opened] == [one for _, one in rounds]:
                return
            effect = "the bracket then follows the ruling, and games of matches that are no longer in it do not count"
        else:
            effect = "the pairings stay as they are, and only the standings and later pairings follow the ruling"
        raise ConfigError(
            f"the ruling changes a result from which rounds that are already paired followed; add --force: {effect}"
        )


# --- rulings --------------------------------------------------------------------------------------


_DESCRIPTIONS: Final[dict[RuledResult, str]] = {
    "red": "a win of red",
    "blue": "a win of blue",
    "draw": "a draw",
    "none": "lost by both bots",
    "annulled": "annulled",
    "replay": "to be played again",
}


def withdraw(path: Path, bot: str, *, back: bool = False) -> None:
    """Withdraw a bot from a tournament, or take it `back`; another arbiter may be playing the tournament.

    Raises ConfigError if the tournament has no such bot.
    """
    with _read_to_change(path) as store:
        check_known("bot", bot, store.manifest.tournament.bot_names)
    with closing(open_database(path, "mode=rw")) as connection, translate_errors(path), transaction(connection):
        at = datetime.now(UTC).isoformat(timespec="seconds")
        with changing(connection, "withdrawn"):
            statement = (
                "DELETE FROM withdrawn WHERE bot = :bot"
                if back
                else "INSERT OR IGNORE INTO withdrawn VALUES (:bot, :at)"
            )
            connection.execute(statement, {"bot": bot, "at": at})


def add_rulings(path: Path, decide: Callable[[Store], Sequence[Ruling]]) -> Sequence[Ruling]:
    """Store rulings; another arbiter may be playing the tournament.

    `decide` makes them from the results, in which nothing changes until they are stored.  Raises ConfigError.
    """
    with _read_to_change(path) as store:
        manifest = store.manifest
    with closing(open_database(path, "mode=rw")) as connection, translate_errors(path), transaction(connection):
        rulings = decide(Store(path, connection, manifest, None))
        for ruling in rulings:
            insert_row(connection, "ruling", asdict(ruling))
    return rulings


def _read_to_change(path: Path) -> Store:
    """Open results that are about to be changed.  Raises ConfigError if they are an incomplete copy."""
    store = Store.read(path)
    if store.incomplete:
        store.close()
        raise ConfigError(store.incomplete)
    return store


def rule_game(path: Path, game_id: str, result: RuledResult, decision: Decision) -> Ruling:
    """Rule on a stored game or a bye; another arbiter may be playing the tournament.

    Raises ConfigError if there is no such game, if the ruling would change nothing, or if it needs `force`.
    """

    def decide(desk: RulingDesk) -> list[Ruling]:
        previous = desk.find_previous_result(game_id)
        if result == "replay" and game_id in desk.byes:
            raise ConfigError(f"{game_id}: is a bye; it cannot be replayed, but annulled or given a result")
        kind: RulingKind = "annul" if result == "annulled" else "replay" if result == "replay" else "result"
        replacement = desk.make_replay_id(game_id) if kind == "replay" else None
        ruling = desk.make(kind, game=game_id, previous=previous, result=result, replacement=replacement)
        if not desk.is_change(ruling):
            raise ConfigError(f"{game_id}: is {_DESCRIPTIONS[result]} already; there is nothing to rule")
        return [ruling]

    return _rule(path, decision, decide, game_id)[0]


def disqualify(path: Path, bot: str, decision: Decision) -> Ruling:
    """Disqualify a bot; another arbiter may be playing the tournament.  Raises ConfigError."""

    def decide(desk: RulingDesk) -> list[Ruling]:
        check_known("bot", bot, desk.store.manifest.tournament.bot_names)
        if bot in desk.history.disqualified:
            raise ConfigError(f"{bot}: is disqualified already")
        return [desk.make("disqualify", bot=bot)]

    return _rule(path, decision, decide)[0]


def reinstate(path: Path, bot: str, decision: Decision) -> Sequence[Ruling]:
    """Lift the suspension of a bot, and have its walkovers played; another arbiter may be playing the tournament.

    Raises ConfigError if the bot is not suspended.
    """

    def decide(desk: RulingDesk) -> list[Ruling]:
        check_known("bot", bot, desk.store.manifest.tournament.bot_names)
        walkovers = [game for game in desk.history.games if is_suspension_walkover(game, bot)]
        suspensions = Suspensions(desk.suspend_after, desk.history)
        if not walkovers and not suspensions.is_suspended(bot):
            hint = ""
            if bot in desk.withdrawn:
                hint = f"; it was withdrawn: `{write_command('withdraw', '--undo', path, bot)}`"
            elif bot in desk.history.disqualified:
                hint = (
                    f"; it is disqualified: `{write_command('disqualify', '--undo', path, bot, '--because', 'TEXT')}`"
                )
            raise ConfigError(f"{bot}: is not suspended{hint}")
        rulings = [desk.make("reinstate", bot=bot)]
        for game in walkovers:
            replay = desk.make(
                "replay",
                game=game.id,
                previous=find_result(game),
                result="replay",
                replacement=desk.make_replay_id(game.id),
            )
            rulings.append(replace(replay, number=replay.number + len(rulings)))
        return rulings

    return _rule(path, decision, decide)


def undo_game_ruling(path: Path, game_id: str, decision: Decision) -> Ruling:
    """Revert the last ruling on a game or a bye that is in force.  Raises ConfigError."""
    return _undo(path, decision, game_id, lambda ruling: ruling.game == game_id)


def undo_disqualification(path: Path, bot: str, decision: Decision) -> Ruling:
    """Revert the disqualification of a bot.  Raises ConfigError."""
    return _undo(path, decision, bot, lambda ruling: ruling.bot == bot and ruling.kind == "disqualify")


def undo_reinstatement(path: Path, bot: str, decision: Decision) -> Sequence[Ruling]:
    """Revert the reinstatement of a bot: its walkovers that were not played again yet count.  Raises ConfigError."""

    def decide(desk: RulingDesk) -> list[Ruling]:
        check_known("bot", bot, desk.store.manifest.tournament.bot_names)
        history = desk.history
        found = [ruling for ruling in history.in_force if ruling.kind == "reinstate" and ruling.bot == bot]
        if not found:
            raise ConfigError(f"{bot}: no reinstatement of it is in force")
        played = {game.id for game in history.as_played}
        walkovers = {game.id for game in history.as_played if is_suspension_walkover(game, bot)}
        replays = [
            ruling
            for ruling in history.in_force
            if ruling.number > found[-1].number
            and ruling.game in walkovers
            and ruling.replacement is not None
            and ruling.replacement not in played
        ]
        undone = [desk.revert(ruling) for ruling in (found[-1], *replays)]
        return [replace(ruling, number=ruling.number + later) for later, ruling in enumerate(undone)]

    return _rule(path, decision, decide)


def _undo(path: Path, decision: Decision, name: str, is_meant: Callable[[Ruling], bool]) -> Ruling:
    def decide(desk: RulingDesk) -> list[Ruling]:
        found = [ruling for ruling in desk.history.in_force if is_meant(ruling)]
        if not found:
            raise ConfigError(f"{name}: no ruling on it is in force; `{write_command('rule', path)}` lists all rulings")
        return [desk.revert(found[-1])]

    return _rule(path, decision, decide, name)[0]


def _rule(
    path: Path, decision: Decision, decide: Callable[[RulingDesk], Sequence[Ruling]], game_id: str = ""
) -> Sequence[Ruling]:
    """Store the rulings that `decide` makes, after a check of the rounds that they affect.

    They are made in the series of a game; the latest one if there is no such game.
    """

    def decide_and_check(store: Store) -> Sequence[Ruling]:
        store.select_series(store.series_of(game_id))
        desk = RulingDesk(store, decision)
        rulings = decide(desk)
        if not decision.force:
            desk.check_rounds(rulings)
        return rulings

    return add_rulings(path, decide_and_check)
