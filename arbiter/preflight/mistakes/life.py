"""Mistakes of a bot's life: silence, leaving too early, staying too long."""

from arbiter.preflight.evidence import NO_ANSWER, Evidence
from protocol.codec import quote


def stumbles_over_the_unknown(seen: Evidence) -> str | None:
    """Recognise who cannot read what a later arbiter says."""
    if not seen.later:
        return None
    return (
        "It stumbled over what it does not know: skip messages, fields and facts that are new to you, "
        "for a later arbiter may send them"
    )


def late_for_its_buffer(seen: Evidence) -> str | None:
    """Recognise an answer that lay in the bot's own buffer."""
    if seen.fault not in NO_ANSWER or seen.silence is None or not seen.silence.at_the_end:
        return None
    return (
        f"It had an answer, {quote(seen.silence.at_the_end)}, which came only when its input was closed: flush after "
        "each line (print(..., flush=True), sys.stdout.flush(), fflush(stdout)), and read line by line, not to the end"
    )


def never_reads(seen: Evidence) -> str | None:
    """Recognise who does not read what it is sent."""
    if seen.fault not in NO_ANSWER or seen.silence is None or seen.silence.busy or not seen.silence.unread:
        return None
    return "It did not read what it was sent, and did nothing: read stdin line by line, and wait for nothing else"


def still_computing(seen: Evidence) -> str | None:
    """Recognise who thinks too long."""
    if seen.fault not in NO_ANSWER or seen.silence is None or not seen.silence.busy:
        return None
    return "It was still computing when its time was up: look at `clock` in the question and stop in time"


def waits_for_something(seen: Evidence) -> str | None:
    """Recognise who has read the question and hangs elsewhere."""
    if seen.fault not in NO_ANSWER or seen.silence is None or seen.silence.reads:
        return None
    return "It read the question and then did nothing at all: it waits for what never comes (a sleep, a lock, a key)"


def waits_in_vain(seen: Evidence) -> str | None:
    """Recognise who has read the question and says nothing."""
    if seen.fault not in NO_ANSWER or seen.silence is None or seen.lines:
        return None
    return (
        "It read the question and wrote nothing, and waits: flush after each line, end each line with a newline, "
        "and wait for nothing else before you answer, least of all for a second line"
    )


def half_a_line(seen: Evidence) -> str | None:
    """Recognise a line without its end."""
    if seen.fault not in NO_ANSWER or not seen.lines:
        return None
    return f"It wrote {quote(seen.lines[-1])} and no newline: end each line with one, and flush"


def gone_after_a_game(seen: Evidence) -> str | None:
    """Recognise who plays one game and leaves."""
    if seen.fault != "crash" or not seen.games:
        return None
    return "It left after its first game: after 'over' wait for the next 'start', and leave only at 'bye'"


def gone_in_between(seen: Evidence) -> str | None:
    """Recognise who comes to its end in the middle of a game."""
    if seen.fault not in ("crash", "no_start") or "status 0" not in seen.why:
        return None
    return "Its program came to its end by itself: read and answer in a loop, until 'bye' or the end of the input"


def deaf_to_bye(seen: Evidence) -> str | None:
    """Recognise who does not go when told."""
    if seen.fault != "stays":
        return None
    return "It is told 'bye' and stays: leave the loop at 'bye', and let no thread of its own keep the program alive"


def deaf_to_the_end(seen: Evidence) -> str | None:
    """Recognise who does not go when nobody is there any more."""
    if seen.fault != "stays_at_the_end":
        return None
    return "Its input has ended and it stays: leave when reading gives no line any more"


def leaves_others(seen: Evidence) -> str | None:
    """Recognise who leaves processes behind."""
    if seen.fault != "leaves_others":
        return None
    return "It leaves processes behind: end what it starts, and start nothing that outlives it"
