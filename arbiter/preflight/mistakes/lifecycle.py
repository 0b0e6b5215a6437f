"""Mistakes in the life of a process: no answer, exit too early, no exit."""

from arbiter.errors import write_count
from arbiter.preflight.evidence import NO_ANSWER, BotActivity, Evidence
from protocol.codec import quote


def stumbles_over_the_unknown(evidence: Evidence) -> str | None:
    if not evidence.future_protocol:
        return None
    return (
        "The bot failed because of something in the messages that it does not know. Skip messages, fields and facts "
        "that are new to you, because a later version of the arbiter may send them."
    )


def bank_runs_out(evidence: Evidence) -> str | None:
    if not evidence.bank_runs_out:
        return None
    return (
        "The bot thinks as long with little time left as with much, so it loses long games on time. Read `clock` in "
        "each question and use a share of what is left, for example the increment and 2 % of the bank. To check the "
        "bot under the time control of your tournament, use --time."
    )


def _activity(evidence: Evidence) -> BotActivity | None:
    return evidence.activity if evidence.fault in NO_ANSWER else None


def slow_start(evidence: Evidence) -> str | None:
    activity = _activity(evidence)
    if activity is None or activity.late_s is None:
        return None
    return (
        f"The bot answered 'hello' after {activity.late_s:.1f} s, which is too late. Load less at the start, or load it "
        "after 'ready' in the time for the deployment (`setup_s`). A slower start needs a higher `start_s` in the "
        "tournament file; to check the bot with it, use --start."
    )


def half_a_line(evidence: Evidence) -> str | None:
    if evidence.fault not in NO_ANSWER or not evidence.lines:
        return None
    return f"The bot wrote {quote(evidence.lines[-1])} without a newline. End each line with a newline, and flush."


def late_for_its_buffer(evidence: Evidence) -> str | None:
    activity = _activity(evidence)
    if activity is None or not activity.output_at_end:
        return None
    return (
        f"The bot had an answer, {quote(activity.output_at_end)}, but it arrived only when the input was closed. "
        "Flush after each line (print(..., flush=True), sys.stdout.flush(), fflush(stdout)), "
        "and read the input line by line, not to the end."
    )


def never_reads(evidence: Evidence) -> str | None:
    activity = _activity(evidence)
    if activity is None or activity.uses_cpu or not activity.unread_bytes:
        return None
    return (
        "The bot did not read what it was sent, and did nothing. "
        "Read stdin line by line, and do not wait for anything else."
    )


def still_computing(evidence: Evidence) -> str | None:
    activity = _activity(evidence)
    if activity is None or not activity.uses_cpu:
        return None
    if evidence.fault == "no_start":
        return (
            "The bot was still computing when its time to start was over, and had not answered 'hello'. "
            "Answer 'hello' first, and load or compute the rest afterwards."
        )
    return "The bot was still computing when its time was up. Read `clock` in the question and stop in time."


def waits_for_something(evidence: Evidence) -> str | None:
    activity = _activity(evidence)
    if activity is None or activity.keeps_reading:
        return None
    return (
        "The bot read the question and then did nothing. "
        "It waits for something that does not come (a sleep, a lock, a key)."
    )


def waits_in_vain(evidence: Evidence) -> str | None:
    if _activity(evidence) is None or evidence.lines:
        return None
    return (
        "The bot read the question, wrote nothing and waits for more input. Flush after each line, end each line with "
        "a newline, and answer without waiting for anything else, in particular for a second line."
    )


def out_of_time(evidence: Evidence) -> str | None:
    if evidence.fault != "timeout" or evidence.activity is not None or not evidence.answers_ms:
        return None
    count, seconds = len(evidence.answers_ms), sum(evidence.answers_ms) / 1000
    return (
        f"The bot lost on time. Before that it had used {seconds:.1f} s for {write_count(count, 'answer')}, at most "
        f"{max(evidence.answers_ms) / 1000:.1f} s for one. Read `clock` in each question and use a share of what is left. "
        "If one answer took much longer than the others, look for the reason at that ply; "
        "`arbiter check` shows if the bot computes or waits."
    )


def gone_after_a_game(evidence: Evidence) -> str | None:
    if evidence.fault not in ("crash", "killed") or not evidence.games_before:
        return None
    return "The bot exited after its first game. After 'over', wait for the next 'start'; exit only after 'bye'."


def gone_in_between(evidence: Evidence) -> str | None:
    if evidence.fault not in ("crash", "no_start") or "status 0" not in evidence.why:
        return None
    return (
        "The program ended by itself in the middle of the conversation. "
        "Read and answer in a loop until 'bye' or the end of the input."
    )


def deaf_to_bye(evidence: Evidence) -> str | None:
    if evidence.fault != "ignores_bye":
        return None
    return (
        "The bot keeps running after 'bye'. Leave the loop at 'bye', "
        "and make sure that no thread keeps the program alive."
    )


def deaf_to_the_end(evidence: Evidence) -> str | None:
    if evidence.fault != "ignores_end_of_input":
        return None
    return "The bot keeps running after the end of its input. Exit when reading returns no more lines."


def leaves_others(evidence: Evidence) -> str | None:
    if evidence.fault != "leaves_processes":
        return None
    return "The bot leaves processes behind. End every process that it starts, and start nothing that outlives it."
