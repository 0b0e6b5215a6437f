"""numpy with one thread: the only module that imports it.

Libraries of linear algebra start a thread for each core, and their threads wait for work in busy loops: next to bots on
the clock they take processor time from games, and small arrays do not become faster.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_THREADS: Final = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "OMP_NUM_THREADS",
)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Ask for one thread, which these libraries read when they are loaded; bots do not inherit the setting."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


with _one_thread():
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
Booleans = NDArray[np.bool_]

__all__ = ["Booleans", "Floats", "Generator", "NDArray", "Numbers", "np"]
