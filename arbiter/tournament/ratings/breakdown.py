"""Break down the score of each bot by parts of its games, and find the parts in which it differs beyond chance.

A part is compared with the other games of the bot: the mean of score less expected score, in the part and in the rest.
The expected score of a game follows from the ratings of both bots.  Games of one pair are not independent, so the
standard error is that of means of pairs.  For colours the difference of a bot is compared with the median difference of
the other bots, which is the advantage of red.

Chance makes some of many differences large.  So those that are reported as findings are selected by Holm's method
(Scandinavian Journal of Statistics 6, 1979): if no bot differs in any part, there is a finding in at most one of twenty
breakdowns.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.arrays import Floats, Numbers, np
from arbiter.tournament.ratings.pairs import find_pair_key, find_score, select_distinct_games
from arbiter.tournament.ratings.parts import PHASES, Aspect, GameFacts, ScorePart
from arbiter.tournament.ratings.values import Ratings
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import BLUE, OPPONENT, RED, SEATS, Place, RankId, Seat

_ERROR: Final = 0.05  # probability of a finding if no bot differs in any part
_LEAST_GAMES: Final = 10  # in a part and in the rest, and pairs in both: with fewer the standard error says little
_TWO: Final = 2
_MOST_DEPLOYMENTS: Final = 12  # of a bot, as parts; if there are more, the parts are the squares of its flag
_DIGITS: Final = 8  # of the digest of a program
_ADDED: Final = 1.0  # games won and games lost that are added to a score for its interval (Agresti and Coull, 1998)

_NORMAL: Final = NormalDist()
_Z: Final = _NORMAL.inv_cdf(0.975)
_MEDIAN_VARIANCE: Final = float(np.pi / 2)  # of a median of many normal numbers, relative to that of their mean


class _Games(Struct, frozen=True):
    """The distinct games of a bot that count, as arrays."""

    bot: str
    games: Sequence[StoredGame]
    seats: Sequence[Seat]
    scores: Floats
    by_strength: Floats
    """Expected score by the strength of the opponent."""
    expected: Floats
    """Expected score by that and by red's advantage."""
    pairs: Numbers
    """Number of the pair of games that each belongs to."""


class _Split(Struct, frozen=True):
    """The games of a bot divided by one aspect."""

    aspect: Aspect
    names: Sequence[str]
    labels: Numbers
    """Number of the part of each game; -1 for none."""


class _Contrast(Struct, frozen=True):
    """The mean of a part less that of the rest, and its variance."""

    value: float
    variance: float
    pairs: int


def break_down(
    games: Iterable[StoredGame],
    ratings: Ratings,
    facts: Mapping[str, GameFacts] | None = None,
    bots: Iterable[str] | None = None,
) -> tuple[ScorePart, ...]:
    """Break down the scores of bots, in the order of the ratings; repeated games count once.

    `facts` are those of records by the ids of games; without them, phases and deployments are left out.  `bots` selects
    bots.  Default: all.
    """
    distinct = select_distinct_games(games)
    facts = facts or {}
    cuts = _find_cuts(distinct)
    wanted = None if bots is None else set(bots)
    by_bot: dict[str, list[StoredGame]] = {rating.bot: [] for rating in ratings.bots}
    for game in distinct:
        for bot in {game.red, game.blue} & by_bot.keys():
            by_bot[bot].append(game)
    elo = {one.bot: one.rating.elo for one in ratings.bots if one.rating is not None}
    advantage = 0.0 if ratings.red_advantage is None else ratings.red_advantage.elo
    collected = [_collect(bot, own, elo, advantage) for bot, own in by_bot.items() if own]
    colours = {one.bot: _contrast_colours(one) for one in collected}
    parts = [
        part
        for one in collected
        if wanted is None or one.bot in wanted
        for split in _list_splits(one, cuts, facts)
        for part in _score_parts(one, split, colours)
    ]
    return tuple(_mark_findings(parts))


def _find_cuts(games: Sequence[StoredGame]) -> tuple[int, int]:
    """Return the numbers of plies that divide the games into thirds."""
    if not games:
        return 0, 0
    low, high = np.quantile([game.plies for game in games], (1 / 3, 2 / 3), method="lower")
    return int(low), int(high)


def _collect(bot: str, games: Sequence[StoredGame], elo: Mapping[str, float], advantage: float) -> _Games:
    """Collect the games of a bot as arrays."""
    seats: list[Seat] = [RED if game.red == bot else BLUE for game in games]
    opponents = [getattr(game, OPPONENT[seat]) for game, seat in zip(games, seats, strict=True)]
    ahead = np.array([elo.get(bot, 0.0) - elo.get(opponent, 0.0) for opponent in opponents])
    signs = np.array([1.0 if seat == RED else -1.0 for seat in seats])
    numbers: dict[object, int] = {}
    return _Games(
        bot,
        games,
        seats,
        scores=np.array([find_score(game, bot) for game in games], float),
        by_strength=_expect(ahead),
        expected=_expect(ahead + signs * advantage),
        pairs=np.array([numbers.setdefault(find_pair_key(game), len(numbers)) for game in games], np.intp),
    )


def _expect(elo: Floats) -> Floats:
    expected: Floats = 1 / (1 + 10 ** (-elo / 400))
    return expected


# --- parts ----------------------------------------------------------------------------------------


def _list_splits(one: _Games, cuts: tuple[int, int], facts: Mapping[str, GameFacts]) -> Iterator[_Split]:
    """Yield the divisions of the games of a bot that have at least two parts."""
    each = list(zip(one.games, one.seats, strict=True))
    lengths = [f"up to {cuts[0]} plies", f"{cuts[0] + 1} to {cuts[1]} plies", f"over {cuts[1]} plies"]
    found = [facts.get(game.id, GameFacts()) for game in one.games]
    deployments = [fact.deployments.get(seat) for fact, seat in zip(found, one.seats, strict=True)]
    programs = [game.red_program if seat == RED else game.blue_program for game, seat in each]
    divisions: dict[Aspect, tuple[Sequence[str | None], Sequence[str] | None]] = {
        "colour": (one.seats, SEATS),
        "opponent": ([getattr(game, OPPONENT[seat]) for game, seat in each], None),
        "length": ([lengths[(game.plies > cuts[0]) + (game.plies > cuts[1])] for game in one.games], lengths),
        "phase": ([fact.phase for fact in found], PHASES),
        "deployment": (_merge_rare(_name_deployments(deployments)), None),
        "version": ([program[:_DIGITS] or None for program in programs], None),
    }
    for aspect, (values, order) in divisions.items():
        counts = Counter(value for value in values if value is not None)
        names = [name for name in order if counts[name]] if order else [name for name, _ in counts.most_common()]
        if len(names) >= _TWO:
            place = {name: number for number, name in enumerate(names)}
            labels = [-1 if value is None else place[value] for value in values]
            yield _Split(aspect, names, np.array(labels, np.intp))


def _name_deployments(deployments: Sequence[Mapping[Place, RankId] | None]) -> Sequence[str | None]:
    """Name deployments by their number and the square of the flag; if a bot has many, by the square alone."""
    numbers: dict[frozenset[tuple[Place, RankId]], int] = {}
    keys = [None if one is None else frozenset(one.items()) for one in deployments]
    for key in keys:
        if key is not None:
            numbers.setdefault(key, len(numbers) + 1)
    names: list[str | None] = []
    for key in keys:
        flag = next((f"flag {place}" for place, rank in key if rank == "flag"), None) if key else None
        if key is None or len(numbers) > _MOST_DEPLOYMENTS:
            names.append(flag)
        else:
            names.append(f"{numbers[key]}, {flag}" if flag else f"{numbers[key]}")
    return names


def _merge_rare(names: Sequence[str | None]) -> Sequence[str | None]:
    """Make one part of all parts with too few games to be compared."""
    counts = Counter(name for name in names if name is not None)
    rare = {name for name, count in counts.items() if count < _LEAST_GAMES}
    return [f"{len(rare)} others" if name in rare and len(rare) > 1 else name for name in names]


# --- comparisons ----------------------------------------------------------------------------------


def _contrast(one: _Games, is_in: Floats, rest: Floats, expected: Floats) -> _Contrast | None:
    """Compare two sets of games of a bot, given as zeros and ones; None if there are too few of them.

    The variance is that of means of pairs of games, but at least that of independent games.
    """
    residual = one.scores - expected
    size, size_of_rest = is_in.sum(), rest.sum()
    count = len(np.unique(one.pairs[(is_in + rest) > 0]))
    if min(size, size_of_rest, count) < _LEAST_GAMES:
        return None
    mean, mean_of_rest = residual @ is_in / size, residual @ rest / size_of_rest
    influence = is_in * (residual - mean) / size - rest * (residual - mean_of_rest) / size_of_rest
    by_pair = np.bincount(one.pairs, influence)
    robust = float(by_pair @ by_pair) * count / (count - 1)
    both = is_in + rest
    centred = residual - residual @ both / both.sum()
    independent = float(centred**2 @ both / both.sum()) * (1 / size + 1 / size_of_rest)
    return _Contrast(float(mean - mean_of_rest), max(robust, independent), count)


def _contrast_colours(one: _Games) -> _Contrast | None:
    """Compare the games as red with those as blue."""
    is_red = np.array([seat == RED for seat in one.seats], float)
    return _contrast(one, is_red, 1 - is_red, one.by_strength)


def _score_parts(one: _Games, split: _Split, colours: Mapping[str, _Contrast | None]) -> Iterator[ScorePart]:
    """Score the parts of a division, and compare each with the rest of the games."""
    is_colour = split.aspect == "colour"
    expected = one.by_strength if is_colour else one.expected
    advantage = _find_usual_difference(one.bot, colours) if is_colour else _Contrast(0.0, 0.0, 0)
    for number, name in enumerate(split.names):
        is_in = (split.labels == number).astype(float)
        rest = ((split.labels >= 0) & (split.labels != number)).astype(float)
        size, size_of_rest = is_in.sum(), rest.sum()
        score = float(one.scores @ is_in / size)
        low, high = _find_interval(one, is_in)
        usual = advantage.value if name == RED else -advantage.value
        likely = errors = None
        if size_of_rest:
            likely = float(expected @ is_in / size + (one.scores - expected) @ rest / size_of_rest) + usual
        contrast = _contrast(one, is_in, rest, expected)
        if contrast is not None and (deviation := contrast.variance + advantage.variance) > 0:
            errors = _to_normal((contrast.value - usual) / deviation**0.5, contrast.pairs - 1)
        yield ScorePart(
            bot=one.bot,
            aspect=split.aspect,
            name=name,
            games=int(size),
            score=score,
            low=low,
            high=high,
            expected=None if likely is None else min(1.0, max(0.0, likely)),
            rest=split.names[1 - number] if len(split.names) == _TWO else "",
            rest_score=float(one.scores @ rest / size_of_rest) if size_of_rest else None,
            errors=errors,
        )


def _find_usual_difference(bot: str, colours: Mapping[str, _Contrast | None]) -> _Contrast:
    """Return the median difference between colours of the other bots; 0 if there is only one other."""
    others = [one for other, one in colours.items() if other != bot and one is not None]
    if len(others) < _TWO:
        return _Contrast(0.0, 0.0, 0)
    mean_variance = sum(one.variance for one in others) / len(others)
    return _Contrast(
        float(np.median([one.value for one in others])), _MEDIAN_VARIANCE * mean_variance / len(others), len(others)
    )


def _find_interval(one: _Games, is_in: Floats) -> tuple[float, float]:
    """Return the 95 % interval of the score in a part, with a game won and a game lost more."""
    size = float(is_in.sum()) + 2 * _ADDED
    score = float((one.scores @ is_in + _ADDED) / size)
    spread = is_in * (one.scores - score)
    by_pair = np.bincount(one.pairs, spread)
    added = _ADDED * (score**2 + (1 - score) ** 2)
    variance = max(float(by_pair @ by_pair), float(spread @ spread)) + added
    half = _Z * variance**0.5 / size
    return max(0.0, score - half), min(1.0, score + half)


def _to_normal(errors: float, freedom: int) -> float:
    """Convert a value of Student's t to a normal one with the same tail (Wallace, Ann. Math. Statist. 30, 1959)."""
    size = float((freedom * np.log1p(errors**2 / freedom)) ** 0.5) * (8 * freedom + 1) / (8 * freedom + 3)
    return size if errors > 0 else -size


def _mark_findings(parts: Sequence[ScorePart]) -> Iterator[ScorePart]:
    """Mark the differences that remain among so many comparisons; two parts of one division are one comparison."""
    sizes = [(abs(one.errors), one) for one in parts if one.errors is not None and not (one.rest and one.errors >= 0)]
    found = set[tuple[str, Aspect, str]]()
    tested = sorted(sizes, key=lambda size: -size[0])
    for number, (errors, one) in enumerate(tested):
        tail = 2 * _NORMAL.cdf(-errors)
        if tail * (len(tested) - number) > _ERROR:
            break
        found.add((one.bot, one.aspect, one.name))
    for one in parts:
        yield replace(one, is_finding=(one.bot, one.aspect, one.name) in found)
