"""Screens that are kept in files, to be compared with those of today."""

import os
from pathlib import Path

SCREENS = Path(__file__).parent / "screens"


def assert_screen(name, text):
    """Compare a screen with the one that is kept; with UPDATE_SCREENS in the environment, keep it."""
    text = text.rstrip()
    path = SCREENS / f"{name}.txt"
    if os.environ.get("UPDATE_SCREENS"):
        path.write_text(f"{text}\n", encoding="utf-8")
    assert text == path.read_text(encoding="utf-8").rstrip(), f"{path} shows another screen:\n{text}"
