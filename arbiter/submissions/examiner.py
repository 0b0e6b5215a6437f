"""The process that lets the submissions of a tournament be examined, one after another, with low priority."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import trio

from arbiter.resources import lower_priority
from arbiter.submissions.store import MADE, SUFFIX, Submission, Submissions
from arbiter.tournament.entries import OWN

MOST_S: Final = 30 * 60.0  # for one submission
_LOOK_EVERY_S: Final = 0.5


async def examine_all(results: Path, hidden: Sequence[Path]) -> None:
    """Examine what waits, until this task is cancelled; no bot can read the hidden files."""
    submissions = Submissions(results.with_suffix(SUFFIX))
    for cut_off in submissions.list_all():
        if cut_off.state == "checking":
            submissions.change(cut_off, "waiting")
    while True:
        for waiting in submissions.list_all():
            if waiting.state == "waiting":
                await _examine(results, hidden, submissions, waiting)
        await trio.sleep(_LOOK_EVERY_S)


async def _examine(results: Path, hidden: Sequence[Path], submissions: Submissions, waiting: Submission) -> None:
    """Let a submission be examined by a process of its own, which ends if it takes too long."""
    if waiting.bot in submissions.read_decisions().banned:
        submissions.change(waiting, "refused", why="the author is banned")
        return
    place = submissions.place(waiting.number)
    (place / MADE).unlink(missing_ok=True)
    for left in (place / OWN, place / "files"):
        shutil.rmtree(left, ignore_errors=True)
    command = [sys.executable, "-m", "arbiter.submissions.examine"]
    why = f"the check took more than {MOST_S / 60:.0f} minutes"
    with trio.move_on_after(MOST_S):
        done = await trio.run_process(
            [*command, str(waiting.number), str(results), *map(str, hidden)],
            stdout=subprocess.DEVNULL,
            capture_stderr=True,
            check=False,
        )
        why = "the arbiter failed; ask the organiser"
        if done.returncode:
            sys.stderr.write(f"submission {waiting.number}: {done.stderr.decode(errors='replace')}\n")
    found = submissions.find(waiting.number)
    if found is not None and found.state in ("waiting", "checking"):
        if found.digest:  # all steps had passed, and it may play already
            submissions.change(found, "passed")
        else:
            submissions.change(found, "refused", why=why)


async def _work(results: Path, hidden: Sequence[Path]) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(examine_all, results, hidden)
        async with trio.lowlevel.FdStream(os.dup(0)) as stdin:
            await stdin.receive_some()
        nursery.cancel_scope.cancel()


def main() -> None:
    """Examine the submissions of the tournament of some results until stdin ends."""
    lower_priority()
    results, *hidden = map(Path, sys.argv[1:])
    trio.run(_work, results, hidden)


if __name__ == "__main__":
    main()
