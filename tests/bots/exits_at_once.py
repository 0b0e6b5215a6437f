"""Exits before `hello`."""

import sys

sys.exit("nothing to do")
