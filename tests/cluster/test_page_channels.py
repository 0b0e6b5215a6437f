"""The files of bots are loaded into memory before games on the machines of a cluster too."""

import pytest
from cli.command_line import call_ok
from cli.conftest import sandboxes
from cli.test_channels import GAMES, count_carried, write_event
from cluster.machines import Machines, needs_names

__all__ = ["sandboxes"]
pytestmark = [pytest.mark.slow, needs_names]

# Removes the bot's files from memory before the first game, as other programs that need memory do.
FORGET = """
import os, pathlib, tempfile
from arbiter.tournament.loading import FilesInMemory
called = []
load = getattr(FilesInMemory.load, "usual", FilesInMemory.load)  # a preload runs twice

def forget_once(files, bot):
    called.append(bot)
    if len(called) == 1:
        for path in pathlib.Path(tempfile.gettempdir()).rglob("marks.bin"):
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                print("forgotten", flush=True)
    if IS_LOADED:
        load(files, bot)

forget_once.usual = load
FilesInMemory.load = forget_once
"""


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.parametrize("is_loaded", [True, False])
def test_no_game_sees_which_pages_the_game_before_has_read(tmp_path, is_loaded):
    tmp_path.chmod(0o755)
    event = tmp_path / "event"
    event.mkdir()
    file = write_event(event, GAMES["board"])
    with Machines(tmp_path) as cluster:
        place = cluster.add("attic", preload=FORGET.replace("IS_LOADED", str(is_loaded)))
        place.chmod(0o755)
        cluster.wait_for_workers()
        call_ok("run", file, "--cluster", cluster.file, "--sandbox", "full")
        cluster.wait_until_logged("forgotten")
    dealt, known = count_carried(file)
    assert dealt == 40
    assert known == 0 if is_loaded else known > 30
