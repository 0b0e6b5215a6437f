"""What several tests of the referee need."""

import pytest

from arbiter.referee.probe import NoSandbox, open_sandbox


@pytest.fixture(scope="session")
def sandbox():
    """Return the tier `full`, where this machine can build sandboxes."""
    try:
        return open_sandbox()
    except NoSandbox as lack:
        pytest.skip(f"no sandbox: {lack}")
