"""A source of games as a test says: finished ones, and games under way that are played on."""

from show.recorded import record

from arbiter.record import RecordError, RecordWriter
from arbiter.tournament.events import Began
from arbiter.tournament.fixture import Fixture
from arbiter.verify import with_facts

MOVES = "a4-a5 e7-d7 a5-a4 d7-e7 a4-b4 e7-f7 b4-a4 f7-e7 b6xb7"
WON = {"winner": "red", "ending": "resigned", "why": "blue resigned"}


def began(number, *, at="2026"):
    """Tell that a game has begun."""
    return Began(Fixture(f"g{number}", 1, "hunter", "mine", 1), at)


def written(acts, moves=MOVES):
    """Write the record of a game under way after so many acts."""
    lines = []
    shown, _ = with_facts(record(" ".join(moves.split()[:acts])))
    writer = RecordWriter(shown.header, lines.append)
    for act in shown.acts:
        writer.act(act)
    return b"".join(line + b"\n" for line in lines)


class Played:
    """A source of as many games as a test says."""

    title = "[bold]Club\x1b night"

    def __init__(self, *games):
        self.found = list(games)
        self.records = {}
        self.changed = False
        self.failure = None
        self.begun = {}
        self.lives = {}
        self.runs_live = False

    def games(self):
        return tuple(self.found)

    def has_changed(self):
        if self.failure:
            raise self.failure
        changed, self.changed = self.changed, False
        return changed

    def has(self, game_id):
        return any(game.id == game_id for game in self.found)

    def record(self, game_id):
        if game_id == "g2":
            raise RecordError("line 3 is cut off [/]")
        if game_id in self.records:
            return self.records[game_id]
        return record("b6xb7 c7xb7") if game_id != "g3" else record("a4-a5 b7-b8")

    def under_way(self):
        return tuple(self.begun.values())

    def is_live(self):
        return self.runs_live

    def live(self, game_id):
        return self.lives.get(game_id, b"")

    def add(self, *games):
        """Finish games."""
        self.found += games
        self.changed = True
        for game in games:
            self._let_go(game.id)

    def play(self, number, acts, *, at="2026", moves=MOVES):
        """Begin a game that can be watched, or go on with it."""
        self.runs_live = True
        self.begun[f"g{number}"] = began(number, at=at)
        self.lives[f"g{number}"] = written(acts, moves)

    def finish(self, game, acts):
        """Finish a game that was under way, with a result."""
        self.records[game.id] = record(" ".join(MOVES.split()[:acts]), result=WON)
        self.add(game)

    def break_off(self, number):
        """Let a game come to nothing."""
        self._let_go(f"g{number}")

    def _let_go(self, game_id):
        self.begun.pop(game_id, None)
        self.lives.pop(game_id, None)
