"""Referee a record again from its actions alone, and compare its facts and its result."""

from collections.abc import Iterator
from typing import Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS, Addressed, Ending, IllegalAction, Outcome, Rule
from arbiter.games.chance import RecordedChance, WrongDeck
from arbiter.games.contest import Contest
from arbiter.games.notation import write_action
from arbiter.languages.sentences import write_ending
from arbiter.record import ActEntry, GameResult, Record, RecordError, read_record
from protocol.words import OPPONENT, Deploy, Seat

Fault = Rule | Literal["facts", "result", "format"]
NO_ACT: frozenset[Ending] = frozenset(
    {"timeout", "lost_connection", "crash", "killed", "protocol", "no_start", "walkover", "void"}
)
"""Endings that the acts do not show: clocks, processes, games that were not played."""
_REFUSALS: frozenset[Ending] = frozenset({"illegal_action", "immovable_moved", "illegal_setup"})
_LIMITS: frozenset[Ending] = frozenset({"no_attack_limit", "ply_limit"})


class Verification(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of refereeing a record again: all is well, or the first fault and its act."""

    ok: bool
    plies: int | None = None
    winner: Seat | None = None
    ending: Ending | None = None
    act: int | None = None
    rule: Fault | None = None
    why: str | None = None


def list_proved(found: Verification) -> tuple[str, ...]:
    """List what a correct record proves."""
    if not found.ok:
        return ()
    if found.ending is None or found.ending in NO_ACT:
        return ("every move and every fact follows the rules",)
    return ("every move and every fact follows the rules", "the result follows from the moves")


def list_trusted(found: Verification) -> tuple[str, ...]:
    """List what a record states and cannot prove: it rests on the word of the organiser."""
    own = ("that these programs played, and chose these moves", "the date, and the times on the clocks")
    if found.ok and found.ending is not None and found.ending in NO_ACT:
        return (f"the end of the game ({write_ending(found.ending)})", *own)
    return own


class Disagreement(Exception):
    """A fault of a record: the rules refuse an act, or lead to other facts or another result."""

    def __init__(self, rule: Fault, why: str, act: int | None = None) -> None:
        super().__init__(why)
        self.rule: Fault = rule
        self.act = act


def verify(data: bytes, *, draw_limits: bool = True) -> Verification:
    """Referee a record again; any bytes are accepted, and nothing is raised."""
    try:
        record = read_record(data)
    except RecordError as error:
        return Verification(ok=False, rule="format", why=str(error))
    return verify_record(record, draw_limits=draw_limits)


def verify_record(record: Record, *, draw_limits: bool = True, is_seeded: bool = False) -> Verification:
    """Referee a record again; nothing is raised.  If `is_seeded`, all decks must follow from the seed."""
    try:
        contest, chance = begin(record, draw_limits=draw_limits, is_seeded=is_seeded)
        if record.header.facts not in (None, contest.play.opening):
            raise Disagreement("facts", "the facts of the header differ")
        played = 0
        for entry, facts in replay(contest, chance, record):
            played += 1
            if entry.facts is not UNSET and entry.facts != facts:
                raise Disagreement("facts", f"{_describe(entry)}: the facts differ", played)
        if record.result is not None:
            _check_result(record.result, contest, refused=played < len(record.acts), draw_limits=draw_limits)
    except (RecordError, ConfigError) as error:
        return Verification(ok=False, rule="format", why=str(error))
    except Disagreement as error:
        return Verification(ok=False, act=error.act, rule=error.rule, why=str(error))
    end = record.result or contest.outcome
    winner, ending = (end.winner, end.ending) if end else (None, None)
    return Verification(ok=True, plies=contest.play.plies, winner=winner, ending=ending)


def begin(record: Record, *, draw_limits: bool = True, is_seeded: bool = False) -> tuple[Contest, RecordedChance]:
    """Start the game of a record, with its decks in place of random ones.

    Raises ConfigError, and RecordError if the decks are not those of the game.
    """
    header = record.header
    if not draw_limits:
        header = replace(header, overrides=replace(header.overrides, no_attack_plies=0, max_plies=0))
    chance = RecordedChance(header.seed, {} if header.decks is UNSET else header.decks, is_seeded=is_seeded)
    try:
        contest = Contest(header.game().start(chance))
    except WrongDeck as error:
        raise RecordError(f"the header's decks: {error}") from None
    if chance.held:
        raise RecordError(f"the header's decks: {header.rules} starts without a deck")
    return contest, chance


def replay(
    contest: Contest, chance: RecordedChance, record: Record
) -> Iterator[tuple[ActEntry, tuple[Addressed, ...]]]:
    """Carry out the acts of a record one by one and yield each with its facts.

    Stops before the refused acts that ended the game.  Raises Disagreement.
    """
    for number, entry in enumerate(record.acts, start=1):
        chance.held = {} if entry.deck is UNSET else {entry.seat: entry.deck}
        try:
            facts = contest.act(entry.seat, entry.action, offer_draw=entry.offer_draw)
        except WrongDeck as error:
            raise Disagreement("facts", str(error), number) from None
        except IllegalAction as refusal:
            _check_refused_end(record, number, entry, refusal)
            return
        if chance.held:
            raise Disagreement("facts", f"{_describe(entry)}: shuffles no deck", number)
        yield entry, facts


def with_facts(record: Record) -> tuple[Record, Disagreement | None]:
    """Return a record with all its facts, and the first act that the rules refuse.

    Facts and result are optional in a record.  If facts are missing, the rules are run to fill them in; else the
    record is returned as it is, whether or not today's rules agree with it.
    Raises ConfigError and RecordError if the game cannot be started.
    """
    acts = record.acts
    result = record.result
    if result is not None and result.ending in _REFUSALS:  # the last act, or both deployments, were refused
        both_refused = len(acts) > 1 and all(isinstance(act.action, Deploy) for act in acts[-2:])
        acts = acts[: -2 if both_refused else -1]
    if record.header.facts is not None and all(act.facts is not UNSET for act in acts):
        return record, None
    contest, chance = begin(record, draw_limits=False)
    computed: list[tuple[Addressed, ...]] = []
    fault = None
    try:
        for _, facts in replay(contest, chance, record):
            computed.append(facts)
    except Disagreement as error:
        fault = error
    known = [
        replace(act, facts=facts) if act.facts is UNSET else act
        for act, facts in zip(record.acts, computed, strict=False)
    ]
    outcome = contest.outcome
    if result is None and outcome is not None:
        result = GameResult(winner=outcome.winner, ending=outcome.ending, reason=outcome.reason)
    header = replace(record.header, first=contest.play.first, facts=record.header.facts or contest.play.opening)
    return Record(header, (*known, *record.acts[len(known) :]), result), fault


def _check_refused_end(record: Record, number: int, entry: ActEntry, refusal: IllegalAction) -> None:
    """Raise Disagreement unless the refused act lost the game by the result (or both players lost in the setup)."""
    rest = record.acts[number:]
    result = record.result
    if result is not None and not rest:
        if result.ending == refusal.ending and result.winner == OPPONENT[entry.seat]:
            return
        # The other player lost in the setup too, without an act: by its clock or its process.
        if refusal.ending == "illegal_setup" and result.winner is None and result.ending in NO_ACT & FORFEITS:
            return
    both_refused = len(rest) == 1 and isinstance(rest[0].action, Deploy) and rest[0].seat == OPPONENT[entry.seat]
    if both_refused and result is not None and result.ending == refusal.ending and result.winner is None:
        return
    raise Disagreement(refusal.rule, f"{_describe(entry)} refused: {refusal}", number)


def _describe(entry: ActEntry) -> str:
    return f"({entry.seat} {write_action(entry.action)})"


def _check_result(result: GameResult, contest: Contest, *, refused: bool, draw_limits: bool) -> None:
    outcome = contest.outcome
    if result.plies is not None and result.plies != contest.play.plies:
        raise Disagreement("result", f"the result has {result.plies} plies, the game {contest.play.plies}")
    if outcome is not None:
        if (result.winner, result.ending) != (outcome.winner, outcome.ending):
            raise Disagreement(
                "result", f"the result is {_summarize(result)}, but the rules lead to {_summarize(outcome)}"
            )
        return
    # Endings that the actions do not show: clocks, processes, a refused act, limits that are switched off.
    trusted = NO_ACT | (FORFEITS if refused else frozenset()) | (frozenset() if draw_limits else _LIMITS)
    if result.ending not in trusted:
        raise Disagreement("result", f"the result is {_summarize(result)}, but the game is not over")


def _summarize(outcome: GameResult | Outcome) -> str:
    won = f"{outcome.winner} wins" if outcome.winner else "no winner"
    return f"{won} ({write_ending(outcome.ending)})"
