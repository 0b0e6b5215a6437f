"""Tournaments on a cluster with a bot that sleeps in its games until a test wakes it, but starts at once."""

from cli.command_line import write_tournament
from cli.sleeping_bot import quick_bot

SHARED = {"shared": True}  # the test finds the files and processes of bots by their folder

# Plays like player.py, but sleeps when a game starts.
DOZER = """
import io, runpy, sys, time
from pathlib import Path
here = Path(__file__).parent
class Input:
    def __init__(self, lines):
        self._lines = lines
    def __iter__(self):
        for line in self._lines:
            while '"start"' in line and not (here / "awake.log").exists():
                (here / "asleep.log").touch()
                time.sleep(0.02)
            yield line
sys.stdin = Input(sys.stdin)
runpy.run_path(str(here / "player.py"), run_name="__main__")
"""


def dozing_tournament(folder, **settings):
    """Write a tournament of a bot that sleeps in its games and two others into a folder with the bots' programs."""
    (folder / "dozer.py").write_text(DOZER)
    bots = ({"name": "dozer", "command": ["./dozer.py"]}, quick_bot("one"), quick_bot("two"))
    time = {"start_s": 60, "setup_s": 600}
    return write_tournament(folder, bots=bots, jobs=2, time=time, cluster=SHARED, **settings)
