"""The arbiter on a pseudo-terminal: tests press keys and read the screen."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from threading import Timer

from cli.command_line import ARBITER, PATIENCE_S

ENTERED, LEFT = "\x1b[?1049h", "\x1b[?1049l"  # switch to the alternate screen and back
_COLOUR = re.compile(r"\x1b\[[0-9;]*\b(?:3[0-7]|38;[0-9;]+|4[0-7]|48;[0-9;]+|9[0-7]|10[0-7])\b[0-9;]*m")


class Terminal:
    """Run `arbiter WORDS` on a terminal of `width` columns and `height` lines."""

    def __init__(self, *words, width=80, height=24, **environment):
        self._ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.modes = termios.tcgetattr(its)
        self._its = its
        self._open = [its, self._ours]
        plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        env = {**plain, "TERM": "xterm-256color", **environment}
        self.popen = subprocess.Popen([ARBITER, *map(str, words)], stdin=its, stdout=its, stderr=its, env=env)
        self._time_limit = Timer(PATIENCE_S, self.popen.kill)  # ends a test that would hang
        self._time_limit.start()
        self.written = ""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._time_limit.cancel()
        self.popen.kill()
        self.popen.wait()
        self._close()

    def _close(self):
        while self._open:
            os.close(self._open.pop())

    def read_until(self, text):
        """Read until `text` appears in the output since the last call."""
        new = ""
        while text not in new:
            gone = self.popen.poll() is not None
            new += self._read()
            assert text in new or not gone, f"no {text!r} in {new!r}"

    def press(self, keys):
        """Send keys as a terminal encodes them."""
        os.write(self._ours, keys.encode())

    def answer(self, replies):
        """Press the reply to the first pattern that the end of the output matches, until the command ends."""
        answered = 0
        while self.popen.poll() is None:
            if self._read(0.1) or len(self.written) == answered:
                continue
            end = self.written[-80:]
            if prompt := next((one for one in replies if re.search(one, end)), None):
                answered = len(self.written)
                self.press(replies[prompt])

    def finish(self):
        """Read to the end; return the exit code."""
        while self.popen.poll() is None:
            self._read()
        while self._read(0):
            pass
        return self.popen.returncode

    def hang_up(self):
        """Remove the terminal: the kernel sends no SIGHUP, because it is that of no session.  Return the exit code."""
        self._close()
        return self.popen.wait()

    def _read(self, wait_s=0.02):
        """Read available output, or return '' after a while.  The arbiter blocks if nobody reads."""
        if not select.select([self._ours], [], [], wait_s)[0]:
            return ""
        part = os.read(self._ours, 65536).decode(errors="replace")
        self.written += part
        return part

    @property
    def is_clean(self):
        """Return True if the modes, screen, cursor and mouse of the terminal are restored."""
        left = self.written.rfind(LEFT) > self.written.rfind(ENTERED)
        cursor = self.written.rfind("\x1b[?25h") > self.written.rfind("\x1b[?25l")
        mouse = self.written.rfind("\x1b[?1000l") > self.written.rfind("\x1b[?1000h")
        return left and cursor and mouse and termios.tcgetattr(self._its) == self.modes

    @property
    def colours(self):
        """List the colour codes in the output."""
        return _COLOUR.findall(self.written)
