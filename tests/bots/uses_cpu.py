"""Uses some milliseconds of processor time for each answer, in one of the ways of WAYS.

With numbers such as `60,400`, it uses the first one for its first turn, and so on; the last one for all others.
"""

import os
import select
import signal
import subprocess
import sys
import threading
import time

from base import Bot

FOR_TURNS = [float(ms) for ms in sys.argv[1].split(",")]
MS = FOR_TURNS[0]
WHERE = sys.argv[2] if len(sys.argv) > 2 else "itself"


def use_cpu(ms=None):
    """Use the processor for a time.  Default: that of this turn."""
    end = time.thread_time() + (ms or MS) / 1000
    while time.thread_time() < end:
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


def use_cpu_in_orphan(ms=None):
    """Use the processor in a process whose parent has ended; a pipe reports its end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        if not os.fork():
            os.close(reading)
            use_cpu(ms)
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    os.read(reading, 1)
    os.close(reading)


def use_cpu_in_swarm():
    """Use the processor in many orphans, each for much less than a tick of the system."""
    for _ in range(int(MS / 4)):  # to start them takes time too, more on a busy machine
        use_cpu_in_orphan(4.0)


def use_cpu_in_chain():
    """Use the processor in a program that replaces itself by another one several times."""
    code = "import os, sys, time\nleft = int(sys.argv[1])\nwhile time.process_time() * 1000 < {ms} * (6 - left) / 5: pass\n"
    code += "left and os.execv(sys.executable, [sys.executable, '-ESc', sys.argv[2], str(left - 1), sys.argv[2]])"
    code = code.format(ms=MS)
    subprocess.run([sys.executable, "-ESc", code, "5", code], check=True)


def use_cpu_in_zombie():
    """Use the processor in a child process, and do not wait for it; a pipe reports its end."""
    reading, writing = os.pipe()
    if not os.fork():
        os.close(reading)
        use_cpu()
        os._exit(0)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)


def use_cpu_unseen():
    """Use the processor in a child process that the kernel does not keep until its parent waits for it."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    use_cpu_in_zombie()


WAYS = {
    "itself": use_cpu,
    "child": use_cpu_in_child,
    "thread": use_cpu_in_thread,
    "orphan": use_cpu_in_orphan,
    "swarm": use_cpu_in_swarm,
    "chain": use_cpu_in_chain,
    "zombie": use_cpu_in_zombie,
    "unseen": use_cpu_unseen,
    "off_turn": lambda: None,
}


class UsesCpu(Bot):
    def answer_ask(self, ask):
        global MS  # noqa: PLW0603 - the functions of WAYS use it
        if ask["phase"] == "turn":
            WAYS[WHERE]()
            MS = FOR_TURNS[min(self.turns + 1, len(FOR_TURNS) - 1)]
        super().answer_ask(ask)
        while WHERE == "off_turn" and not select.select([sys.stdin], [], [], 0)[0]:
            pass


UsesCpu().run()
