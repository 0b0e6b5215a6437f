"""Programs that authors have submitted, as the web server and the examiner store them."""

from arbiter.submissions.examine import find_submitted
from arbiter.submissions.store import ENTRIES
from arbiter.tournament.programs import ProgramDigests


def store_program(submissions, author, text="", state="passed", file="mybot.py", **facts):
    """Store a program in Python whose check is over, with its entry; return its number."""
    made = submissions.create(author, [f"./{file}"], "id")
    home = submissions.place(made.number) / "bot"
    home.mkdir()
    (home / file).write_text(text)
    digests = ProgramDigests([find_submitted("bot", made.command, home)], has_environments=False)
    found = digests.digest("bot")
    entry = submissions.folder / ENTRIES / found.digest
    if not entry.exists():
        entry.mkdir(parents=True)
        home.rename(entry / "bot")
    submissions.change(made, state, digest=found.digest, interpreter=found.interpreter, **facts)
    return made.number
