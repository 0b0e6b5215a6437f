"""A match of two bots as sheets: Elo, pairs of games, and SPRT."""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final

from msgspec import Struct

from arbiter.languages.phrase import Phrase, join_phrases, phrase
from arbiter.show.tables.ratings import (
    describe_red_advantage,
    describe_repeats,
    estimate_columns,
    estimate_object,
    likelihood_column,
)
from arbiter.show.tables.sheet import JSON, SHOWN, Column, Sheet
from arbiter.show.text import number, tidied
from arbiter.tournament.ratings.pairs import Pentanomial
from arbiter.tournament.ratings.sprt import Hypothesis, Sprt, SprtRun
from arbiter.tournament.ratings.values import Estimate, Forecast
from arbiter.tournament.standings.crosstable import Tally

_BAR: Final = 10  # characters on each side of 0
PAIR_RESULTS: Final = ("LL", "LD", "DD or WL", "WD", "WW")  # of the first bot


class MatchResult(Struct, frozen=True, kw_only=True):
    """The result of a match from the view of its first bot.  Values that no game determines are None."""

    bot: str
    opponent: str
    as_red: Tally
    """The games of the first bot with this colour."""
    as_blue: Tally
    elo: Estimate | None
    normalized: Estimate | None = None
    """In normalized Elo."""
    is_corrected: bool = False
    """The estimates allow for the early stop of a sequential test."""
    superiority: float | None
    red_advantage: Estimate | None
    pairs: Pentanomial
    """Identical games count once."""
    counted_games: int = 0
    """Games that are evidence of strength, repeats included."""
    distinct_games: int = 0
    """Different ones."""
    is_ended_by_repeats: bool = False
    forfeits: Mapping[str, int] = {}
    """Number of games that each of the two bots forfeited, without those that forfeited none."""
    without_forfeits: Tally | None = None
    """The results of the first bot without forfeited games; None if there are no other games."""
    elo_without_forfeits: Estimate | None = None
    deployments: int = 0
    """Number of deployments in the book of the match; 0 without one."""
    earlier_runs: Sequence[SprtRun] = ()
    """The games by the tests of earlier runs, if they had other settings."""

    @property
    def tally(self) -> Tally:
        """All games of the first bot."""
        return self.as_red + self.as_blue


_RESULT: Final[tuple[Column[MatchResult], ...]] = (
    Column("bot", on=JSON),
    Column("opponent", on=JSON),
    Column("score", value=lambda one: tidied(one.tally.score)),
    Column("games", value=lambda one: one.tally.games),
    Column(
        "score_percent",
        value=lambda one: round(100 * one.tally.score / one.tally.games, 1) if one.tally.games else None,
        on=SHOWN,
    ),
    *estimate_columns("elo", lambda one: one.elo, ("elo", "low", "high")),
    *estimate_columns("normalized_elo", lambda one: one.normalized, ("nElo", "nElo low", "nElo high")),
    Column("corrected", value=lambda one: one.is_corrected, on=JSON),
    Column("red_advantage", value=lambda one: estimate_object(one.red_advantage), on=JSON),
    likelihood_column("los", lambda one: one.superiority),
    Column("pairs", value=lambda one: _pairs_object(one.pairs), on=JSON),
    Column("distinct_games", on=JSON),
    Column("ended_by_repeats", value=lambda one: one.is_ended_by_repeats, on=JSON),
    Column("forfeits", value=lambda one: dict(one.forfeits), on=JSON),
    Column("elo_without_forfeits", value=lambda one: estimate_object(one.elo_without_forfeits), on=JSON),
    Column("as_red", value=lambda one: _tally_object(one.as_red), on=JSON),
    Column("as_blue", value=lambda one: _tally_object(one.as_blue), on=JSON),
)
_PAIRS: Final[tuple[Column[Pentanomial], ...]] = tuple(
    Column(head, value=itemgetter(at)) for at, head in reversed(list(enumerate(PAIR_RESULTS)))
)


def match_sheets(result: MatchResult, run: SprtRun | None) -> tuple[Sheet, ...]:
    """Make the sheets of a match of two bots; for programs it is one object."""
    test = (
        None
        if run is None
        else make_test_object(run, [str(describe_sprt(one, result.bot)) for one in result.earlier_runs])
    )
    sprt: Column[MatchResult] = Column("sprt", value=lambda _: test, on=JSON)
    return (
        Sheet(
            title=phrase("match_of", bot=result.bot, opponent=result.opponent),
            columns=(*_RESULT, sprt),
            items=(result,),
            kind="match",
            notes=(
                *([phrase("corrected")] if result.is_corrected else []),
                *_describe_forfeits(result),
                *_describe_colours(result),
                *([] if result.red_advantage is None else [describe_red_advantage(result.red_advantage)]),
            ),
        ),
        Sheet(
            title=phrase("pairs_of_games", bot=result.bot),
            columns=_PAIRS,
            items=(result.pairs,),
            data=(),
            notes=(
                *([] if run is None else [describe_sprt(run, result.bot), *_doubt_verdict(result, run)]),
                *_describe_earlier_runs(result),
                *_describe_repeats(result),
            ),
        ),
    )


def make_test_object(run: SprtRun, earlier: Sequence[str] = ()) -> dict[str, object]:
    """Make the object of a sequential test for programs; `earlier` describes tests with other bounds."""
    return {field: getattr(run.sprt, field) for field in ("elo0", "elo1", "alpha", "beta", "model")} | {
        "llr": round(run.llr, 4),
        "lower": round(run.sprt.lower, 4),
        "upper": round(run.sprt.upper, 4),
        "pairs": _pairs_object(run.counts),
        "verdict": run.accepted,
        "later_pairs": run.later_pairs,
        "earlier": earlier,
    }


def _tally_object(tally: Tally) -> dict[str, float]:
    return {"score": tidied(tally.score), "games": tally.games}


def _describe_colours(result: MatchResult) -> Iterator[Phrase]:
    """Describe the scores of the first bot with each colour, if it has played both."""
    if result.as_red.games and result.as_blue.games:
        red, blue = (number(round(100 * one.score / one.games, 1)) for one in (result.as_red, result.as_blue))
        yield phrase("scores_by_colour", bot=result.bot, red=red, blue=blue)


def candidates_sheet(results: Sequence[tuple[MatchResult, SprtRun | None]], sprt: Sprt | None) -> Sheet:
    """Make the sheet of matches of several candidates against one baseline; `sprt` has the alpha of all together."""
    baseline = results[0][0].opponent
    runs = {result.bot: run for result, run in results if run is not None}

    def describe(result: MatchResult) -> Phrase | None:
        run = runs.get(result.bot)
        if run is None or sprt is None:
            return None
        return phrase("not_decided") if run.accepted is None else _describe_difference(sprt, run.accepted)

    columns: tuple[Column[MatchResult], ...] = (
        Column("bot", align="left", on=SHOWN),
        *(column for column in _RESULT if column.on != JSON and not column.key.startswith("normalized")),
        Column(
            "llr",
            value=lambda one: round(runs[one.bot].llr, 2) if one.bot in runs else None,
            on=SHOWN,
            is_optional=True,
        ),
        Column("verdict", value=describe, align="left", on=SHOWN, is_optional=True),
    )
    notes: list[str] = []
    if sprt is not None:
        notes.append(
            phrase(
                "sprt_candidates",
                **_list_settings(sprt),
                candidates=len(results),
                each=f"{sprt.alpha / len(results):.3g}",
            )
        )
    if any(result.is_corrected for result, _ in results):
        notes.append(phrase("corrected_candidates"))
    for describe_games in (_describe_forfeits, _describe_earlier_runs):
        notes += [note for result, _ in results for note in describe_games(result)]
    return Sheet(
        title=phrase("candidates", baseline=baseline),
        columns=columns,
        items=[result for result, _ in results],
        notes=tuple(notes),
        data=[dict(line) for result, run in results for line in match_sheets(result, run)[-2].objects],
    )


def describe_llr(run: SprtRun, *, has_bar: bool = True) -> str:
    """Describe the progress of an SPRT between its bounds in a few words."""
    if run.accepted:
        return f"LLR {run.llr:.2f}: {run.accepted} accepted"
    if not has_bar:
        return f"LLR {run.llr:.2f}"
    below = min(_BAR, round(_BAR * max(0.0, run.llr / run.sprt.lower)))
    above = min(_BAR, round(_BAR * max(0.0, run.llr / run.sprt.upper)))
    bar = f"{'=' * below:.>{_BAR}}|{'=' * above:.<{_BAR}}"
    return f"LLR {run.llr:.2f} [{bar}] ({run.sprt.lower:.2f} to {run.sprt.upper:.2f})"


def describe_forecast(sprt: Sprt, expected: Sequence[Forecast], most_games: int, *, is_measured: bool) -> str:
    """Describe how many games an SPRT is expected to take."""
    cases = [
        f"{round(2 * one.pairs)} if the difference is {number(round(one.elo, 1))} Elo "
        f"({2 * one.low} to {2 * one.high}; no result after {most_games}: {100 * one.undecided:.0f} %)"
        for one in expected
    ]
    basis = (
        "with as many draws as so far; the ranges contain about 90 % of tests"
        if is_measured
        else "if no game is drawn; the ranges contain about 90 % of tests with no draws to half of the games drawn"
    )
    return f"SPRT, expected games: {', '.join(cases)}, {basis}"


def describe_sprt(run: SprtRun, bot: str) -> Phrase:
    """Describe the outcome of an SPRT in a sentence, or two if pairs came after it."""
    sprt = run.sprt
    outcome = phrase("not_decided_yet")
    if run.accepted is not None:
        difference = _describe_difference(sprt, run.accepted)
        outcome = phrase("accepted", hypothesis=run.accepted, bot=bot, difference=difference)
    sentence = phrase(
        "sprt",
        **_list_settings(sprt),
        llr=f"{run.llr:.2f}",
        lower=f"{sprt.lower:.2f}",
        upper=f"{sprt.upper:.2f}",
        count=sum(run.counts),
        outcome=outcome,
    )
    if not run.later_pairs:
        return sentence
    return join_phrases(" ", [sentence, phrase("later_pairs", count=run.later_pairs)])


def _list_settings(sprt: Sprt) -> dict[str, str]:
    """List the settings of a test for sentences, by their placeholders."""
    return {name: number(getattr(sprt, name)) for name in ("elo0", "elo1", "alpha", "beta")} | {"model": sprt.model}


def _doubt_verdict(result: MatchResult, run: SprtRun) -> Iterator[Phrase]:
    """Warn of a verdict that rests on the forfeits of a bot."""
    for bot, count in result.forfeits.items():
        if run.accepted is not None and 2 * count >= result.tally.games:
            yield phrase(
                "verdict_of_forfeits",
                bot=bot,
                forfeits=count,
                games=phrase("count_games", count=result.tally.games),
            )


def _describe_earlier_runs(result: MatchResult) -> Iterator[Phrase]:
    """Describe what the same games show by other tests of earlier runs, if there were any."""
    for run in result.earlier_runs:
        yield phrase("earlier_test", test=describe_sprt(run, result.bot))
    if result.earlier_runs:
        yield phrase("tests_chosen_late")


def _describe_difference(sprt: Sprt, accepted: Hypothesis) -> Phrase:
    """Describe what a test has shown: with H1 a difference of more than ELO0, with H0 one of less than ELO1."""
    if accepted == "H1":
        limit = sprt.elo0
        key = "ahead_by" if limit > 0 else "ahead_or_little_behind" if limit else "ahead"
    else:
        limit = sprt.elo1
        key = "behind_by" if limit < 0 else "behind_or_little_ahead" if limit else "behind"
    return phrase(key, elo=number(abs(limit)))


def _describe_forfeits(result: MatchResult) -> Iterator[Phrase]:
    """Describe the forfeited games, if there are any, and what the others show."""
    if not result.forfeits:
        return
    who = ", ".join(f"{bot} {count}" for bot, count in result.forfeits.items())
    start = phrase("forfeits_count", who=who, games=phrase("count_games", count=result.tally.games))
    left, elo = result.without_forfeits, result.elo_without_forfeits
    if left is None:
        yield join_phrases(" ", [start, phrase("no_other_games")])
        return
    key = "without_forfeits"
    values = {"bot": result.bot, "score": number(left.score), "games": phrase("count_games", count=left.games)}
    if elo is not None:
        key = "without_forfeits_elo"
        values |= {"elo": f"{elo.elo:.0f}", "low": f"{elo.low:.0f}", "high": f"{elo.high:.0f}"}
    yield join_phrases(" ", [start, phrase(key, **values)])


def _describe_repeats(result: MatchResult) -> Iterator[str]:
    """Describe the repeated games, if there are any, and how to get new ones."""
    if result.distinct_games == result.counted_games:
        return
    yield describe_repeats(result.counted_games, result.distinct_games)
    if result.is_ended_by_repeats:
        yield phrase("ended_by_repeats")
    yield phrase("new_games_book" if result.deployments else "new_games_setups")


def _pairs_object(counts: Sequence[int]) -> dict[str, int]:
    return dict(reversed(list(zip(PAIR_RESULTS, counts, strict=True))))
