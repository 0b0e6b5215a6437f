"""Round robin with `games = "until sure"`: rounds of the pairings that decide, until the result is certain enough.

The first round gives every bot its least number of games.  Each further round adds a twentieth of the pairs of games so
far: many games can be played at the same time, and few are played after the decision.  A round follows from the results
of all earlier rounds alone, so a tournament continues exactly after a stop, and one with more games begins with the
same ones.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Final

from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.chance import derive_seed
from arbiter.languages.phrase import phrase
from arbiter.tournament.fixture import Fixtures, Meeting, Round, RoundBye
from arbiter.tournament.schedule.allocation import Knowledge, choose_pairing, list_open
from arbiter.tournament.schedule.evidence import Limits, Pairing, PairingCount, count_pairings, find_verdicts
from arbiter.tournament.schedule.format import Entrants, Format
from arbiter.tournament.schedule.round_robin import RoundRobinSettings, make_berger_table
from arbiter.tournament.standings.crosstable import PlainTable
from arbiter.tournament.standings.stored_game import StoredGame, find_absent
from arbiter.tournament.standings.table import Standing
from protocol.words import SEATS

_Entrants = Entrants[RoundRobinSettings]

_GROWTH: Final = 0.05  # pairs of a further round, as a share of those so far
_PAIR: Final = len(SEATS)
_WORDS: Final = {"ahead": "ahead", "behind": "behind", "equal": "about equal", None: "not certain"}


def list_sizes(settings: RoundRobinSettings, bots: int) -> list[int]:
    """List the numbers of best bots that are to be decided."""
    if settings.decide == "order":
        return list(range(1, bots))
    size = 1 if settings.decide == "winner" else settings.decide
    return [size] if size < bots else []


def count_claims(settings: RoundRobinSettings, bots: int) -> int:
    """Count the claims that make a decision wrong: that one of the best bots is behind one that is not one of them.

    For an order, there is one such claim for each pairing: that the better bot is behind.
    """
    if settings.decide == "order":
        return bots * (bots - 1) // 2
    return max(1, *(size * (bots - size) for size in list_sizes(settings, bots)))


def learn(entrants: _Entrants, bots: Sequence[str], games: Iterable[StoredGame]) -> Knowledge:
    """Return what the games between some of the bots have shown."""
    return know(entrants, bots, count_pairings(bots, games))


def know(entrants: _Entrants, bots: Sequence[str], counts: dict[Pairing, PairingCount]) -> Knowledge:
    """Return what counted pairs of games between some of the bots have shown."""
    size = len(entrants.bots)
    limits = Limits(entrants.settings.error, entrants.settings.width, count_claims(entrants.settings, size))
    return Knowledge(tuple(bots), counts, find_verdicts(counts, limits), limits.width)


def next_round(entrants: _Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Pair the bots whose games promise most for the decision; a bot that left is not paired again."""
    if not rounds:
        pairings, pairs = plan_first_round(entrants)
        return _make_round(entrants, 1, pairings, {}, pairs)
    bots = [bot for bot in entrants.bots if bot not in entrants.gone]
    sizes = list_sizes(entrants.settings, len(bots))
    played = Counter[Pairing]()
    for one in rounds:
        for meeting in one.fixtures.meetings:
            played[meeting.one, meeting.two] += one.fixtures.pairs
    pairings, pairs = choose_round(
        learn(entrants, bots, games),
        sizes,
        sum(played.values()),
        entrants.settings.max_games // _PAIR,
        [derive_seed(entrants.seed, "until sure", entrants.stage, len(rounds), draw) for draw in range(len(bots))],
    )
    return _make_round(entrants, len(rounds) + 1, pairings, played, pairs)


def choose_round(
    knowledge: Knowledge, sizes: Sequence[int], played: int, most: int, numbers: Sequence[int]
) -> tuple[list[Pairing], int]:
    """Choose the pairings of a round and the pairs of games of each; none if no more games are needed.

    `played` pairs of games were played, of at most `most`.  `numbers` are random.
    """
    wanted = min(max(len(knowledge.bots) // 2, ceil(_GROWTH * played)), most - played)
    if wanted <= 0:
        return [], 0
    # Each number chooses by itself: the more pairings could decide, the more there are in a round.
    chosen = (choose_pairing(knowledge, sizes, (), number) for number in numbers)
    pairings = [*dict.fromkeys(pairing for pairing in chosen if pairing is not None)][:wanted]
    return pairings, wanted // max(1, len(pairings))


def plan_first_round(entrants: _Entrants) -> tuple[list[Pairing], int]:
    """List the pairings of the first round, and the pairs of games of each.

    They are those of some Berger rounds, or of all if each bot plays more games than it has opponents.
    """
    wanted = ceil(entrants.settings.min_games / _PAIR)
    table = make_berger_table(entrants.bots)
    played = dict.fromkeys(entrants.bots, 0)
    found: list[Pairing] = []
    for pairings in table:
        if min(played.values()) >= wanted:
            break
        for one, two in pairings:
            played[one] += 1
            played[two] += 1
            found.append(_order_by_seed(entrants, one, two))
    return found, max(1, ceil(wanted / min(played.values())))


def _order_by_seed(entrants: _Entrants, one: str, two: str) -> Pairing:
    return (one, two) if entrants.bots.index(one) < entrants.bots.index(two) else (two, one)


def _make_round(
    entrants: _Entrants, number: int, pairings: Sequence[Pairing], played: Mapping[Pairing, int], pairs: int
) -> Round:
    """Make the round of a number, from 1, after so many pairs of games of each pairing."""
    round_ = entrants.first_round + number - 1
    meetings = tuple(Meeting(*pairing, round_, played.get(pairing, 0) + 1) for pairing in pairings)
    fixtures = Fixtures(meetings, pairs=pairs, stage=entrants.stage)
    return Round(fixtures, extra=0 if number == 1 else len(fixtures))


def _check(entrants: _Entrants) -> None:
    """Raise ConfigError if the settings contradict each other or the number of bots."""
    settings, bots = entrants.settings, len(entrants.bots)
    if isinstance(settings.decide, int) and settings.decide >= bots:
        raise ConfigError(f"decide: is {settings.decide}, must be less than the number of bots, {bots}")
    if (least := _count_least(entrants)) > settings.max_games:
        raise ConfigError(
            f"max_games: is {settings.max_games}, but min_games = {settings.min_games} takes {least} games; "
            "change one of them"
        )


def _count_least(entrants: _Entrants) -> int:
    pairings, pairs = plan_first_round(entrants)
    return _PAIR * pairs * len(pairings)


# --- standings ------------------------------------------------------------------------------------


def rank(entrants: _Entrants, games: Iterable[StoredGame], byes: Sequence[RoundBye]) -> tuple[Standing, ...]:
    """Rank the bots by what the games have shown, then by the expected score against all others, each counted equally.

    Points and points per game do not count: some bots play more games than others, and against stronger opponents.
    A bot is decided by rate if it is not known of every other bot which one is ahead.  Bots that left come last.
    """
    games = tuple(games)
    known, gone = _learn_present(entrants, games)
    found = {one.bot: one for one in entrants.rank(games, byes, ("average",))}
    standings = [
        replace(
            found[known.bots[bot]],
            rank=rank_,
            tie_breaks={**found[known.bots[bot]].tie_breaks, "rate": _write_rate(known, bot)},
            decided_by=None if known.is_placed(bot) else "rate",
        )
        for bot, rank_ in zip(known.order, known.ranks, strict=True)
    ]
    last = [replace(found[bot], rank=len(standings) + 1, decided_by=None) for bot in gone]
    return (*standings, *last)


def tabulate(
    entrants: _Entrants, _order: Sequence[str], games: Sequence[StoredGame], _byes: Sequence[RoundBye]
) -> PlainTable:
    """Make the table of what is known about each bot and the one below it."""
    known, _ = _learn_present(entrants, games)
    settings = entrants.settings
    played = Counter(bot for game in games for bot in (game.red, game.blue))
    rows: list[tuple[str | float | None, ...]] = []
    for place, bot in enumerate(known.order):
        below = known.order[place + 1] if place + 1 < len(known.order) else None
        name = known.bots[bot]
        row = (known.ranks[place], name, played[name], _write_rate(known, bot))
        if below is None:
            rows.append((*row, None, None, None))
            continue
        direct = known.count(bot, below)
        rows.append((*row, known.bots[below], sum(direct.counts), _WORDS[known.find_verdict(bot, below)]))
    error = f"{100 * settings.error:g} %"
    goal = f"the best {settings.decide}" if isinstance(settings.decide, int) else f"the {settings.decide}"
    is_sure = not list_open(known, list_sizes(settings, len(known.bots)))
    state = phrase("certain", error=error) if is_sure else phrase("not_certain")
    return PlainTable(
        phrase("certain_title", goal=goal, what=state),
        ("rank", "bot", "games", "rate %", "next", "pairs", "compared with the next"),
        tuple(rows),
        (
            phrase("certain_ranking"),
            phrase("certain_limits", width=f"{settings.width:g}", least=settings.min_games, most=settings.max_games),
        ),
    )


def _learn_present(entrants: _Entrants, games: Sequence[StoredGame]) -> tuple[Knowledge, list[str]]:
    """Return what is known about the bots that did not leave, and the others."""
    gone = find_absent(games) | entrants.gone
    present = [bot for bot in entrants.bots if bot not in gone]
    return learn(entrants, present, games), [bot for bot in entrants.bots if bot in gone]


def _write_rate(known: Knowledge, bot: int) -> float:
    return round(100 * known.expect_rate(bot), 1)


ROUND_ROBIN_UNTIL_SURE: Final = Format(
    name="round-robin",
    pairings=('with `games = "until sure"`, the bots play the games that decide, until the result is certain'),
    settings=RoundRobinSettings,
    check=_check,
    next_round=next_round,
    least=_count_least,
    most=lambda entrants: entrants.settings.max_games,
    rank=rank,
    tabulate=tabulate,
    is_closed=True,
)
