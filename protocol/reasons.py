"""The reasons of results, refusals and voided games: codes with values.  Programs read the codes, people sentences.

A field `seat` is the player whose action, answer or program is the reason.  Texts of programs are printable ASCII.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from protocol.words import Place, RankId, Seat

SignalName = Annotated[str, Meta(max_length=20)]
CardPowerName = Literal["attack", "peek_hand", "peek_line", "regroup"]
KillEvidence = Literal["sandbox_killed", "out_of_memory", "killed", "lost_connections"]
"""The evidence about a SIGKILL that the arbiter did not send, or about the loss of a remote program.

sandbox_killed: it hit a process of the sandbox that no bot can reach.  out_of_memory: the machine's out-of-memory
killer was active meanwhile.  killed: the bot may have sent it to itself.  lost_connections: the arbiter's side had cut
the connection of a remote program.
"""


class Reason(Struct, frozen=True, tag_field="code", omit_defaults=True):
    """A reason; its `code` is the tag of the class."""

    def seen_by(self, _seat: Seat) -> "Reason":
        """Return the reason as a player may know it: without hidden ranks and quotes of the opponent's program."""
        return self


class _OfSeat(Reason, frozen=True):
    seat: Seat


# --- the end of a game by the rules ---------------------------------------------------------------


class FlagTaken(_OfSeat, frozen=True, tag="flag_taken"):
    """The seat took the flag."""

    place: Place


class NoPieces(_OfSeat, frozen=True, tag="no_pieces"):
    """The seat has no movable piece left."""


class NoMoves(_OfSeat, frozen=True, tag="no_moves"):
    """The seat has no legal move on its turn."""


class NoAttackers(_OfSeat, frozen=True, tag="no_attackers"):
    """The seat has no card in its line that can attack."""


class NoPiecesLeft(Reason, frozen=True, tag="no_pieces_left"):
    """Neither side has a movable piece."""


class AllBlocked(Reason, frozen=True, tag="all_blocked"):
    """Neither side can move a piece."""


class NoAttackersLeft(Reason, frozen=True, tag="no_attackers_left"):
    """Neither side has a card that can attack."""


class NoAttack(Reason, frozen=True, tag="no_attack"):
    """Too many plies were played without an attack."""

    plies: int


class NoCardRemoved(Reason, frozen=True, tag="no_card_removed"):
    """Too many turns were played in which no card was removed."""

    turns: int


class PlyLimit(Reason, frozen=True, tag="ply_limit"):
    """The game has as many plies as it may have."""

    plies: int


class Agreed(_OfSeat, frozen=True, tag="agreed"):
    """The seat accepted the draw that its opponent offered."""


class Resigned(_OfSeat, frozen=True, tag="resigned"):
    """The seat resigned."""


RuleEnd = (
    FlagTaken | NoPieces | NoMoves | NoAttackers | NoPiecesLeft | AllBlocked | NoAttackersLeft | NoAttack
    | NoCardRemoved | PlyLimit | Agreed | Resigned
)  # fmt: skip


# --- the refusal of an action ---------------------------------------------------------------------


class _OfPlace(Reason, frozen=True):
    place: str


class _OfMove(Reason, frozen=True):
    src: Place
    dst: Place


class GameOver(Reason, frozen=True, tag="game_over"):
    """The game is over."""


class NotOnTurn(_OfSeat, frozen=True, tag="not_on_turn"):
    """It is not the turn of the seat."""


class WrongPhase(Reason, frozen=True, tag="wrong_phase"):
    """An action of this type is not possible in this phase."""

    action: str
    phase: str


class NotAsked(_OfSeat, frozen=True, tag="not_asked"):
    """The seat may resign or accept a draw only in phase `turn`."""


class NoDrawOffered(_OfSeat, frozen=True, tag="no_draw_offered"):
    """The seat has not just offered a draw."""


class BreaksTwoSquares(_OfMove, frozen=True, tag="two_squares"):
    """The piece crosses the same border too many times in a row."""


class BreaksMoreSquares(_OfMove, frozen=True, tag="more_squares"):
    """The move repeats an earlier position in order to continue a chase."""


class NeverMoves(_OfMove, frozen=True, tag="never_moves"):
    """A piece of this rank never moves."""


class SameSquare(_OfMove, frozen=True, tag="same_square"):
    """A piece must move to another square."""


class OwnPiece(_OfMove, frozen=True, tag="own_piece"):
    """There is a piece of the same player."""


class IsLake(_OfMove, frozen=True, tag="is_lake"):
    """The square is a lake."""


class NotStraight(_OfMove, frozen=True, tag="not_straight"):
    """The move is not a straight line over land."""


class OneSquareOnly(_OfMove, frozen=True, tag="one_square_only"):
    """The piece moves only one square."""


class InTheWay(_OfMove, frozen=True, tag="in_the_way"):
    """There is a piece between the squares."""


class OutOfReach(_OfMove, frozen=True, tag="out_of_reach"):
    """The power does not reach this square."""


class NoSquare(_OfPlace, frozen=True, tag="no_square"):
    """The board has no such square."""


class NoPiece(_OfSeat, frozen=True, tag="no_piece"):
    """The seat has no piece on the square."""

    place: Place


class NoEnemy(_OfPlace, frozen=True, tag="no_enemy"):
    """The opponent has no piece on the square."""


class NoPower(_OfPlace, frozen=True, tag="no_power"):
    """The piece does not have this power."""


class NotInDeployment(_OfPlace, frozen=True, tag="not_in_deployment"):
    """The square is not on the deployment rows of the opponent."""


class MustAttackOrStop(Reason, frozen=True, tag="must_attack_or_stop"):
    """In a rage the same piece must attack a neighbouring piece, or stop."""


class NotCaptured(Reason, frozen=True, tag="not_captured"):
    """No captured piece that may return has this rank."""

    rank: str


class NotFree(_OfPlace, frozen=True, tag="not_free"):
    """The square is not a free square of the player's own half."""


class NoPiecesGiven(Reason, frozen=True, tag="no_pieces_given"):
    """A deployment on a board lacks `pieces`."""


class NoLineGiven(Reason, frozen=True, tag="no_line_given"):
    """A deployment of cards lacks `line`."""


class NotOwnSquare(_OfSeat, frozen=True, tag="not_own_square"):
    """The square is not one of the deployment squares of the seat."""

    place: str


class NoSuchRank(Reason, frozen=True, tag="no_such_rank"):
    """The rule set does not have this rank."""

    rules: str
    rank: str


class WrongCount(Reason, frozen=True, tag="wrong_count"):
    """The deployment has another number of pieces of a rank than the army."""

    rank: RankId
    found: int
    wanted: int


class NoCard(_OfPlace, frozen=True, tag="no_card"):
    """The player has no card there."""


class NoEnemyCard(_OfPlace, frozen=True, tag="no_enemy_card"):
    """The opponent has no card there."""


class CardLacksPower(_OfPlace, frozen=True, tag="card_lacks_power"):
    """The card does not have this power, or cannot attack."""

    rank: RankId
    power: CardPowerName


class WrongPeek(Reason, frozen=True, tag="wrong_peek"):
    """The scout must look at this number of different cards of the opponent's line."""

    count: int


class NotInHand(_OfPlace, frozen=True, tag="not_in_hand"):
    """There is no such place in the hand of the player."""


class LaidTwice(Reason, frozen=True, tag="laid_twice"):
    """One card is laid twice."""


class WrongLine(Reason, frozen=True, tag="wrong_line"):
    """The deployment lays another number of cards than the line takes."""

    found: int
    wanted: int


class WrongFill(Reason, frozen=True, tag="wrong_fill"):
    """The refill lays another number of cards than it must."""

    found: int
    wanted: int


class NotGap(_OfPlace, frozen=True, tag="not_gap"):
    """The place is not a gap of the player's line."""


class Disallowed(Reason, frozen=True, tag="disallowed"):
    """A power of further rules refuses the action; the text gives the reason."""

    text: str


Refusal = (
    GameOver | NotOnTurn | WrongPhase | NotAsked | NoDrawOffered | BreaksTwoSquares | BreaksMoreSquares | NeverMoves
    | SameSquare | OwnPiece | IsLake | NotStraight | OneSquareOnly | InTheWay | OutOfReach | NoSquare
    | NoPiece | NoEnemy | NoPower | NotInDeployment | MustAttackOrStop | NotCaptured | NotFree
    | NoPiecesGiven | NoLineGiven | NotOwnSquare | NoSuchRank | WrongCount | NoCard | NoEnemyCard
    | CardLacksPower | WrongPeek | NotInHand | LaidTwice | WrongLine | WrongFill | NotGap | Disallowed
)  # fmt: skip


# --- the end of a program -------------------------------------------------------------------------


class Exited(Reason, frozen=True, tag="exited"):
    """It exited; `signal` is the one that ended it if its launcher reports that with the status."""

    status: int
    signal: SignalName = ""
    memory_mb: int | None = None
    """The limit of memory that it exceeded, if that is the cause."""


class Signalled(Reason, frozen=True, tag="signalled"):
    """A signal ended it."""

    signal: SignalName
    memory_mb: int | None = None
    """The limit of memory that it exceeded, if that is the cause."""


class UsedMemory(Reason, frozen=True, tag="used_memory"):
    """It used more memory than it may."""

    mib: int
    memory_mb: int


class ClosedStreams(Reason, frozen=True, tag="closed_streams"):
    """It closed its stdin or stdout."""


class LeftGame(Reason, frozen=True, tag="left_game"):
    """A remote program, or a person, left the game."""


class NotRestarted(Reason, frozen=True, tag="not_restarted"):
    """The client of a remote program does not start it any more."""


EndOfProgram = Exited | Signalled | UsedMemory | ClosedStreams | LeftGame | NotRestarted


# --- fouls, and games that were not played --------------------------------------------------------


class RefusedAction(_OfSeat, frozen=True, tag="refused_action"):
    """The action of the seat is against the rules."""

    refusal: Refusal | None = None
    """None for the opponent."""

    def seen_by(self, seat: Seat) -> Reason:
        return self if seat == self.seat else replace(self, refusal=None)


class RefusedDeployment(RefusedAction, frozen=True, tag="refused_deployment"):
    """The deployment of the seat is against the rules."""


class BrokeProtocol(_OfSeat, frozen=True, tag="broke_protocol"):
    """The seat broke the protocol; `detail` is English, and quotes its line."""

    detail: str = ""

    def seen_by(self, seat: Seat) -> Reason:
        return self if seat == self.seat else replace(self, detail="")


class NotReady(_OfSeat, frozen=True, tag="not_ready"):
    """The program of the seat was not ready within this time."""

    limit_s: float


class TooLate(_OfSeat, frozen=True, tag="too_late"):
    """The seat did not answer within this time."""

    limit_ms: float
    connection_lost: bool = False
    cut_by_arbiter: bool = False
    """True if the side of the arbiter had cut the connection."""


class UsedProcessorTime(_OfSeat, frozen=True, tag="used_processor_time"):
    """The seat used more processor time than this."""

    limit_ms: float


class DidNotRead(_OfSeat, frozen=True, tag="did_not_read"):
    """The seat did not read what it was sent."""


class NoRecordedAnswer(_OfSeat, frozen=True, tag="no_recorded_answer"):
    """In a repetition of a game, the program of the seat gave no answer that the record contains."""


class ProgramEnded(_OfSeat, frozen=True, tag="program_ended"):
    """The program of the seat ended."""

    end: EndOfProgram
    kill: KillEvidence | None = None
    """The evidence that it was killed, but not by the arbiter."""
    oom_kills: int = 0
    """Number of processes that this machine killed meanwhile, because it had no memory left."""
    rest: str = ""
    """Quote of an unfinished last line."""
    last_line: str = ""
    """Quote of the last line on stderr."""
    was_replayed: bool = False
    """True if a game of the bot has already been played again after such an end."""

    def seen_by(self, seat: Seat) -> Reason:
        return self if seat == self.seat else ProgramEnded(self.seat, self.end, self.kill, self.oom_kills)


class Suspended(Reason, frozen=True, tag="suspended"):
    """The bot is suspended after so many forfeits in a row."""

    bot: str
    forfeits: int


class Withdrawn(Reason, frozen=True, tag="withdrawn"):
    """The bot was withdrawn."""

    bot: str


class Disqualified(Reason, frozen=True, tag="disqualified"):
    """The bot was disqualified."""

    bot: str


FoulReason = (
    RefusedAction | RefusedDeployment | BrokeProtocol | NotReady | TooLate | UsedProcessorTime | DidNotRead
    | NoRecordedAnswer | ProgramEnded
)  # fmt: skip
AbsenceReason = Suspended | Withdrawn | Disqualified


class Both(Reason, frozen=True, tag="both"):
    """Each player has a reason of its own."""

    reasons: tuple[FoulReason | AbsenceReason, ...]

    def seen_by(self, seat: Seat) -> Reason:
        own = [one for one in self.reasons if getattr(one, "seat", None) == seat]
        return own[0] if own else self


Forfeited = FoulReason | AbsenceReason | Both


def list_reasons(reason: Reason | None) -> tuple[Reason, ...]:
    """List the reasons of the players; one reason is of one player or of both."""
    return reason.reasons if isinstance(reason, Both) else () if reason is None else (reason,)


# --- voided games ---------------------------------------------------------------------------------


class ArbiterFailed(Reason, frozen=True, tag="arbiter_failed"):
    """The arbiter has a bug."""

    traceback: str


class RunStopped(Reason, frozen=True, tag="run_stopped"):
    """The run was stopped during the game."""


class ArbiterKilled(Reason, frozen=True, tag="arbiter_killed"):
    """The arbiter was killed, or the machine was switched off, during the game."""


class WorkerLost(Reason, frozen=True, tag="worker_lost"):
    """The worker that played the game was lost."""

    worker: str
    detail: str


class ResultRefused(Reason, frozen=True, tag="result_refused"):
    """The result that a worker sent was refused."""

    worker: str
    detail: str


class AuditDiffers(Reason, frozen=True, tag="audit_differs"):
    """The game was played again on another machine, and differs."""

    first: str
    second: str
    differences: tuple[str, ...]


Voided = ProgramEnded | TooLate | ArbiterFailed | RunStopped | ArbiterKilled | WorkerLost | ResultRefused | AuditDiffers


# --- programs that were not examined --------------------------------------------------------------


class AuthorBanned(Reason, frozen=True, tag="author_banned"):
    """The author may not submit programs."""


class NoRoom(Reason, frozen=True, tag="no_room"):
    """There is no more room for programs on the disk of the arbiter."""


class CheckTooLong(Reason, frozen=True, tag="check_too_long"):
    """The check took longer than this."""

    minutes: int


class CheckFailed(Reason, frozen=True, tag="check_failed"):
    """The arbiter failed during the check."""


class Unusable(Reason, frozen=True, tag="unusable"):
    """The files or the command of the program cannot be used."""

    text: str


NotExamined = AuthorBanned | NoRoom | CheckTooLong | CheckFailed | Unusable


class ForfeitsOften(Reason, frozen=True, tag="forfeits_often"):
    """The version forfeited so many of the last games of a test in the queue."""

    bot: str
    forfeits: int
    games: int


# --- rulings --------------------------------------------------------------------------------------


class Stated(Reason, frozen=True, tag="stated"):
    """The words of the person who ruled."""

    text: str


class Superseded(Reason, frozen=True, tag="superseded"):
    """This version of the program plays."""

    version: str


class Quarantined(Reason, frozen=True, tag="quarantined"):
    """This version crashed in several games."""

    version: str


class TriedAgain(Reason, frozen=True, tag="tried_again"):
    """The quarantine of this version is over."""

    version: str


VersionChange = Superseded | Quarantined | TriedAgain
"""The reasons of rulings that the arbiter makes itself when another version of a program plays."""
RulingReason = Stated | VersionChange


class ByRuling(Reason, frozen=True, tag="by_ruling"):
    """A ruling gave the game this result."""

    number: int
    ruling: RulingReason


AnyReason = RuleEnd | Forfeited | Voided | ByRuling
