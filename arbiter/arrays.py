"""numpy with one thread: the only module that imports it.

Libraries of linear algebra start a thread for each core, and their threads wait for work in busy loops: next to bots on
the clock they take processor time from games, and small arrays do not become faster.
"""

import os
from typing import Final

_THREADS: Final = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "OMP_NUM_THREADS",
)


# These libraries read the setting when they are loaded; bots do not inherit it.
_before: Final = dict(os.environ)
os.environ.update(dict.fromkeys(_THREADS, "1"))
try:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray
finally:
    for _name in _THREADS:
        del os.environ[_name]
        if _name in _before:
            os.environ[_name] = _before[_name]

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
Booleans = NDArray[np.bool_]

__all__ = ["Booleans", "Floats", "Generator", "NDArray", "Numbers", "np"]
