"""Allocates memory without limit at its first move, and frees it when there is no more."""

from base import Bot


class AllocatesMemory(Bot):
    def choose_action(self, ask):
        hoard = []
        try:
            while True:
                hoard.append(bytearray(10_000_000))
        except MemoryError:
            hoard.clear()  # Python 3.13 crashes if it has no memory to print the traceback
            raise


AllocatesMemory().run()
