"""`arbiter submissions FILE`: the programs that authors have handed in, and what the organiser decides about them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
from msgspec.structs import asdict

from arbiter.cli.files import results_option
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import find_user, print_facts
from arbiter.director.files import results_file
from arbiter.errors import ConfigError, write_command
from arbiter.show.text import plain
from arbiter.submissions.store import SUFFIX, Submission, Submissions
from arbiter.submissions.versions import Change, name_version, promote, roll_back, settle
from arbiter.submissions.watch import BUNDLES
from arbiter.tournament.config.tournament import load_names
from arbiter.tournament.results.reader import Results

_DIGITS: Final = 12  # of a digest
_NO_REASON: Final = "no reason given"


@command
@click.argument("file", type=PATH)
@click.argument("number", type=click.IntRange(1), required=False)
@results_option
@click.option("--promote", "promotes", is_flag=True, help="Let the program play instead of its author's version.")
@click.option("--rollback", "rolls_back", is_flag=True, help="Let the version play again that the program replaced.")
@click.option("--ban", metavar="AUTHOR", help="Let an author hand in no more programs.")
@click.option("--lift-ban", metavar="AUTHOR", help="Let an author hand in programs again.")
@click.option("--contests", "lists_contests", is_flag=True, help="List the games whose results authors contest.")
@click.option("--dismiss", type=click.IntRange(1), metavar="CONTEST", help="Keep the result of a contested game.")
@click.option("--because", metavar="TEXT", help="Reason of --ban or --dismiss; the author sees it.")
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
    lists_contests: bool,
) -> None:
    """List the programs that were handed in for a tournament FILE, or show the check of the one with NUMBER.

    A promoted program joins the ladder as a version of its own, also while it is played; a rollback works at once.
    """
    results = results_file(file, place)
    known = Submissions(results.with_suffix(SUFFIX))
    if sum(map(bool, (promotes, rolls_back, ban, lift_ban, lists_contests, dismiss))) > 1:
        raise ConfigError(
            "--promote, --rollback, --ban, --lift-ban, --contests and --dismiss exclude each other; give one of them"
        )
    if because is not None and ban is None and dismiss is None:
        raise ConfigError("--because: is the reason of --ban or --dismiss; leave it out")
    if lists_contests:
        _list_contests(known, results, form)
    elif dismiss is not None:
        _dismiss(known, dismiss, because or _NO_REASON, form)
    elif ban is not None:
        _ban(known, ban, because or _NO_REASON, form)
    elif lift_ban is not None:
        _lift_ban(known, lift_ban, form)
    elif promotes or rolls_back:
        if number is None:
            raise ConfigError("NUMBER: is missing; `arbiter submissions FILE` lists the programs")
        work = promote if promotes else roll_back
        change = work(known, number, load_names(file).file.bot_names, find_user())
        _report_change(known, change, results, form)
    elif number is not None:
        _show_steps(known, number, form)
    else:
        _list_all(known, form)


def _report_change(known: Submissions, change: Change, results: Path, form: str) -> None:
    """Let a version that has played play at once, and print when another one does.  Raises ConfigError."""
    is_known = is_playing = False
    if results.exists():
        settle(known, results, find_user())
        with Results.read(results) as stored:
            is_known, is_playing = change.new in stored.manifest.tournament.bot_names, stored.is_being_played
    when = "plays" if is_known else "joins the ladder now" if is_playing else "plays from the next `arbiter run` on"
    text = f"{change.new} {when}{f' instead of {change.old}' if change.old else ''}"
    facts = {"plays": change.new, "instead_of": change.old or None, "at_once": is_known or is_playing}
    print_facts("Versions", [facts], form, lambda: plain(text))


def _list_contests(known: Submissions, results: Path, form: str) -> None:
    """Print the games whose results authors contest, with their states and evidence.  Raises ConfigError."""
    contests = known.read_decisions().contests
    ruled: dict[str, str] = {}
    if contests and results.exists():
        with Results.read(results) as stored:
            ruled = {one.game: one.at for one in stored.history(condensed=True).in_force if one.game is not None}
    facts = [
        {
            "number": number,
            **asdict(one),
            "state": "dismissed" if one.answer else "ruled" if ruled.get(one.game, "") >= one.at else "open",
            "evidence": str(known.folder / BUNDLES / f"{number}.zip"),
        }
        for number, one in enumerate(contests, start=1)
    ]
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
    with known.deciding(find_user(), "dismissed", contest=number, why=because) as decisions:
        if number > len(decisions.contests):
            raise ConfigError(f"--dismiss: there is no contest {number}; --contests lists them")
        contest = decisions.contests[number - 1]
        contest.answer = because
    text = f"the result of {contest.game} stays: {because}"
    print_facts("Contests", [{"number": number, **asdict(contest)}], form, lambda: plain(text))


def _ban(known: Submissions, author: str, because: str, form: str) -> None:
    """Ban an author.  Raises ConfigError."""
    with known.deciding(find_user(), "banned", author=author, why=because) as decisions:
        if author in decisions.banned:
            raise ConfigError(f"--ban: {author} is banned already; --lift-ban lifts it")
        decisions.banned[author] = because
    print_facts("Banned", [{"author": author, "banned": True}], form, lambda: plain(f"{author} is banned: {because}"))


def _lift_ban(known: Submissions, author: str, form: str) -> None:
    """Lift the ban of an author.  Raises ConfigError."""
    with known.deciding(find_user(), "ban lifted", author=author) as decisions:
        if decisions.banned.pop(author, None) is None:
            raise ConfigError(f"--lift-ban: {author} is not banned")
    print_facts("Banned", [{"author": author, "banned": False}], form, lambda: plain(f"{author} is not banned now"))


def _show_steps(known: Submissions, number: int, form: str) -> None:
    """Print the steps of a check.  Raises ConfigError."""
    if known.find(number) is None:
        raise ConfigError(f"NUMBER: no program with number {number} was handed in")
    steps = known.list_steps(number)
    print_facts("Steps", steps, form, lambda: "\n".join(str(step["text"]) for step in steps))


def _find_state(one: Mapping[str, object]) -> object:
    return "plays" if one["plays"] else "quarantine" if one["quarantine"] else one["state"]


def _list_all(known: Submissions, form: str) -> None:
    """Print all submissions with their versions, and the authors who are banned."""
    decisions = known.read_decisions()
    playing = {line[-1] for line in decisions.lines.values() if line}

    def describe(one: Submission) -> dict[str, object]:
        facts = {key: getattr(one, key) for key in ("number", "bot", "state", "created", "digest", "why")}
        version = name_version(one.bot, one.number) if one.number in decisions.parents else None
        return facts | {
            "version": version,
            "plays": one.number in playing,
            "banned": one.bot in decisions.banned,
            "quarantine": one.number in decisions.quarantines and one.number not in playing,
        }

    facts = [describe(one) for one in known.list_all()]
    rows = [
        f"{one['number']:>4}  {one['bot']:20} {_find_state(one):10} {one['created']}  "
        f"{str(one['digest'])[:_DIGITS]} {one['why']}"
        for one in facts
    ]
    rows += [f"{author} is banned: {why}" for author, why in decisions.banned.items()]
    print_facts("Submissions", facts, form, lambda: "\n".join(map(plain, rows)) or "Nobody has handed in a program.")
