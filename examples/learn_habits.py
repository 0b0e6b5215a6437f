"""Learn the habits of bots from recorded games: makes the table of the sample bot `searcher`."""

import argparse
from collections import Counter, defaultdict
from pathlib import Path

import msgspec

from arbiter.api import read_results
from arbiter.games.base import visible_to
from arbiter.record import Record, read_record
from protocol.bot import Game
from protocol.messages import Start, TimeControl
from protocol.words import OPPONENT, SEATS, Deploy, Seat
from sample_bots.beliefs import EnemyPiece
from sample_bots.habits import PERIODS, HabitEstimates, start_key

PSEUDO_MEETINGS = 5  # of each kind, as often as chance would give


class Learner(HabitEstimates):
    """Follows a game as one seat sees it, and counts what the enemy's pieces do, whose ranks it knows."""

    def __init__(self, game: Game, ranks: dict[str, str], counts: "AllCounts") -> None:
        super().__init__(game)
        self.ranks = ranks
        self.all_counts = counts

    def note_first_move(self, piece: EnemyPiece, number: int) -> None:
        self.all_counts.first_moves[self.size][self.ranks[piece.start]][number] += 1

    def note_move(self, piece: EnemyPiece, kind: str) -> None:
        if piece.rank is None:
            self.all_counts.moves[self.size][self.ranks[piece.start]][kind] += 1

    def note_meeting(self, piece: EnemyPiece, kind: str, rank: str) -> None:
        if piece.rank is not None:
            return
        stronger, _ = self.split_by_strength(rank)
        hidden = [self.ranks[one.start] for one in self.pieces.values() if one.rank is None and one.moved]
        wins = sum(one in stronger for one in hidden) / len(hidden)
        counts = self.all_counts.meetings[self.size][kind]
        is_stronger = self.ranks[piece.start] in stronger
        counts["wins"] += is_stronger
        counts["others"] += not is_stronger
        counts["expected wins"] += wins
        counts["expected others"] += 1 - wins


class AllCounts:
    """The counts of all games."""

    def __init__(self) -> None:
        self.starts = defaultdict(lambda: defaultdict(Counter))
        self.first_moves = defaultdict(lambda: defaultdict(lambda: [0] * (len(PERIODS) + 2)))
        self.moves = defaultdict(lambda: defaultdict(Counter))
        self.meetings = defaultdict(lambda: defaultdict(Counter))

    def add_game(self, record: Record, seat: Seat) -> None:
        """Count what the opponent of a seat did."""
        deployed = {act.seat: act.action.pieces for act in record.acts if isinstance(act.action, Deploy)}
        rules = record.header.game().describe(record.header.first or "red")
        if rules.board is msgspec.UNSET or set(deployed) != set(SEATS) or record.header.position:
            return
        enemy = OPPONENT[seat]
        start = Start("", rules, seat, None, 0, TimeControl(1, 1, 0, None, 0))
        game = Game(start)
        learner = Learner(game, deployed[enemy], self)
        for place, rank in deployed[enemy].items():
            self.starts[rules.id][rank][start_key(game, place)] += 1
        news = []
        for act in record.acts:
            if act.seat == seat and news:
                own = {piece.place: piece.rank for piece in game.knowledge.view().pieces if piece.seat == seat}
                learner.follow(news, own)
                news = []
            if act.seat == seat:
                game.knowledge.note_action(act.action)
            for fact in visible_to(seat, act.facts or ()):
                game.knowledge.note_fact(fact)
                news.append(fact)
        for piece in learner.pieces.values():
            if not piece.moved:
                self.first_moves[learner.size][learner.ranks[piece.start]][-1] += 1

    def table(self) -> dict[str, object]:
        """Return the table."""
        return {
            "starts": self.starts,
            "sizes": {
                size: {
                    "first_moves": self.first_moves[size],
                    "moves": self.moves[size],
                    "meetings": {kind: factors(counts) for kind, counts in self.meetings[size].items()},
                }
                for size in self.first_moves
            },
        }


def factors(counts: Counter) -> list[float]:
    """Return how much more often than chance pieces that win, and others, came or left."""
    return [
        round((counts[kind] + PSEUDO_MEETINGS) / (counts[f"expected {kind}"] + PSEUDO_MEETINGS), 2)
        for kind in ("wins", "others")
    ]


def main() -> None:
    """Learn from all games of some results, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", type=Path, help="files with results of tournaments and matches")
    parser.add_argument("-o", dest="file", required=True, type=Path, help="file to write")
    settings = parser.parse_args()
    counts = AllCounts()
    for path in settings.results:
        with read_results(path) as results:
            for game in results.games():
                record = read_record(results.record(game.id))
                for seat in SEATS:
                    counts.add_game(record, seat)
    settings.file.write_bytes(msgspec.json.encode(counts.table()) + b"\n")


if __name__ == "__main__":
    main()
