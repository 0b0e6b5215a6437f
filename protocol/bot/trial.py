"""Testing a bot without an arbiter: its author sends it facts, asks it, and checks the answer.  Knows no rules."""

from collections.abc import Iterable, Mapping
from typing import Final, get_args

from protocol.bot.session import Chooser, Player, deploy_at_random, new_session
from protocol.messages import (
    Act,
    AnyArbiterMessage,
    Ask,
    BoardShape,
    ClockState,
    Hello,
    Over,
    RankNumber,
    Refused,
    Rules,
    Start,
    TimeControl,
)
from protocol.words import (
    BLUE,
    OPPONENT,
    PROTOCOL_VERSION,
    RED,
    AnyAction,
    AnyFact,
    Deployed,
    Phase,
    Place,
    RankId,
    ResultForSeat,
    Revealed,
    Seat,
)

RANKS: Final = [rank for rank in get_args(RankId) if rank not in {"marksman", "berserker", "infiltrator"}][:12]
COUNTS: Final = (1, 1, 2, 3, 4, 4, 4, 5, 8, 1, 6, 1)
FILES: Final = "abcdefghij"
CLASSIC: Final = Rules(
    id="original",
    options=[],
    army=dict(zip(RANKS, COUNTS, strict=True)),
    first=RED,
    no_attack_plies=200,
    max_plies=4000,
    ranks=[RankNumber(rank, number) for rank, number in zip(RANKS, [*range(10, 0, -1), None, None], strict=True)],
    board=BoardShape(10, 10, ["c5", "d5", "c6", "d6", "g5", "h5", "g6", "h6"]),
    deploy={
        RED: [f"{file}{row}" for row in range(1, 5) for file in FILES],
        BLUE: [f"{file}{row}" for row in range(7, 11) for file in FILES],
    },
    two_squares=3,
    more_squares="chase",
)
TIME: Final = TimeControl(setup_s=30, bank_s=60, increment_s=0.1, move_s=None, margin_ms=50)
CLOCK: Final = ClockState(red_ms=60_000, blue_ms=60_000, move_ms=None, last_ms=0)


def position(own: Mapping[Place, RankId], enemies: Mapping[Place, RankId | None], seat: Seat = RED) -> list[AnyFact]:
    """Return the facts that describe a position, as in the first question of a game from a given position.

    `own` and `enemies` map squares to ranks, None for a hidden rank.
    """
    enemy = OPPONENT[seat]
    return [
        Deployed(seat, list(own)),
        Deployed(enemy, list(enemies)),
        *(Revealed(seat, place, rank) for place, rank in own.items()),
        *(Revealed(enemy, place, rank) for place, rank in enemies.items() if rank),
    ]


class Trial:
    """One game of a bot in which you act as the arbiter.  Nothing checks that your messages or its answers are legal.

    `bot` and `deploy` are as in `run`.  Default for `rules`: those of the classic game.
    """

    def __init__(
        self,
        bot: Chooser | type[Player],
        *,
        deploy: Chooser = deploy_at_random,
        rules: Rules = CLASSIC,
        seat: Seat = RED,
        seed: int = 1,
    ) -> None:
        self._session = new_session(bot, name="trial", deploy=deploy)
        self._asked = 0
        self._session.receive(Hello(PROTOCOL_VERSION, "trial"))
        self._session.receive(Start("trial", rules, seat, None, seed, TIME))

    def ask(
        self,
        legal: Iterable[AnyAction] = (),
        news: Iterable[AnyFact] = (),
        *,
        phase: Phase = "turn",
        clock: ClockState = CLOCK,
    ) -> Act:
        """Ask the bot, after sending it facts; return its answer with `action`, `note`, `offer_draw` and `eval`."""
        self._asked += 1
        return self._answer(Ask(self._asked, phase, list(news), clock, legal=list(legal)))

    def refuse(self, why: str) -> Act:
        """Refuse the last answer and return the next one."""
        return self._answer(Refused(self._asked, why))

    def end(self, result: ResultForSeat = "draw", news: Iterable[AnyFact] = ()) -> None:
        """End the game."""
        self._session.receive(Over("trial", result, "agreed", "the trial is over", list(news)))

    def _answer(self, message: AnyArbiterMessage) -> Act:
        answer = self._session.receive(message)
        if not isinstance(answer, Act):
            raise ValueError("there is no answer to refuse, or the game is over")  # noqa: TRY004
        return answer
