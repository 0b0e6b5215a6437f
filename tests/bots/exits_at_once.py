"""Exits before it is greeted."""

import sys

sys.exit("nothing to do")
