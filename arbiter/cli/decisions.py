"""Decisions that the organiser makes in another shell while a tournament is played."""

from collections.abc import Mapping

from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import EventHandler, Ruled
from arbiter.tournament.head_to_head import HeadToHead
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.stored_game import StoredGame


class Decisions:
    """Reads withdrawals and rulings from the results, and applies them to the run."""

    def __init__(
        self,
        reader: Store | None,
        plan: Schedule,
        games: list[StoredGame],
        withdrawn: set[str],
        match: HeadToHead | None,
    ) -> None:
        """Apply decisions to `plan`, `games` and `withdrawn`; without a `reader` there are none."""
        self._reader = reader
        self._plan = plan
        self._games = games
        self._withdrawn = withdrawn
        self._match = match
        self.dispatcher: Dispatcher | None = None
        self.receive: EventHandler | None = None
        """Receives the events of `ask_absent`.  Default: it applies rulings silently."""

    def ask_absent(self) -> Mapping[str, str]:
        """Read new decisions, and return the bots that left, each with what happened."""
        if self._reader is not None:
            self._withdrawn.clear()
            self._withdrawn.update(self._reader.withdrawn())
            if self._reader.count_rulings() != len(self._plan.history.rulings):
                self.apply_rulings(self.receive)
        left = dict.fromkeys(self._withdrawn, "withdrawn")
        return left | dict.fromkeys(self._plan.history.disqualified, "disqualified")

    def apply_rulings(self, receive: EventHandler | None = None) -> None:
        """Count all games again if there are rulings; `receive` receives an event for each new one."""
        if self._reader is None or not self._reader.count_rulings():
            return
        known = len(self._plan.history.rulings)
        history = self._reader.history()
        self._games[:] = history.games
        self._plan.restart(self._games, history)
        if self.dispatcher is not None:
            self.dispatcher.restart(self._games, history.forgiven)
        if self._match is not None:
            self._match.restart(self._games)
        if receive is not None:
            for ruling in history.rulings[known:]:
                receive(Ruled(ruling))
