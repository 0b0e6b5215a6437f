"""Card games: bots in memory, the clock after a regroup, decks in the record, and secrecy."""

import json

import msgspec
import pytest
from card_twins import make_twins
from hypothesis import given, settings
from hypothesis import strategies as st
from referee.fake_bots import SILENT, FakeBot
from referee.games_in_memory import play_bots
from referee.test_secrecy import LAST, WISHES, ScriptedBrain, play_and_observe

from arbiter.clock import TimeSettings
from arbiter.games.ruleset import Overrides
from arbiter.verify import verify
from protocol.bot import deploy_at_random, new_session
from protocol.codec import decode_arbiter_line
from protocol.words import OPPONENT, SEATS, Deploy, Regroup

TIME = TimeSettings(start_s=5, setup_s=20, bank_s=10, increment_s=1, margin_ms=0)
SHORT = Overrides(max_plies=40)


class Brain:
    """A bot of the kit without a process; `takes_s` maps numbers of questions to seconds of thinking."""

    def __init__(self, choose, *, deploy=deploy_at_random, wants=("legal", "view"), takes_s=None):
        self._session = new_session(choose, name="kit", deploy=deploy, wants=wants)
        self._takes_s = takes_s or {}

    def __call__(self, message):
        answer = self._session.receive(decode_arbiter_line(json.dumps(message).encode()))
        if answer is None:
            return SILENT
        return self._takes_s.get(message.get("ask"), 0.0), msgspec.to_builtins(answer)


def any_action(turn):
    return turn.rng.choice(turn.legal)


def regrouping(turn):
    """Regroup whenever it is possible."""
    return next((action for action in turn.legal if isinstance(action, Regroup)), turn.legal[0])


def flag_first(turn):
    """Lay the flag in the line, if it is in the hand."""
    cards = sorted(turn.view.hand, key=lambda card: card.rank != "flag")
    return Deploy(line=[card.place for card in cards[:5]])


def play(red, blue, *, seed=1):
    """Play a game of cards between two brains."""
    bots = {seat: FakeBot(brain) for seat, brain in zip(SEATS, (red, blue), strict=True)}
    return play_bots(bots, rules="card-game", overrides=SHORT, time=TIME, seed=seed)


def questions(played, seat):
    return [message for message in played.bots[seat].received() if message["type"] == "ask"]


@pytest.mark.parametrize("seed", range(4))
def test_a_game_is_played_to_its_end_and_verified(seed):
    played = play(Brain(any_action), Brain(any_action, wants=("legal", "news")), seed=seed)
    verification = verify(played.data)
    assert verification.ok, verification.why
    assert (verification.ending, verification.winner) == played.outcome


def regrouped():
    """Return a game in which red regroups early."""
    for seed in range(100):
        played = play(Brain(regrouping, deploy=flag_first, takes_s={2: 3.0, 3: 4.0}), Brain(any_action), seed=seed)
        asked = questions(played, "red")
        if len(asked) > 3 and asked[2]["phase"] == "setup":
            return played
    return pytest.fail("nobody regroups")


def test_the_record_holds_every_deck():
    played = regrouped()
    header, acts = played.record.header, played.record.acts
    assert [len(header.decks[seat]) for seat in SEATS] == [23, 23]
    for act in acts:
        assert isinstance(act.action, Regroup) == (act.deck is not msgspec.UNSET)
    assert verify(without_seed(played.data)).ok


def without_seed(data):
    header, *rest = data.split(b"\n")
    return b"\n".join([msgspec.json.encode(msgspec.json.decode(header) | {"seed": None}), *rest])


def test_the_line_after_a_regroup_is_charged_to_the_bank():
    asked = questions(regrouped(), "red")
    assert [message["phase"] for message in asked[:3]] == ["setup", "turn", "setup"]
    assert [message["clock"]["red_ms"] for message in asked[:4]] == [10_000, 10_000, 7_000, 4_000], (
        "one increment a turn"
    )
    assert [message["clock"]["move_ms"] for message in asked[:4]] == [20_000, None, None, None]
    assert asked[3]["clock"]["last_ms"] == 4_000
    assert "legal" not in asked[2]
    assert len(asked[2]["view"]["hand"]) == 8


def test_a_bot_that_is_too_slow_after_a_regroup_loses():
    for seed in range(100):
        red = Brain(regrouping, deploy=flag_first, takes_s={3: 10.5})
        played = play(red, Brain(any_action), seed=seed)
        if isinstance(played.record.acts[-1].action, Regroup):
            assert played.outcome == ("timeout", "blue")
            assert played.record.result.plies == 1, "a turn that is cut off counts"
            assert verify(played.data).ok
            return
    pytest.fail("nobody regroups")


# --- secrecy --------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    observer=st.sampled_from(SEATS),
    wishes=st.tuples(st.sampled_from(WISHES), st.sampled_from(WISHES)),
    last=st.sampled_from(sorted(LAST)),
)
def test_an_exchange_of_unseen_cards_changes_no_byte(seed, observer, wishes, last):
    pair = make_twins(seed, observer)
    lines = [
        lines_of(pair, game, {observer: wishes[0], OPPONENT[observer]: theirs}, LAST[last])
        for game, theirs in zip(pair.games, ([], wishes[1]), strict=True)
    ]
    assert lines[0] == lines[1]


def lines_of(pair, game, wants, last):
    """Play what both games have in common, then the last thing; return what the observer was sent."""
    brains = {
        seat: ScriptedBrain(seat, [action for actor, action in pair.actions if actor == seat], last, wants[seat])
        for seat in SEATS
    }
    return play_and_observe(pair.observer, brains, game, game.seed)[0]
