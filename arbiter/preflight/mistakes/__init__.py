"""The mistakes that a check explains: one function for each, in the list `MISTAKES`.

A function returns its advice to the author if the evidence shows its mistake.
Its name identifies the mistake in `arbiter check --json`.
"""

from collections.abc import Callable
from typing import Final

from arbiter.preflight.evidence import Evidence, Explanation, Finding
from arbiter.preflight.mistakes import acts, lifecycle, lines, messages, programs

# The first mistake that fits is reported, so special ones come before general ones.
MISTAKES: Final[tuple[Callable[[Evidence], str | None], ...]] = (
    lifecycle.stumbles_over_the_unknown,
    lifecycle.bank_runs_out,
    programs.carriage_return_in_script,
    programs.interpreter_missing,
    programs.no_interpreter_named,
    programs.no_run_bit,
    programs.kit_hidden,
    programs.kit_missing,
    programs.module_missing,
    programs.file_missing,
    programs.network_used,
    programs.writes_beside_itself,
    programs.threads_exhausted,
    programs.memory_exhausted,
    programs.exception_raised,
    lifecycle.slow_start,
    lifecycle.half_a_line,
    lifecycle.late_for_its_buffer,
    lifecycle.never_reads,
    lifecycle.still_computing,
    lifecycle.waits_for_something,
    lifecycle.waits_in_vain,
    lifecycle.out_of_time,
    lifecycle.gone_after_a_game,
    lifecycle.gone_in_between,
    lifecycle.deaf_to_bye,
    lifecycle.deaf_to_the_end,
    lifecycle.leaves_others,
    programs.not_killed_by_arbiter,
    programs.ended_by_signal,
    programs.streams_closed,
    programs.ended_early,
    lines.too_long,
    lines.foreign_encoding,
    lines.empty_line,
    lines.trace_on_stdout,
    lines.python_repr,
    lines.pretty_printed,
    lines.text_before,
    lines.two_on_a_line,
    lines.no_number,
    lines.broken_json,
    lines.no_object,
    lines.stray_print,
    messages.two_answers,
    messages.answer_to_no_question,
    messages.capitals,
    messages.arbiters_message,
    messages.bare_action,
    messages.other_kind,
    messages.wrong_version,
    messages.wrong_number,
    messages.unknown_wish,
    messages.squares_as_numbers,
    messages.ranks_as_numbers,
    messages.unknown_type,
    messages.wrong_evaluation,
    messages.long_note,
    messages.unknown_field,
    messages.missing_field,
    messages.out_of_form,
    acts.capitals_in_act,
    acts.ranks_for_squares,
    acts.no_square,
    acts.others_rows,
    acts.unknown_rank,
    acts.wrong_army,
    acts.two_squares,
    acts.more_squares,
    acts.immovable_moved,
    acts.board_out_of_date,
    acts.draw_not_offered,
    acts.wrong_phase,
    acts.deployment_against_the_rules,
    acts.against_the_rules,
)


def explain(evidence: Evidence) -> Explanation | None:
    """Return the first mistake that fits the evidence, None if none does."""
    for mistake in MISTAKES:
        if advice := mistake(evidence):
            return Explanation(mistake.__name__, advice)
    return None


def explain_failure(text: str, evidence: Evidence, record: bytes | None = None) -> Finding:
    """Return the finding of a failed step, with an explanation if its mistake is known."""
    return Finding("failed", text, evidence, explain(evidence), record)
