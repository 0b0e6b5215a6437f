"""The mistakes that a check explains: a search for each in these modules, and its advice in `advice.toml`."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

from arbiter.preflight.evidence import Evidence, Explanation, Finder, Finding
from arbiter.preflight.mistakes import messages, processes

# The first mistake that fits is reported, so special ones come before general ones.
MISTAKES: Final[dict[str, Finder]] = {
    "stumbles_over_the_unknown": lambda evidence: evidence.future_protocol,
    "bank_runs_out": lambda evidence: evidence.bank_runs_out,
    **processes.MISTAKES,
    **messages.MISTAKES,
}


@cache
def read_advice() -> dict[str, str]:
    """Return the advice for each mistake; {} stands for what was found."""
    texts = tomllib.loads(Path(__file__).with_name("advice.toml").read_text("utf-8"))
    return {name: " ".join(text.split()).replace("{example}", texts["example"].strip()) for name, text in texts.items()}


def explain(evidence: Evidence) -> Explanation | None:
    """Return the first mistake that fits the evidence, None if none does."""
    for name, find in MISTAKES.items():
        if found := find(evidence):
            start, *rest = read_advice()[name].split("{}")
            words = found if isinstance(found, tuple) else ()
            advice = start + "".join(word + text for word, text in zip(words, rest, strict=True))
            return Explanation(name.partition("/")[0], advice)
    return None


def explain_failure(text: str, evidence: Evidence, record: bytes | None = None) -> Finding:
    """Return the finding of a failed step, with an explanation if its mistake is known."""
    return Finding("failed", text, evidence, explain(evidence), record)
