"""The process that examines one submission: it unpacks it, makes its entry, and checks it in the sandbox."""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import trio
from msgspec.structs import replace

from arbiter.errors import ConfigError, write_count
from arbiter.preflight.evidence import NO_ANSWER, Evidence, Finding
from arbiter.preflight.examination import Conditions, SelectedRules
from arbiter.preflight.examine import Task, examine
from arbiter.sandbox.files.archive import BadArchive, check_links
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.select import SANDBOXED, select_isolation
from arbiter.show.tables.checks import step_object, write_step
from arbiter.submissions.build import build
from arbiter.submissions.sandboxed import CommandFailed
from arbiter.submissions.store import ENTRIES, MADE, SUFFIX, Submission, Submissions
from arbiter.submissions.trial import play_trial
from arbiter.submissions.unpacking import MOST_S
from arbiter.submissions.versions import ARBITER, make_version, promote
from arbiter.submissions.wheels import WHEELS, configure_bot, has_wheels, install_wheels
from arbiter.tournament.config.bot_config import PACKAGES, BotConfig, SubmittedFiles, find_program, rebase_command
from arbiter.tournament.config.tournament import find_programs, resolve_names
from arbiter.tournament.entries import OWN, EntryStore
from arbiter.tournament.programs import ProgramDigests
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.reader import Results
from protocol.reasons import Unusable

_OPPONENT: Final = "random"
_GAMES: Final = 2
_SEED: Final = 1


def find_submitted(name: str, command: Sequence[str], folder: Path) -> Program:
    """Find the program of an unpacked submission; its command names no file outside its folder.  Raises ConfigError."""
    return find_program(configure_bot(name, command, folder, SubmittedFiles(folder=folder.name)), folder.parent)


def enter_home(name: str, command: Sequence[str], own: Path) -> tuple[str, ...]:
    """Keep only the folder in which a command lets a bot work, as for every bot; return the command in that folder.

    Raises ConfigError.
    """
    home = find_submitted(name, command, own).folder.resolve()
    if home == own.resolve():
        return tuple(command)
    words = tuple(rebase_command(list(command), own, home))
    for written, word in zip(command, words, strict=True):
        if word.startswith(".."):
            raise ConfigError(
                f"command: {written!r} is not in {str(home.relative_to(own.resolve()))!r}, the folder in which the bot "
                "works; put it there"
            )
    try:
        check_links(home)
    except BadArchive as error:
        raise ConfigError(f"command: leads to the folder {str(home.relative_to(own.resolve()))!r}: {error}") from None
    kept = own.with_name("files")
    home.rename(kept)
    shutil.rmtree(own)
    kept.rename(own)
    return words


class _Examination:
    """The examination of one submission."""

    def __init__(
        self,
        results: Path,
        hidden: Sequence[Path],
        submissions: Submissions,
        submission: Submission,
        manifest: Manifest,
    ) -> None:
        self._results = results
        self._hidden = hidden
        self._submissions = submissions
        self._submission = submission
        self._manifest = manifest
        self._tournament = resolve_names(manifest.tournament)
        self._failures: list[tuple[str, Finding]] = []
        """The steps that have failed."""

    def run(self) -> None:
        """Examine the submission, store what was found step by step, and let it play if the tournament wants that.

        Its author sees that it has passed when it plays.  If it has a digest, all steps had passed before a kill.
        """
        submissions = self._submissions
        number = self._submission.number
        if not self._submission.digest:
            submissions.begin_steps(number)
        self._submission = submissions.change(self._submission, "checking")
        if not self._submission.digest and not self._examine():
            return
        if self._tournament.file.submissions.promote == "auto":
            with suppress(ConfigError):  # the author was banned, or it was promoted before the kill
                promote(submissions, number, self._tournament.file.bot_names, ARBITER, state="checking")
        submissions.change(self._submission, "passed")

    def _examine(self) -> bool:
        """Examine the submission, and store what was found; return True if it has passed."""
        submissions = self._submissions
        try:
            checked = self._check()
            if self._tournament.file.submissions.pairs and not self._failures:
                self._add("parent", play_trial(self._manifest, submissions, checked, self._results, self._hidden))
        except ConfigError as error:
            folder = submissions.folder
            homes = "|".join(re.escape(str(one)) for one in (folder.absolute(), folder.resolve()))
            why = re.sub(rf"(?:{homes})/(?:{ENTRIES}/)?\w+/{OWN}\b", ".", str(error))
            submissions.change(self._submission, "refused", reason=Unusable(why))
            return False
        self._submission = checked
        if self._failures:
            submissions.change(self._submission, "failed")
        else:
            submissions.save(self._submission)
        return not self._failures

    def _check(self) -> Submission:
        """Check the program, and return the submission with the digest of its entry.  Raises ConfigError."""
        folder = self._submissions.place(self._submission.number)
        self._unpack(folder, self._submissions.find_archive(self._submission.number))
        if self._submission.build and not self._make(folder, "build"):
            return self._submission
        # Stored only when the check is over: one that is cut off begins again with the archive of the author.
        command = enter_home(self._submission.bot, self._submission.command, folder / OWN)
        self._submission = replace(self._submission, command=command)
        if has_wheels(folder / OWN) and not self._make(folder, "wheels"):
            return self._submission
        checked = self._enter(find_submitted(self._submission.bot, self._submission.command, folder / OWN))
        version = replace(make_version(self._submissions, checked, folder), name=checked.bot)
        programs = find_programs([version, BotConfig(name=_OPPONENT)], folder)
        digests = ProgramDigests(programs, has_environments=False)
        entries = EntryStore(self._submissions.folder / ENTRIES, digests)
        selected = select_isolation(SANDBOXED, programs, HiddenFiles(), entries.enter)
        examined, opponent = selected.programs
        file = self._tournament.file
        conditions = Conditions(
            program=examined,
            opponent=opponent,
            isolation=selected.isolation,
            time=file.time,
            seed=_SEED,
            games=_GAMES,
        )
        rules = SelectedRules(file.rule_set, tuple(file.options), self._tournament.overrides, file.position)

        async def work() -> None:
            await examine(
                conditions, [rules], lambda _: None, lambda task, one: self._add(task.step.name, one, task), to_end=True
            )

        trio.run(work)
        if self._failures and all(  # a busy machine may have caused them
            name == "time" or (finding.evidence is not None and finding.evidence.fault in NO_ANSWER)
            for name, finding in self._failures
        ):
            self._failures = []
            self._add("again", Finding("advice", "only its speed failed, and the machine has other work; once more"))
            trio.run(work)
        return checked

    def _enter(self, program: Program) -> Submission:
        """Make the entry of the program, which is examined and plays; return the submission with its digest."""
        digests = ProgramDigests([program], has_environments=False)
        EntryStore(self._submissions.folder / ENTRIES, digests).enter(program)
        found = digests.digest(program.name)
        if found is None:
            raise ValueError(f"{program.name} has no program")
        self._add("entry", Finding("ok", f"{write_count(found.files, 'file')}, digest {found.digest}"))
        return replace(self._submission, digest=found.digest, interpreter=found.interpreter)

    def _make(self, folder: Path, step: Literal["build", "wheels"]) -> bool:
        """Build the program, or install its wheels; return False if that fails.  Raises ConfigError."""
        own = folder / OWN
        made = folder / MADE
        command = self._submission.build if step == "build" else self._submission.command
        program = find_submitted(self._submission.bot, command, own)
        try:
            if step == "build":
                build(replace(program, folder=own), made)  # not in a folder that the command names
            else:
                install_wheels(program, made)
        except CommandFailed as failure:
            evidence = Evidence(fault="crash", stderr=failure.output) if failure.output else None
            self._add(step, Finding("failed", str(failure), evidence=evidence))
            return False
        self._add(step, Finding("ok", "ended with status 0"))
        if step == "build":
            shutil.rmtree(own)
            self._unpack(folder, made)
        else:
            shutil.rmtree(own / WHEELS)
            self._unpack(folder, made, PACKAGES, own / PACKAGES)
        made.unlink()
        return True

    def _unpack(self, folder: Path, archive: Path, top: str = OWN, to: Path | None = None) -> None:
        """Unpack an archive with one folder in a process of its own.  Raises ConfigError."""
        home = folder / "files"
        home.mkdir(0o700)
        command = [sys.executable, "-m", "arbiter.submissions.unpacking", str(archive), str(home)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=5 * MOST_S, check=False)  # noqa: S603 - our own program
        except subprocess.TimeoutExpired:
            raise ConfigError("the archive takes too long to be unpacked; submit fewer files") from None
        if done.returncode:
            why = done.stdout or "it takes too long"
            raise ConfigError(f"the archive cannot be unpacked: {why}")
        unpacked = home / top
        if unpacked.is_symlink() or not unpacked.is_dir():
            raise ConfigError(f"the archive has no folder {top!r} with the files of the bot")
        sizes = [path.lstat().st_size for path in unpacked.rglob("*") if path.is_file() and not path.is_symlink()]
        unpacked.rename(folder / OWN if to is None else to)
        shutil.rmtree(home)
        self._add("unpack", Finding("ok", f"{write_count(len(sizes), 'file')}, {sum(sizes) / 1024:,.0f} KiB"))

    def _add(self, name: str, finding: Finding, task: Task | None = None) -> None:
        number = 0 if task is None else task.number
        rules = None if task is None or task.rules is None else task.rules.name
        text = {"text": write_step(number, name, finding)}
        self._submissions.add_step(self._submission.number, step_object(number, name, rules, finding) | text)
        if finding.status == "failed":
            self._failures.append((name, finding))


def main() -> None:
    """Examine the submission with a number of the tournament of some results; no bot can read the hidden files."""
    number = int(sys.argv[1])
    results, *hidden = map(Path, sys.argv[2:])
    with Results.read(results) as stored:
        manifest = stored.manifest
    submissions = Submissions(results.with_suffix(SUFFIX))
    submission = submissions.find(number)
    if submission is not None:
        _Examination(results, hidden, submissions, submission, manifest).run()


if __name__ == "__main__":
    main()
