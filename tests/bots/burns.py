"""Uses so many milliseconds of the processor for each answer, by itself, in a child, in a thread or off turn."""

import os
import sys
import threading
import time

from base import Bot

MS = float(sys.argv[1])
WHERE = sys.argv[2] if len(sys.argv) > 2 else "itself"


def burn(clock=time.thread_time):
    """Burn the time that was asked for."""
    end = clock() + MS / 1000
    while clock() < end:
        pass


def in_a_child():
    """Let a child burn it, and reap that."""
    child = os.fork()
    if not child:
        burn()
        os._exit(0)
    os.waitpid(child, 0)


def in_a_thread():
    """Let a thread burn it."""
    thread = threading.Thread(target=burn)
    thread.start()
    thread.join()


class Burner(Bot):
    def answer(self, ask):
        if ask["phase"] == "turn":
            {"itself": burn, "child": in_a_child, "thread": in_a_thread, "off_turn": lambda: None}[WHERE]()
        super().answer(ask)
        if WHERE == "off_turn":
            burn()


Burner().run()
