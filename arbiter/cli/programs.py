"""Changes of bots' programs: check them before a run and before each game, and record them."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence

import click

from arbiter.errors import ConfigError, unknown_name
from arbiter.show.text import plain
from arbiter.tournament.programs import ProgramDigest, ProgramDigests
from arbiter.tournament.results.rows import How, SeenProgram
from arbiter.tournament.standings.stored_game import StoredGame

AddProgram = Callable[[str, ProgramDigest, How], object]
"""Stores what was found of a bot's program."""


def check_accepted(accepted: Sequence[str], bots: Sequence[str]) -> None:
    """Check the names of bots whose new programs are accepted.  Raises ConfigError."""
    for bot in accepted:
        if bot not in bots:
            raise ConfigError(f"--accept-new: {unknown_name('bot', bot, bots)}")


class ProgramGuard:
    """Finds out which programs play."""

    def __init__(
        self,
        digests: ProgramDigests,
        bots: Collection[str],
        accepted: Collection[str],
        add: AddProgram | None,
        *,
        stops: bool,
    ) -> None:
        """Watch the programs of bots.

        A change during the run is recorded; if it `stops` the run, no more games begin, unless it is `accepted`.
        """
        self._digests = digests
        self._bots = bots
        self._accepted = accepted
        self._add = add
        self._stops = stops
        self._known: dict[str, ProgramDigest] = {}
        self._turn = threading.Lock()
        self.changes: list[str] = []

    def begin(self, seen: Sequence[SeenProgram], games: Sequence[StoredGame]) -> None:
        """Compare the programs with those of the stored games.  Raises ConfigError if one was replaced."""
        self._known = {one.bot: one.found for one in seen}
        played = {bot: sum(bot in (game.red, game.blue) for game in games) for bot in self._bots}
        replaced: dict[str, str] = {}
        new: list[tuple[str, ProgramDigest, How]] = []
        for bot in self._bots:
            found = self._digests.digest(bot)
            known = self._known.get(bot)
            if found is None or (known is not None and known.digest == found.digest):
                continue
            if known is not None and played[bot] and bot not in self._accepted:
                count = f"{played[bot]} stored game{'s' * (played[bot] != 1)}"
                replaced[bot] = f"{found.describe_replacement(bot, known)} since its {count}"
            new.append((bot, found, "first" if known is None or not played[bot] else "accepted"))
        if replaced:
            options = " ".join(f"--accept-new {bot}" for bot in replaced)
            raise ConfigError(
                f"{'; '.join(replaced.values())}; restore it, or continue with the new one with {options}"
            )
        for bot, found, how in new:
            self._note(bot, found, how)

    def identify(self, bots: Sequence[str]) -> Mapping[str, str] | None:
        """Return the digests of the programs of a game that begins; None if it must not begin."""
        with self._turn:
            found = {bot: self._digests.digest(bot) for bot in bots}
            for bot, now in found.items():
                known = self._known.get(bot)
                if now is None or (known is not None and known.digest == now.digest):
                    continue
                if known is not None:
                    self.changes.append(now.describe_replacement(bot, known))
                    if self._stops and bot not in self._accepted:
                        return None
                self._note(bot, now, "first" if known is None else "during the run")
        return {bot: "" if now is None else now.digest for bot, now in found.items()}

    def _note(self, bot: str, found: ProgramDigest, how: How) -> None:
        self._known[bot] = found
        if self._add is not None:
            self._add(bot, found, how)

    def report(self) -> None:
        """Report the changes during the run."""
        for change in self.changes:
            click.echo(f"arbiter: {plain(change)} during the run", err=True)
