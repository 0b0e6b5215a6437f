"""Submissions that were promoted: each plays the ladder as a version of its own, and one of each author at a time.

The others are withdrawn by rulings, so that their games and ratings stay, and the version before can play again at
once.
"""

import os
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.submissions.store import (
    ENTRIES,
    SUFFIX,
    ImpossibleDecision,
    State,
    Submission,
    SubmissionDecisions,
    Submissions,
    write_time,
)
from arbiter.submissions.wheels import configure_bot
from arbiter.tournament.config.bot_config import BotConfig, SubmittedFiles
from arbiter.tournament.config.tournament import Tournament, find_programs, load_tournament, resolve
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.entries import OWN
from arbiter.tournament.programs import ProgramDigests
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.rulings import Decision, Request, make_ruling
from arbiter.tournament.standings.history import find_kind
from protocol.reasons import Quarantined, Superseded, VersionChange

ARBITER: Final = "arbiter"
"""Name of what decides without a person."""
_LONGEST: Final = 40  # letters of a name


class Change(Struct, frozen=True):
    """A version that plays instead of another one of its author."""

    new: str
    old: str
    """Empty if the author had none."""


def name_version(author: str, number: int) -> str:
    """Return the name of the version as which a submission plays."""
    end = f"-{number}"
    return f"{author[: _LONGEST - len(end)]}{end}"


def find_playing(decisions: SubmissionDecisions, author: str, bots: Collection[str], *, rollbacks: int = 0) -> str:
    """Return the version of an author that plays, or would play after so many rollbacks; empty if none.

    It was promoted, or is one of the file's `bots`.
    """
    line = decisions.lines.get(author, [])
    if len(line) > rollbacks:
        return name_version(author, line[-1 - rollbacks])
    return author if author in bots else ""


def find_before(submissions: Submissions, decisions: SubmissionDecisions, author: str, bots: Collection[str]) -> str:
    """Return the version that a rollback lets play again; empty if there is none."""
    return find_playing(decisions, author, _leave_out_versions(submissions, decisions, bots), rollbacks=1)


def list_versions(submissions: Submissions, author: str, bots: Collection[str]) -> list[str]:
    """List the versions of an author that play or have played among the bots of a ladder."""
    authors = list_authors(submissions, submissions.read_decisions())
    own = [author] if author in set(bots).difference(map(name_version, authors.values(), authors)) else []
    return own + [
        name for number, one in authors.items() if one == author and (name := name_version(one, number)) in bots
    ]


def promote(
    submissions: Submissions,
    number: int,
    bots: Collection[str],
    by: str,
    *,
    state: State = "passed",
    per_day: int | None = None,
) -> Change:
    """Let a submission play instead of its author's version; `bots` are those of the file.

    It must have a `state`: only its examination promotes it before it has passed.  An author has a limit `per_day`.
    Raises ImpossibleDecision.
    """
    found = find_program(submissions, number)
    name = name_version(found.bot, number)
    if found.state != state:
        raise ImpossibleDecision(
            f"number {number} has the state {found.state}; only a program that has passed can play"
        )
    check_entry(submissions, found)
    with submissions.deciding(by, "promoted", author=found.bot, number=number) as decisions:
        if found.bot in decisions.banned:
            raise ImpossibleDecision(f"{found.bot} is banned", "lift_ban")
        own = _leave_out_versions(submissions, decisions, bots)
        if name.casefold() in map(str.casefold, own):
            raise ImpossibleDecision(
                f"number {number} would play as {name}, but the file has a bot of that name; rename that bot"
            )
        old = find_playing(decisions, found.bot, own)
        if old == name:
            raise ImpossibleDecision(f"number {number} was promoted already, as {name}")
        _note_change(submissions, decisions, found, by, per_day)
        decisions.parents.setdefault(number, old)
        decisions.lines.setdefault(found.bot, []).append(number)
        decisions.since[number] = write_time(datetime.now(UTC))
        decisions.quarantines.pop(number, None)
        decisions.rejected.pop(number, None)
    return Change(name, old)


def reject(submissions: Submissions, number: int, why: str, by: str) -> Submission:
    """Do not let a submission play that has passed; its author sees why.  Return it.  Raises ConfigError."""
    found = find_program(submissions, number)
    if found.state != "passed":
        raise ImpossibleDecision(
            f"number {number} has the state {found.state}; only a program that has passed is rejected"
        )
    with submissions.deciding(by, "rejected", author=found.bot, number=number, why=why) as decisions:
        line = decisions.lines.get(found.bot, [])
        if line[-1:] == [number]:
            raise ImpossibleDecision(f"number {number} plays; let the version before it play again first", "roll_back")
        if line:
            decisions.lines[found.bot] = [one for one in line if one != number]
        decisions.quarantines.pop(number, None)
        decisions.rejected[number] = why
    return found


def roll_back(
    submissions: Submissions, number: int, bots: Collection[str], by: str, *, per_day: int | None = None
) -> Change:
    """Let the version play again that a submission has replaced.  An author has a limit `per_day`.

    Raises ConfigError.
    """
    found = find_program(submissions, number)
    name = name_version(found.bot, number)
    with submissions.deciding(by, "rolled back", author=found.bot, number=number) as decisions:
        own = _leave_out_versions(submissions, decisions, bots)
        if (playing := find_playing(decisions, found.bot, own)) != name:
            raise ImpossibleDecision(f"number {number} does not play; {playing or 'nothing'} of {found.bot} does")
        new = find_playing(decisions, found.bot, own, rollbacks=1)
        if not new:
            raise ImpossibleDecision(f"{found.bot} has no version before {name}", "withdraw")
        _note_change(submissions, decisions, found, by, per_day)
        decisions.lines[found.bot].pop()
    return Change(new, name)


def _note_change(
    submissions: Submissions, decisions: SubmissionDecisions, found: Submission, by: str, per_day: int | None
) -> None:
    """Note who decides which version of an author plays.  Raises ImpossibleDecision."""
    if per_day is not None:
        submissions.count_change(decisions, found, per_day)
    decisions.deciders[found.bot] = by


def find_program(submissions: Submissions, number: int) -> Submission:
    """Return a submitted program.  Raises ImpossibleDecision."""
    found = submissions.find(number)
    if found is None:
        raise ImpossibleDecision(f"no program with number {number} was submitted")
    return found


# --- runs -----------------------------------------------------------------------------------------


def add_versions(file: TournamentFile, folder: Path, submissions: Submissions, results: Path) -> TournamentFile:
    """Add the promoted submissions to a tournament file in a folder: those that play, and those with results.

    Raises ConfigError.
    """
    decisions = submissions.read_decisions()
    if not decisions.parents:
        return file
    known: Collection[str] = ()
    if results.exists():
        with Results.read(results) as stored:
            known = stored.manifest.tournament.bot_names
    last = {line[-1] for line in decisions.lines.values() if line}
    bots = list(file.bots)
    for number, parent in decisions.parents.items():
        found = submissions.find(number)
        if found is None:
            raise ConfigError(f"{submissions.place(number)}: is missing, but it was promoted; restore it from a copy")
        if number in last or name_version(found.bot, number) in known:
            before = parent if parent in [bot.name for bot in bots] else None
            bots.append(replace(make_version(submissions, found, folder), parent=before))
    return replace(file, bots=bots)


def load_versions(path: Path, results: Path) -> Tournament:
    """Read a tournament file, and add the promoted submissions of its results.  Raises ConfigError."""
    tournament = load_tournament(path)
    submissions = Submissions(results.with_suffix(SUFFIX))
    if not submissions.read_decisions().parents:
        return tournament
    file = add_versions(tournament.file, path.parent, submissions, results)
    return replace(resolve(file, path.parent), path=path)


def check_entry(submissions: Submissions, found: Submission) -> None:
    """Check that a program would play as it was examined.  Raises ImpossibleDecision."""
    try:
        programs = find_programs([make_version(submissions, found, submissions.folder)], submissions.folder)
        ProgramDigests(programs, has_environments=False).digest(programs[0].name)
    except ConfigError:  # its text is for the organiser: it names paths
        raise ImpossibleDecision(f"number {found.number} is not as it was examined; submit it again") from None


def make_version(submissions: Submissions, found: Submission, folder: Path) -> BotConfig:
    """Make the bot of a submission for a tournament file in a folder."""
    files = submissions.folder / ENTRIES / found.digest / OWN
    place = os.path.relpath(files.absolute(), folder.absolute())
    submitted = SubmittedFiles(folder=place, digest=found.digest, interpreter=found.interpreter)
    return configure_bot(name_version(found.bot, found.number), found.command, files, submitted)


def settle(submissions: Submissions, results: Path, notify: Callable[[str], object]) -> None:
    """Let one version of each author play, and withdraw the others, by rulings in the name of the one that decided it.

    A bot about which the organiser has ruled since stays as it is.  `notify` receives what this waits for.  Raises
    ConfigError.
    """
    settled = None
    while (decisions := submissions.read_decisions()) != settled:  # another process may decide meanwhile
        _settle(submissions, decisions, results, notify)
        settled = decisions


def _settle(
    submissions: Submissions, decisions: SubmissionDecisions, results: Path, notify: Callable[[str], object]
) -> None:
    with Results.read(results) as stored:
        known = stored.manifest.tournament.bot_names
        history = stored.history(condensed=True)
    bots = _leave_out_versions(submissions, decisions, known)
    in_quarantine = {
        name_version(author, number)
        for number, author in list_authors(submissions, decisions).items()
        if number in decisions.quarantines
    }
    for author in decisions.lines:
        new = find_playing(decisions, author, bots)
        if new and new not in known:  # it joins first
            continue
        # The new one first, so that the author always has a version that plays.
        for bot in sorted(list_versions(submissions, author, known), key=lambda bot: bot != new):
            made = (one for one in reversed(history.rulings) if one.bot == bot)
            last = next((one for one in made if find_kind(one, history.rulings) == "withdraw"), None)
            is_free = last is None or isinstance(last.reason, VersionChange)
            if is_free and (bot == new) == (bot in history.withdrawn):
                reason = Quarantined(bot) if bot in in_quarantine else Superseded(new)
                request = Request(kind="withdraw", about=bot, undo=bot == new)
                decision = Decision(decisions.deciders.get(author, ARBITER), reason, force=True)
                try:
                    make_ruling(results, request, decision, notify)
                except ConfigError:
                    with Results.read(results) as stored:
                        is_settled = (bot == new) != (bot in stored.history(condensed=True).withdrawn)
                    if not is_settled and submissions.read_decisions() == decisions:  # no other process was faster
                        raise


def _leave_out_versions(submissions: Submissions, decisions: SubmissionDecisions, bots: Collection[str]) -> set[str]:
    """Return the bots that are not promoted submissions."""
    return set(bots).difference(
        name_version(one, number) for number, one in list_authors(submissions, decisions).items()
    )


def list_authors(submissions: Submissions, decisions: SubmissionDecisions) -> dict[int, str]:
    """Return the author of each promoted submission."""
    return {number: found.bot for number in decisions.parents if (found := submissions.find(number)) is not None}
