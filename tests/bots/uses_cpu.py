"""Uses a number of milliseconds of processor time for each answer: itself, in a child, in a thread or off turn."""

import os
import sys
import threading
import time

from base import Bot

MS = float(sys.argv[1])
WHERE = sys.argv[2] if len(sys.argv) > 2 else "itself"


def use_cpu(clock=time.thread_time):
    """Use the processor for the given time."""
    end = clock() + MS / 1000
    while clock() < end:
        pass


def use_cpu_in_child():
    """Use the processor in a child process, and wait for it."""
    child = os.fork()
    if not child:
        use_cpu()
        os._exit(0)
    os.waitpid(child, 0)


def use_cpu_in_thread():
    thread = threading.Thread(target=use_cpu)
    thread.start()
    thread.join()


class UsesCpu(Bot):
    def answer_ask(self, ask):
        if ask["phase"] == "turn":
            {"itself": use_cpu, "child": use_cpu_in_child, "thread": use_cpu_in_thread, "off_turn": lambda: None}[
                WHERE
            ]()
        super().answer_ask(ask)
        if WHERE == "off_turn":
            use_cpu()


UsesCpu().run()
