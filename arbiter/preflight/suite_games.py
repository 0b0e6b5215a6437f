"""The games of a suite: one for each position, and the answers of the bot."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from arbiter.errors import write_count
from arbiter.games.chance import derive_seed
from arbiter.games.notation import write_action
from arbiter.languages.sentences import write_ending
from arbiter.preflight.suite import Suite, SuiteAnswer, SuitePosition
from arbiter.record import read_record
from arbiter.referee.game import GameSpec
from arbiter.tournament.fixture import Fixture, make_fixture
from arbiter.tournament.new_results import NewGame, NewResult
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import RED

RESIGNER: Final = "resigner"
"""The sample bot that plays against the bot in positions with best actions, or with actions to avoid."""


class SuiteGames:
    """The games of a suite, as a source of fixtures, and the answers of a bot in the order of the positions."""

    def __init__(
        self, suite: Suite, bots: Sequence[str], seed: int, report: Callable[[SuitePosition, SuiteAnswer], object]
    ) -> None:
        """Make the games; `bots` are the names of the bot, of its opponent and of the one that resigns.

        The seed of a game depends on `seed` and on the name of the position.
        `report` receives the answers of `report_ready` and `report_rest`.
        """
        bot, opponent, resigner = bots
        self._seed = seed
        self._report = report
        self._positions: dict[str, SuitePosition] = {}
        """By the ids of their games."""
        self._left: deque[Fixture] = deque()
        self._records: dict[str, bytes] = {}
        self._waiting: deque[str] = deque()
        """Ids of the games that are not reported."""
        self._answers: dict[str, SuiteAnswer] = {}
        self.reported: list[tuple[SuitePosition, SuiteAnswer]] = []
        for number, position in enumerate(suite.positions, start=1):
            other = opponent if position.table.result else resigner
            red, blue = (bot, other) if position.seat == RED else (other, bot)
            fixture = make_fixture(red, blue, number, 1)
            self._left.append(fixture)
            self._waiting.append(fixture.id)
            self._positions[fixture.id] = position

    def take(self) -> Fixture | None:
        """Take the next game to play."""
        return self._left.popleft() if self._left else None

    def adapt(self, fixture: Fixture, spec: GameSpec) -> GameSpec:
        """Return a game from its position, by the rules of the position."""
        position = self._positions[fixture.id]
        seed = derive_seed(self._seed, position.table.name)
        header = replace(
            spec.header,
            rules=position.rules,
            options=tuple(position.table.options),
            overrides=position.overrides,
            position=position.letters,
            first=position.seat,
            seed=seed,
            bot_seeds=UNSET,
        )
        return replace(
            spec, header=header, settings=replace(spec.settings, game=header.game(), seed=seed, bot_seeds={})
        )

    def keep(self, results: Sequence[NewResult]) -> None:
        """Keep the records of finished games."""
        self._records |= {one.game.id: one.plain_record for one in results if isinstance(one, NewGame)}

    def add(self, game: StoredGame) -> None:
        """Score a finished game."""
        position = self._positions[game.id]
        record = self._records.pop(game.id)
        table = position.table
        is_forfeit = getattr(game, position.seat) in game.forfeiters
        acts = [act for act in read_record(record).acts if act.seat == position.seat]
        ending = write_ending(game.ending)
        why = game.why if is_forfeit else ""
        passed = False
        ms = acts[0].ms if acts and (table.result or not is_forfeit) else None
        if table.result is None and acts and not is_forfeit:
            got = write_action(acts[0].action)
            passed = got in table.best if table.best else got not in table.avoid
        elif game.forfeiters and not is_forfeit:  # the bot was not tested
            got = f"the opponent forfeited ({ending})"
            why = game.why
        elif table.result is None:
            got = ending
        else:
            result = "win" if game.winner == position.seat else "loss" if game.winner else "draw"
            got = f"{result} ({ending}, {write_count(game.plies, 'ply')})"
            passed = result == "win" or (result == table.result and not is_forfeit)
        self._answers[game.id] = SuiteAnswer(passed=passed, got=got, ms=ms, why=why, record=record)

    def report_ready(self) -> None:
        """Report the answers whose turn it is."""
        while self._waiting and self._waiting[0] in self._answers:
            self._report_answer(self._waiting.popleft())

    def report_rest(self) -> None:
        """Report the answers that wait for games that were not played."""
        for game_id in self._waiting:
            if game_id in self._answers:
                self._report_answer(game_id)

    def _report_answer(self, game_id: str) -> None:
        self.reported.append((self._positions[game_id], self._answers.pop(game_id)))
        self._report(*self.reported[-1])
