"""Rulings on stored games, byes and bots, their reversal, and withdrawals of bots."""

from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec.structs import asdict, replace

from arbiter.errors import ConfigError, unknown_name, write_command
from arbiter.tournament.results.chain import changing
from arbiter.tournament.results.database import connect, transaction, translate_errors
from arbiter.tournament.results.rows import insert_row
from arbiter.tournament.results.ruling_desk import Decision, RulingDesk
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.history import find_result
from arbiter.tournament.standings.stored_game import (
    RuledResult,
    Ruling,
    RulingKind,
    Suspensions,
    is_suspension_walkover,
)

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
        names = store.manifest.tournament.bot_names
    if bot not in names:
        raise unknown_name("bot", bot, names)
    with closing(connect(path, "mode=rw")) as connection, translate_errors(path), transaction(connection):
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
    with closing(connect(path, "mode=rw")) as connection, translate_errors(path), transaction(connection):
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
        desk.check_bot(bot)
        if bot in desk.history.disqualified:
            raise ConfigError(f"{bot}: is disqualified already")
        return [desk.make("disqualify", bot=bot)]

    return _rule(path, decision, decide)[0]


def reinstate(path: Path, bot: str, decision: Decision) -> Sequence[Ruling]:
    """Lift the suspension of a bot, and have its walkovers played; another arbiter may be playing the tournament.

    Raises ConfigError if the bot is not suspended.
    """

    def decide(desk: RulingDesk) -> list[Ruling]:
        desk.check_bot(bot)
        walkovers = [game for game in desk.history.games if is_suspension_walkover(game, bot)]
        suspensions = Suspensions(desk.suspend_after, desk.history.games, desk.history.forgiven)
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
        desk.check_bot(bot)
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
