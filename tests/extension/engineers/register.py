"""Registers the rule set: import this before anything of the project."""

import engineers.words  # noqa: F401 - first, because it extends the protocol  # isort: skip

from pathlib import Path

from arbiter.games.catalogue import register
from arbiter.languages.catalogue import add_texts
from engineers.rules import ENGINEERS

register(ENGINEERS)
add_texts(Path(__file__).with_name("languages"))
