"""The mistakes that authors make, each recognised by a small function: the one list that makes one exist."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from arbiter.preflight.evidence import Evidence
from arbiter.preflight.mistakes import acts, life, lines, programs

# Looked through in this order: the special before the general.
_OF_PROGRAMS: Final = (
    programs.carriage_return_in_script,
    programs.interpreter_missing,
    programs.no_interpreter_named,
    programs.no_run_bit,
    programs.module_missing,
    programs.file_missing,
    programs.network_used,
    programs.writes_beside_itself,
    programs.memory_exhausted,
    programs.exception_raised,
)
_OF_LIFE: Final = (
    life.half_a_line,
    life.late_for_its_buffer,
    life.never_reads,
    life.still_computing,
    life.waits_for_something,
    life.waits_in_vain,
    life.gone_after_a_game,
    life.gone_in_between,
    life.deaf_to_bye,
    life.deaf_to_the_end,
    life.leaves_others,
    programs.ended_by_signal,
    programs.streams_closed,
    programs.ended_early,
)
_OF_LINES: Final = (
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
    lines.two_answers,
    lines.answer_to_no_question,
    lines.capitals,
    lines.arbiters_message,
    lines.bare_action,
    lines.other_kind,
    lines.wrong_version,
    lines.wrong_number,
    lines.unknown_wish,
    lines.squares_as_numbers,
    lines.unknown_type,
    lines.long_note,
    lines.unknown_field,
    lines.missing_field,
    lines.out_of_form,
)
_OF_ACTS: Final = (
    acts.capitals_in_act,
    acts.ranks_for_squares,
    acts.no_square,
    acts.others_rows,
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
MISTAKES: Final[tuple[Callable[[Evidence], str | None], ...]] = (
    life.stumbles_over_the_unknown,
    *_OF_PROGRAMS,
    *_OF_LIFE,
    *_OF_LINES,
    *_OF_ACTS,
)


class Explanation(Struct, frozen=True):
    """A mistake by its name, and what it is and what to do in its author's words."""

    mistake: str
    says: str


def explain(seen: Evidence) -> Explanation | None:
    """Find the mistake that explains what was seen; None where it is none of those known here."""
    for mistake in MISTAKES:
        if says := mistake(seen):
            return Explanation(mistake.__name__, says)
    return None
