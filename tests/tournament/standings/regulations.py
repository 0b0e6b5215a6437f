"""Tie-breaks as FIDE's regulations define them (Handbook C.07, since 1 March 2026), written for comparison.

This module reads games and byes itself and imports nothing of the arbiter.  Numbers are exact fractions.
"""

from fractions import Fraction
from math import floor

HALF = Fraction(1, 2)
NOT_ON_BOARD = ("walkover", "annulled")

# Differences for scores from 50 to 100 hundredths (Handbook B.02, 8.1.1), each written with its score.
DIFFERENCES = """
    50:0 51:7 52:14 53:21 54:29 55:36 56:43 57:50 58:57 59:65 60:72 61:80 62:87 63:95 64:102 65:110 66:117 67:125
    68:133 69:141 70:149 71:158 72:166 73:175 74:184 75:193 76:202 77:211 78:220 79:230 80:240 81:251 82:262 83:273
    84:284 85:296 86:309 87:322 88:336 89:351 90:366 91:383 92:401 93:422 94:444 95:470 96:501 97:538 98:589 99:677
    100:800
"""
TABLE = {int(score): int(difference) for score, difference in (one.split(":") for one in DIFFERENCES.split())}


class Regulations:
    """The tie-breaks of an event: `games` and `byes` as they are stored, `rounds` only for a Swiss tournament."""

    def __init__(self, bots, games, byes, *, size, rounds=None, paired=(), forfeits=(), ratings=None):
        """Set up the event.

        `size` is the number of games of a round, `paired` are the bots that have games in a round, played or not, and
        `forfeits` are the endings that are forfeits.
        """
        self.bots = list(bots)
        self.games = list(games)
        byes = list(byes)
        self.byes = {(bye.bot, bye.round): bye for bye in byes if bye.points or not bye.requested}
        self.size = size
        self.rounds = rounds
        self.paired = frozenset(paired)
        self.forfeits = forfeits
        self.ratings = ratings or {}
        self.numbers = sorted({one.round for one in [*self.games, *byes]})

    # --- games and rounds

    def of(self, bot, opponent=None, number=None):
        """List the games of a bot."""
        return [
            game
            for game in self.games
            if bot in (game.red, game.blue)
            and opponent in (None, game.red, game.blue)
            and number in (None, game.round)
            and game.ending != "annulled"
        ]

    def result(self, game, bot):
        if game.winner:
            return Fraction(bot == {"red": game.red, "blue": game.blue}[game.winner])
        return Fraction(0) if game.ending in (*self.forfeits, "double_loss") else HALF

    def is_forfeited_by(self, game, bot):
        if game.ending not in self.forfeits:
            return False
        return game.winner is None or {"red": game.red, "blue": game.blue}[game.winner] != bot

    def worth(self, bot, number):
        """Return the score of a bot in a round."""
        bye = self.byes.get((bot, number))
        if bye is not None:
            return Fraction(bye.games) * (HALF if bye.requested else 1)
        return sum((self.result(game, bot) for game in self.of(bot, number=number)), Fraction(0))

    def score(self, bot):
        return sum((self.worth(bot, number) for number in self.numbers), Fraction(0))

    def kind(self, bot, number):
        """Return the kind of a round of a bot by 16.2, or as `annulled`, or as `none` if it has no games yet."""
        games = self.of(bot, number=number)
        if games:
            if self.rounds is None or any(game.ending not in NOT_ON_BOARD for game in games):
                return "played"
            return "forfeit loss" if all(self.is_forfeited_by(game, bot) for game in games) else "forfeit win"
        bye = self.byes.get((bot, number))
        if bye is not None:
            return "requested" if bye.requested else "allocated"
        if any(game.round == number and bot in (game.red, game.blue) for game in self.games):
            return "annulled"
        return "none" if self.rounds is None or (bot, number) in self.paired else "requested"

    def opponents(self, bot, number):
        return sorted({game.blue if game.red == bot else game.red for game in self.of(bot, number=number)})

    # --- article 16

    def is_voluntary(self, bot, number):
        return self.kind(bot, number) in ("requested", "forfeit loss")

    def adjusted(self, bot):
        """Return the score of a bot as an opponent (16.3): requested byes without a later round to play are draws."""
        total = Fraction(0)
        for number in self.numbers:
            later = [one for one in self.numbers if one > number and self.kind(bot, one) != "none"]
            is_over = all(self.is_voluntary(bot, one) for one in later)
            is_draw = self.kind(bot, number) == "requested" and is_over
            total += HALF * self.size if is_draw else self.worth(bot, number)
        return total

    def contributions(self, bot):
        """List what each round adds: the score of the opponent, the bot's score, and if the round is voluntary."""
        found = []
        for number in self.numbers:
            kind = self.kind(bot, number)
            own = self.score(bot)
            if kind == "none":
                continue
            if kind == "played":
                for opponent in self.opponents(bot, number):
                    score = sum(self.result(game, bot) for game in self.of(bot, opponent, number))
                    found.append((self.adjusted(opponent), Fraction(score), False))
                continue
            if kind.startswith("forfeit"):
                (opponent,) = self.opponents(bot, number)
                value = min(own, self.adjusted(opponent))
            elif self.rounds is None:
                value = own
            else:
                games = next((bye.games for bye in [self.byes.get((bot, number))] if bye), None)
                if games is None:
                    games = self.count_annulled(bot, number) or self.size
                value = min(own, HALF * games * self.rounds)
            found.append((value, self.worth(bot, number), self.is_voluntary(bot, number)))
        return found

    def count_annulled(self, bot, number):
        return sum(game.round == number and bot in (game.red, game.blue) for game in self.games)

    # --- the tie-breaks by their names

    def buchholz(self, bot, low=0, high=0):
        left = self.contributions(bot)
        for _ in range(min(low, len(left))):
            voluntary = [one for one in left if one[2]]
            left.remove(min(voluntary or left))
        for _ in range(min(high, len(left))):
            left.remove(max(left))
        return sum((value for value, _, _ in left), Fraction(0))

    def sonneborn_berger(self, bot):
        return sum((value * score for value, score, _ in self.contributions(bot)), Fraction(0))

    def progressive(self, bot):
        return sum(
            (self.worth(bot, one) for number in self.numbers for one in self.numbers if one <= number), Fraction(0)
        )

    def koya(self, bot):
        strong = []
        for other in self.bots:
            most = len(self.of(other)) + sum(bye.games for (name, _), bye in self.byes.items() if name == other)
            if self.rounds is not None:  # rounds in which it was not paired count too
                most += self.size * sum(
                    self.kind(other, number) == "requested" and (other, number) not in self.byes
                    for number in self.numbers
                )
            if self.score(other) >= HALF * most:
                strong.append(other)
        return sum((self.result(game, bot) for one in strong if one != bot for game in self.of(bot, one)), Fraction(0))

    def on_board(self, bot):
        return [game for game in self.of(bot) if game.ending not in NOT_ON_BOARD]

    def average_rating(self, bot):
        known = [self.ratings[game.blue if game.red == bot else game.red] for game in self.on_board(bot)]
        return floor(Fraction(sum(known), len(known)) + HALF) if known else 0

    def performance(self, bot):
        played = self.on_board(bot)
        if not played:
            return 0
        share = floor(100 * sum(self.result(game, bot) for game in played) / len(played) + HALF)
        return self.average_rating(bot) + (TABLE[share] if share >= 50 else -TABLE[100 - share])

    def wins(self, bot):
        won = sum(self.result(game, bot) == 1 for game in self.of(bot))
        return won + sum(bye.games for (name, _), bye in self.byes.items() if name == bot and not bye.requested)

    def won_on_board(self, bot):
        return sum(self.result(game, bot) == 1 for game in self.on_board(bot))

    def forfeited(self, bot):
        return sum(self.is_forfeited_by(game, bot) for game in self.of(bot))

    def points(self, bot):
        won = sum(Fraction(str(game.red_points if game.red == bot else game.blue_points)) for game in self.of(bot))
        return won + sum(Fraction(str(bye.points)) for (name, _), bye in self.byes.items() if name == bot)

    def average(self, bot):
        byes = sum(bye.games for (name, _), bye in self.byes.items() if name == bot)
        if self.rounds is not None:
            byes += self.size * sum(
                self.kind(bot, number) == "requested" and (bot, number) not in self.byes for number in self.numbers
            )
        games = len(self.of(bot)) + byes
        return self.points(bot) / games if games else Fraction(0)

    def value(self, name, bot):
        match name.split("-"):
            case ["buchholz", *cut]:
                low, high = {(): (0, 0), ("cut", "1"): (1, 0), ("cut", "2"): (2, 0), ("median",): (1, 1)}[tuple(cut)]
                return self.buchholz(bot, low, high)
            case ["forfeits"]:
                return self.forfeited(bot)
        return getattr(self, name.replace("-", "_"))(bot)

    def direct(self, tied):
        """Return the separate standings of tied bots (6.1.2); None unless all have met (6.2)."""
        table = dict.fromkeys(tied, Fraction(0))
        for bot in tied:
            for other in tied:
                if other == bot:
                    continue
                met = self.of(bot, other)
                if not met:
                    return None
                points = (Fraction(str(game.red_points if game.red == bot else game.blue_points)) for game in met)
                table[bot] += sum(points, Fraction(0)) / len(met)
        return table

    def rank(self, names):
        """List the groups of bots that share a rank, the best first."""
        return list(self._rank(self.bots, list(names)))

    def _rank(self, tied, names):
        if not names or len(tied) == 1:
            yield frozenset(tied)
            return
        if names[0] == "direct":
            values = self.direct(tied) or dict.fromkeys(tied, Fraction(0))
        else:
            sign = -1 if names[0] == "forfeits" else 1
            values = {bot: sign * self.value(names[0], bot) for bot in tied}
        scores = sorted(set(values.values()), reverse=True)
        if len(scores) == 1:
            yield from self._rank(tied, names[1:])
            return
        for score in scores:  # a direct encounter is counted again among those still tied
            yield from self._rank([bot for bot in tied if values[bot] == score], names)
