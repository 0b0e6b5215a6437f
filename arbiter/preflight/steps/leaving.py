"""Whether it goes when it is told to, when nobody is there any more, and when it is killed."""

from typing import Final

import trio

from arbiter.preflight.conditions import CheckGame, Chosen
from arbiter.preflight.evidence import Fault
from arbiter.preflight.examination import Examination
from arbiter.preflight.finding import Finding, failed, well
from arbiter.preflight.harness import Harness, open_harness
from arbiter.preflight.opponents import ANYTHING

_PLIES: Final = 10
_LEAVES_S: Final = 3.0  # a tournament waits for 0.2 s; a busy machine is no fault of the bot's
_LOOKS: Final = 10
_LOOK_S: Final = 0.05


async def goes_at_bye(exam: Examination, rules: Chosen) -> Finding:
    """Say `bye` after a game."""
    async with open_harness(exam.conditions) as bench:
        await _play(bench, exam, rules)
        begun = trio.current_time()
        await bench.say_bye()
        return await _gone(bench, "stays", "'bye'", begun)


async def goes_at_the_end(exam: Examination, rules: Chosen) -> Finding:
    """Close its input after a game."""
    async with open_harness(exam.conditions) as bench:
        await _play(bench, exam, rules)
        begun = trio.current_time()
        bench.process.hang_up()
        return await _gone(bench, "stays_at_the_end", "the end of its input", begun)


async def _play(bench: Harness, exam: Examination, rules: Chosen) -> None:
    """Play a short game by rules that it is known to play."""
    known = rules if rules.name in exam.pace_ms else None
    if known is None:
        await bench.greet()
        return
    await bench.play(CheckGame(rules=known, seat="red", about="end", overrides=exam.limits(known, _PLIES)), ANYTHING)


async def _gone(bench: Harness, fault: Fault, word: str, begun: float) -> Finding:
    if not await bench.process.leaves(_LEAVES_S):
        why = f"{_LEAVES_S:g} s after {word} it was still there"
        return failed(why, await bench.collect_evidence(fault, why))
    ms = (trio.current_time() - begun) * 1000
    return await _alone(bench) or well(f"it left {ms:.0f} ms after {word}, and nothing stayed behind")


async def dies(exam: Examination, rules: Chosen) -> Finding:
    """Kill it in the middle of things, and look for what is left."""
    async with open_harness(exam.conditions) as bench:
        await _play(bench, exam, rules)
        bench.process.kill()
        await bench.process.leaves(_LEAVES_S)
        return await _alone(bench) or well("it was killed, and nothing stayed behind")


async def _alone(bench: Harness) -> Finding | None:
    """Look for processes that outlive it; dying takes a moment."""
    for _ in range(_LOOKS):
        remains = bench.process.remains()
        if not remains:
            return None
        await trio.sleep(_LOOK_S)
    why = f"{len(remains)} of its processes stayed behind and had to be killed"
    return failed(why, await bench.collect_evidence("leaves_others", why))
