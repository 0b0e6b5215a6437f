"""Work on many games in several processes."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Final, TypeVar

_FEW: Final = 40  # games; fewer are faster in this process
_BATCH: Final = 256
_CHUNK: Final = 8

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def map_in_processes(work: Callable[[Task], Answer], tasks: Iterable[Task]) -> Iterator[Answer]:
    """Do a work for each task and yield the answers in order; many tasks are shared among all processors."""
    waiting = iter(tasks)
    few = list(islice(waiting, _FEW))
    yield from map(work, few)
    if len(few) < _FEW:
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(mp_context=context, initializer=follow_parent) as pool:
        while batch := list(islice(waiting, _BATCH)):  # in batches, to hold few records in memory
            yield from pool.map(work, batch, chunksize=_CHUNK)


def follow_parent() -> None:
    """Leave Ctrl-C to the parent process, and end when it ends."""
    signal(SIGINT, SIG_IGN)

    def wait_for_parent() -> None:
        if parent := multiprocessing.parent_process():
            parent.join()
        os._exit(1)

    Thread(target=wait_for_parent, daemon=True).start()
