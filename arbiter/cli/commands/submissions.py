"""`arbiter submissions FILE`: the programs that authors have submitted, and what the organiser decides about them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
from msgspec.structs import asdict

from arbiter.cli.files import results_option
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import find_user, print_facts, print_notice
from arbiter.director.files import results_file
from arbiter.errors import ConfigError, write_command
from arbiter.show.text import plain
from arbiter.submissions.organiser import ban as ban_author
from arbiter.submissions.organiser import dismiss as dismiss_contest
from arbiter.submissions.organiser import lift_ban as lift_ban_of
from arbiter.submissions.organiser import list_contests, list_programs
from arbiter.submissions.store import SUFFIX, ImpossibleDecision, Remedy, Submissions
from arbiter.submissions.versions import Change, find_program, promote, roll_back, settle
from arbiter.submissions.versions import reject as reject_program
from arbiter.tournament.config.tournament import load_names
from arbiter.tournament.results.reader import Results

_DIGITS: Final = 12  # of a digest
_NO_REASON: Final = "no reason given"
_REMEDIES: Final[Mapping[Remedy, str]] = {
    "lift_ban": "--lift-ban AUTHOR lifts the ban",
    "roll_back": "use --rollback",
    "withdraw": "`arbiter withdraw` lets a bot play no longer",
    "list_contests": "--contests lists them",
}


@command
@click.argument("file", type=PATH)
@click.argument("number", type=click.IntRange(1), required=False)
@results_option
@click.option("--promote", "promotes", is_flag=True, help="Let the program play instead of its author's version.")
@click.option("--rollback", "rolls_back", is_flag=True, help="Let the version play again that the program replaced.")
@click.option("--reject", "rejects", is_flag=True, help="Do not let the program play; its author sees why.")
@click.option("--ban", metavar="AUTHOR", help="Let an author submit no more programs.")
@click.option("--lift-ban", metavar="AUTHOR", help="Let an author submit programs again.")
@click.option("--contests", "lists_contests", is_flag=True, help="List the games whose results authors contest.")
@click.option("--dismiss", type=click.IntRange(1), metavar="CONTEST", help="Keep the result of a contested game.")
@click.option("--because", metavar="TEXT", help="Reason of --reject, --ban or --dismiss; the author sees it.")
@format_options
def submissions(
    file: Path,
    number: int | None,
    place: Path | None,
    ban: str | None,
    lift_ban: str | None,
    dismiss: int | None,
    because: str | None,
    form: str,
    *,
    promotes: bool,
    rolls_back: bool,
    rejects: bool,
    lists_contests: bool,
) -> None:
    """List the programs submitted to a tournament FILE, or show the check of the one with NUMBER.

    A promoted program joins the ladder as a version of its own, also while it is played; a rollback works at once.
    """
    results = results_file(file, place)
    known = Submissions(results.with_suffix(SUFFIX))
    chosen = {
        "--promote": promotes,
        "--rollback": rolls_back,
        "--reject": rejects,
        "--ban": ban,
        "--lift-ban": lift_ban,
        "--contests": lists_contests,
        "--dismiss": dismiss,
    }
    _check_options({name for name, given in chosen.items() if given}, number, because)
    with _naming_options(number):
        if lists_contests:
            _list_contests(known, results, form)
        elif dismiss is not None:
            _dismiss(known, dismiss, because or _NO_REASON, form)
        elif ban is not None:
            _ban(known, ban, because or _NO_REASON, form)
        elif lift_ban is not None:
            _lift_ban(known, lift_ban, form)
        elif number is None:
            _list_all(known, form)
        elif rejects:
            _reject(known, number, because or _NO_REASON, form)
        elif promotes or rolls_back:
            work = promote if promotes else roll_back
            change = work(known, number, load_names(file).file.bot_names, find_user())
            _report_change(known, change, results, form)
        else:
            _show_steps(known, number, form)


@contextmanager
def _naming_options(number: int | None) -> Iterator[None]:
    """Name in a refusal what the user gave, and the option or command that helps."""
    try:
        yield
    except ImpossibleDecision as error:
        argument = "" if number is None else "NUMBER: "
        remedy = "" if error.remedy is None else f"; {_REMEDIES[error.remedy]}"
        raise ConfigError(f"{argument}{error}{remedy}") from None


def _check_options(chosen: set[str], number: int | None, because: str | None) -> None:
    """Check that the options that were given fit together.  Raises ConfigError."""
    if len(chosen) > 1:
        raise ConfigError(f"{' and '.join(sorted(chosen))} exclude each other; give one of them")
    if because is not None and not chosen & {"--reject", "--ban", "--dismiss"}:
        raise ConfigError("--because: is the reason of --reject, --ban or --dismiss; leave it out")
    if number is None and chosen & {"--promote", "--rollback", "--reject"}:
        raise ConfigError("NUMBER: is missing; `arbiter submissions FILE` lists the programs")


def _report_change(known: Submissions, change: Change, results: Path, form: str) -> None:
    """Let a version that has played play at once, and print when another one does.  Raises ConfigError."""
    is_known = is_playing = False
    if results.exists():
        settle(known, results, print_notice)
        with Results.read(results) as stored:
            is_known = change.new in stored.manifest.tournament.bot_names
            is_playing = stored.is_being_played
    when = "plays" if is_known else "joins the ladder now" if is_playing else "plays from the next `arbiter run` on"
    text = f"{change.new} {when}{f' instead of {change.old}' if change.old else ''}"
    facts = {"plays": change.new, "instead_of": change.old or None, "at_once": is_known or is_playing}
    print_facts("Versions", [facts], form, lambda: plain(text))


def _list_contests(known: Submissions, results: Path, form: str) -> None:
    """Print the games whose results authors contest, with their states and evidence.  Raises ConfigError."""
    ruled: dict[str, str] = {}
    if known.read_decisions().contests and results.exists():
        with Results.read(results) as stored:
            ruled = stored.find_ruled_games()
    facts = list_contests(known, ruled)
    lines = []
    for one in facts:
        lines.append(
            f"{one['number']:>4}  {one['state']:9}  {one['at']}  {one['version']}, {one['game']}: {one['why']}"
        )
        if one["state"] == "open":
            command = write_command("rule", str(results), str(one["game"]), "--result", "RESULT", "--because", "TEXT")
            lines.append(f"      evidence: {one['evidence']}; rule on it: {command}")
    print_facts("Contests", facts, form, lambda: "\n".join(map(plain, lines)) or "No author contests a game.")


def _dismiss(known: Submissions, number: int, because: str, form: str) -> None:
    """Keep the result of a contested game.  Raises ConfigError."""
    contest = dismiss_contest(known, number, because, find_user())
    text = f"the result of {contest.game} stays: {because}"
    print_facts("Contests", [{"number": number, **asdict(contest)}], form, lambda: plain(text))


def _reject(known: Submissions, number: int, because: str, form: str) -> None:
    """Do not let a program play.  Raises ConfigError."""
    author = reject_program(known, number, because, find_user()).bot
    text = f"number {number} of {author} is rejected: {because}"
    print_facts("Rejected", [{"number": number, "author": author, "rejected": because}], form, lambda: plain(text))


def _ban(known: Submissions, author: str, because: str, form: str) -> None:
    """Ban an author.  Raises ConfigError."""
    ban_author(known, author, because, find_user())
    print_facts("Banned", [{"author": author, "banned": True}], form, lambda: plain(f"{author} is banned: {because}"))


def _lift_ban(known: Submissions, author: str, form: str) -> None:
    """Lift the ban of an author.  Raises ConfigError."""
    lift_ban_of(known, author, find_user())
    print_facts("Banned", [{"author": author, "banned": False}], form, lambda: plain(f"{author} is not banned now"))


def _show_steps(known: Submissions, number: int, form: str) -> None:
    """Print the steps of a check.  Raises ConfigError."""
    find_program(known, number)
    steps = known.list_steps(number)
    print_facts("Steps", steps, form, lambda: "\n".join(str(step["text"]) for step in steps))


def _list_all(known: Submissions, form: str) -> None:
    """Print all submissions with their versions, and the authors who are banned."""
    facts = list_programs(known)
    rows = []
    for one in facts:
        state = next((name for name in ("plays", "quarantine", "rejected") if one[name]), one["state"])
        rows.append(
            f"{one['number']:>4}  {one['bot']:20} {state:10} {one['created']}  "
            f"{str(one['digest'])[:_DIGITS]} {one['rejected'] or one['why']}"
        )
    rows += [f"{author} is banned: {why}" for author, why in known.read_decisions().banned.items()]
    print_facts("Submissions", facts, form, lambda: "\n".join(map(plain, rows)) or "Nobody has submitted a program.")
