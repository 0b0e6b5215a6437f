"""Has as many children as it can, which wait for ever, and writes on stderr how many."""

import os
import signal

count = 0
while count < 1000:
    try:
        if os.fork() == 0:
            signal.pause()
    except OSError:
        break
    count += 1
os.write(2, str(count).encode())
