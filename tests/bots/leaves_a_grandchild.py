"""Starts a child in its group, which starts one in a session of its own; says so and waits."""

import os
import sys
import time

if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        print("here", flush=True)
    time.sleep(3600)
sys.stdin.buffer.read()
