"""The kit, driven by lines as an arbiter sends them."""

import io
import sys

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from protocol.bot import Choice, Player, run
from protocol.codec import decode_answer, encode
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


def answers_of(bot, *said, **options):
    """Run a bot on an arbiter's messages (or raw lines) and return what it answers."""
    lines = [message if isinstance(message, bytes) else encode(message) for message in said]
    sink = io.BytesIO()
    run(bot, name="bot", source=io.BytesIO(b"".join(lines)), sink=sink, **options)
    return [decode_answer(line) for line in sink.getvalue().splitlines()]


def first_legal(turn):
    return turn.legal[0]


def deploy_so(turn):
    return Deploy(pieces=SETUP)


def test_a_function_is_a_bot():
    answers = answers_of(
        first_legal,
        *[HELLO, start(), ask(1, phase="setup"), ask(2, DEPLOYED, MOVES), over(), Bye()],
        deploy=deploy_so,
        wants=["legal"],
        version="2",
        author="me",
    )
    assert answers == [
        Ready(1, "bot", version="2", author="me", wants=["legal"]),
        Act(1, Deploy(pieces=SETUP)),
        Act(2, MOVES[0]),
    ]


def test_without_a_deployment_of_its_own_a_bot_deploys_its_army_at_random():
    [_, one] = answers_of(first_legal, HELLO, start(seed=1), ask(1, phase="setup"))
    [_, two] = answers_of(first_legal, HELLO, start(seed=2), ask(1, phase="setup"))
    [_, again] = answers_of(first_legal, HELLO, start(seed=1), ask(1, phase="setup"))
    assert one == again != two
    for answer in (one, two):
        assert set(answer.action.pieces) <= set(RULES.deploy["red"])
        assert sorted(answer.action.pieces.values()) == ["flag", "scout", "scout"]


def test_it_leaves_at_bye_and_reads_no_further():
    assert answers_of(first_legal, HELLO, Bye(), HELLO) == [Ready(1, "bot")]


def test_it_leaves_at_the_end_of_the_input():
    assert answers_of(first_legal) == []


class Witness(Player):
    """Writes down what it is shown."""

    seen = None

    def deploy(self, turn):
        return deploy_so(turn)

    def choose(self, turn):
        pieces = " ".join(f"{piece.place}:{piece.rank or '?'}" for piece in turn.view.pieces)
        self.seen.append((self.game.id, turn.phase, pieces, [type(fact).__name__ for fact in turn.news]))
        return Stop()

    def hear(self, fact):
        self.seen.append(type(fact).__name__)

    def end(self, over):
        self.seen.append(over.result)


@pytest.fixture
def witness():
    class Fresh(Witness):
        seen = []  # noqa: RUF012 - one list a test

    return Fresh


def test_it_follows_the_board_by_itself(witness):
    answers_of(
        witness,
        *[HELLO, start(), ask(1, phase="setup"), ask(2, DEPLOYED)],
        *[ask(3, [Moved("red", "b1", "b2"), Moved("blue", "a10", "a9")]), over(news=[Moved("red", "b2", "b3")])],
    )
    assert witness.seen == [
        *["Deployed", "Deployed"],
        ("g1", "turn", "a1:flag b1:scout c1:scout a10:? b10:? c10:?", ["Deployed", "Deployed"]),
        *["Moved", "Moved"],
        ("g1", "turn", "a1:flag c1:scout b2:scout a9:? b10:? c10:?", ["Moved", "Moved"]),
        *["Moved", "draw"],
    ]


def test_facts_sent_at_once_are_news_of_the_next_turn_too(witness):
    answers_of(
        witness,
        *[HELLO, start(), ask(1, phase="setup"), News(DEPLOYED), ask(2, [DrawOffered("blue")])],
    )
    assert witness.seen[-1] == (
        "g1",
        "turn",
        "a1:flag b1:scout c1:scout a10:? b10:? c10:?",
        ["Deployed", "Deployed", "DrawOffered"],
    )


def test_each_game_has_a_player_of_its_own(witness):
    game = [ask(1, phase="setup"), ask(2, DEPLOYED)]
    answers_of(witness, HELLO, start("g1"), *game, over("g1"), start("g2"), *game, over("g2"))
    games = [seen for seen in witness.seen if isinstance(seen, tuple)]
    assert [game[0] for game in games] == ["g1", "g2"]
    assert games[0][2] == games[1][2]


def test_a_rescued_piece_stands_in_the_view_once_it_is_accepted():
    pieces = []

    def choose(turn):
        pieces.append([piece.place for piece in turn.view.pieces if piece.rank == "scout"])
        return Rescue("scout", "d1") if turn.phase == "rescue" else Resign()

    answers_of(
        choose,
        *[HELLO, start(), ask(1, phase="setup"), ask(2, DEPLOYED, phase="rescue"), ask(3, [Placed(RED, "d1")])],
        deploy=deploy_so,
    )
    assert pieces == [["b1", "c1"], ["b1", "c1", "d1"]]


def test_a_refused_action_is_chosen_anew_without_it():
    reasons = []

    def choose(turn):
        reasons.append(turn.refused)
        return turn.legal[0]

    answers = answers_of(choose, HELLO, start(), ask(1, [], MOVES), Refused(1, "two squares"), wants=["legal"])
    assert answers[1:] == [Act(1, MOVES[0]), Act(1, MOVES[1])]
    assert reasons == [None, "two squares"]


def test_a_choice_may_bear_a_note_and_an_offer():
    def choose(turn):
        return Choice(Move("b1", "b2"), note="x" * 300, offer_draw=True)

    [_, answer] = answers_of(choose, HELLO, start(), ask(1))
    assert answer == Act(1, Move("b1", "b2"), note="x" * 200, offer_draw=True)


def test_legal_actions_that_were_not_asked_for_are_missed_with_a_sentence():
    with pytest.raises(ValueError, match="wants="):
        answers_of(first_legal, HELLO, start(), ask(1))


def test_the_setup_lists_no_legal_actions():
    seen = []

    def deploy(turn):
        seen.append(turn.legal)
        return deploy_so(turn)

    answers_of(first_legal, HELLO, start(), ask(1, phase="setup"), deploy=deploy)
    assert seen == [[]]


def test_what_a_later_arbiter_says_beside_is_skipped():
    fly = b'{"type":"fly","to":"a9"}'
    line = encode(ask(1, [], MOVES)).replace(b'"legal":[', b'"hint":1,"legal":[' + fly + b",")
    answers = answers_of(first_legal, HELLO, b'{"type":"weather"}\n', start(), line, wants=["legal"])
    assert answers[1:] == [Act(1, MOVES[0])]


def test_prints_and_logs_go_to_stderr(capsys):
    def choose(turn):
        print("printed")  # noqa: T201 - as an author would
        turn.log("logged", 1)
        return Stop()

    answers_of(choose, HELLO, start(), ask(1))
    assert capsys.readouterr() == ("", "printed\nlogged 1\n")
    assert sys.stdout is not sys.stderr


def test_an_arbiter_that_is_gone_ends_it():
    class Gone(io.BytesIO):
        def write(self, _):
            raise BrokenPipeError

    run(first_legal, name="bot", source=io.BytesIO(encode(HELLO) + encode(start())), sink=Gone())


def test_a_bot_must_choose():
    with pytest.raises(NotImplementedError):
        answers_of(Player, HELLO, start(), ask(1, [Attacked("blue", "a2", "a1")]))


def test_cards_are_laid_at_random_too():
    dealt = [Dealt(RED, ["hand:0", "hand:1"]), Revealed(RED, "hand:0", "flag"), Revealed(RED, "hand:1", "spy")]
    [_, answer] = answers_of(first_legal, HELLO, start(rules=CARDS), ask(1, dealt, phase="setup"))
    assert sorted(answer.action.line) == ["hand:0", "hand:1"]


def test_a_hand_of_cards_is_laid_as_far_as_the_line_reaches():
    dealt = [Dealt(RED, [f"hand:{number}" for number in range(8)])]
    [_, answer] = answers_of(first_legal, HELLO, start(rules=CARDS), ask(1, dealt, phase="setup"))
    assert len(set(answer.action.line)) == len(answer.action.line) == 5


def test_a_game_that_is_not_known_is_named():
    with pytest.raises(ValueError, match="'card-game' is neither a board game nor a card game"):
        answers_of(first_legal, HELLO, start(rules=replace(CARDS, line=UNSET)))
