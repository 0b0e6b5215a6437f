"""No spectator is shown what a player hides: games that differ in that alone have the same films."""

from itertools import count

import card_twins
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import ARMIES, Shadow, twins

from arbiter.errors import IllegalAction
from arbiter.games.chance import Seeded
from arbiter.games.ruleset import NO_OVERRIDES
from arbiter.record import ActEntry, GameHeader, RecordWriter
from arbiter.serve.live_games import LiveGameData
from arbiter.serve.source import spectator_settings
from protocol.words import OPPONENT, SEATS, Move, PeekLine, Stop

TERMS = [spectator_settings(show_all=False, delay=delay, lang="en") for delay in (0, 3)]
LOOK_EVERY = 40  # acts


def live_film(data, on_terms):
    live = LiveGameData(on_terms)
    live.take(data)
    return live.film


class Written:
    """A game that is written down as it is played, each act with a note that tells all."""

    def __init__(self, play, header):
        self.play = play
        self.lines = []
        self.record = RecordWriter(header, self.lines.append)

    def __getattr__(self, name):
        return getattr(self.play, name)

    def act(self, seat, action):
        told = self.play.act(seat, action)
        self.write(seat, action)
        return told

    def write(self, seat, action):
        self.record.act(ActEntry(seat=seat, action=action, note=repr(self.play)))

    def films(self):
        return [live_film(b"\n".join([*self.lines, b""]), each) for each in TERMS]

    def refuse(self, seat, action):
        """Write an act down that the rules forbid, as the last of a game that it loses."""
        with pytest.raises(IllegalAction):
            self.play.act(seat, action)
        self.write(seat, action)


def board_pair(pair, army):
    header = GameHeader(
        rules=army.get("rules", "original"),
        options=army.get("options", ()),
        overrides=army.get("overrides", NO_OVERRIDES),
        seed=pair.seed,
    )
    pair_of = [Written(pair.game.start(Seeded(pair.seed)), header) for _ in SEATS]
    for written, deployments in zip(pair_of, pair.deployments, strict=True):
        for seat, action in deployments.items():
            written.act(seat, action)
    return pair_of


@pytest.mark.parametrize("army", ARMIES.values(), ids=ARMIES)
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), observer=st.sampled_from(SEATS))
def test_an_exchange_of_unseen_pieces_changes_no_film(army, seed, observer):
    pair = twins(seed, observer, **army)
    if pair is None:
        return
    one, other = board_pair(pair, army)
    shadow = Shadow(one, other, observer)
    for number, (seat, action) in enumerate(pair.actions):
        shadow.act(seat, action)
        if one.outcome or other.outcome:
            break
        if not number % LOOK_EVERY:
            assert one.films() == other.films()
    assert one.films() == other.films()
    for written in (one, other):
        if written.to_act == (OPPONENT[observer],):
            written.refuse(OPPONENT[observer], Move("a1", "j10"))
    if len(one.play.to_act) == len(other.play.to_act) and one.phase == other.phase:
        assert one.films() == other.films()


@settings(max_examples=12)
@given(seed=st.integers(0, 2**32), observer=st.sampled_from(SEATS))
def test_an_exchange_of_unseen_cards_changes_no_film(seed, observer):
    pair = card_twins.twins(seed, observer)
    both = []
    for game in pair.games:
        play = game.start()
        both.append(Written(play, GameHeader(rules="card-game", seed=seed, first=play.first, decks=game.decks)))
    for number, (seat, action) in enumerate(pair.actions):
        for written in both:
            written.act(seat, action)
        if not number % LOOK_EVERY:
            assert both[0].films() == both[1].films()
    assert both[0].films() == both[1].films()
    for written in both:
        if written.to_act == (OPPONENT[observer],):
            written.refuse(OPPONENT[observer], PeekLine("line:0", ("line:9",)))
    assert both[0].films() == both[1].films()


def test_a_rescue_that_is_declined_is_no_frame():
    army = ARMIES["us rescue"]
    pairs = (twins(seed, "red", **army) for seed in count())
    pair = next(pair for pair in pairs if pair and any(isinstance(action, Stop) for _, action in pair.actions))
    one, _ = board_pair(pair, army)
    for seat, action in pair.actions:
        one.act(seat, action)
        if isinstance(action, Stop):
            break
        before = one.films()[0]
    after = one.films()[0]
    assert len(after["frames"]) == len(before["frames"])
    assert after["plies"] == before["plies"]
    assert "stops" not in [frame.get("act") for frame in after["frames"]]
    film = live_film(b"\n".join([*one.lines, b""]), spectator_settings(show_all=True, delay=0, lang="en"))
    assert len(film["frames"]) == len(after["frames"]) + 1
