"""The process that lets the submissions of a tournament be examined, one after another, with low priority."""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import trio

from arbiter.resources import lower_priority
from arbiter.sandbox.process import adopt_orphans
from arbiter.submissions.store import SUFFIX, Submission, Submissions
from protocol.reasons import AuthorBanned, CheckFailed, CheckTooLong, NoRoom, NotExamined

MOST_S: Final = 30 * 60.0  # for one submission
_LOOK_EVERY_S: Final = 0.5


async def examine_all(results: Path, hidden: Sequence[Path], *, reaps: bool = False) -> None:
    """Examine what waits, until this task is cancelled; no bot can read the hidden files.

    Authors take turns, so that one with many programs delays each of the others once.  A process that `reaps` what
    examinations leave behind has no other children.
    """
    submissions = Submissions(results.with_suffix(SUFFIX))
    for cut_off in submissions.list_all():
        if cut_off.state == "checking":
            submissions.change(cut_off, "waiting")
    await trio.to_thread.run_sync(submissions.tidy)
    ended: dict[str, float] = {}
    while True:
        while waiting := [one for one in submissions.list_all() if one.state == "waiting"]:
            first = min(waiting, key=lambda one: (ended.get(one.bot, 0.0), one.number))
            await _examine(results, hidden, submissions, first)
            if reaps:
                _reap_orphans()
            ended[first.bot] = trio.current_time()
            await trio.to_thread.run_sync(submissions.tidy)
        await trio.sleep(_LOOK_EVERY_S)


async def _examine(results: Path, hidden: Sequence[Path], submissions: Submissions, waiting: Submission) -> None:
    """Let a submission be examined by a process of its own, which ends if it takes too long."""
    if waiting.bot in submissions.read_decisions().banned:
        submissions.change(waiting, "refused", reason=AuthorBanned())
        return
    if not await trio.to_thread.run_sync(submissions.has_room):
        submissions.change(waiting, "refused", reason=NoRoom())
        return
    command = [sys.executable, "-m", "arbiter.submissions.examine"]
    reason: NotExamined = CheckTooLong(round(MOST_S / 60))
    with trio.move_on_after(MOST_S):
        done = await trio.run_process(
            [*command, str(waiting.number), str(results), *map(str, hidden)],
            stdout=subprocess.DEVNULL,
            capture_stderr=True,
            check=False,
        )
        reason = CheckFailed()
        if done.returncode:
            sys.stderr.write(f"submission {waiting.number}: {done.stderr.decode(errors='replace')}\n")
    found = submissions.find(waiting.number)
    if found is not None and found.state in ("waiting", "checking"):
        if found.digest:  # all steps had passed, and it may play already
            submissions.change(found, "passed")
        else:
            submissions.change(found, "refused", reason=reason)


def _reap_orphans() -> None:
    """Reap the dead processes that the sandboxes of an examination have left behind."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


async def _work(results: Path, hidden: Sequence[Path]) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(examine_all, results, hidden, reaps=True))
        async with trio.lowlevel.FdStream(os.dup(0)) as stdin:
            await stdin.receive_some()
        nursery.cancel_scope.cancel()


def main() -> None:
    """Examine the submissions of the tournament of some results until stdin ends."""
    lower_priority()
    adopt_orphans()  # otherwise they become children of the run, which lasts for months
    results, *hidden = map(Path, sys.argv[1:])
    trio.run(_work, results, hidden)


if __name__ == "__main__":
    main()
