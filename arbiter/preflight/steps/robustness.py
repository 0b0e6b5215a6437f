"""Steps: unknown messages, a second game in the same process, and memory."""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from arbiter.preflight.evidence import Finding
from arbiter.preflight.examination import Examination, SelectedRules
from arbiter.preflight.harness import open_harness
from arbiter.preflight.mistakes import explain_failure
from arbiter.preflight.opponents import RANDOM_OPPONENT
from protocol.codec import encode
from protocol.messages import AnyArbiterMessage
from protocol.words import RED, SEATS

_PLIES: Final = 40
_CLOSE_TO_MEMORY_LIMIT: Final = 0.8  # share of the memory

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
        game = await harness.play(exam.make_game(rules, RED, "later", plies=_PLIES), RANDOM_OPPONENT)
    if game.evidence is not None:
        return explain_failure(game.evidence.why, replace(game.evidence, future_protocol=True), game.record)
    return Finding("ok", "skipped unknown fields, facts and messages")


async def check_second_game(exam: Examination, rules: SelectedRules) -> Finding:
    """Play two games in one process, and measure its memory."""
    async with open_harness(exam.conditions) as harness:
        for number, seat in enumerate(reversed(SEATS), start=1):
            game = await harness.play(exam.make_game(rules, seat, f"on-{number}", plies=_PLIES), RANDOM_OPPONENT)
            if game.evidence is not None:
                where = f"game {number} in one process, as {seat}"
                return explain_failure(f"{where}: {game.evidence.why}", game.evidence, game.record)
        exam.peak_mib[rules.name] = harness.process.peak_mib()
    return Finding("ok", "played two games in one process, as blue and then as red")


async def check_memory(exam: Examination, rules: SelectedRules) -> Finding:
    """Compare the memory of the second game's process with the limit."""
    peak_mib = exam.peak_mib.get(rules.name)
    limit_mib = exam.conditions.program.memory_mb
    if peak_mib is None:
        return Finding("skipped", "this machine does not report the memory of processes")
    text = f"peak memory of a process: {peak_mib:.0f} MiB (limit: {limit_mib} MiB)"
    if peak_mib > limit_mib * _CLOSE_TO_MEMORY_LIMIT:
        return Finding("advice", f"{text}. That is close to the limit")
    return Finding("ok", text)
