"""The folder of a bot, for builds and wheels in the sandbox."""

import pytest

from arbiter.sandbox.select import NoSandbox, open_sandbox


@pytest.fixture
def folder(tmp_path):
    """Return an empty folder for the files of a bot, which everybody may read."""
    try:
        open_sandbox()
    except NoSandbox as lack:
        pytest.skip(f"no sandbox: {lack}")
    for path in (tmp_path, tmp_path / "bot"):
        path.mkdir(exist_ok=True)
        path.chmod(0o755)
    return tmp_path / "bot"
