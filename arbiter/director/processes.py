"""Work in several processes.  This module imports nothing else of the project, because each of them imports it."""

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Final, TypeVar

_ALONE_S: Final = 0.5  # about as long as other processes need to start
_BATCH: Final = 256
_CHUNK: Final = 8

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def map_in_processes(work: Callable[[Task], Answer], tasks: Iterable[Task]) -> Iterator[Answer]:
    """Do a work for each task and yield the answers in order; if it takes long, all processors share the tasks."""
    waiting = iter(tasks)
    begun = time.monotonic()
    for task in waiting:
        yield work(task)
        if time.monotonic() > begun + _ALONE_S:
            break
    else:
        return
    context = multiprocessing.get_context("fork" if _has_one_thread() else "spawn")
    with ProcessPoolExecutor(mp_context=context, initializer=follow_parent) as pool:
        while batch := list(islice(waiting, _BATCH)):  # in batches, to hold few records in memory
            yield from pool.map(work, batch, chunksize=_CHUNK)


def _has_one_thread() -> bool:
    """Return True if this process certainly has a single thread.

    A copy of such a process can do the same work at once; a new one has to import all modules again.  A copy of a
    process with several threads may wait forever for a lock that another thread had.
    """
    try:
        return sum(1 for _ in Path("/proc/self/task").iterdir()) == 1
    except OSError:  # not on Linux
        return False


def follow_parent() -> None:
    """Leave Ctrl-C to the parent process, and end when it ends."""
    signal(SIGINT, SIG_IGN)

    def wait_for_parent() -> None:
        if parent := multiprocessing.parent_process():
            parent.join()
        os._exit(1)

    Thread(target=wait_for_parent, daemon=True).start()
