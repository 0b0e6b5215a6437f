"""A match of two bots: when it has games enough, and how much the one is ahead of the other."""

import re
from collections.abc import Sequence
from typing import Final

from arbiter.errors import ConfigError
from arbiter.show.tables.match import Ahead, match_sheets, told_llr
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.dispatcher import FixtureSource, UntilDecided
from arbiter.tournament.ratings.pairs import count_pairs, pair_games
from arbiter.tournament.ratings.sprt import Sprt, SprtRun
from arbiter.tournament.ratings.values import Anchor
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.standings.crosstable import build_crosstable
from arbiter.tournament.standings.stored_game import StoredGame

_PAIR: Final = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*,\s*([+-]?\d+(?:\.\d+)?)\s*")


def read_sprt(text: str | None, alpha: float | None, beta: float | None) -> Sprt | None:
    """Read a test of the command line, ELO0,ELO1.  Raises ConfigError."""
    if text is None:
        for name, share in (("alpha", alpha), ("beta", beta)):
            if share is not None:
                raise ConfigError(f"--{name}: is a setting of --sprt ELO0,ELO1; name the test, or leave it out")
        return None
    found = _PAIR.fullmatch(text)
    if found is None:
        raise ConfigError(f"--sprt {text}: must be two numbers of Elo, the lower first, such as 0,20")
    given = {name: share for name, share in (("alpha", alpha), ("beta", beta)) if share is not None}
    sprt = Sprt(elo0=float(found[1]), elo1=float(found[2]), **given)
    sprt.check()
    return sprt


class HeadToHead:
    """A match under way, seen from its first bot; with a test it ends when that has its verdict."""

    def __init__(self, bot: str, opponent: str, sprt: Sprt | None) -> None:
        self._bot = bot
        self._opponent = opponent
        self._trial = None if sprt is None else SprtRun(sprt, bot)

    def until_decided(self, source: FixtureSource, games: Sequence[StoredGame]) -> FixtureSource:
        """Stand before a source of games of which some were played before."""
        if self._trial is None:
            return source
        for game in games:
            self._trial.add(game)
        return UntilDecided(source, self._trial)

    def note(self) -> str:
        """Tell how far the test has come, if there is one."""
        return "" if self._trial is None else told_llr(self._trial)

    def sheets(self, manifest: Manifest, games: Sequence[StoredGame]) -> tuple[Sheet, ...]:
        """Make the sheets of how the match stands."""
        from arbiter.tournament.ratings.rate import rate  # noqa: PLC0415 - numpy is slow to import

        both = (self._bot, self._opponent)
        ratings = rate(both, games, manifest.seed, Anchor(self._opponent, 0.0))
        ahead = Ahead(
            bot=self._bot,
            opponent=self._opponent,
            tally=build_crosstable(both, games).totals[self._bot],
            elo=next(one.rating for one in ratings.bots if one.bot == self._bot),
            superiority=ratings.superiority.get(self._bot, {}).get(self._opponent),
            red_advantage=ratings.red_advantage,
            pairs=count_pairs(pair_games(games), self._bot),
        )
        return match_sheets(ahead, self._trial)
