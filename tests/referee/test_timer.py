"""The two ways to time an answer, with simulated programs; freezing when pondering is not allowed."""

import pytest
import trio
from msgspec.structs import replace
from referee.fake_bots import Brain, FakeBot
from referee.games_in_memory import TIME, play_bots
from trio.testing import MockClock

from arbiter.languages.sentences import write_reason
from arbiter.referee.timer import LagMonitor, MoveTimer, TimeExceeded, lag_monitor
from protocol.words import SEATS

CPU = replace(TIME, clock="cpu", wall_factor=3, bank_s=1, margin_ms=50)


class Worker:
    """A program that works at a share of a core from its question on, until its answer."""

    def __init__(self, answer_s, share):
        self.reader = self.writer = self.process = self
        self.unsent = b""
        self._answer_s, self._share = answer_s, share
        self._asked = None
        self.looks = 0

    async def send(self, _):
        self._asked = trio.current_time()

    async def line(self):
        if trio.current_time() < self._asked + self._answer_s:
            await trio.sleep_until(self._asked + self._answer_s)
        return b"answer"

    def cpu_ms(self):
        self.looks += 1
        if self._asked is None:
            return 5_000
        return 5_000 + 1000 * self._share * min(self._answer_s, trio.current_time() - self._asked)


async def ask(timer, worker):
    """Ask a question; the answer may use 100 ms."""
    before_ms = worker.cpu_ms()
    await worker.send(b"?")
    return await timer.wait(worker, 100, trio.current_time(), before_ms)


def timed(answer_s, share):
    """Time an answer by the processor, 100 ms and three times that on the wall; return it and the seconds it took."""
    worker = Worker(answer_s, share)

    async def main():
        timer = MoveTimer(replace(CPU, margin_ms=0), LagMonitor())
        begun = trio.current_time()
        try:
            ms = (await ask(timer, worker)).ms
        except TimeExceeded as late:
            ms = write_reason(late.find_reason("red")).removeprefix("red ")
        return ms, trio.current_time() - begun

    return *trio.run(main, clock=MockClock(autojump_threshold=0)), worker.looks


# seconds until the answer, share of a core; what it was charged or why it lost, after how many seconds
ANSWERS = [
    (0.05, 1, 50, 0.05),
    (0.09, 0, 0, 0.09),
    (0.29, 0.3, 87, 0.29),
    (0.31, 0, "did not answer within 300 ms", 0.3),
    (9, 0.1, "did not answer within 300 ms", 0.3),
    (0.2, 1, "used more than 100 ms of processor time", 0.105),
    (9, 1, "used more than 100 ms of processor time", 0.105),
    (9, 0.5, "used more than 100 ms of processor time", 0.205),
    (0.09, 2, "used more than 100 ms of processor time", 0.09),
]


@pytest.mark.parametrize(("answer_s", "share", "cost", "seconds"), ANSWERS)
def test_answers_timed_by_processor_time(answer_s, share, cost, seconds):
    charged, took, looks = timed(answer_s, share)
    assert charged == (cost if isinstance(cost, str) else pytest.approx(cost))
    assert took == pytest.approx(seconds, abs=0.006)
    assert looks < 60


class Ponderer(Worker):
    """A program that continues to work after its answer."""

    def cpu_ms(self):
        self.looks += 1
        return 0 if self._asked is None else 1000 * self._share * (trio.current_time() - self._asked)


# kind of program, seconds until the answer, share of a core, seconds of a stall after 50 ms; what it was charged or
# why it lost, excused
STALLED = [
    (Ponderer, 0.06, 1, 0.3, 50, True),  # it used 350 ms before its answer was read
    (Ponderer, 0.06, 0.2, 0.3, 70, True),  # the limit on elapsed time was reached
    (Worker, 0.06, 1, 0.2, 60, False),
    (Worker, 0.55, 0.1, 0.3, 55, True),
    (Worker, 0.65, 0.1, 0.3, "did not answer within 300 ms", None),
    (Worker, 9, 0, 0.3, "did not answer within 300 ms", None),
    (Ponderer, 9, 1, 0.3, "used more than 100 ms of processor time", None),
    (Ponderer, 0.5, 1, 0.3, "used more than 100 ms of processor time", None),
    (Ponderer, 0.06, 1, 0.04, 90, False),
]


@pytest.mark.parametrize(("kind", "answer_s", "share", "stall_s", "cost", "is_excused"), STALLED)
def test_a_stall_excuses_processor_time_only_after_an_answer(kind, answer_s, share, stall_s, cost, is_excused):  # noqa: PLR0917 - a row
    worker = kind(answer_s, share)
    clock = MockClock(autojump_threshold=0)

    async def stall():
        await trio.sleep(0.05)
        clock.jump(stall_s)

    async def main():
        timer = MoveTimer(CPU, lag_monitor())
        await trio.sleep(0.02)  # until the next beat
        trio.lowlevel.spawn_system_task(stall)
        try:
            return await ask(timer, worker)
        except TimeExceeded as late:
            return write_reason(late.find_reason("red")).removeprefix("red ")

    answer = trio.run(main, clock=clock)
    if isinstance(cost, str):
        assert answer == cost
    else:
        assert answer.ms == pytest.approx(cost, abs=25)
        assert answer.is_excused == is_excused


class Metered(FakeBot):
    """A bot in memory whose thinking costs a share of a core, and which notes when it is stopped and continued."""

    def __init__(self, brain, share=0.0):
        super().__init__(brain)
        self.share = share
        self.used = 0.0
        self.moods = []

    async def line(self):
        begun = trio.current_time()
        try:
            return await super().line()
        finally:
            self.used += (trio.current_time() - begun) * 1000 * self.share

    async def write(self, data):
        self.moods.append("sent")
        await super().write(data)

    def cpu_ms(self):
        return self.used

    def freeze(self):
        self.moods.append("frozen")

    def thaw(self):
        self.moods.append("thawed")


def test_the_bank_is_charged_the_processor_time():
    bots = {"red": Metered(Brain("red", takes_s={2: 1.0, 3: 0.5}), 0.2), "blue": Metered(Brain("blue"))}
    game = play_bots(bots, time=CPU)
    assert [clock["red_ms"] for clock in game.clocks("red")][:3] == pytest.approx([1000, 800, 700])
    assert game.clocks("red")[1]["last_ms"] == pytest.approx(200)
    assert game.acts[2].ms == pytest.approx(200)
    assert game.result.ending == "no_attack_limit"


@pytest.mark.parametrize(
    ("takes_s", "share", "why"), [(2.0, 0.6, "more than 1050 ms of processor"), (4.0, 0.1, "within 3150 ms")]
)
def test_too_much_processor_time_or_elapsed_time_loses(takes_s, share, why):
    bots = {"red": Metered(Brain("red", takes_s={2: takes_s}), share), "blue": Metered(Brain("blue"))}
    game = play_bots(bots, time=CPU)
    assert game.outcome == ("timeout", "blue")
    assert why in game.result.why


def test_without_pondering_a_bot_is_stopped_while_it_is_not_asked():
    bots = {seat: Metered(Brain(seat, wants=["news"])) for seat in SEATS}
    game = play_bots(bots, time=replace(TIME, pondering=False), plies=3)
    assert game.result.ending == "no_attack_limit"
    start = ["sent", "sent", "sent", "frozen"]  # the line for the launcher, hello, start
    asked = ["thawed", "sent", "frozen"]
    assert bots["red"].moods == start + asked * 3 + ["thawed", "sent", "sent"]
    assert bots["blue"].moods == start + asked * 2 + ["thawed", "sent", "sent"]


def test_a_stopped_bot_gets_its_news_with_the_next_question():
    def heard(bot):
        return [fact["type"] for message in bot.received() if "news" in message for fact in message["news"]]

    bots = [{seat: Metered(Brain(seat, wants=["news"])) for seat in SEATS} for _ in range(2)]
    for pair, pondering in zip(bots, (True, False), strict=True):
        play_bots(pair, time=replace(TIME, pondering=pondering), plies=4)
    assert [heard(bots[0][seat]) for seat in SEATS] == [heard(bots[1][seat]) for seat in SEATS]
    assert "news" in {message["type"] for message in bots[0]["red"].received()}
    assert "news" not in {message["type"] for message in bots[1]["red"].received()}


def test_with_pondering_a_bot_is_never_stopped():
    bots = {seat: Metered(Brain(seat)) for seat in SEATS}
    play_bots(bots)
    assert set(bots["red"].moods) == {"sent"}
