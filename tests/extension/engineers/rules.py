"""The rules of the engineers: in the project it would be `arbiter/games/board/rulesets/engineers.py`."""

from msgspec.structs import replace

from arbiter.games.base import Addressed
from arbiter.games.board.position import SIDE_OF
from arbiter.games.board.powers.aimed import AimedPower, within_two
from arbiter.games.board.rulesets.duel import DUEL
from arbiter.games.ranks import CLASSIC, Rank, Trait
from engineers.words import Disarm, Disarmed
from protocol.words import OPPONENT, SEATS, Removed

DISARMS = "disarms"
ENGINEER = Rank("engineer", 4, "E", "78", frozenset({DISARMS}), drawing="M10 2h4v8h8v4h-8v8h-4v-8H2v-4h8z")


class Disarming(AimedPower):
    action = Disarm
    trait = DISARMS
    reach = staticmethod(within_two)
    about = "disarming"

    def carry_out(self, play, seat, action):
        src, dst = self.check_aim(play, seat, action.src, action.dst)
        enemy = OPPONENT[seat]
        facts = [Addressed(Disarmed(seat, action.src, action.dst), SEATS), play.reveal(seat, src)]
        is_bomb = play.position.rank_at(dst).has(Trait.BOMB)
        if is_bomb:
            facts += [play.reveal(enemy, dst), Addressed(Removed(enemy, action.dst), SEATS)]
            play.position.take(SIDE_OF[enemy], dst)
        play.spend_turn(seat, attacks=True, captures=is_bomb)
        return tuple(facts)


ENGINEERS = replace(
    DUEL,
    name="engineers",
    title="Duel with engineers",
    army={**DUEL.army, "engineer": 2, "bomb": 4},
    ranks=(*CLASSIC[:6], ENGINEER, *CLASSIC[6:]),
    powers=(Disarming(),),
)
