"""The decisions of an organiser about programs, authors and invitations, for the command line and the page."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict

from arbiter.errors import write_count
from arbiter.languages.sentences import describe_reason
from arbiter.remote.invitations import Invitation, Invitations
from arbiter.submissions.store import ContestedGame, ImpossibleDecision, Submissions
from arbiter.submissions.versions import name_version
from arbiter.submissions.watch import BUNDLES


def list_programs(submissions: Submissions) -> list[dict[str, Any]]:
    """List all submitted programs, with their states and versions."""
    decisions = submissions.read_decisions()
    playing = {line[-1] for line in decisions.lines.values() if line}
    return [
        {
            **{key: getattr(one, key) for key in ("number", "bot", "state", "created", "digest")},
            **describe_reason(one.reason),
            "version": name_version(one.bot, one.number) if one.number in decisions.parents else None,
            "plays": one.number in playing,
            "banned": one.bot in decisions.banned,
            "quarantine": one.number in decisions.quarantines and one.number not in playing,
            "rejected": decisions.rejected.get(one.number),
        }
        for one in submissions.list_all()
    ]


def list_contests(submissions: Submissions, ruled: Mapping[str, str]) -> list[dict[str, Any]]:
    """List the games whose results authors contest; `ruled` are the times of the last rulings on games."""
    return [
        {
            "number": number,
            **asdict(one),
            "state": "dismissed" if one.answer else "ruled" if ruled.get(one.game, "") >= one.at else "open",
            "evidence": str(submissions.folder / BUNDLES / f"{number}.zip"),
        }
        for number, one in enumerate(submissions.read_decisions().contests, start=1)
    ]


def list_invitations(invitations: Invitations, submissions: Submissions) -> list[dict[str, Any]]:
    """List all invitations, which are also the sessions of browsers."""
    banned = submissions.read_decisions().banned
    return [
        {
            **{key: getattr(one, key) for key in ("name", "id", "scope", "state", "created", "expires")},
            "banned": one.scope == "submit" and one.name in banned,
        }
        for one in invitations.all
    ]


def dismiss(submissions: Submissions, number: int, why: str, by: str) -> ContestedGame:
    """Keep the result of a contested game.  Raises ImpossibleDecision."""
    with submissions.deciding(by, "dismissed", contest=number, why=why) as decisions:
        if not 0 < number <= len(decisions.contests):
            raise ImpossibleDecision(f"there is no contest {number}", "list_contests")
        contest = decisions.contests[number - 1]
        contest.answer = why
    return contest


def ban(submissions: Submissions, author: str, why: str, by: str) -> None:
    """Let an author submit no more programs.  Raises ImpossibleDecision."""
    with submissions.deciding(by, "banned", author=author, why=why) as decisions:
        if author in decisions.banned:
            raise ImpossibleDecision(f"{author} is banned already", "lift_ban")
        decisions.banned[author] = why


def lift_ban(submissions: Submissions, author: str, by: str) -> None:
    """Let an author submit programs again.  Raises ImpossibleDecision."""
    with submissions.deciding(by, "ban lifted", author=author) as decisions:
        if decisions.banned.pop(author, None) is None:
            raise ImpossibleDecision(f"{author} is not banned")


def revoke(invitations: Invitations, submissions: Submissions, which: str, by: str) -> list[Invitation]:
    """Revoke all invitations with a name, or the one with an id; return them.  Raises ConfigError."""
    revoked = invitations.revoke(which) or invitations.revoke_one(which)
    if revoked:
        submissions.note(by, "revoked", invitation=which, text=write_count(len(revoked), "invitation"))
    return revoked
