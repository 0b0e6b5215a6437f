"""Rulings on tournaments that are played without programs."""

from contextlib import closing

from msgspec.structs import replace
from tournament.stored_games import RESULTS, game
from tournament.tournaments import manifest

from arbiter.tournament.dispatcher import Dispatcher, Walkover
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.database import open_database, transaction
from arbiter.tournament.results.rows import insert_ruling
from arbiter.tournament.results.rulings import Decision, Request, make_ruling
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import find_points, score
from protocol.reasons import Disqualified, Stated, Suspended, Withdrawn

DECISION = Decision(by="ann", reason=Stated("the power failed"))
FORCED = replace(DECISION, force=True)


def rule_game(path, game, result, decision):
    return make_ruling(path, Request(kind="result", about=game, result=result), decision)


def undo_game_ruling(path, game, decision):
    return make_ruling(path, Request(kind="result", about=game, undo=True), decision)


def disqualify(path, bot, decision, first_round=1):
    return make_ruling(path, Request(kind="disqualify", about=bot, first_round=first_round), decision)


def undo_disqualification(path, bot, decision):
    return make_ruling(path, Request(kind="disqualify", about=bot, undo=True), decision)


def reinstate(path, bot, decision):
    return make_ruling(path, Request(kind="reinstate", about=bot), decision)


def undo_reinstatement(path, bot, decision):
    return make_ruling(path, Request(kind="reinstate", about=bot, undo=True), decision)


def withdraw(path, bot, *, back=False):
    return make_ruling(path, Request(kind="withdraw", about=bot, undo=back), DECISION)


def insert(path, ruling):
    """Store a ruling as it is."""
    with closing(open_database(path, "mode=rw")) as connection, transaction(connection):
        insert_ruling(connection, ruling)


class Event:
    """A tournament in a results file: its games get the results that a function gives them.

    Games of bots that left are walkovers.
    """

    suspend_after = 0

    def __init__(self, path, bots, how=None, **settings):
        self.path = path
        self.manifest = manifest(tuple(bots), **{"games": 2} | settings)
        self.how = how or first_name_wins
        self.started = 0
        Store.create_or_resume(path, self.manifest).close()

    def play(self, most=None):
        """Play the games that are missing, at most some; return their ids."""
        played = []
        with Store.create_or_resume(self.path, self.manifest) as store:
            history = store.history()
            left = {bot: Withdrawn(bot) for bot in history.withdrawn}
            left |= {bot: Disqualified(bot) for bot in history.disqualified}
            dispatcher = Dispatcher(
                store.schedule(), history, suspend_after=self.suspend_after, ask_absent=lambda: left
            )
            while (most is None or len(played) < most) and (task := dispatcher.take()):
                played.append(self.walk_over(task) if isinstance(task, Walkover) else self.finish(task))
                dispatcher.add(played[-1])
            store.add([NewGame(one, b"record") for one in played])
        return [one.id for one in played]

    def walk_over(self, task):
        winner = None if len(task.absent) == 2 else "blue" if task.absent == ("red",) else "red"
        return replace(self.finish(task.fixture, (winner, "walkover")), reason=task.reason)

    def finish(self, fixture, result=None):
        winner, ending = result or self.how(fixture)
        self.started += 1
        points = score(find_points(self.manifest.tournament.points), winner, ending)
        is_walkover = ending == "walkover"
        return replace(
            game(fixture.red, fixture.blue, winner, ending, pair=fixture.pair, round_=fixture.round),
            id=fixture.id,
            reason=Suspended("b", 2) if is_walkover else None,
            plies=0 if is_walkover else 10,
            red_points=points.get("red", 0),
            blue_points=points.get("blue", 0),
            started=f"2026-11-22T08:{self.started // 60:02}:{self.started % 60:02}+00:00",
        )

    def schedule(self):
        with Store.read(self.path) as store:
            return store.schedule()

    def points(self):
        """Return the points of each bot in the last stage, the best first."""
        schedule = self.schedule()
        return {one.bot: one.points for one in schedule.rank(schedule.stages[-1])}

    def meetings(self):
        """Return the pairings of each round that is paired."""
        rounds = [one for stage in self.schedule().stages for one in stage.rounds]
        return [[f"{meeting.one}-{meeting.two}" for meeting in one.fixtures.meetings] for one in rounds]


def first_name_wins(fixture):
    return RESULTS["1-0" if fixture.red < fixture.blue else "0-1"]


def results_of(text, otherwise=first_name_wins):
    """Make a function of results: `a~b~1 0-1` for some games, another function for the others."""
    given = dict(line.split() for line in text.strip().splitlines())

    def how(fixture):
        return RESULTS[given[fixture.id]] if fixture.id in given else otherwise(fixture)

    return how
