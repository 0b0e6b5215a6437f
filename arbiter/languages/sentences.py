"""Sentences about reasons, endings and results: the one place for messages, tables, pages and terminals."""

import re
from collections.abc import Mapping
from typing import Final, cast

from msgspec import to_builtins
from msgspec.structs import asdict

from arbiter.clock import write_limit
from arbiter.languages.catalogue import DEFAULT_LANGUAGE, Language, read_language
from protocol.reasons import AnyReason, Both, NoAttack, NoCardRemoved, PlyLimit, Reason, RuleEnd
from protocol.words import OPPONENT, SEATS, RankId, Seat

_BETWEEN: Final = "; "
_DRAWS: Final = ("both_immobile", "no_attack_limit", "ply_limit", "agreed", "ruling")
_SLOT: Final = re.compile(r"\bline:(?=\d)")
"""The start of the name of a place in the line of a card game."""


def write_reason(reason: Reason | None, lang: str = DEFAULT_LANGUAGE, names: Mapping[Seat, str] | None = None) -> str:
    """Write a reason as a clause, with the seats or with the `names` of the players; None is empty.

    The text of its `code` is followed by the texts `code.field`, or `code.field.value`, of fields that differ from
    their default.
    """
    if reason is None:
        return ""
    if isinstance(reason, Both):
        return _BETWEEN.join(dict.fromkeys(write_reason(one, lang, names) for one in reason.reasons))
    code = str(reason.__struct_config__.tag)
    language = read_language(lang)
    english = read_language(DEFAULT_LANGUAGE)
    if language.reasons[code] == english.reasons[code]:
        language = english  # for the values too
    values = {field: _write_value(language, field, value, names) for field, value in asdict(reason).items()}
    if (seat := getattr(reason, "seat", None)) is not None:
        values["foe"] = _write_value(language, "seat", OPPONENT[seat], names)
    count = next((value for value in asdict(reason).values() if type(value) is int), None)
    keys = [code]
    for field, value in asdict(reason).items():
        if value:
            keys += [key for key in (f"{code}.{field}.{value}", f"{code}.{field}") if key in language.reasons][:1]
    return "".join(language.choose_form(language.reasons[key], count).format(**values) for key in keys)


def describe_reason(reason: Reason | None) -> dict[str, object]:
    """Return a reason for programs: as JSON and as an English sentence."""
    return {"reason": to_builtins(reason), "why": write_reason(reason)}


def _write_value(language: Language, field: str, value: object, names: Mapping[Seat, str] | None) -> str:
    """Write a value of a reason."""
    if isinstance(value, Reason):
        return write_reason(value, language.code, names)
    if isinstance(value, int | float):
        return write_limit(value) if field == "limit_ms" else f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    word = str(value)
    if field == "seat":
        return (language.board if names is None else names).get(cast("Seat", word), word)
    if field == "rank" and (name := language.pieces.get(cast("RankId", word))):
        return name if language.capital_nouns else name.lower()
    return word


def write_ending(
    ending: str, reason: AnyReason | None = None, lang: str = DEFAULT_LANGUAGE, *, flag: str | None = None
) -> str:
    """Write an ending in a few words, without the players; `flag` is the name of that piece."""
    if isinstance(reason, NoAttack | NoCardRemoved | PlyLimit):
        return write_reason(reason, lang)
    language = read_language(lang)
    return language.endings[ending].format(flag=flag or language.pieces["flag"])


def describe_ending(
    winner: Seat | None,
    ending: str,
    reason: AnyReason | None = None,
    names: Mapping[Seat, str] | None = None,
    lang: str = DEFAULT_LANGUAGE,
) -> str:
    """Describe why a game ended, with the names of the players if the language has clauses for that.

    The reason of a forfeit is left out, because it may name hidden pieces.
    """
    language = read_language(lang)
    names = _distinguish(language, names)
    clauses = language.clauses
    if clauses and isinstance(reason, RuleEnd) and not isinstance(reason, PlyLimit):
        return _SLOT.sub("slot ", write_reason(reason, lang, names))
    if winner is not None and ending in clauses:
        return clauses[ending].format(winner=names[winner], loser=names[OPPONENT[winner]])
    return write_ending(ending, reason, lang)


def describe_result(
    winner: Seat | None,
    ending: str,
    reason: AnyReason | None = None,
    names: Mapping[Seat, str] | None = None,
    lang: str = DEFAULT_LANGUAGE,
) -> str:
    """Describe the result of a game and its reason in a sentence: `hunter wins: random resigned`."""
    language = read_language(lang)
    if ending in {"void", "annulled", "double_loss"}:
        return language.results[ending]
    key = "won" if winner is not None else "draw" if ending in _DRAWS else "both_lose"
    name = "" if winner is None else _distinguish(language, names)[winner]
    why = describe_ending(winner, ending, reason, names, lang)
    if language.clauses and name and why.startswith(f"{name} "):
        why = f"it {why.removeprefix(f'{name} ')}"
    return (language.clauses.get(f"{key}_{ending}") or language.results[key]).format(name=name, why=why)


def _distinguish(language: Language, names: Mapping[Seat, str] | None) -> Mapping[Seat, str]:
    """Return the names, or the words for the seats if both players have the same name."""
    has_names = names is not None and len(set(names.values())) == len(SEATS)
    return names if names is not None and has_names else {seat: language.board[seat] for seat in SEATS}
