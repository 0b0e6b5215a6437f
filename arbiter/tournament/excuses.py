"""Excuses for bots that were killed: one replay for each game, and one for each bot if it may have done it itself."""

from collections.abc import Collection, Iterable
from typing import Final, TypeGuard, get_args

from arbiter.sandbox.program_end import KillEvidence
from arbiter.tournament.attempt import Attempt, Reason

_CERTAIN: Final[Reason] = "sandbox_killed"


def is_kill(reason: Reason) -> TypeGuard[KillEvidence]:
    """Return True if an attempt was voided because a bot was killed."""
    return reason in get_args(KillEvidence)


class Excuses:
    """The replays that killed bots have used up in a tournament.

    A bot can kill itself, or use so much memory that the machine kills it.  So it has one such replay in the whole
    tournament: otherwise it could void each game that it is losing.  A kill that no bot can cause is excused in every
    game, but only once.
    """

    def __init__(self, attempts: Iterable[Attempt] = ()) -> None:
        """Count the voided attempts of earlier runs."""
        self._games: set[tuple[str, str]] = set()
        self._bots: set[str] = set()
        for attempt in attempts:
            if is_kill(attempt.reason) and attempt.bot is not None:
                self._note(attempt.id, attempt.bot, attempt.reason)

    def use(self, game_id: str, bot: str, evidence: KillEvidence) -> bool:
        """Return True if the game is voided because a bot was killed; False if the bot loses it."""
        if (game_id, bot) in self._games or (evidence != _CERTAIN and bot in self._bots):
            return False
        self._note(game_id, bot, evidence)
        return True

    def copy(self, game_id: str, bots: Collection[str]) -> "Excuses":
        """Return a copy with what concerns one game."""
        copied = Excuses()
        copied._games = {one for one in self._games if one[0] == game_id}
        copied._bots = self._bots.intersection(bots)
        return copied

    def _note(self, game_id: str, bot: str, reason: Reason) -> None:
        self._games.add((game_id, bot))
        if reason != _CERTAIN:
            self._bots.add(bot)
