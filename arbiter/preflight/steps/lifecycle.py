"""Steps of one process: start-up, handshake, unknown messages, and shutdown."""

from typing import Any, Final

import msgspec
import trio
from msgspec.structs import replace

from arbiter.preflight.evidence import BotFault, Finding
from arbiter.preflight.examination import Examination, Handshake, SelectedRules
from arbiter.preflight.harness import Harness, open_harness
from arbiter.preflight.mistakes import explain_failure
from arbiter.preflight.opponents import RANDOM_OPPONENT
from protocol.codec import encode, quote
from protocol.messages import AnyArbiterMessage
from protocol.words import RED

_SLOW_START: Final = 0.5  # share of the time limit
_PLIES: Final = 10
_EXIT_S: Final = 3.0  # a tournament waits for 0.2 s, but the delay can come from a busy machine
_LAST_MOMENT_S: Final = 0.5  # a killed process needs a moment to end
_STARVED_S: Final = 20.0  # the same for processes that could run, but get no core or no disk
_BETWEEN_LOOKS_S: Final = 0.05


async def check_start(exam: Examination, _rules: SelectedRules) -> Finding:
    """Check that the program starts and answers 'hello', with whatever answer."""
    async with open_harness(exam.conditions) as harness:
        exam.handshake = await harness.greet()
    handshake = exam.handshake
    if handshake.evidence is not None and handshake.evidence.fault == "no_start":
        return explain_failure(handshake.evidence.why, handshake.evidence)
    limit_s = exam.conditions.time.start_s
    text = f"answered 'hello' after {handshake.seconds * 1000:.0f} ms (limit: {limit_s:g} s)"
    if handshake.seconds > limit_s * _SLOW_START:
        return Finding(
            "advice", f"{text}. A busy machine may take twice as long: load less at the start, or load it later"
        )
    return Finding("ok", text)


async def check_handshake(exam: Examination, _rules: SelectedRules) -> Finding:
    """Check the answer to 'hello' in the step before."""
    handshake = exam.handshake or Handshake(0, None)
    if handshake.evidence is not None:
        return explain_failure(handshake.evidence.why, handshake.evidence)
    if handshake.ready is None:
        raise RuntimeError("the handshake is checked before the start")
    wants = ", ".join(handshake.ready.wants) or "nothing"
    return Finding("ok", f"name: {quote(handshake.ready.name.encode())}; wants: {wants}")


async def check_bye(exam: Examination, rules: SelectedRules) -> Finding:
    """Send 'bye' after a game."""
    async with open_harness(exam.conditions) as harness:
        await _play_short_game(harness, exam, rules)
        sent = trio.current_time()
        await harness.send_bye()
        return await _check_exit(harness, "ignores_bye", "'bye'", sent)


async def check_end_of_input(exam: Examination, rules: SelectedRules) -> Finding:
    """Close the bot's input after a game."""
    async with open_harness(exam.conditions) as harness:
        await _play_short_game(harness, exam, rules)
        closed = trio.current_time()
        harness.process.close_stdin()
        return await _check_exit(harness, "ignores_end_of_input", "the end of its input", closed)


async def check_kill(exam: Examination, rules: SelectedRules) -> Finding:
    """Kill the bot after a game and look for its processes."""
    async with open_harness(exam.conditions) as harness:
        await _play_short_game(harness, exam, rules)
        harness.process.kill()
        await _exits(harness)
        return await _find_processes(harness) or Finding("ok", "killed; no process was left behind")


async def _play_short_game(harness: Harness, exam: Examination, rules: SelectedRules) -> None:
    """Play a short game, or only greet the bot if it did not pass the opening."""
    if rules.name in exam.median_ms:
        await harness.play(exam.make_game(rules, RED, "end", plies=_PLIES), RANDOM_OPPONENT)
    else:
        await harness.greet()


async def _check_exit(harness: Harness, fault: BotFault, signal: str, since: float) -> Finding:
    if not await _exits(harness):
        why = f"the bot was still running {_EXIT_S:g} s after {signal}"
        return explain_failure(why, await harness.collect_evidence(fault, None))
    ms = (trio.current_time() - since) * 1000
    return await _find_processes(harness) or Finding(
        "ok", f"exited {ms:.0f} ms after {signal}; no process was left behind"
    )


async def _exits(harness: Harness) -> bool:
    """Wait for the exit; return True if it came in time.  A bot that gets no core has more time."""
    limit = trio.current_time() + _STARVED_S
    while not await harness.process.exits_within(_EXIT_S):
        if trio.current_time() > limit or not harness.process.is_ready_to_run():
            return False
    return True


async def _find_processes(harness: Harness) -> Finding | None:
    """Look for processes that are still running after the bot has exited."""
    waited_s = 0.0
    while processes := harness.process.remaining_processes():
        if waited_s > (_STARVED_S if harness.process.is_ready_to_run() else _LAST_MOMENT_S):
            break
        await trio.sleep(_BETWEEN_LOOKS_S)
        waited_s += _BETWEEN_LOOKS_S
    else:
        return None
    why = f"{len(processes)} of its processes kept running and had to be killed"
    return explain_failure(why, await harness.collect_evidence("leaves_processes", None))


# --- unknown messages -----------------------------------------------------------------------------


_PLIES_OF_TEST: Final = 40

_UNKNOWN_FIELD: Final = {"weather": "fair"}
_UNKNOWN_MESSAGE: Final = {"type": "weather", "sky": "clear", "clouds": [1, None, {"high": True}]}
_UNKNOWN_FACT: Final = {"type": "weathered", "seat": "red", "sky": ["clear"]}
# The actions of `legal` get no new fields: a bot may send them back as they are.
_OBJECTS_WITH_UNKNOWN_FIELD: Final = ("rules", "time", "clock", "view")


def encode_as_future_protocol(message: AnyArbiterMessage) -> bytes:
    """Encode a message as a later version of the protocol may, with unknown fields and facts.

    An unknown message comes before 'start'.
    """
    fields: dict[str, Any] = msgspec.json.decode(encode(message)) | _UNKNOWN_FIELD
    for name in _OBJECTS_WITH_UNKNOWN_FIELD:
        if name in fields:
            fields[name] |= _UNKNOWN_FIELD
    if "news" in fields:
        fields["news"] = [_UNKNOWN_FACT, *(fact | _UNKNOWN_FIELD for fact in fields["news"])]
    messages = [_UNKNOWN_MESSAGE, fields] if fields["type"] == "start" else [fields]
    return b"".join(msgspec.json.encode(one) + b"\n" for one in messages)


async def check_unknown_messages(exam: Examination, rules: SelectedRules) -> Finding:
    """Play a game with messages of a later version of the protocol."""
    async with open_harness(exam.conditions, encode_as_future_protocol) as harness:
        game = await harness.play(exam.make_game(rules, RED, "later", plies=_PLIES_OF_TEST), RANDOM_OPPONENT)
    if game.evidence is not None:
        return explain_failure(game.evidence.why, replace(game.evidence, future_protocol=True), game.record)
    return Finding("ok", "skipped unknown fields, facts and messages")
