"""A neutral referee and tournament arbiter for the Stratego family of games."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("stratego-arbiter")
except PackageNotFoundError:  # run from a source tree that is not installed
    __version__ = "0.0.0"
