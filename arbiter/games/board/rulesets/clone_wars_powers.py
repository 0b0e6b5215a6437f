"""The Clone Wars edition with its powers: vision, teleport, remote attack, rage."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.powers.aimed import REMOTE_ATTACK, VISION
from arbiter.games.board.powers.rage import RAGE, RAGE_ATTACK, RAGE_STOP
from arbiter.games.board.rulesets.clone_wars import CLONE_WARS
from arbiter.games.ranks import BERSERKER, CAPTAIN, CLASSIC, MAJOR, MARKSMAN, SEEING_GENERAL, SEEING_MARSHAL, TELEPORTER

# Of the 7s and 6s, the text names only those with a power.
_FIGURES: Final = {
    seat: {rank: figure for rank, figure in figures.items() if rank not in {"major", "captain"}}
    for seat, figures in CLONE_WARS.figures.items()
}

CLONE_WARS_POWERS: Final = replace(
    CLONE_WARS,
    name="clone-wars-powers",
    title="Stratego: The Clone Wars, with powers",
    army={**CLONE_WARS.army, "major": 2, "marksman": 1, "captain": 2, "berserker": 1},
    ranks=(SEEING_MARSHAL, SEEING_GENERAL, TELEPORTER, MAJOR, MARKSMAN, CAPTAIN, BERSERKER, *CLASSIC[5:]),
    figures={
        "red": {**_FIGURES["red"], "marksman": "Cad Bane", "berserker": "Commando Droid"},
        "blue": {**_FIGURES["blue"], "marksman": "Kit Fisto", "berserker": "Commander Cody"},
    },
    rulings=(
        *CLONE_WARS.rulings,
        (
            "Teleport, the power of the colonel (8), is the move of a scout; a long move shows that the piece is "
            "a 2 or an 8."
        ),
        "Vision and remote attack reach one or two squares, whatever stands between; vision also looks round corners.",
        "For the draw limit, vision is not an attack; a remote attack is one, even if nothing is removed.",
        "A rage begins with an attack and is one turn; the player is asked again while there is a piece to attack.",
        "In a rage two equal pieces both leave; when the turn is over the berserker is a 6 again.",
        "A player that can use a power but cannot move any piece has lost.",
    ),
    powers=(VISION, REMOTE_ATTACK, RAGE_ATTACK, RAGE_STOP),
    follow_ups=(RAGE,),
)
