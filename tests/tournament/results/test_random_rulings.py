"""Random tournaments with absences and rulings in any order: a ruling changes only what its text says."""

import random
from collections import Counter

import msgspec
import pytest
from tournament.rulings import (
    FORCED,
    Event,
    disqualify,
    reinstate,
    rule_game,
    undo_disqualification,
    undo_game_ruling,
    undo_reinstatement,
    withdraw,
)

from arbiter.errors import ConfigError
from arbiter.tournament.results.store import Store
from protocol.reasons import Suspended, list_reasons

BOTS = "abcdef"
POINTS = {"win": 6, "draw": 3, "loss": 1, "forfeit": 0, "double loss": 1}  # the system `isf`
SUSPEND_AFTER = 2
FORMATS = {
    "round-robin": {"games": 2},
    "gauntlet": {"format": "gauntlet", "challengers": ["a", "b"], "games": 4},
    "swiss": {"format": "swiss", "rounds": 4, "games": 2},
    "knockout": {"format": "knockout", "games": 2},
    "ladder": {"format": "ladder", "max_games": 40},
}
GAMES = 10
"""Games of each bot in the round robin."""
OPEN = ("round-robin", "gauntlet")
"""Formats whose pairings do not follow from results."""


class RandomEvent(Event):
    """A tournament with bots that forfeit often; suspended, withdrawn and disqualified ones lose by walkover."""

    suspend_after = SUSPEND_AFTER

    def __init__(self, path, form, chance):
        self.chance = chance
        self.weak = chance.sample(BOTS, 2)
        rule = chance.choice(["half", "keep", "strike"])
        super().__init__(path, BOTS, suspend_after=SUSPEND_AFTER, withdrawn_games=rule, **FORMATS[form])

    def finish(self, fixture, result=None):
        if result is None:
            forfeits = [seat for seat, bot in fixture.bots.items() if bot in self.weak and self.chance.random() < 0.7]
            if forfeits:
                result = ("blue" if forfeits[0] == "red" else "red"), "crash"
            else:
                result = self.chance.choice([("red", "flag_taken"), ("blue", "flag_taken"), (None, "no_attack_limit")])
        return super().finish(fixture, result)

    def read(self):
        with Store.read(self.path) as store:
            return store.history(), store.schedule(), store.games_as_played()

    def table(self):
        """Return the tables of all stages, encoded."""
        schedule = self.read()[1]
        tables = [schedule.rank(stage) for stage in schedule.stages]
        return msgspec.json.encode([*tables, schedule.rank_all()])

    def rule_at_random(self):
        """Make a random ruling, and return the game or the bot that it names; None if there is nothing like it to rule."""
        chance = self.chance
        history, _, played = self.read()
        bot = chance.choice(BOTS)
        game = chance.choice(played).id if played else ""
        kind = chance.choice(
            ["game"] * 4 + ["undo game", "disqualify", "qualify", "reinstate", "undo reinstate", "withdraw"]
        )
        make = {
            "game": lambda: rule_game(
                self.path, game, chance.choice(["red", "blue", "draw", "none", "annulled"]), FORCED
            ),
            "undo game": lambda: undo_game_ruling(self.path, game, FORCED),
            "disqualify": lambda: disqualify(self.path, bot, FORCED),
            "qualify": lambda: undo_disqualification(self.path, bot, FORCED),
            "reinstate": lambda: reinstate(self.path, bot, FORCED),
            "undo reinstate": lambda: undo_reinstatement(self.path, bot, FORCED),
            "withdraw": lambda: withdraw(self.path, bot, back=bot in history.withdrawn),
        }
        try:
            make[kind]()
        except ConfigError:
            return None
        return game if "game" in kind else bot

    def undo_all(self):
        """Revert all rulings, in a random order as far as the commands allow it."""
        while found := list(self.read()[0].in_force):
            self.chance.shuffle(found)
            for ruling in found:
                try:
                    if ruling.kind == "reinstate":
                        undo_reinstatement(self.path, ruling.bot, FORCED)
                    elif ruling.kind == "disqualify":
                        undo_disqualification(self.path, ruling.bot, FORCED)
                    elif ruling.kind == "withdraw":
                        withdraw(self.path, ruling.bot, back=True)
                    else:
                        undo_game_ruling(self.path, ruling.game, FORCED)
                    break
                except ConfigError:  # another one must be reverted first
                    continue
            else:
                pytest.fail(f"no ruling can be reverted: {found}")


# --- an independent count -------------------------------------------------------------------------


def recount(history, rule):
    """Count the points and the games of each bot in a round robin, from the rows of the results file."""
    undone = {ruling.undoes for ruling in history.rulings}
    in_force = [one for one in history.rulings if one.kind != "undo" and one.number not in undone]
    on_game = {one.game: one for one in in_force if one.game}
    disqualified = {one.bot: one.number for one in in_force if one.kind == "disqualify"}
    replaced = {one.game: one.replacement for one in on_game.values() if one.kind == "replay"}
    for one in history.rulings:
        if one in in_force or one.kind == "undo":
            replaced |= one.replays
    gone = {one.bot for one in in_force if one.kind in {"withdraw", "disqualify"}} | {
        bot
        for game in history.as_played
        if game.id not in replaced and game.ending == "walkover"
        for seat, bot in (("red", game.red), ("blue", game.blue))
        if game.winner != seat
        and any(isinstance(one, Suspended) and one.bot == bot for one in list_reasons(game.reason))
        and is_suspended(history, bot)
    }
    current = [
        game
        for game in history.as_played
        if game.id not in replaced and ("~r" not in game.id or game.id in replaced.values())
    ]
    played = Counter(bot for game in current if game.ending != "walkover" for bot in (game.red, game.blue))
    struck = set()
    for bot in gone:
        if rule == "strike" or (rule == "half" and 2 * played[bot] < GAMES):
            struck.add(bot)
    points, games = Counter(), Counter()
    for game in current:
        if game.red in struck or game.blue in struck:
            continue
        worth = count_game(game, on_game.get(game.id), disqualified)
        for seat, bot in (("red", game.red), ("blue", game.blue)):
            if worth is not None:
                games[bot] += 1
                points[bot] += worth[seat]
    return points, games


def count_game(game, ruling, disqualified):
    """Return the points of both seats; None if the game does not count."""
    kind, winner = game.ending, game.winner
    if ruling is not None and ruling.kind != "replay":
        if ruling.result == "annulled":
            return None
        kind, winner = "ruled", {"draw": None}.get(ruling.result, ruling.result)
    since = 0 if ruling is None else ruling.number
    out = {seat for seat in ("red", "blue") if disqualified.get(getattr(game, seat), 0) > since}
    if out:
        kind, winner = "walkover", next((seat for seat in ("red", "blue") if seat not in out), None)
    if winner == "none":
        return {"red": POINTS["double loss"], "blue": POINTS["double loss"]}
    if winner is None and kind == "walkover":
        return {"red": 0, "blue": 0}
    if winner is None:
        return {"red": POINTS["draw"], "blue": POINTS["draw"]}
    lost = POINTS["forfeit"] if kind in {"walkover", "crash"} else POINTS["loss"]
    return {seat: POINTS["win"] if seat == winner else lost for seat in ("red", "blue")}


def is_suspended(history, bot):  # noqa: C901 - one event at a time
    """Return True if a bot was suspended by its forfeits, and has not been reinstated since, one event at a time."""
    suspended = {}
    forgiven = {}
    saved = {}
    for place in range(len(history.as_played) + 1):
        for ruling in [one for one in history.rulings if one.games == place and one.bot == bot]:
            if ruling.kind == "reinstate":
                saved[ruling.number] = suspended.get(bot, False), forgiven.get(bot, 0)
                suspended[bot], forgiven[bot] = False, place
            elif ruling.kind == "undo" and ruling.undoes in saved:
                before, forgiven[bot] = saved[ruling.undoes]
                suspended[bot] = suspended.get(bot, False) or before
        if place == len(history.as_played):
            return suspended.get(bot, False)
        game = history.as_played[place]
        if bot not in (game.red, game.blue) or game.ending == "walkover":
            continue
        made = [one for one in history.rulings if one.games <= place]
        undone = {one.undoes for one in made}
        on_game = {one.game: one for one in made if one.game and one.kind != "undo" and one.number not in undone}
        out = {one.bot for one in made if one.kind == "disqualify" and one.number not in undone}
        row = 0
        for other in reversed(history.as_played[forgiven.get(bot, 0) : place + 1]):
            ruling = on_game.get(other.id)
            if bot not in (other.red, other.blue) or other.ending == "walkover":
                continue
            if ruling is not None and ruling.result in {"annulled", "replay"}:
                continue
            if ruling is None and out & {other.red, other.blue}:
                continue
            lost = other.ending == "crash" and getattr(other, other.winner) != bot and ruling is None
            if not lost:
                break
            row += 1
        if row >= SUSPEND_AFTER:
            suspended[bot] = True
    return None


def read_rows(schedule):
    """Return what the table says of each bot: points, games, and if it left."""
    table = schedule.rank(schedule.stages[0])
    return {one.bot: (one.points, one.games, one.status, one.withdrawn) for one in table}


@pytest.mark.heavy(keep=5)
@pytest.mark.slow(keep=20)
@pytest.mark.parametrize("seed", range(400))
def test_rulings_change_only_what_they_name(tmp_path, seed):
    chance = random.Random(seed)
    form = list(FORMATS)[seed % len(FORMATS)]
    event = RandomEvent(tmp_path / "club.sqlite", form, chance)
    event.play(chance.randrange(4, 40))
    before = event.table()
    plays = chance.random() < 0.3
    for _ in range(8):
        old = read_rows(event.read()[1])
        named = event.rule_at_random()
        history, schedule, _ = event.read()
        rows = read_rows(schedule)
        if form == "round-robin":
            rule = event.manifest.tournament.withdrawn_games
            points, games = recount(history, rule)
            assert {bot: row[:2] for bot, row in rows.items()} == {bot: (points[bot], games[bot]) for bot in BOTS}
        if form in OPEN and named is not None and "~" in named:
            changed = {bot for bot in BOTS if rows[bot] != old[bot]}
            assert changed <= set(named.split("~")[:2])
            assert all(rows[bot][2] == old[bot][2] for bot in BOTS)
        if plays:
            event.play(chance.randrange(4))
    if not plays:
        event.undo_all()
        assert event.table() == before
