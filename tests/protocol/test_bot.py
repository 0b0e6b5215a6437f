"""The kit, with lines as the arbiter sends them."""

import io
import sys
from math import inf, nan

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from protocol.bot import Choice, Player, new_session
from protocol.codec import decode_bot_line, encode
from protocol.messages import (
    Act,
    Ask,
    BoardShape,
    Bye,
    ClockState,
    Hello,
    News,
    Over,
    RankNumber,
    Ready,
    Refused,
    Rules,
    Start,
    TimeControl,
)
from protocol.words import (
    RED,
    Attacked,
    Dealt,
    Deploy,
    Deployed,
    DrawOffered,
    Move,
    Moved,
    Placed,
    Rescue,
    Resign,
    Revealed,
    Stop,
)

RULES = Rules(
    id="tiny",
    options=[],
    army={"scout": 2, "flag": 1},
    first="red",
    no_attack_plies=200,
    max_plies=4000,
    ranks=[RankNumber("scout", 2), RankNumber("flag", None)],
    board=BoardShape(10, 10, []),
    deploy={"red": ["a1", "b1", "c1", "d1"], "blue": ["a10", "b10", "c10", "d10"]},
    two_squares=3,
    more_squares="chase",
)
CARDS = Rules(
    id="card-game",
    options=[],
    army={"spy": 7, "flag": 1},
    first="red",
    no_attack_plies=50,
    max_plies=0,
    ranks=[],
    line=5,
)
TIME = TimeControl(1, 1, 1, None, 1)
CLOCK = ClockState(900, 800, None, 1.5)
HELLO = Hello(1, "arbiter")
SETUP = {"a1": "flag", "b1": "scout", "c1": "scout"}
DEPLOYED = [Deployed("red", ["a1", "b1", "c1"]), Deployed("blue", ["a10", "b10", "c10"])]
MOVES = [Move("b1", "b2"), Move("c1", "c2")]


def start(game="g1", seed=17, rules=RULES):
    return Start(game, rules, "red", None, seed, TIME)


def ask(number, news=(), legal=None, phase="turn"):
    return (
        Ask(number, phase, list(news), CLOCK, legal=legal)
        if legal is not None
        else Ask(number, phase, list(news), CLOCK)
    )


def over(game="g1", news=()):
    return Over(game, "draw", "agreed", "both agreed", list(news))


def run_bot(bot, *messages, **options):
    """Send messages (or raw lines) of the arbiter to a bot and return its answers."""
    lines = [message if isinstance(message, bytes) else encode(message) for message in messages]
    sink = io.BytesIO()
    new_session(bot, name="bot", **options).run(io.BytesIO(b"".join(lines)), sink)
    return [decode_bot_line(line) for line in sink.getvalue().splitlines()]


def first_legal(turn):
    return turn.legal[0]


def deploy_fixed(turn):
    return Deploy(pieces=SETUP)


def test_a_function_can_be_a_bot():
    answers = run_bot(
        first_legal,
        *[HELLO, start(), ask(1, phase="setup"), ask(2, DEPLOYED, MOVES), over(), Bye()],
        deploy=deploy_fixed,
        wants=["legal"],
        version="2",
        author="me",
    )
    assert answers == [
        Ready(1, "bot", version="2", author="me", wants=["legal"]),
        Act(1, Deploy(pieces=SETUP)),
        Act(2, MOVES[0]),
    ]


def test_the_default_deployment_is_random():
    [_, one] = run_bot(first_legal, HELLO, start(seed=1), ask(1, phase="setup"))
    [_, two] = run_bot(first_legal, HELLO, start(seed=2), ask(1, phase="setup"))
    [_, again] = run_bot(first_legal, HELLO, start(seed=1), ask(1, phase="setup"))
    assert one == again != two
    for answer in (one, two):
        assert set(answer.action.pieces) <= set(RULES.deploy["red"])
        assert sorted(answer.action.pieces.values()) == ["flag", "scout", "scout"]


def test_it_exits_after_bye_and_reads_no_further():
    assert run_bot(first_legal, HELLO, Bye(), HELLO) == [Ready(1, "bot")]


def test_it_exits_at_the_end_of_the_input():
    assert run_bot(first_legal) == []


class Recorder(Player):
    """Records what it receives."""

    seen = None

    def deploy(self, turn):
        return deploy_fixed(turn)

    def choose(self, turn):
        pieces = " ".join(f"{piece.place}:{piece.rank or '?'}" for piece in turn.view.pieces)
        self.seen.append((self.game.id, turn.phase, pieces, [type(fact).__name__ for fact in turn.news]))
        return Stop()

    def hear(self, fact):
        self.seen.append(type(fact).__name__)

    def end(self, over):
        self.seen.append(over.result)


@pytest.fixture
def recorder():
    class NewRecorder(Recorder):
        seen = []  # noqa: RUF012 - one list for each test

    return NewRecorder


def test_the_view_follows_the_facts(recorder):
    run_bot(
        recorder,
        *[HELLO, start(), ask(1, phase="setup"), ask(2, DEPLOYED)],
        *[ask(3, [Moved("red", "b1", "b2"), Moved("blue", "a10", "a9")]), over(news=[Moved("red", "b2", "b3")])],
    )
    assert recorder.seen == [
        *["Deployed", "Deployed"],
        ("g1", "turn", "a1:flag b1:scout c1:scout a10:? b10:? c10:?", ["Deployed", "Deployed"]),
        *["Moved", "Moved"],
        ("g1", "turn", "a1:flag c1:scout b2:scout a9:? b10:? c10:?", ["Moved", "Moved"]),
        *["Moved", "draw"],
    ]


def test_facts_sent_at_once_are_news_of_the_next_turn_too(recorder):
    run_bot(recorder, *[HELLO, start(), ask(1, phase="setup"), News(DEPLOYED), ask(2, [DrawOffered("blue")])])
    assert recorder.seen[-1] == (
        "g1",
        "turn",
        "a1:flag b1:scout c1:scout a10:? b10:? c10:?",
        ["Deployed", "Deployed", "DrawOffered"],
    )


def test_each_game_has_its_own_player(recorder):
    game = [ask(1, phase="setup"), ask(2, DEPLOYED)]
    run_bot(recorder, HELLO, start("g1"), *game, over("g1"), start("g2"), *game, over("g2"))
    games = [seen for seen in recorder.seen if isinstance(seen, tuple)]
    assert [game[0] for game in games] == ["g1", "g2"]
    assert games[0][2] == games[1][2]


def test_a_rescued_piece_is_in_the_view_once_the_action_is_accepted():
    pieces = []

    def choose(turn):
        pieces.append([piece.place for piece in turn.view.pieces if piece.rank == "scout"])
        return Rescue("scout", "d1") if turn.phase == "rescue" else Resign()

    run_bot(
        choose,
        *[HELLO, start(), ask(1, phase="setup"), ask(2, DEPLOYED, phase="rescue"), ask(3, [Placed(RED, "d1")])],
        deploy=deploy_fixed,
    )
    assert pieces == [["b1", "c1"], ["b1", "c1", "d1"]]


def test_after_a_refusal_the_bot_chooses_again_without_the_refused_action():
    reasons = []

    def choose(turn):
        reasons.append(turn.refused)
        return turn.legal[0]

    answers = run_bot(choose, HELLO, start(), ask(1, [], MOVES), Refused(1, "two squares"), wants=["legal"])
    assert answers[1:] == [Act(1, MOVES[0]), Act(1, MOVES[1])]
    assert reasons == [None, "two squares"]


def test_a_choice_can_have_a_note_and_a_draw_offer():
    def choose(turn):
        return Choice(Move("b1", "b2"), note="x" * 300, offer_draw=True)

    [_, answer] = run_bot(choose, HELLO, start(), ask(1))
    assert answer == Act(1, Move("b1", "b2"), note="x" * 200, offer_draw=True)


@pytest.mark.parametrize(
    ("chosen", "sent"), [(1.5, 1.5), (-3, -3.0), (1e9, 10_000.0), (-inf, -10_000.0), (nan, None), (None, None)]
)
def test_an_evaluation_is_sent_within_its_bounds(chosen, sent):
    def choose(turn):
        return Choice(Move("b1", "b2"), eval=chosen)

    [_, answer] = run_bot(choose, HELLO, start(), ask(1))
    assert answer == Act(1, Move("b1", "b2"), eval=sent)


def test_reading_legal_actions_without_wants_is_an_error():
    with pytest.raises(ValueError, match="wants="):
        run_bot(first_legal, HELLO, start(), ask(1))


def test_the_setup_lists_no_legal_actions():
    seen = []

    def deploy(turn):
        seen.append(turn.legal)
        return deploy_fixed(turn)

    run_bot(first_legal, HELLO, start(), ask(1, phase="setup"), deploy=deploy)
    assert seen == [[]]


def test_unknown_parts_of_a_later_arbiter_are_skipped():
    fly = b'{"type":"fly","to":"a9"}'
    line = encode(ask(1, [], MOVES)).replace(b'"legal":[', b'"hint":1,"legal":[' + fly + b",")
    answers = run_bot(first_legal, HELLO, b'{"type":"weather"}\n', start(), line, wants=["legal"])
    assert answers[1:] == [Act(1, MOVES[0])]


def test_prints_and_logs_go_to_stderr(capsys):
    def choose(turn):
        print("printed")  # noqa: T201 - an author may do this
        turn.log("logged", 1)
        return Stop()

    run_bot(choose, HELLO, start(), ask(1))
    assert capsys.readouterr() == ("", "printed\nlogged 1\n")
    assert sys.stdout is not sys.stderr


def test_it_exits_if_the_arbiter_has_exited():
    class ClosedPipe(io.BytesIO):
        def write(self, _):
            raise BrokenPipeError

    new_session(first_legal, name="bot").run(io.BytesIO(encode(HELLO) + encode(start())), ClosedPipe())


def test_a_player_must_have_a_method_choose():
    with pytest.raises(NotImplementedError):
        run_bot(Player, HELLO, start(), ask(1, [Attacked("blue", "a2", "a1")]))


def test_the_default_line_of_cards_is_random_too():
    dealt = [Dealt(RED, ["hand:0", "hand:1"]), Revealed(RED, "hand:0", "flag"), Revealed(RED, "hand:1", "spy")]
    [_, answer] = run_bot(first_legal, HELLO, start(rules=CARDS), ask(1, dealt, phase="setup"))
    assert sorted(answer.action.line) == ["hand:0", "hand:1"]


def test_no_more_cards_are_laid_than_the_line_has_slots():
    dealt = [Dealt(RED, [f"hand:{number}" for number in range(8)])]
    [_, answer] = run_bot(first_legal, HELLO, start(rules=CARDS), ask(1, dealt, phase="setup"))
    assert len(set(answer.action.line)) == len(answer.action.line) == 5


def test_an_unknown_game_is_reported():
    with pytest.raises(ValueError, match="'card-game' is neither a board game nor a card game"):
        run_bot(first_legal, HELLO, start(rules=replace(CARDS, line=UNSET)))
