"""Decisions that the organiser makes in another shell while a tournament is played."""

from collections.abc import Mapping

from arbiter.director.journal import Journal
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import EventHandler, Ruled, Withdrawn
from arbiter.tournament.head_to_head import HeadToHead
from arbiter.tournament.schedule.stages import Schedule


class Decisions:
    """Reads withdrawals and rulings from the results, and applies them to a run."""

    def __init__(self, journal: Journal, plan: Schedule, withdrawn: set[str], match: HeadToHead | None) -> None:
        """Apply decisions to the games of `journal`, to `plan` and to `withdrawn`."""
        self._journal = journal
        self._plan = plan
        self._withdrawn = withdrawn
        self._match = match
        self.dispatcher: Dispatcher | None = None
        self.emit: EventHandler | None = None
        """Receives the events of new decisions.  Default: they are applied silently."""

    def ask_absent(self) -> Mapping[str, str]:
        """Read new decisions, and return the bots that left, each with what happened."""
        reader = self._journal.reader
        if reader is not None:
            withdrawn = reader.withdrawn()
            changed = sorted(self._withdrawn ^ withdrawn)
            self._withdrawn.clear()
            self._withdrawn.update(withdrawn)
            if self.emit is not None:
                for bot in changed:
                    self.emit(Withdrawn(bot, undone=bot not in withdrawn))
            if reader.count_rulings() != len(self._plan.history.rulings):
                self.apply_rulings()
        left = dict.fromkeys(self._withdrawn, "withdrawn")
        return left | dict.fromkeys(self._plan.history.disqualified, "disqualified")

    def apply_rulings(self) -> None:
        """Count all games again if there are rulings, with an event for each new one."""
        reader, games = self._journal.reader, self._journal.games
        if reader is None or not reader.count_rulings():
            return
        known = len(self._plan.history.rulings)
        history = reader.history()
        games[:] = history.games
        self._plan.restart(games, history)
        if self.dispatcher is not None:
            self.dispatcher.restart(games, history.forgiven)
        if self._match is not None:
            self._match.restart(games)
        if self.emit is not None:
            for ruling in history.rulings[known:]:
                self.emit(Ruled(ruling))
