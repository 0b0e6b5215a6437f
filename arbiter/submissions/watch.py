"""Versions of submissions in a ladder that is being played: they join, replace others, and are put in quarantine."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from arbiter.director.bundle import write_bundle
from arbiter.errors import ConfigError
from arbiter.games.base import Ending
from arbiter.submissions.store import Quarantine, SubmissionDecisions, Submissions, write_time
from arbiter.submissions.versions import ARBITER, add_versions, list_authors, name_version, settle
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.rulings import Decision, Request, make_ruling
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.reasons import TriedAgain

BUNDLES: Final = "contests"
"""Folder with the evidence of contested games, by the numbers of the contests."""
QUARANTINE: Final = timedelta(hours=24)
"""Time after which a version in quarantine plays once more."""
CRASHES: Final[frozenset[Ending]] = frozenset({"crash", "no_start", "killed"})
MOST_CRASHES: Final = 3
_FEWEST_OPPONENTS: Final = 2
_TROUBLE_MS: Final = 1000.0  # stall of the arbiter


def select_crashes(games: Iterable[StoredGame], bot: str, since: str) -> list[StoredGame]:
    """Select the games since a time that a bot has lost by a crash, unless the arbiter was in trouble."""

    def was_calm(game: StoredGame) -> bool:
        conditions = game.conditions
        return conditions is None or (not conditions.excused and conditions.lag_ms < _TROUBLE_MS)

    return [
        game
        for game in games
        if game.ending in CRASHES and bot in game.forfeiters and game.started >= since and was_calm(game)
    ]


def deserves_quarantine(crashes: Sequence[StoredGame]) -> bool:
    """Return True if a bot has crashed often enough, against several opponents."""
    bots = {bot for game in crashes for bot in (game.red, game.blue)}
    return len(crashes) >= MOST_CRASHES and len(bots) > _FEWEST_OPPONENTS


class VersionWatch:
    """Versions that join a ladder, replace others, or are put in quarantine, while it is played."""

    def __init__(
        self,
        tournament: Tournament,
        submissions: Submissions,
        results: Path,
        notify: Callable[[str], object] = lambda _text: None,
    ) -> None:
        """Watch the decisions about the submissions of a tournament file without versions.

        `notify` receives what this waits for.
        """
        self._tournament = tournament
        self._submissions = submissions
        self._results = results
        self._notify = notify
        self._seen: object = ()
        self._crashed: list[str] = []
        self._retry_at: datetime | None = None
        """The next time at which a version in quarantine plays once more."""

    def note(self, game: StoredGame) -> None:
        """Note a game that is over."""
        if game.ending in CRASHES:
            self._crashed.extend(game.forfeiters)

    def find(self) -> Tournament | None:
        """Return the tournament with versions that join now, after new decisions.  Raises ConfigError."""
        while self._crashed:
            self._judge(self._crashed.pop())
        if self._retry_at is not None and datetime.now(UTC) >= self._retry_at:
            self._try_again()
        now = self._submissions.sign_decisions()
        if now == self._seen:
            return None
        self._seen = now
        self._retry_at = min((end for _, end in self._list_rests()), default=None)
        folder = self._tournament.folder or Path()
        file = add_versions(self._tournament.file, folder, self._submissions, self._results)
        with Results.read(self._results) as stored:
            known = stored.manifest.tournament.bot_names
        if known == file.bot_names:
            self.settle()
            return None
        return replace(resolve(file, folder), path=self._tournament.path)

    def settle(self) -> None:
        """Let versions that were replaced play no longer, and write the evidence of contests.  Raises ConfigError."""
        settle(self._submissions, self._results, self._notify)
        for number, contest in enumerate(self._submissions.read_decisions().contests, start=1):
            file = self._submissions.folder / BUNDLES / f"{number}.zip"
            if not file.exists():
                file.parent.mkdir(mode=0o700, exist_ok=True)
                with Results.read(self._results) as stored:
                    write_bundle(stored, contest.game, file, None)

    # --- quarantine -------------------------------------------------------------------------------

    def _judge(self, bot: str) -> None:
        """Let the version before a bot play, if the bot is a submission that has crashed too often."""
        decisions = self._submissions.read_decisions()
        number = self._find_number(decisions, bot)
        if number is None:
            return
        since = decisions.since.get(number, "")
        with Results.read(self._results) as stored:
            crashes = select_crashes(stored.games_as_played(bot=bot), bot, since)
        if not deserves_quarantine(crashes):
            return
        games = [game.id for game in crashes]
        with self._submissions.deciding(ARBITER, "quarantined", number=number, games=games) as decisions:
            if self._find_number(decisions, bot) != number:
                raise ConfigError(f"{bot} was replaced before it could be put in quarantine")
            author = list_authors(self._submissions, decisions)[number]
            decisions.lines[author].pop()
            decisions.deciders[author] = ARBITER
            tries = decisions.quarantines[number].tries + 1 if number in decisions.quarantines else 0
            decisions.quarantines[number] = Quarantine(at=write_time(datetime.now(UTC)), games=games, tries=tries)

    def _find_number(self, decisions: SubmissionDecisions, bot: str) -> int | None:
        """Find the number of the submission that plays as a bot; None if it is none."""
        authors = list_authors(self._submissions, decisions)
        playing = [line[-1] for line in decisions.lines.values() if line]
        return next((number for number in playing if name_version(authors[number], number) == bot), None)

    def _list_rests(self) -> list[tuple[int, datetime]]:
        """List the versions in quarantine that play once more, and when."""
        found = self._submissions.read_decisions().quarantines.items()
        return [(number, datetime.fromisoformat(one.at) + QUARANTINE) for number, one in found if one.tries == 0]

    def _try_again(self) -> None:
        """Let versions play once more whose quarantine has lasted long enough, unless their author has a newer one."""
        for number, end in self._list_rests():
            if datetime.now(UTC) < end:
                continue
            known = self._submissions.read_decisions()
            author = list_authors(self._submissions, known)[number]
            is_wanted = author not in known.banned and max(known.lines[author], default=0) < number
            what = "tried again" if is_wanted else "not tried again"
            with self._submissions.deciding(ARBITER, what, author=author, number=number) as decisions:
                quarantine = decisions.quarantines[number]
                decisions.quarantines[number] = replace(quarantine, tries=quarantine.tries + 1)
                if is_wanted:
                    decisions.lines[author].append(number)
                    decisions.since[number] = write_time(datetime.now(UTC))
                    decisions.deciders[author] = ARBITER
            self.settle()  # a bot that is withdrawn cannot be reinstated
            with suppress(ConfigError):  # it was not suspended
                version = name_version(author, number)
                decision = Decision(by=ARBITER, reason=TriedAgain(version), force=True)
                request = Request(kind="reinstate", about=version)
                make_ruling(self._results, request, decision, self._notify)
