"""Starts as many waiting child processes as possible, and writes their number to stderr."""

import os
import time

count = 0
while count < 1000:
    try:
        if os.fork() == 0:
            time.sleep(3600)
    except OSError:
        break
    count += 1
os.write(2, str(count).encode())
