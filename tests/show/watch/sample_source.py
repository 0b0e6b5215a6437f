"""A source of games for tests: finished games, and games in progress that a test continues."""

from show.sample_record import record

from arbiter.record import RecordError, RecordWriter
from arbiter.tournament.events import Began
from arbiter.tournament.fixture import Fixture
from arbiter.transcript import GameLog
from arbiter.verify import with_facts

MOVES = "a4-a5 e7-d7 a5-a4 d7-e7 a4-b4 e7-f7 b4-a4 f7-e7 b6xb7"
WON = {"winner": "red", "ending": "resigned", "reason": {"code": "resigned", "seat": "blue"}}


def began(number, *, at="2026"):
    """Return the event of the start of a game."""
    return Began(Fixture(f"g{number}", 1, "hunter", "mine", 1), at)


def written(acts, moves=MOVES):
    """Write the record of a game in progress after so many acts."""
    lines = []
    shown, _ = with_facts(record(" ".join(moves.split()[:acts])))
    writer = RecordWriter(shown.header, lines.append)
    for act in shown.acts:
        writer.act(act)
    return b"".join(line + b"\n" for line in lines)


class FakeSource:
    """A source of the given games."""

    title = "[bold]Club\x1b night"

    def __init__(self, *games):
        self.found = list(games)
        self.records = {}
        self.states = {}
        self.changes = 0
        self.failure = None
        self.begun = {}
        self.lives = {}
        self.runs_live = False

    def games(self):
        return tuple(self.found)

    def uncounted(self):
        return self.states

    def version(self):
        if self.failure:
            raise self.failure
        return self.changes

    def has(self, game_id):
        return any(game.id == game_id for game in self.found)

    def read_game(self, game_id):
        if game_id == "g2":
            raise RecordError("line 3 is cut off [/]")
        if game_id in self.records:
            return self.records[game_id]
        return record("b6xb7 c7xb7") if game_id != "g3" else record("a4-a5 b7-b8")

    def log(self, _game_id):
        return GameLog()

    def games_in_progress(self):
        return tuple(self.begun.values())

    def can_be_watched(self):
        return self.runs_live

    def live_record(self, game_id):
        return self.lives.get(game_id, b"")

    def add(self, *games):
        """Finish games."""
        self.found += games
        self.changes += 1
        for game in games:
            self._remove(game.id)

    def play(self, number, acts, *, at="2026", moves=MOVES):
        """Start a game that can be watched, or continue it."""
        self.runs_live = True
        self.begun[f"g{number}"] = began(number, at=at)
        self.lives[f"g{number}"] = written(acts, moves)

    def finish(self, game, acts):
        """Finish a game in progress with a result."""
        self.records[game.id] = record(" ".join(MOVES.split()[:acts]), result=WON)
        self.add(game)

    def void(self, number):
        """Void a game in progress."""
        self._remove(f"g{number}")

    def _remove(self, game_id):
        self.begun.pop(game_id, None)
        self.lives.pop(game_id, None)
