"""The data of the pages of a ladder: scores of all of its games, ratings over time, versions, and repeated games."""

from collections.abc import Iterator, Mapping, Sequence
from math import log10, sqrt
from operator import mul
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.show.report.charts import Mark, Plot, plot_runs
from arbiter.tournament.ratings.pairs import PAIR_SCORES
from arbiter.tournament.ratings.values import Estimate
from arbiter.tournament.schedule.ladder_state import INTERVAL, LadderState
from arbiter.tournament.standings.crosstable import Crosstable, Repeats, Tally

_MOST_VERSIONS: Final = 8
_NO_GAMES: Final = (Tally(), Tally())
_FEWEST_PAIRS: Final = 5


class LadderData(Struct, frozen=True, kw_only=True):
    """A ladder as its pages show it."""

    state: LadderState
    parents: Mapping[str, str] = {}
    """The bots that are new versions of others, each with its parent."""
    earlier: int = 0
    """Number of games before those that are read; their scores count."""

    @property
    def is_long(self) -> bool:
        """True if the pages do not list all games."""
        return self.earlier > 0

    def count_scores(self, bot: str) -> Mapping[str, tuple[Tally, Tally]]:
        """Return the games of a bot against each opponent, as red and as blue."""
        return {other: both for (one, other), both in self.state.scores.items() if one == bot}

    def compare(self, one: str, other: str) -> Estimate | None:
        """Estimate the Elo difference of two bots by their pairs of different games; None if there are too few."""
        counted = self.state.counted.counts.get((one, other)) or self.state.counted.counts.get((other, one))
        pairs = 0 if counted is None else sum(counted.counts)
        if counted is None or pairs < _FEWEST_PAIRS:
            return None
        counts = counted.counts if (one, other) in self.state.counted.counts else counted.counts[::-1]
        shares = [score / 2 for score in PAIR_SCORES]
        mean = sum(map(mul, counts, shares)) / pairs
        variance = sum(count * (share - mean) ** 2 for count, share in zip(counts, shares, strict=True)) / pairs
        half = INTERVAL * sqrt(variance / pairs)
        low, middle, high = (min(max(one, 0.001), 0.999) for one in (mean - half, mean, mean + half))
        return Estimate(*(400 * log10(one / (1 - one)) for one in (middle, low, high)))

    def list_repeats(self) -> Iterator[Repeats]:
        """Yield the pairings with repeated games."""
        for (one, other), repeated in sorted(self.state.counted.repeated.items()):
            games = sum(tally.games for tally in self.state.scores.get((one, other), _NO_GAMES))
            yield Repeats(one, other, games, repeated)

    def list_versions(self, bot: str) -> list[str]:
        """List the versions of a program, the first one at the start: the bot, its ancestors, and all that follow."""
        first = bot
        while first in self.parents:
            first = self.parents[first]
        found = [first]
        for version in found:
            found += [one for one, parent in self.parents.items() if parent == version and one not in found]
        return found

    def plot_ratings(self, bot: str) -> Plot | None:
        """Plot the ratings of the versions of a program by counted pairs of the ladder, with marks where they began.

        The band is the 95 % interval of the bot.  None if there are fewer than two ratings of the bot.
        """
        runs: dict[str, list[tuple[int, float]]] = {}
        versions = self.list_versions(bot)
        near = sorted(versions, key=lambda one: (one != bot, abs(versions.index(one) - versions.index(bot))))
        for version in near[:_MOST_VERSIONS]:
            run = [(one.pair, float(one.elo[version][0])) for one in self.state.samples if version in one.elo]
            if run:
                runs[version] = run
        if len(runs.get(bot, ())) <= 1:
            return None
        left = min(run[0][0] for run in runs.values())
        band = [
            (sample.pair, Estimate(elo, elo - half, elo + half))
            for sample in self.state.samples
            if bot in sample.elo
            for elo, half in [sample.elo[bot]]
        ]
        plot = plot_runs(runs, left, max(run[-1][0] for run in runs.values()), 50.0, band)
        begun = [(runs[version][0][0], version) for version in versions if version in runs and version in self.parents]
        return replace(plot, marks=tuple(Mark(plot.axes.x(pair), version) for pair, version in begun))


def build_ladder_crosstable(state: LadderState, order: Sequence[str]) -> Crosstable:
    """Build the crosstable from the counts of a ladder, which include games that are not read."""
    cells = {
        bot: {other: sum(state.scores.get((bot, other), _NO_GAMES), Tally()) for other in order if other != bot}
        for bot in order
    }
    return Crosstable(cells, {bot: state.bots[bot].total for bot in order}, ())
