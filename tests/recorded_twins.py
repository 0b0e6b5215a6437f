"""Records of twin games: pairs of games that one observer cannot distinguish."""

import pytest
from twins import TwinPlays

from arbiter.games.base import IllegalAction
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import NO_OVERRIDES
from arbiter.record import ActEntry, GameHeader, PlayerName, RecordWriter
from protocol.words import OPPONENT, SEATS


class RecordedPlay:
    """A play that records each act; the acts of some seats have a note that shows all pieces."""

    def __init__(self, play, header, noting=SEATS):
        self.play = play
        self.noting = noting
        self.lines = []
        self.record = RecordWriter(header, self.lines.append)

    def __getattr__(self, name):
        return getattr(self.play, name)

    def act(self, seat, action):
        facts = self.play.act(seat, action)
        self.write(seat, action)
        return facts

    def write(self, seat, action):
        self.record.act(ActEntry(seat=seat, action=action, note=repr(self.play) if seat in self.noting else None))

    @property
    def written(self):
        """The record so far."""
        return b"\n".join([*self.lines, b""])

    def refuse(self, seat, action):
        """Record an act that the rules forbid, as the last act of the game."""
        with pytest.raises(IllegalAction):
            self.play.act(seat, action)
        self.write(seat, action)


def start_pair(pair, army, noting=SEATS):
    """Start both games of a pair of twins, up to the deployments."""
    header = GameHeader(
        rules=army.get("rules", "original"),
        options=army.get("options", ()),
        overrides=army.get("overrides", NO_OVERRIDES),
        seed=pair.seed,
        seats={seat: PlayerName(seat) for seat in SEATS},
    )
    plays = [RecordedPlay(pair.game.start(SeededChance(pair.seed)), header, noting) for _ in SEATS]
    for written, deployments in zip(plays, pair.deployments, strict=True):
        for seat, action in deployments.items():
            written.act(seat, action)
    return plays


def play_pair(pair, army):
    """Play both games of a pair of twins up to the end, or until the observer could distinguish them."""
    one, other = start_pair(pair, army, [OPPONENT[pair.observer]])  # own notes may be seen
    both = TwinPlays(one, other, pair.observer)
    for seat, action in pair.actions[0]:
        both.act(seat, action)
        if one.outcome or other.outcome:
            break
    return one, other
