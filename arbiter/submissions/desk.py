"""The desk for authors: their programs, versions and lost games, and their decisions about them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol

from arbiter.errors import ConfigError, write_count
from arbiter.languages.sentences import describe_reason, write_reason
from arbiter.submissions.store import OVER, ContestedGame, Submission, Submissions
from arbiter.submissions.versions import Change, find_before, find_playing, list_versions, promote, roll_back
from arbiter.tournament.config.tournament_file import SubmissionsTable
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame, is_lost_by

MOST_REASON: Final = 1000
"""Letters of the reason of a contest."""
_MOST_CONTESTS: Final = 5  # of an author within 24 hours
_MOST_LISTED: Final = 50  # programs, and lost games
_MOST_LOG: Final = 1 << 15  # letters


class LadderResults(Protocol):
    """The results of the ladder.  All methods may raise ConfigError."""

    def list_bots(self) -> Sequence[str]:
        """List the bots, with versions that have joined."""

    def list_last_games(self, bot: str) -> Iterable[StoredGame]:
        """List the last games of a bot as they are ruled, the last one first."""

    def find_own_game(self, game_id: str) -> StoredGame | None:
        """Find a game of the ladder as it is ruled; None if it is not stored."""

    def read_stderr(self, game: StoredGame, bot: str) -> str:
        """Return what a bot wrote to stderr in a game."""


class Desk:
    """The programs of all authors; each method raises ConfigError with a reason for the author."""

    def __init__(self, submissions: Submissions, settings: SubmissionsTable, results: LadderResults) -> None:
        self.submissions: Final = submissions
        self.settings: Final = settings
        self._results = results

    # --- programs ---------------------------------------------------------------------------------

    def describe(self, submission: Submission) -> dict[str, Any]:
        """Describe a program and its check, with the most programs that are examined before it: authors take turns."""
        others = [one for one in self.submissions.list_all() if one.state in ("waiting", "checking")]
        own = sum(one.bot == submission.bot and one.number < submission.number for one in others)
        counts = Counter(one.bot for one in others if one.bot != submission.bot)
        before = own + sum(min(count, own + 1) for count in counts.values())
        return {
            **self._describe_shortly(submission),
            "is_over": submission.state in OVER,
            "before": before,
            "steps": self.submissions.list_steps(submission.number),
        }

    def list_own(self, author: str) -> dict[str, Any]:
        """List the programs of an author, the last one first, and what the author may do."""
        own = [one for one in self.submissions.list_all() if one.bot == author]
        decisions = self.submissions.read_decisions()
        line = decisions.lines.get(author, [])
        bots = self._results.list_bots()
        return {
            "bot": author,
            "plays": find_playing(decisions, author, bots),
            "may_roll_back": bool(find_before(self.submissions, decisions, author, bots)),
            "may_promote": self.settings.promote != "approve",
            "max_mb": self.settings.max_mb,
            "programs": [
                self._describe_shortly(one)
                | {
                    "is_over": one.state in OVER,
                    "plays": line[-1:] == [one.number],
                    "rejected": decisions.rejected.get(one.number, ""),
                    "crashed_in": [] if (found := decisions.quarantines.get(one.number)) is None else found.games,
                }
                for one in reversed(own[-_MOST_LISTED:])
            ],
        }

    @staticmethod
    def _describe_shortly(submission: Submission) -> dict[str, Any]:
        shown = {key: getattr(submission, key) for key in ("number", "bot", "state", "digest", "created")}
        return shown | describe_reason(submission.reason)

    def find(self, author: str, number: int) -> Submission:
        """Find a program of an author."""
        found = self.submissions.find(number)
        if found is None or found.bot != author:
            raise ConfigError("you have submitted no program with this number")
        return found

    def promote(self, author: str, number: int) -> Change:
        """Let a program play instead of its author's version."""
        self.find(author, number)
        decisions = self.submissions.read_decisions()
        if number in decisions.rejected:
            raise ConfigError(f"the organiser does not let number {number} play: {decisions.rejected[number]}")
        if number in decisions.quarantines:
            raise ConfigError(f"number {number} crashed in several games; submit a version that does not")
        if self.settings.promote == "approve":
            raise ConfigError("here the organiser decides which programs play")
        return promote(self.submissions, number, self._results.list_bots(), author, per_day=self.settings.per_day)

    def roll_back(self, author: str, number: int) -> Change:
        """Let the version play again that a program has replaced."""
        self.find(author, number)
        return roll_back(self.submissions, number, self._results.list_bots(), author, per_day=self.settings.per_day)

    # --- lost games -------------------------------------------------------------------------------

    def list_lost(self, author: str) -> list[dict[str, Any]]:
        """List the last games that versions of an author have lost, the last one first."""
        contests = {one.game: one for one in self.submissions.read_decisions().contests}
        lost: list[tuple[StoredGame, str]] = []
        for bot in list_versions(self.submissions, author, self._results.list_bots()):
            games = (
                game for game in self._results.list_last_games(bot) if is_lost_by(game, bot) or game.id in contests
            )
            lost += [(game, bot) for game, _ in zip(games, range(_MOST_LISTED), strict=False)]
        lost.sort(key=lambda one: one[0].started, reverse=True)
        return [
            {
                "game": game.id,
                "version": bot,
                "opponent": game.blue if bot == game.red else game.red,
                "ending": game.ending,
                "reason": game.reason,
                "started": game.started,
                "ruling": write_reason(game.ruling.reason) if isinstance(game, RuledGame) else "",
                "contest": None if (contest := contests.get(game.id)) is None else contest.describe(),
            }
            for game, bot in lost[:_MOST_LISTED]
        ]

    def read_log(self, author: str, game_id: str) -> str:
        """Return the last lines that a version of an author wrote to stderr in a game."""
        game, bot = self._find_game(author, game_id)
        return self._results.read_stderr(game, bot)[-_MOST_LOG:]

    def contest(self, author: str, game_id: str, why: str) -> ContestedGame:
        """Contest a game that a version of an author has lost: the organiser rules on it."""
        game, bot = self._find_game(author, game_id)
        why = " ".join(why.split())
        if not why or len(why) > MOST_REASON:
            raise ConfigError(f"the reason is empty or has more than {MOST_REASON} letters")
        if not is_lost_by(game, bot):
            raise ConfigError(f"{bot} has not lost this game")
        now = datetime.now(UTC)
        made = ContestedGame(game=game_id, author=author, version=bot, why=why, at=now.isoformat(timespec="seconds"))
        with self.submissions.deciding(author, "contested", author=author, game=game_id, why=why) as decisions:
            if any(one.game == game_id for one in decisions.contests):
                raise ConfigError("this game was contested already")
            day = (now - timedelta(days=1)).isoformat(timespec="seconds")
            if sum(one.author == author and one.at > day for one in decisions.contests) >= _MOST_CONTESTS:
                raise ConfigError(
                    f"{write_count(_MOST_CONTESTS, 'game')} in 24 hours can be contested; wait until then"
                )
            decisions.contests.append(made)
        return made

    def _find_game(self, author: str, game_id: str) -> tuple[StoredGame, str]:
        """Find a game of a version of an author."""
        game = self._results.find_own_game(game_id)
        for bot in list_versions(self.submissions, author, self._results.list_bots()):
            if game is not None and bot in (game.red, game.blue):
                return game, bot
        raise ConfigError("your versions have not played this game")
