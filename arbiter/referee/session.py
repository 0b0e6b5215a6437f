"""A game at the table: greeting, setup, turns, verdict.  It knows no rule of any game and no process."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import trio
from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.errors import IllegalAction
from arbiter.games.base import FORFEITS, Addressed, Ending, Game, Play
from arbiter.games.chance import Deck, Seeded, derive
from arbiter.games.contest import Contest
from arbiter.record import ActEntry, Follow, GameHeader, PlayerName, RecordWriter, unfollowed, write_told
from arbiter.referee.clock import Clock, time_control
from arbiter.referee.fouls import Foul
from arbiter.referee.lag import RefereeStalled
from arbiter.referee.player import Answered, Player
from arbiter.time_control import TimeSettings
from protocol.messages import Over, Start
from protocol.words import OPPONENT, SEATS, Phase, Seat
from protocol.words import GameResult as ResultWord

FAREWELL_MS: Final = 200.0
READING_MS: Final = 1000.0  # what a bot may take to read what is no question; its clock does not run meanwhile
_RUNNING: Final[Phase] = "turn"  # what is asked once the game has begun is charged to the bank


class GameSettings(Struct, frozen=True, kw_only=True):
    """What a game is played by: rules, seed, clock, how many illegal actions a seat may take back.

    `name` is what the bots are told the game is called; `opponents` whom they are told they play.
    Unless it is the `last` one their programs are not sent home after it: another game may follow.
    """

    name: str
    game: Game
    seed: int
    time: TimeSettings
    tries: int = 0
    opponents: dict[Seat, str] | None = None
    last: bool = True


class SessionResult(Struct, frozen=True, kw_only=True):
    """How a game ended: `public` is for everybody, `details` for the author of the seat and the record."""

    winner: Seat | None
    ending: Ending
    public: str
    details: dict[Seat, str] = {}

    @property
    def why(self) -> str:
        """The whole story, for the organiser."""
        return "; ".join(self.details.values()) or self.public


class GameSession:
    """Two players and the game between them."""

    def __init__(
        self, terms: GameSettings, players: dict[Seat, Player], header: GameHeader, follow: Follow = unfollowed
    ) -> None:
        self.terms = terms
        self.players = players
        self._chance = Seeded(terms.seed)
        self.table = Contest(terms.game.start(self._chance))
        self._clock = Clock(terms.time)
        self._tries = dict.fromkeys(SEATS, terms.tries)
        self.header = header
        self._follow = follow
        self.used_ms = dict.fromkeys(SEATS, 0.0)

    async def play(self) -> SessionResult:
        """Play from the greeting to the end and tell both players how it ended.

        Where we stood still when a bot's time ran out the game is void.
        """
        try:
            verdict = await self._judged()
        except RefereeStalled as stalled:
            verdict = SessionResult(winner=None, ending="void", public=str(stalled))
        await self._both(SEATS, lambda seat: self._dismiss(seat, verdict))
        return verdict

    async def _judged(self) -> SessionResult:
        try:
            fouls = await self._both(SEATS, lambda seat: self.players[seat].greet(self.terms.time.start_s))
        finally:
            self.record = RecordWriter(self._named(), self._follow)
        return _lost_by(fouls) if fouls else await self._played()

    def _named(self) -> GameHeader:
        """Return the header with what is known now: how the game opened, and the programs' names."""
        seats = {seat: self._seat_name(seat) for seat in SEATS}
        return opened(replace(self.header, seats=seats), self.table.play, self._chance)

    def _seat_name(self, seat: Seat) -> PlayerName:
        name, ready = self.header.seats[seat].name, self.players[seat].ready
        if ready is None:
            return PlayerName(name)
        return PlayerName(name, program=ready.name, version=ready.version, author=ready.author)

    async def _played(self) -> SessionResult:
        try:
            await self._begin()
            if self.table.phase == "setup" and (verdict := await self._set_up()):
                return verdict
            while self.table.outcome is None:
                await self._turn(self.table.to_act[0])
        except Foul as foul:
            return _lost_by([foul])
        outcome = self.table.outcome
        return SessionResult(winner=outcome.winner, ending=outcome.ending, public=outcome.why)

    async def _both(self, seats: tuple[Seat, ...], do: Callable[[Seat], Awaitable[object]]) -> list[Foul]:
        """Do the same with both players at once and return the fouls, in the order in which they came.

        Fouls are stored, never raised: a nursery would wrap them.  Raises Stalled.
        """
        fouls: list[Foul] = []
        stalls: list[RefereeStalled] = []

        async def one(seat: Seat) -> None:
            try:
                await do(seat)
            except Foul as foul:
                fouls.append(foul)
            except RefereeStalled as stalled:
                stalls.append(stalled)

        async with trio.open_nursery() as nursery:
            for seat in seats:
                nursery.start_soon(one, seat)
        if stalls:
            raise stalls[0]
        return fouls

    # --- the acts ---------------------------------------------------------------------------------

    async def _begin(self) -> None:
        play, terms = self.table.play, self.terms
        for seat in SEATS:
            start = Start(
                game=terms.name,
                rules=terms.game.terms(play.first),
                seat=seat,
                opponent=terms.opponents[seat] if terms.opponents else None,
                seed=derive(terms.seed, "bot", seat),
                time=time_control(terms.time),
            )
            await self.players[seat].begin(start, READING_MS)
        await self._tell(play.opening)

    async def _set_up(self) -> SessionResult | None:
        """Ask both for their deployments at once; accepted ones are recorded first, red's before blue's."""
        answers: dict[Seat, Answered] = {}

        async def ask(seat: Seat) -> None:
            answers[seat] = await self._ask(seat, "setup", "setup")

        fouls = await self._both(SEATS, ask)
        refusals = {
            seat: refusal
            for seat in SEATS
            if seat in answers and (refusal := await self._tried(seat, "setup", answers[seat]))
        }
        fouls += [self._illegal(seat, answers[seat], refusal) for seat, refusal in refusals.items()]
        return _lost_by(fouls) if fouls else None

    async def _turn(self, seat: Seat) -> None:
        """Ask one question, and again while the answer is refused and may be taken back.  Raises Foul."""
        answer = await self._ask(seat, self.table.phase, _RUNNING)
        while refusal := await self._tried(seat, _RUNNING, answer):
            if refusal.final or not self._tries[seat]:
                raise self._illegal(seat, answer, refusal)
            self._tries[seat] -= 1
            left = self._clock.limit_ms(seat, _RUNNING) - answer.ms
            again = await self.players[seat].refuse(str(refusal), left)
            answer = Answered(again.act, answer.ms + again.ms)
        if seat not in self.table.to_act:
            self._clock.finish_turn(seat)

    async def _ask(self, seat: Seat, phase: Phase, timed: Phase) -> Answered:
        """Ask a question of a phase, on the clock of another where a game under way is set up anew."""
        player, clock = self.players[seat], self._clock
        legal = self.table.play.legal(seat) if player.wants_legal and phase != "setup" else UNSET
        return await player.ask(phase, clock.state(seat, timed), clock.limit_ms(seat, timed), legal)

    async def _tried(self, seat: Seat, timed: Phase, answer: Answered) -> IllegalAction | None:
        """Carry out an answer and tell what came of it; return the refusal where the rules forbid it."""
        act, before = answer.act, len(self._chance.shuffles)
        try:
            told = self.table.act(seat, act.action, offer_draw=act.offer_draw)
        except IllegalAction as refusal:
            return refusal
        self._clock.charge(seat, timed, answer.ms)
        self._write(seat, answer, told, self._chance.shuffles[before:])
        self.players[seat].did(act.action)
        await self._tell(told)
        return None

    async def _tell(self, told: tuple[Addressed, ...]) -> None:
        for seat in SEATS:
            await self.players[seat].tell(told, READING_MS)

    def _write(
        self,
        seat: Seat,
        answer: Answered,
        told: tuple[Addressed, ...] | None,
        shuffles: Sequence[tuple[Seat, Deck]] = (),
    ) -> None:
        """Write an act into the record, with the deck it shuffled; a refused one stands without facts."""
        act = answer.act
        self.used_ms[seat] += answer.ms
        self.record.act(
            ActEntry(
                seat=seat,
                action=act.action,
                ms=round(answer.ms, 2),
                deck=shuffles[0][1] if shuffles else UNSET,
                facts=UNSET if told is None else write_told(told),
                note=act.note,
                offer_draw=act.offer_draw,
            )
        )

    # --- the end ----------------------------------------------------------------------------------

    def _illegal(self, seat: Seat, answer: Answered, refusal: IllegalAction) -> Foul:
        self._write(seat, answer, None)
        what = "deployment" if refusal.ending == "illegal_setup" else "action"
        return Foul(seat, refusal.ending, f"{seat}'s {what} is against the rules", f"{seat}: {refusal}")

    async def _dismiss(self, seat: Seat, verdict: SessionResult) -> None:
        player = self.players[seat]
        over = Over(
            game=self.terms.name,
            result=_result_for(seat, verdict),
            ending=verdict.ending,
            why=verdict.details.get(seat, verdict.public),
            news=player.unheard(),
        )
        await player.dismiss(over, FAREWELL_MS, home=self.terms.last)


def opened(header: GameHeader, play: Play, chance: Seeded) -> GameHeader:
    """Return a header with how a game opened: who begins, what luck gave, what was told."""
    decks = dict(chance.shuffles) or UNSET
    return replace(header, first=play.first, decks=decks, facts=write_told(play.opening))


def _lost_by(fouls: list[Foul]) -> SessionResult:
    """Judge by one foul or more: who fouled loses; where both did, nobody wins and the first names the ending."""
    losers = {foul.seat for foul in fouls}
    return SessionResult(
        winner=None if len(losers) > 1 else OPPONENT[fouls[0].seat],
        ending=fouls[0].ending,
        public="; ".join(foul.public for foul in fouls),
        details={foul.seat: foul.detail for foul in fouls},
    )


def _result_for(seat: Seat, verdict: SessionResult) -> ResultWord:
    if verdict.winner is not None:
        return "win" if verdict.winner == seat else "loss"
    if verdict.ending == "void":
        return "void"
    return "loss" if verdict.ending in FORFEITS else "draw"
