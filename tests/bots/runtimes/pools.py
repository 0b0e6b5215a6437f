"""Uses what programs in Python use for parallel work, and prints `ok`."""

import ctypes
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import shared_memory

import numpy as np


def square(number):
    return number * number


def main():
    with multiprocessing.get_context("forkserver").Pool(2) as pool:  # unix sockets, and descriptors sent over them
        assert pool.map(square, range(3)) == [0, 1, 4]
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(square, range(3))) == [0, 1, 4]
    block = shared_memory.SharedMemory(create=True, size=1000)
    block.close()
    block.unlink()
    assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(square)(3) == 9  # code made by libffi
    matrix = np.ones((300, 300))
    assert (matrix @ matrix)[0, 0] == 300
    print("ok")


if __name__ == "__main__":
    main()
