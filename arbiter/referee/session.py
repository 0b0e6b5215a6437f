"""The course of one game: greeting, setup, turns and result.  It knows no rule of any game and no process."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, cast

import trio
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from arbiter.clock import HUNDREDTHS, Clock, TimeSettings, round_ms, time_control
from arbiter.games.base import FORFEITS, Addressed, Ending, IllegalAction, Play
from arbiter.games.chance import Deck, Seed, SeededChance, derive_seed
from arbiter.games.contest import Contest
from arbiter.games.ruleset import RuleSet
from arbiter.languages.sentences import write_reason
from arbiter.record import ActEntry, Follow, GameHeader, GameResult, PlayerName, RecordWriter
from arbiter.referee.fouls import BotKilled, Foul
from arbiter.referee.player import SeatedPlayer, TimedAnswer
from protocol.messages import Over, Start
from protocol.reasons import AnyReason, Both, RefusedAction, RefusedDeployment
from protocol.words import OPPONENT, SEATS, Phase, ResultForSeat, Seat

READING_MS: Final = 1000.0  # what a bot may take to read a message that is not a question; its clock does not run
_TRIES_OF_PERSON: Final = 10_000
_IN_GAME: Final[Phase] = "turn"  # once the game has begun, every answer is charged to the bank, whatever its phase


class GameSettings(Struct, frozen=True, kw_only=True):
    """Rules, seed and clock of a game, and what its players are sent about it."""

    name: str
    """Name of the game in the messages to the bots."""
    game: RuleSet
    seed: Seed
    bot_seeds: Mapping[Seat, int] = {}
    """Seed that each seat is sent.  Default: derived from `seed`."""
    time: TimeSettings
    tries: int = 0
    """Number of illegal actions that each seat may take back."""
    opponents: dict[Seat, str] | None = None
    """Name of the opponent that each seat is sent.  Default: names are hidden."""
    last: bool = True
    """False if another game follows: then the programs are not sent `bye`."""


class GameSession:
    """Two players and the game between them."""

    def __init__(
        self,
        settings: GameSettings,
        players: dict[Seat, SeatedPlayer],
        header: GameHeader,
        follow: Follow | None = None,
    ) -> None:
        self._chance = SeededChance(settings.seed)
        self.contest = Contest(settings.game.start(self._chance))
        self.used_ms = dict.fromkeys(SEATS, 0.0)
        """Time charged to each seat for all its answers."""
        self._settings = settings
        self._players = players
        self._header = header
        self._follow = follow
        self._clock = Clock(settings.time)
        self._tries = {
            seat: _TRIES_OF_PERSON if header.seats[seat].kind == "person" else settings.tries for seat in players
        }
        self.killed: BotKilled | None = None
        """The reason why the game was voided, if it was."""
        self.record: RecordWriter
        """The record, which begins after the greeting: its header holds the names of the programs."""

    async def play(self) -> GameResult:
        """Play from the greeting to the end, and send both players the result.

        The game is voided if a bot was killed and that is excused.
        """
        fouls: list[Foul] = []
        if not all(player.ready for player in self._players.values()):  # else they have played before
            fouls = await self._with_each_player(lambda seat: self._players[seat].greet(self._settings.time.start_s))
        seats = {}
        for seat in SEATS:
            seats[seat] = known = self._header.seats[seat]
            if (ready := self._players[seat].ready) is not None:
                wants = tuple(dict.fromkeys(ready.wants))
                seats[seat] = PlayerName(known.name, ready.name, ready.version, ready.author, wants, known.kind)
        header = with_opening(replace(self._header, seats=seats), self.contest.play, self._chance)
        self.record = RecordWriter(header, self._follow)
        if not fouls and self.killed is None:
            fouls = await self._play()
        outcome = self.contest.outcome
        winner: Seat | None
        ending: Ending
        reason: AnyReason
        if self.killed is not None:
            winner = None
            ending = "void"
            reason = self.killed.reason
        elif fouls or outcome is None:  # if both players committed one, nobody wins; the ending is that of the first
            winner = None if len({foul.seat for foul in fouls}) > 1 else OPPONENT[fouls[0].seat]
            ending = fouls[0].ending
            reason = fouls[0].reason if winner else Both(tuple(foul.reason for foul in fouls))
        else:
            winner = outcome.winner
            ending = outcome.ending
            reason = outcome.reason
        result = GameResult(winner=winner, ending=ending, reason=reason, plies=self.contest.play.plies)
        for seat in SEATS:  # one after the other: a bot hardly ever leaves its pipe full, so this seldom waits
            await self._dismiss(seat, result, reason)
            self._players[seat].can_play_again &= all(foul.seat != seat for foul in fouls)
        return result

    async def _play(self) -> list[Foul]:
        """Play until the game is over; return the fouls that ended it, none if a bot was killed."""
        play = self.contest.play
        settings = self._settings
        try:
            for seat in SEATS:
                start = Start(
                    game=settings.name,
                    rules=settings.game.describe(play.first),
                    seat=seat,
                    opponent=settings.opponents[seat] if settings.opponents else None,
                    seed=settings.bot_seeds.get(seat, derive_seed(settings.seed, "bot", seat)),
                    time=time_control(settings.time),
                )
                await self._players[seat].begin(start, READING_MS)
            for player in self._players.values():
                player.note_facts(play.opening)
            await self._send_news()
            if play.phase == "setup" and ((fouls := await self._set_up()) or self.killed):
                return fouls
            while to_act := self.contest.to_act:
                await self._take_turn(to_act[0])
        except Foul as foul:
            return [foul]
        except BotKilled as killed:
            self.killed = killed
        return []

    async def _with_each_player(self, do: Callable[[Seat], Awaitable[object]]) -> list[Foul]:
        """Do the same with both players at once and return the fouls, in the order in which they were committed.

        Fouls are stored, not raised: a nursery would wrap them.  If a bot was killed, there are none.
        """
        fouls: list[Foul] = []

        async def do_safely(seat: Seat) -> None:
            try:
                await do(seat)
            except Foul as foul:
                fouls.append(foul)
            except BotKilled as killed:
                self.killed = self.killed or killed

        async with trio.open_nursery() as nursery:
            for seat in SEATS:
                nursery.start_soon(do_safely, seat)
        return [] if self.killed else fouls

    # --- actions ----------------------------------------------------------------------------------

    async def _set_up(self) -> list[Foul]:
        """Ask both for their deployments at once; accepted ones are recorded first, red's before blue's."""
        answers: dict[Seat, TimedAnswer] = {}

        async def ask(seat: Seat) -> None:
            answers[seat] = await self._ask(seat, "setup", "setup")

        fouls = await self._with_each_player(ask)
        if self.killed is not None:
            return []
        refusals: dict[Seat, IllegalAction] = {}
        for seat in SEATS:
            if seat in answers and (refusal := self._try(seat, "setup", answers[seat])):
                refusals[seat] = refusal
            await self._send_news()
        return fouls + [self._illegal(seat, answers[seat], refusal) for seat, refusal in refusals.items()]

    async def _take_turn(self, seat: Seat) -> None:
        """Ask one question, and again while the answer is refused and may be taken back.  Raises Foul."""
        answer = await self._ask(seat, self.contest.play.phase, _IN_GAME)
        while refusal := self._try(seat, _IN_GAME, answer):
            if refusal.final or not self._tries[seat]:
                raise self._illegal(seat, answer, refusal)
            self._tries[seat] -= 1
            remaining_ms = self._clock.limit_ms(seat, _IN_GAME) - answer.ms
            again = await self._players[seat].refuse(refusal.reason, remaining_ms)
            answer = TimedAnswer(again.act, round_ms(answer.ms + again.ms, HUNDREDTHS))
        red, blue = self._players.values()
        if red.wants_news or blue.wants_news:
            await self._send_news()
        if seat not in self.contest.to_act:
            self._clock.finish_turn(seat)

    def _ask(self, seat: Seat, phase: Phase, timed: Phase) -> Awaitable[TimedAnswer]:
        """Ask a question of a phase.  It is timed as another one if a game in progress has a second setup."""
        player = self._players[seat]
        clock = self._clock
        legal = self.contest.play.legal_actions(seat) if player.wants_legal and phase != "setup" else UNSET
        return player.ask(phase, clock.state(seat, timed), clock.limit_ms(seat, timed), legal)

    def _try(self, seat: Seat, timed: Phase, answer: TimedAnswer) -> IllegalAction | None:
        """Carry out an answer; return the refusal if the rules forbid it."""
        act = answer.act
        shuffles = self._chance.shuffles
        before = len(shuffles)
        try:
            facts = self.contest.act(seat, act.action, offer_draw=act.offer_draw)
        except IllegalAction as refusal:
            return refusal
        self._clock.charge(seat, timed, answer.ms)
        self._write(seat, answer, facts, shuffles[before][1] if len(shuffles) > before else UNSET)
        self._players[seat].note_facts(facts, act.action)
        self._players[OPPONENT[seat]].note_facts(facts)
        return None

    async def _send_news(self) -> None:
        """Send facts at once to the bots that want this.  Raises Foul."""
        for player in self._players.values():
            if player.wants_news:
                await player.send_news(READING_MS)

    def _write(
        self,
        seat: Seat,
        answer: TimedAnswer,
        facts: tuple[Addressed, ...] | UnsetType = UNSET,
        deck: Deck | UnsetType = UNSET,
    ) -> None:
        """Write an act into the record, with the deck that it shuffled, if any; a refused one has no facts."""
        act = answer.act
        self.used_ms[seat] += answer.ms
        self.record.act(
            ActEntry(
                seat=seat,
                action=act.action,
                ms=answer.ms,
                deck=deck,
                facts=facts,
                note=act.note,
                eval=act.eval,
                offer_draw=act.offer_draw,
            )
        )

    # --- the end ----------------------------------------------------------------------------------

    def _illegal(self, seat: Seat, answer: TimedAnswer, refusal: IllegalAction) -> Foul:
        self._write(seat, answer)
        refused = RefusedDeployment if refusal.ending == "illegal_setup" else RefusedAction
        return Foul(refusal.ending, refused(seat, refusal.reason))

    async def _dismiss(self, seat: Seat, result: GameResult, reason: AnyReason) -> None:
        """Send a player the result.  It sees the details of its own foul only, as they may name hidden ranks."""
        result_for_seat: ResultForSeat = "draw"
        if result.winner is not None:
            result_for_seat = "win" if result.winner == seat else "loss"
        elif result.ending == "void":
            result_for_seat = "void"
        elif result.ending in FORFEITS:
            result_for_seat = "loss"
        player = self._players[seat]
        known = cast("AnyReason", reason.seen_by(seat))
        over = Over(
            game=self._settings.name,
            result=result_for_seat,
            ending=result.ending,
            why=write_reason(known),
            news=player.unreported,
            reason=known,
        )
        await player.dismiss(over, home=self._settings.last)


def with_opening(header: GameHeader, play: Play, chance: SeededChance) -> GameHeader:
    """Return a header with the opening of a game: the seat that begins, the decks as shuffled, the first facts."""
    decks = dict(chance.shuffles) or UNSET
    return replace(header, first=play.first, decks=decks, facts=play.opening)
