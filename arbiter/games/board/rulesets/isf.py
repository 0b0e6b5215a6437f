"""The classic game as federations play it: the game rules of the International Stratego Federation (ISF)."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.rulesets.original import ORIGINAL

ISF: Final = replace(
    ORIGINAL,
    name="isf",
    title="Stratego by ISF rules",
    two_squares=3,  # ISF 10.1, in the later edition; the earlier one has five moves on two squares
    more_squares="game",  # ISF 11.1 and 11.2
    no_attack_plies=0,  # ISF 12 has no such draw, and ISF 4.4 obliges no player to take the initiative
    rulings=("isf_edition", "isf_period"),
)
