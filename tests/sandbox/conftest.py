"""Patience with bots on a busy machine, as for the referee."""

from referee.conftest import patient, wait_for_exits  # noqa: F401 - pytest finds them here
