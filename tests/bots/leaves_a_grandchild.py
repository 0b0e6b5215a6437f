"""Starts a child in its process group, which starts another in a new session; prints `here` and waits."""

import os
import sys
import time

if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        print("here", flush=True)
    time.sleep(3600)
sys.stdin.buffer.read()
