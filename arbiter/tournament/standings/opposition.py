"""Rounds of the bots and their opponents, for tie-breaks by opponents (FIDE Handbook C.07, articles 15 and 16)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct

from arbiter.tournament.fixture import RoundBye
from arbiter.tournament.standings.stored_game import StoredGame, find_forfeiters, score_game
from protocol.words import BLUE, RED


class BotRound(Struct, frozen=True, gc=False):
    """A round of a bot."""

    number: int
    opponent: str | None
    """The opponent that it met or should have met; None for a bye, and if all of its games are annulled."""
    score: float
    """The usual score: 1 for each win, a half for each draw."""
    games: int
    is_played: bool = True
    is_requested: bool = False
    """True if the bot was not paired, as it announced or because it had left (16.2.3 and 16.2.5)."""
    is_voluntary: bool = False
    """True for a requested bye and a round lost by walkover (16.1.2)."""


class Contribution(Struct, frozen=True, gc=False):
    """The part of a tie-break by opponents that comes from one round."""

    value: float
    """Score of the opponent."""
    score: float
    """Score of the bot in the round."""
    is_voluntary: bool


class Opposition:
    """The rounds of all bots, and what they add to the tie-breaks.

    With `total_rounds`, the number of rounds of a Swiss tournament, unplayed rounds follow article 16.  In other
    formats walkovers count as if they had been played (15.1).
    """

    def __init__(
        self,
        bots: Sequence[str],
        games: Iterable[StoredGame],
        byes: Iterable[RoundBye],
        total_rounds: int | None,
    ) -> None:
        self._total_rounds = total_rounds
        self._rounds = _list_rounds(bots, tuple(games), tuple(byes), is_swiss=total_rounds is not None)
        self._scores = {bot: sum(one.score for one in rounds) for bot, rounds in self._rounds.items()}
        self._numbers = sorted({one.number for rounds in self._rounds.values() for one in rounds})
        self._adjusted: dict[str, float] = {}
        for bot, rounds in self._rounds.items():
            score = 0.0
            is_end = True
            for one in reversed(rounds):  # for opponents, requested byes at the end are draws (16.3.2)
                score += one.games / 2 if one.is_requested and is_end else one.score
                is_end = is_end and one.is_voluntary
            self._adjusted[bot] = score

    def find_score(self, bot: str) -> float:
        """Return the usual score of a bot, with that of its byes."""
        return self._scores[bot]

    def list_scores_by_round(self, bot: str) -> list[float]:
        """List the usual scores that a bot had after each round of the tournament, played by the bot or not."""
        gained = dict.fromkeys(self._numbers, 0.0)
        for one in self._rounds[bot]:
            gained[one.number] += one.score
        return list(accumulate(gained.values()))

    def list_contributions(self, bot: str) -> Iterator[Contribution]:
        """Yield what each round of a bot adds to its tie-breaks.

        An unplayed round counts as one against an opponent with the bot's own score, but with no more than the score of
        the opponent that it should have met (16.4.1), or that of draws in all rounds (16.4.2).
        """
        for one in self._rounds[bot]:
            value = self._scores[bot] if one.opponent is None else self._adjusted[one.opponent]
            if not one.is_played and one.opponent is not None:
                value = min(value, self._scores[bot])
            elif not one.is_played and self._total_rounds is not None:
                value = min(value, self._total_rounds * one.games / 2)
            yield Contribution(value, one.score, one.is_voluntary)


class _Meeting(Struct, gc=False):
    """The games of a bot against an opponent in a round, without annulled ones."""

    games: int = 0
    score: float = 0.0
    took_place: bool = False
    """True if one of them took place."""
    is_forfeited: bool = True
    """True if the bot forfeited all of them."""


def _list_rounds(
    bots: Sequence[str], games: Sequence[StoredGame], byes: Sequence[RoundBye], *, is_swiss: bool
) -> Mapping[str, Sequence[BotRound]]:
    """List the rounds of each bot, the first one first."""
    rounds: dict[str, list[BotRound]] = {bot: [] for bot in bots}
    meetings: dict[tuple[str, int, str], _Meeting] = {}
    annulled: Counter[tuple[str, int]] = Counter()
    for game in games:
        if game.ending == "annulled":
            annulled.update([(game.red, game.round), (game.blue, game.round)])
        else:
            forfeiters = find_forfeiters(game.winner, game.ending)
            for seat, bot, opponent in ((RED, game.red, game.blue), (BLUE, game.blue, game.red)):
                meeting = meetings.setdefault((bot, game.round, opponent), _Meeting())
                meeting.games += 1
                meeting.score += score_game(game, bot)
                meeting.took_place = meeting.took_place or game.took_place
                meeting.is_forfeited = meeting.is_forfeited and seat in forfeiters
    for (bot, number, opponent), meeting in meetings.items():
        is_played = not is_swiss or meeting.took_place
        is_voluntary = meeting.is_forfeited and not is_played
        rounds[bot].append(
            BotRound(number, opponent, meeting.score, meeting.games, is_played=is_played, is_voluntary=is_voluntary)
        )
    if annulled:
        for bot, number in annulled.keys() - {(bot, number) for bot, number, _ in meetings}:
            rounds[bot].append(BotRound(number, None, 0.0, annulled[bot, number], is_played=False))
    for bye in byes:
        score = bye.games * bye.share if bye.points else 0.0
        asked = bye.requested
        rounds[bye.bot].append(
            BotRound(bye.round, None, score, bye.games, is_played=False, is_requested=asked, is_voluntary=asked)
        )
    for own in rounds.values():
        own.sort(key=lambda one: one.number)
    return rounds
