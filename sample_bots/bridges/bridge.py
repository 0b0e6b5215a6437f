"""The common part of all bridges: start the program, keep its board, check its moves, report failures, end it."""

import sys
from argparse import REMAINDER, ArgumentParser
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NoReturn

from msgspec import UNSET, Struct

from protocol.bot import Choice, Game, Player, Turn, new_session
from protocol.codec import quote
from protocol.messages import Over, Rules
from protocol.words import AnyAction, Deploy, Move, Place, Resign, Revealed
from sample_bots.bridges.child import ChildProgram, InputLines, ProgramFailure
from sample_bots.bridges.program_board import CLASSIC_RANKS, SIZE, Point, ProgramBoard

MAX_NAME: Final = 80  # characters
_MAX_QUOTE: Final = 60  # characters of an answer in a note


class ProgramMove(Struct, frozen=True):
    """A move as the program answered it."""

    text: str
    """The answer itself."""
    src: Point
    """May be off the board."""
    dst: Point
    """May be off the board."""


class BridgePlayer(Player):
    """One game of a program; a subclass implements the program's protocol."""

    name = ""
    description = ""

    def __init__(self, game: Game, child: ChildProgram, *, repairs: bool) -> None:
        super().__init__(game)
        if reason := explain_unplayable(game.rules):
            raise ProgramFailure(reason)
        self.child = child
        self.board = ProgramBoard(game.rules, game.seat)
        self._repairs = repairs
        self._own: dict[Place, str] | None = None

    @property
    def moves_first(self) -> bool:
        """True if this player moves first."""
        return self.game.seat == self.game.rules.first

    # --- the program's protocol -------------------------------------------------------------------

    def ask_deployment(self) -> dict[Place, str]:
        """Ask the program for its deployment.  Raises ProgramFailure."""
        raise NotImplementedError

    def ask_move(self, turn: Turn) -> ProgramMove | None:
        """Report what has happened and ask the program for its move; None if it gives up.  Raises ProgramFailure."""
        raise NotImplementedError

    def note_move(self, move: ProgramMove) -> None:
        """Note the move that was played in the end."""

    def closing_lines(self, over: Over) -> Iterable[str]:  # noqa: ARG002 - not every protocol has such lines
        """Return the lines that the program receives at the end of the game."""
        return ()

    # --- the arbiter's questions ------------------------------------------------------------------

    def deploy(self, turn: Turn) -> AnyAction:  # noqa: ARG002 - the program knows its squares
        self._own = self.ask_deployment()
        return Deploy(pieces=self._own)

    def choose(self, turn: Turn) -> AnyAction | Choice:
        """Play the program's move, if it is legal."""
        if self._own is None:  # the game started from a given position, so the program's deployment is ignored
            self.ask_deployment()
            self._own = {
                fact.place: fact.rank
                for fact in turn.news
                if isinstance(fact, Revealed) and fact.seat == self.game.seat
            }
        self.board.set_up(turn.news, self._own)
        answer = self.ask_move(turn)
        if answer is None:
            return Choice(Resign(), "the program gave up")
        src = self.board.places.get(answer.src)
        dst = self.board.places.get(answer.dst)
        move = None if src is None or dst is None else Move(src, dst)
        if move in turn.legal:
            self.note_move(answer)
            return move
        return self._replace_illegal_move(turn, answer)

    def _replace_illegal_move(self, turn: Turn, answer: ProgramMove) -> Choice:
        fault = f"the program's {quote(answer.text.encode(), _MAX_QUOTE)} is not legal here"
        if not self._repairs:
            turn.log(f"{fault}; resigned")
            return Choice(Resign(), fault)
        move = turn.rng.choice([action for action in turn.legal if isinstance(action, Move)])
        self.note_move(ProgramMove("", self.board.points[move.src], self.board.points[move.dst]))
        note = f"{fault}; {move.src}-{move.dst} played instead"
        turn.log(note)
        return Choice(move, note)

    def end(self, over: Over) -> None:
        """Send the program the end of the game, and end the program."""
        self.child.end(*self.closing_lines(over))


def explain_unplayable(rules: Rules) -> str | None:
    """Return why a program that knows the classic ranks on a 10 by 10 board cannot play these rules, if so."""
    if rules.board is UNSET or (rules.board.files, rules.board.rows) != (SIZE, SIZE):
        return f"{rules.id} has no board of {SIZE} by {SIZE} squares, and the program knows no other game"
    unknown = sorted(set(rules.army) - set(CLASSIC_RANKS))
    if unknown:
        return f"{rules.id} has pieces that the program does not know: {', '.join(unknown)}"
    if "rescue" in rules.options:
        return "the option rescue returns captured pieces, which the program does not know"
    return None


# --- the command ----------------------------------------------------------------------------------


class _Programs:
    """Starts one program for each game; the first at once, while the arbiter starts the opponent."""

    def __init__(self, command: Sequence[str], arbiter: InputLines) -> None:
        self._command = command
        self._arbiter = arbiter
        self._is_fresh = True
        self.current = ChildProgram(command, arbiter)

    def start_for_next_game(self) -> ChildProgram:
        """Return a program that has not played a game."""
        if not self._is_fresh:
            self.current = ChildProgram(self._command, self._arbiter)
        self._is_fresh = False
        return self.current


def run_bridge(kind: type[BridgePlayer]) -> NoReturn:
    """Run a bridge: play with the program of the command line until the arbiter sends `bye`."""
    parser = ArgumentParser(kind.name, description=f"Start a program and translate: {kind.description}.")
    parser.add_argument(
        "--repair", action="store_true", help="replace an illegal move of the program by any legal move"
    )
    parser.add_argument("program", nargs=REMAINDER, help="[--] the program and its arguments")
    options = parser.parse_args()
    command = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not command:
        parser.error("name the program that plays, for example: -- ./program")
    try:
        _play_games(kind, command, repairs=options.repair)
    except ProgramFailure as failure:
        sys.exit(f"{kind.name}: {failure}")
    sys.exit()


def _play_games(kind: type[BridgePlayer], command: Sequence[str], *, repairs: bool) -> None:
    arbiter = InputLines(sys.stdin.fileno())
    programs = _Programs(command, arbiter)

    class ProgramPlayer(kind):
        def __init__(self, game: Game) -> None:
            super().__init__(game, programs.start_for_next_game(), repairs=repairs)

    # The name in characters that every record can contain.
    words = " ".join(Path(word).name for word in command)
    name = words.encode("ascii", "replace").decode()[:MAX_NAME]
    try:
        new_session(ProgramPlayer, name=name, wants=["legal"]).run(arbiter)
    except ProgramFailure:
        programs.current.kill()  # at once: our error message must be written before the arbiter kills us
        raise
    finally:
        programs.current.end()
