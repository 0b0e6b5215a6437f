"""Whether it keeps the repetition rules where it is tempted to break them."""

from collections.abc import Awaitable, Callable
from typing import Final

from arbiter.preflight.conditions import CheckGame, Chosen
from arbiter.preflight.examination import Examination
from arbiter.preflight.finding import Finding, failed, skipped, well
from arbiter.preflight.harness import open_harness
from arbiter.preflight.traps import MORE_SQUARES, TWO_SQUARES, Trap
from protocol.words import RED

_PLIES: Final = 240


def keeps(trap: Trap) -> Callable[[Examination, Chosen], Awaitable[Finding]]:
    """Make the step that lets a bot play from a trap's position."""

    async def step(exam: Examination, rules: Chosen) -> Finding:
        if not trap.is_in(rules.game().terms(RED)):
            return skipped(f"{rules.name} knows no such rule")
        plies = min(_PLIES, exam.length(rules))
        bout = CheckGame(
            rules=rules, seat=RED, about=trap.rule, overrides=trap.overrides(plies), position=trap.position
        )
        async with open_harness(exam.conditions) as bench:
            game = await bench.play(bout, trap.opponent)
        if game.seen is not None:
            where = f"from a given position, after {game.result.plies} plies"
            return failed(f"{where}: {game.seen.why}", game.seen, game.record)
        return well(_kept(trap.temptations(game.record), game.result.plies or 0))

    return step


def _kept(tempted: int, plies: int) -> str:
    if not tempted:
        return f"in {plies} plies from a given position it never came to repeat itself"
    return f"it was {tempted} times about to repeat itself, and did something else"


keeps_two_squares: Final = keeps(TWO_SQUARES)
keeps_more_squares: Final = keeps(MORE_SQUARES)
