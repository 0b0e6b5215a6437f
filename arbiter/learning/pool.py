"""Games on several processes, for self-play."""

import os
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from types import TracebackType
from typing import Self, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


class GamePool:
    """Processes that play games.  Default: one for each core; with one process, games are played in this one.

    The processes are started once and import the module of the function that plays, so that it must be at the top level
    of a module.  A program that uses a pool needs `if __name__ == "__main__":`.
    """

    def __init__(self, processes: int | None = None) -> None:
        self.processes = processes or os.cpu_count() or 1
        self._executor = (
            ProcessPoolExecutor(
                self.processes,
                mp_context=get_context("spawn"),
                initializer=signal.signal,  # Ctrl-C is for the process that owns the pool
                initargs=(signal.SIGINT, signal.SIG_IGN),
            )
            if self.processes > 1
            else None
        )

    def map(self, play: Callable[[Task], Result], tasks: Iterable[Task]) -> list[Result]:
        """Call `play` for each task, and return the results in the order of the tasks.

        Put the seed of a game into its task: then the results do not depend on the number of processes.
        An exception of `play` is raised here.
        """
        if self._executor is None:
            return [play(task) for task in tasks]
        return list(self._executor.map(play, tasks))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
