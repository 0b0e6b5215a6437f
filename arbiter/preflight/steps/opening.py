"""Whether it starts, and says who it is."""

from typing import Final

from arbiter.preflight.conditions import Chosen
from arbiter.preflight.examination import Examination
from arbiter.preflight.finding import Finding, advise, failed, well
from arbiter.preflight.harness import Greeting, open_harness
from protocol.codec import quote

_SLOW: Final = 0.5  # of the time that is allowed


async def starts(exam: Examination, _rules: Chosen) -> Finding:
    """See that the program starts and answers the greeting, whatever it answers."""
    async with open_harness(exam.conditions) as bench:
        greeting = exam.greeting = await bench.greet()
    allowed_s = exam.conditions.time.start_s
    if greeting.seen is not None and greeting.seen.fault == "no_start":
        return failed(greeting.seen.why, greeting.seen)
    says = f"it answered {greeting.seconds * 1000:.0f} ms after its start; {allowed_s:g} s are allowed"
    if greeting.seconds > allowed_s * _SLOW:
        return advise(f"{says}, and a busy machine may take twice as long: load less, or later")
    return well(says)


async def introduces_itself(exam: Examination, _rules: Chosen) -> Finding:
    """See that the answer to the greeting is what the protocol wants."""
    greeting = exam.greeting or Greeting(0, None)
    if greeting.seen is not None:
        return failed(greeting.seen.why, greeting.seen)
    if greeting.ready is None:
        raise RuntimeError("the handshake is looked at before the start")
    wants = ", ".join(greeting.ready.wants) or "nothing more"
    return well(f"it is called {quote(greeting.ready.name.encode())} and wants {wants}")
