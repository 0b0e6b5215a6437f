"""The classic game with an infiltrator in place of one scout."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.powers.aimed import INFILTRATION
from arbiter.games.board.rulesets.original import ISF, ORIGINAL
from arbiter.games.fights import CLASSIC_FIGHTS, flag_falls, infiltrator_falls
from arbiter.games.ranks import CLASSIC
from arbiter.games.ranks import INFILTRATOR as INFILTRATOR_RANK

INFILTRATOR: Final = replace(
    ORIGINAL,
    name="infiltrator",
    title="Stratego Infiltrator",
    source=f"2011 booklet, chapter on the infiltrator; {ISF}",
    army={**ORIGINAL.army, "scout": 7, "infiltrator": 1},
    ranks=(*CLASSIC[:-2], INFILTRATOR_RANK, *CLASSIC[-2:]),
    fights=(flag_falls, infiltrator_falls, *CLASSIC_FIGHTS[1:]),
    powers=(INFILTRATION,),
    rulings=(
        *ORIGINAL.rulings,
        (
            "The infiltrator loses every fight, even against the spy; of two infiltrators both leave; a move "
            "takes the flag."
        ),
        (
            "A guess may name the flag (which wins), a bomb or an infiltrator; the rank of the guessing piece "
            "becomes public."
        ),
        "A piece that was guessed wrong stays hidden. A guess is an attack for the draw limit.",
        "A player that can infiltrate but cannot move any piece has lost.",
    ),
)
