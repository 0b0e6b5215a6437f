"""What all bridges do: start the program, keep the board for it, mind its moves, say what was wrong, end it."""

import sys
from argparse import REMAINDER, ArgumentParser
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NoReturn

from msgspec import UNSET, Struct

from protocol.bot import Choice, Game, Player, Turn, run
from protocol.codec import quote
from protocol.messages import Over, Rules
from protocol.words import AnyAction, AnyFact, Deploy, Move, Place, Resign, Revealed
from sample_bots.bridges.child import Child, Failure, Lines
from sample_bots.bridges.table import CLASSIC, SIDE, Point, Table

MAX_NAME: Final = 80  # characters
_SHOWN: Final = 60  # characters of an answer in a note


class Answer(Struct, frozen=True):
    """What the program answered, and the move it means; off the board where a point is not on it."""

    text: str
    src: Point
    dst: Point


class Bridge(Player):
    """One game of a program; a subclass speaks its language."""

    name = ""
    description = ""

    def __init__(self, game: Game, child: Child, *, repairs: bool) -> None:
        super().__init__(game)
        if fault := unplayable(game.rules):
            raise Failure(fault)
        self.child = child
        self.table = Table(game.rules, game.seat)
        self._repairs = repairs
        self._own: dict[Place, str] | None = None

    @property
    def begins(self) -> bool:
        """Tell whether this player begins."""
        return self.game.seat == self.game.rules.first

    # --- what a subclass says and hears

    def set_up(self) -> dict[Place, str]:
        """Ask the program for its deployment.  Raises Failure."""
        raise NotImplementedError

    def ask(self, turn: Turn) -> Answer | None:
        """Tell the program what has happened and ask for its move; None where it gives up.  Raises Failure."""
        raise NotImplementedError

    def played(self, answer: Answer) -> None:
        """Hear which move was made in the end."""

    def last_words(self, over: Over) -> Iterable[str]:  # noqa: ARG002 - not every protocol has a word for it
        """Return what the program is told at the end."""
        return ()

    # --- what the arbiter asks

    def deploy(self, turn: Turn) -> AnyAction:  # noqa: ARG002 - the program knows where
        """Deploy as the program says."""
        self._own = self.set_up()
        return Deploy(pieces=self._own)

    def choose(self, turn: Turn) -> AnyAction | Choice:
        """Move as the program says, if that is legal."""
        if self._own is None:  # the game starts from a given position: what the program sets up counts nothing
            self.set_up()
            self._own = {fact.place: fact.rank for fact in turn.news if self._is_told_at_first(fact)}
        self.table.set_up(turn.news, self._own)
        answer = self.ask(turn)
        if answer is None:
            return Choice(Resign(), "the program gave up")
        move = self._move(answer)
        if move in turn.legal:
            self.played(answer)
            return move
        return self._instead(turn, answer)

    def _is_told_at_first(self, fact: AnyFact) -> bool:
        return isinstance(fact, Revealed) and fact.seat == self.game.seat

    def _move(self, answer: Answer) -> Move | None:
        src, dst = (self.table.places.get(point) for point in (answer.src, answer.dst))
        return None if src is None or dst is None else Move(src, dst)

    def _instead(self, turn: Turn, answer: Answer) -> Choice:
        fault = f"the program's {quote(answer.text.encode(), _SHOWN)} is not legal here"
        if not self._repairs:
            turn.log(f"{fault}; resigned")
            return Choice(Resign(), fault)
        move = turn.rng.choice([action for action in turn.legal if isinstance(action, Move)])
        self.played(Answer("", self.table.points[move.src], self.table.points[move.dst]))
        turn.log(f"{fault}; {move.src}-{move.dst} played instead")
        return Choice(move, f"{fault}; {move.src}-{move.dst} played instead")

    def end(self, over: Over) -> None:
        """Tell the program the end, and end it."""
        self.child.end(*self.last_words(over))


def unplayable(rules: Rules) -> str | None:
    """Say why a program that knows the classic ranks on a board of 10 by 10 cannot play by these rules."""
    if rules.board is UNSET or (rules.board.files, rules.board.rows) != (SIDE, SIDE):
        return f"{rules.id} has no board of {SIDE} by {SIDE} squares, and the program knows no other game"
    unknown = sorted(set(rules.army) - set(CLASSIC))
    if unknown:
        return f"{rules.id} has pieces that the program does not know: {', '.join(unknown)}"
    if "rescue" in rules.options:
        return "pieces come back with the option rescue, which the program does not know"
    return None


# --- the command ----------------------------------------------------------------------------------


class _Programs:
    """Programs as they are started, one a game; the first at once, while the arbiter starts the opponent."""

    def __init__(self, command: Sequence[str], arbiter: Lines) -> None:
        self._command = command
        self._arbiter = arbiter
        self._is_fresh = True
        self.current = Child(command, arbiter)

    def for_next_game(self) -> Child:
        """Return a program that has played no game."""
        if not self._is_fresh:
            self.current = Child(self._command, self._arbiter)
        self._is_fresh = False
        return self.current


def play(kind: type[Bridge]) -> NoReturn:
    """Play by the command line's program until the arbiter says goodbye; the command of every bridge."""
    command, repairs = _command_line(kind)
    try:
        _play(kind, command, repairs=repairs)
    except Failure as failure:
        sys.exit(f"{kind.name}: {failure}")
    sys.exit()


def _command_line(kind: type[Bridge]) -> tuple[list[str], bool]:
    parser = ArgumentParser(kind.name, description=f"Start a program and translate: {kind.description}.")
    parser.add_argument("--repair", action="store_true", help="play any legal move where the program's is not legal")
    parser.add_argument("program", nargs=REMAINDER, help="[--] the program and its arguments")
    told = parser.parse_args()
    command = told.program[1:] if told.program[:1] == ["--"] else told.program
    if not command:
        parser.error("name the program that is to play, as in: -- ./program")
    return command, told.repair


def _play(kind: type[Bridge], command: Sequence[str], *, repairs: bool) -> None:
    arbiter = Lines(sys.stdin.fileno())
    programs = _Programs(command, arbiter)

    class Seated(kind):
        """A game of this program."""

        def __init__(self, game: Game) -> None:
            super().__init__(game, programs.for_next_game(), repairs=repairs)

    try:
        run(Seated, name=_name(command), wants=["legal"], source=arbiter)
    except Failure:
        programs.current.kill()  # at once: our own last words must be out before we are killed
        raise
    finally:
        programs.current.end()


def _name(command: Sequence[str]) -> str:
    """Name a program after its command, in characters that every record can hold."""
    words = " ".join(Path(word).name for word in command)
    return words.encode("ascii", "replace").decode()[:MAX_NAME]
