"""A record refereed again from its acts alone, and what it says compared with what comes out."""

from collections.abc import Iterator
from typing import Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError, IllegalAction, Rule
from arbiter.games.base import FORFEITS, Addressed, Ending, Outcome, Play
from arbiter.games.chance import Recorded, WrongDeck
from arbiter.games.contest import Contest
from arbiter.games.notation import write_action
from arbiter.record import ActEntry, GameResult, Record, RecordError, read_record
from protocol.words import OPPONENT, Deploy, Seat

Fault = Rule | Literal["facts", "result", "format"]
_NO_ACT: frozenset[Ending] = frozenset({"timeout", "crash", "protocol", "no_start", "walkover", "void"})
_REFUSALS: frozenset[Ending] = frozenset({"illegal_action", "immovable_moved", "illegal_setup"})
_LIMITS: frozenset[Ending] = frozenset({"no_attack_limit", "ply_limit"})


class Verification(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What refereeing a record again found: all well, or the first thing that is not, at which act."""

    ok: bool
    plies: int | None = None
    winner: Seat | None = None
    ending: Ending | None = None
    act: int | None = None
    rule: Fault | None = None
    why: str | None = None


class Disagreement(Exception):
    """A record departs from the rules or from what comes out of them."""

    def __init__(self, rule: Fault, why: str, act: int | None = None) -> None:
        super().__init__(why)
        self.rule: Fault = rule
        self.act = act


def verify(data: bytes, *, draw_limits: bool = True) -> Verification:
    """Referee a record again; never raises, whatever the bytes."""
    try:
        return _verified(read_record(data), draw_limits=draw_limits)
    except (RecordError, ConfigError) as error:
        return Verification(ok=False, rule="format", why=str(error))
    except Disagreement as error:
        return Verification(ok=False, act=error.act, rule=error.rule, why=str(error))


def begin(record: Record, *, draw_limits: bool = True) -> tuple[Contest, Recorded]:
    """Start the game that a record tells of, with the luck that it holds.

    Raises ConfigError, and RecordError where its decks cannot be those of the game.
    """
    header = record.header
    if not draw_limits:
        header = replace(header, overrides=replace(header.overrides, no_attack_plies=0, max_plies=0))
    luck = Recorded(header.seed, {} if header.decks is UNSET else header.decks)
    try:
        table = Contest(header.game().start(luck))
    except WrongDeck as error:
        raise RecordError(f"the header's decks: {error}") from None
    if luck.held:
        raise RecordError(f"the header's decks: {header.rules} begins without a deck")
    return table, luck


def replay(table: Contest, luck: Recorded, record: Record) -> Iterator[tuple[ActEntry, tuple[Addressed, ...]]]:
    """Carry out a record's acts one by one and yield the facts of each.

    Stops before the refused act or acts that ended the game.  Raises Disagreement.
    """
    for number, entry in enumerate(record.acts, start=1):
        luck.held = {} if entry.deck is UNSET else {entry.seat: entry.deck}
        try:
            facts = table.act(entry.seat, entry.action, offer_draw=entry.offer_draw)
        except WrongDeck as error:
            raise Disagreement("facts", str(error), number) from None
        except IllegalAction as refusal:
            _check_refused_end(record, number, entry, refusal)
            return
        if luck.held:
            raise Disagreement("facts", f"{_did(entry)}: shuffles no deck", number)
        yield entry, facts


def with_facts(record: Record) -> tuple[Record, Disagreement | None]:
    """Return a record with all its facts, and the first act that the rules refuse.

    Facts and result are optional in a record.  If facts are missing, the rules are run to fill them in; else the
    record is returned as it is, whether or not today's rules agree with it.
    Raises ConfigError and RecordError if the game cannot be started.
    """
    if _has_facts(record):
        return record, None
    contest, chance = begin(record, draw_limits=False)
    computed: list[tuple[Addressed, ...]] = []
    fault = None
    try:
        for _, facts in replay(contest, chance, record):
            computed.append(facts)
    except Disagreement as error:
        fault = error
    acts = [
        replace(act, facts=facts) if act.facts is UNSET else act
        for act, facts in zip(record.acts, computed, strict=False)
    ]
    result, outcome = record.result, contest.outcome
    if result is None and outcome is not None:
        result = GameResult(winner=outcome.winner, ending=outcome.ending, why=outcome.why)
    header = replace(record.header, first=contest.play.first, facts=record.header.facts or contest.play.opening)
    return Record(header, (*acts, *record.acts[len(acts) :]), result), fault


def _has_facts(record: Record) -> bool:
    """Return True if only refused acts at the end, which lost the game, have no facts."""
    acts, result = record.acts, record.result
    if result is not None and result.ending in _REFUSALS:
        both_refused = len(acts) > 1 and all(isinstance(act.action, Deploy) for act in acts[-2:])
        acts = acts[: -2 if both_refused else -1]
    return record.header.facts is not None and all(act.facts is not UNSET for act in acts)


def _check_refused_end(record: Record, number: int, entry: ActEntry, refusal: IllegalAction) -> None:
    """Let a refused act pass where the result says that it lost the game (or both lost in the setup)."""
    rest, result = record.acts[number:], record.result
    both_refused = len(rest) == 1 and isinstance(rest[0].action, Deploy) and rest[0].seat == OPPONENT[entry.seat]
    if result is not None and result.ending == refusal.ending:
        if not rest and result.winner == OPPONENT[entry.seat]:
            return
        if both_refused and result.winner is None:
            return
    if result is not None and refusal.ending == "illegal_setup" and not rest and _other_left_no_act(result):
        return
    raise Disagreement(refusal.rule, f"{_did(entry)} refused: {refusal}", number)


def _other_left_no_act(result: GameResult) -> bool:
    """Say whether both lost in the setup, one of them by clock or process."""
    return result.winner is None and result.ending in _NO_ACT & FORFEITS


def _did(entry: ActEntry) -> str:
    return f"({entry.seat} {write_action(entry.action)})"


def _verified(record: Record, *, draw_limits: bool) -> Verification:
    table, luck = begin(record, draw_limits=draw_limits)
    _check_opening(record, table.play)
    played = 0
    for entry, facts in replay(table, luck, record):
        played += 1
        if entry.facts is not UNSET and entry.facts != facts:
            raise Disagreement("facts", f"{_did(entry)}: the facts differ", played)
    outcome = table.outcome
    if record.result is not None:
        refused = played < len(record.acts)
        _check_result(record.result, table, _taken_on_trust(refused=refused, draw_limits=draw_limits))
    end = record.result or outcome
    return Verification(
        ok=True,
        plies=table.play.plies,
        winner=end.winner if end else None,
        ending=end.ending if end else None,
    )


def _taken_on_trust(*, refused: bool, draw_limits: bool) -> frozenset[Ending]:
    """Return the endings that do not follow from the acts: clocks, processes, limits switched off."""
    return _NO_ACT | (FORFEITS if refused else frozenset()) | (frozenset() if draw_limits else _LIMITS)


def _check_opening(record: Record, play: Play) -> None:
    if record.header.facts is not None and record.header.facts != play.opening:
        raise Disagreement("facts", "what the header says was told before the first act differs")


def _check_result(result: GameResult, table: Contest, trusted: frozenset[Ending]) -> None:
    if result.plies is not None and result.plies != table.play.plies:
        raise Disagreement("result", f"the result says {result.plies} plies, there are {table.play.plies}")
    if table.outcome is not None:
        _check_outcome(result, table.outcome)
    elif result.ending not in trusted:
        raise Disagreement("result", f"the result says {_summary(result)}, but the game is not over")


def _check_outcome(result: GameResult, outcome: Outcome) -> None:
    if (result.winner, result.ending) != (outcome.winner, outcome.ending):
        raise Disagreement(
            "result",
            f"the result says {_summary(result)}, refereed again it is {_summary(outcome)}",
        )


def _summary(outcome: GameResult | Outcome) -> str:
    won = f"{outcome.winner} wins" if outcome.winner else "no winner"
    return f"{won} ({outcome.ending})"
