"""A queue of tests as sheets: the tests with their results, and the history of the versions."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import asdict

from arbiter.clock import write_duration
from arbiter.errors import write_command, write_count
from arbiter.languages.sentences import write_reason
from arbiter.show.results import summarise_match
from arbiter.show.tables.match import MatchResult, make_test_object
from arbiter.show.tables.ratings import estimate_columns, estimate_object
from arbiter.show.tables.sheet import JSON, SHOWN, Coded, Column, Sheet
from arbiter.show.text import list_counts
from arbiter.tournament.queue import QueuedResults, QueuedTest, Version
from arbiter.tournament.ratings.values import Rating, Ratings
from protocol.words import SEATS

_DIGITS: Final = 10  # of a date


class QueueRow(Struct, frozen=True, kw_only=True):
    """A test as the table shows it."""

    found: QueuedResults
    result: MatchResult | None
    """None before the first game."""
    games_left: float
    """Expected number of games."""
    pace: float | None
    """Seconds for each game, that of the whole queue before the first game; None if none was played."""

    @property
    def test(self) -> QueuedTest:
        return self.found.test

    @property
    def seconds_left(self) -> float | None:
        """The expected time, if games were played."""
        return None if self.pace is None else self.games_left * self.pace

    @property
    def state(self) -> Coded:
        """The state of the test, or its outcome."""
        test = self.test
        if test.decision == "cancelled":
            return Coded("cancelled", "cancelled")
        if self.found.is_over:
            run = self.found.run
            if run is not None and run.accepted is not None:
                return Coded(run.accepted, "passed" if run.accepted == "H1" else "failed")
            return Coded("finished", "finished" if run is None else "undecided")
        if self.found.is_played:
            return Coded("playing", "playing")
        if test.decision != "ready":
            return Coded(test.decision, test.decision)
        return Coded("begun", "begun") if self.found.games else Coded("waiting", "waiting")


def make_rows(tests: Sequence[QueuedResults]) -> list[QueueRow]:
    """Make the rows of tests."""
    from arbiter.tournament.ratings.sequential import expect_pairs_left  # noqa: PLC0415 - numpy is slow to import

    played = sum(len(one.games) for one in tests)
    usual = sum(one.seconds for one in tests) / played if played else None
    rows = []
    for one in tests:
        left: float = max(0, one.total - len(one.games))
        if one.is_over or one.test.decision == "cancelled":
            left = 0.0
        elif one.run is not None:
            left = len(SEATS) * expect_pairs_left(one.run, int(left) // len(SEATS))
        result = None
        if one.match is not None and one.manifest is not None and one.games:
            result = summarise_match(one.match, one.manifest, one.games)
        pace = one.seconds / len(one.games) if one.games else usual
        rows.append(QueueRow(found=one, result=result, games_left=left, pace=pace))
    return rows


def _write_llr(row: QueueRow) -> str | None:
    run = row.found.run
    return None if run is None else f"{run.llr:.2f} ({run.sprt.lower:.2f}, {run.sprt.upper:.2f})"


def _write_elo(row: QueueRow) -> str | None:
    elo = None if row.result is None else row.result.elo
    return None if elo is None else f"{elo.elo:.0f} ({elo.low:.0f}, {elo.high:.0f})"


def _count(row: QueueRow) -> tuple[int, int, int]:
    """Count the games that the new version won, drew and lost; forfeits count as losses."""
    if row.result is None:
        return 0, 0, 0
    tally = row.result.tally
    return tally.wins, tally.draws, tally.losses + tally.forfeits


def _write_left(row: QueueRow) -> str | None:
    if not row.games_left:
        return None
    if row.seconds_left is None:
        return f"{row.games_left:.0f} games"
    return write_duration(row.seconds_left)


_TESTS: Final[tuple[Column[QueueRow], ...]] = (
    Column("test", value=lambda row: row.test.number, width="keep"),
    Column("version", value=lambda row: row.test.file.bot_names[0], align="left", width="keep"),
    Column("baseline", value=lambda row: row.test.file.bot_names[1], align="left", width="keep"),
    Column("state", align="left", width="keep"),
    Column("priority", value=lambda row: row.test.priority, is_optional=True),
    Column("sprt", value=lambda row: None if row.found.run is None else make_test_object(row.found.run), on=JSON),
    Column("llr", "LLR", value=_write_llr, on=SHOWN, is_optional=True),
    Column("elo", value=lambda row: estimate_object(None if row.result is None else row.result.elo), on=JSON),
    Column("elo", "Elo", value=_write_elo, on=SHOWN),
    Column("games", value=lambda row: len(row.found.games)),
    Column("most_games", value=lambda row: row.found.total, on=JSON),
    Column("won", value=lambda row: _count(row)[0], on=JSON),
    Column("drawn", value=lambda row: _count(row)[1], on=JSON),
    Column("lost", value=lambda row: _count(row)[2], on=JSON),
    Column("results", "W/D/L", value=lambda row: "/".join(map(str, _count(row))), on=SHOWN),
    Column(
        "forfeits",
        value=lambda row: {} if row.result is None else dict(row.result.forfeits),
        text=lambda row: 0 if row.result is None else sum(row.result.forfeits.values()),
        is_optional=True,
        tone="warn",
    ),
    Column(
        "seconds",
        "elapsed",
        value=lambda row: round(row.found.seconds, 1),
        text=lambda row: write_duration(row.found.seconds) if row.found.games else None,
    ),
    Column("games_left", value=lambda row: round(row.games_left), on=JSON),
    Column(
        "seconds_left",
        "left",
        value=lambda row: None if row.seconds_left is None else round(row.seconds_left, 1),
        text=_write_left,
    ),
    Column(
        "note", value=lambda row: row.test.note, text=lambda row: row.test.note or None, align="left", is_optional=True
    ),
    Column("added", value=lambda row: row.test.added, on=JSON),
    Column("path", value=lambda row: str(row.found.path), on=JSON),
)


def make_queue_sheet(rows: Sequence[QueueRow], hidden: int) -> Sheet:
    """Make the sheet of the tests; `hidden` is the number of finished ones that are left out."""
    notes = []
    if hidden:
        notes.append(f"{write_count(hidden, 'finished test')} more: {write_command('queue', 'list', '--all')}")
    for row in rows:
        forfeits = {} if row.result is None else row.result.forfeits
        if any(2 * count >= len(row.found.games) for count in forfeits.values()):
            lost = next(game for game in row.found.games if game.forfeiters)
            notes.append(
                f"Test {row.test.number} shows little about strength: forfeits ({list_counts(forfeits)}) of "
                f"{write_count(len(row.found.games), 'game')}. How: {write_command('explain', row.found.path, lost.id)}"
            )
        if row.state.code == "stopped":
            go_on = write_command("queue", "resume", str(row.test.number))
            notes.append(f"Test {row.test.number} was stopped: {write_reason(row.test.reason)}. To play on: {go_on}")
    waiting = [row for row in rows if row.test.decision == "ready" and row.games_left]
    seconds = [row.seconds_left for row in waiting if row.seconds_left is not None]
    if waiting and len(seconds) == len(waiting):
        games = sum(len(row.found.games) for row in rows)
        minutes = sum(row.found.seconds for row in rows) / 60
        notes.append(
            f"Expected time of the tests that are not over: {write_duration(sum(seconds))}; so far "
            f"{games / minutes:.0f} games a minute."
        )
    if any(row.found.games for row in rows):
        notes.append(f"Results: {rows[-1].found.path.with_name('test-N.sqlite')}")
    return Sheet(
        title="Tests: Elo with 95 % interval, LLR with its bounds",
        columns=_TESTS,
        items=rows,
        kind="test",
        notes=tuple(notes),
    )


# --- history --------------------------------------------------------------------------------------


class VersionRow(Struct, frozen=True, kw_only=True):
    """A version as the history shows it."""

    version: Version
    rating: Rating
    rules: str
    tests: int
    """Number of tests in which it has played."""


_HISTORY: Final[tuple[Column[VersionRow], ...]] = (
    Column("version", value=lambda row: row.version.name, align="left", width="keep"),
    Column(
        "committed",
        value=lambda row: None if row.version.source is None else row.version.source.committed,
        text=lambda row: "" if row.version.source is None else row.version.source.committed[:_DIGITS],
        align="left",
    ),
    Column("rules", on=JSON),
    *estimate_columns("elo", lambda row: row.rating.rating, ("Elo", "low", "high")),
    Column("games", value=lambda row: row.rating.games),
    Column("tests"),
    Column(
        "subject",
        value=lambda row: "" if row.version.source is None else row.version.source.subject,
        align="left",
    ),
    Column("commit", value=lambda row: None if row.version.source is None else row.version.source.commit, on=JSON),
    Column("digest", value=lambda row: row.version.digest, on=JSON),
)


def make_version_rows(
    versions: Iterable[Version], tests: Sequence[QueuedTest], ratings: Ratings, rules: str
) -> list[VersionRow]:
    """Make the rows of versions that have played the tests."""
    rated = {one.bot: one for one in ratings.bots}
    return [
        VersionRow(
            version=version,
            rating=rated[version.name],
            rules=rules,
            tests=sum(version.name in test.file.bot_names for test in tests),
        )
        for version in versions
        if version.name in rated
    ]


def history_sheet(rules: str, anchor: str, rows: Sequence[VersionRow]) -> Sheet:
    """Make the sheet of the versions that have played under the same rules; the rating of `anchor` is fixed."""
    groups = {row.rating.group for row in rows}
    notes = ["Numbers of versions that no games connect, even through others, cannot be compared."]
    return Sheet(
        title=f"Versions in {rules}: Elo with {anchor}, and 95 % interval",
        columns=_HISTORY,
        items=rows,
        kind="version",
        notes=tuple(notes) if len(groups) > 1 else (),
    )


def describe_rules(test: QueuedTest) -> str:
    """Describe rules and time of a test in a few words."""
    file = test.file
    time = file.time
    move = "" if time.move_s is None else f"/{time.move_s:g}"
    overrides = asdict(file.merge_overrides())
    changes = [f"{key}={value}" for key, value in overrides.items() if value is not UNSET]
    words = [file.rule_set, *file.options, *changes, f"{time.bank_s:g}+{time.increment_s:g}{move}"]
    return ", ".join(words)
