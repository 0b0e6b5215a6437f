"""The desk of the organiser: makes rulings on a tournament as it is now, and checks what they affect."""

from collections.abc import Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError, unknown_name, write_command
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import History, find_base, find_result, make_bye_id, make_replay_id
from arbiter.tournament.standings.stored_game import RuledResult, Ruling, RulingKind

_MOST_MATCHES: Final = 3


class Decision(Struct, frozen=True):
    """Who rules, and why."""

    by: str
    because: str
    force: bool = False
    """Accept that rounds which are already paired are affected."""


class RulingDesk:
    """The state of a tournament in which a ruling is made."""

    def __init__(self, store: Store, decision: Decision) -> None:
        self._store = store
        self._decision = decision
        self.history = store.history()
        self.withdrawn = store.withdrawn()
        self._schedule = self._work_out(self.history)
        self.byes = {make_bye_id(bye): bye for stage in self._schedule.stages for bye in stage.byes if bye.games}
        self.suspend_after = store.manifest.tournament.suspend_after

    def _work_out(self, history: History) -> Schedule:
        return self._store.manifest.schedule(history.games, self.withdrawn, history)

    def make(
        self,
        kind: RulingKind,
        *,
        game: str | None = None,
        bot: str | None = None,
        previous: RuledResult | None = None,
        result: RuledResult | None = None,
        replacement: str | None = None,
        undoes: int | None = None,
    ) -> Ruling:
        """Make a ruling on the tournament as it is now."""
        return Ruling(
            number=len(self.history.rulings) + 1,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            by=self._decision.by,
            because=self._decision.because,
            kind=kind,
            game=game,
            bot=bot,
            previous=previous,
            result=result,
            replacement=replacement,
            undoes=undoes,
            games=len(self.history.as_played),
            rounds=self._schedule.opened,
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

    def check_bot(self, bot: str) -> None:
        """Raise ConfigError if the tournament has no such bot."""
        names = self._store.manifest.tournament.bot_names
        if bot not in names:
            raise unknown_name("bot", bot, names)

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
            else f"`{write_command('games', self._store.path)}` lists the games"
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
