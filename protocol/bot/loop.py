"""A bot over streams: lines in, lines out, game after game."""

import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from typing import BinaryIO

from protocol.bot.player import Chooser, Player, deploy_at_random
from protocol.bot.session import new_session
from protocol.codec import encode
from protocol.lenient import read_said
from protocol.messages import AnyAnswer, Bye, Want


def run(
    bot: Chooser | type[Player],
    *,
    name: str,
    deploy: Chooser = deploy_at_random,
    wants: Iterable[Want] = (),
    version: str | None = None,
    author: str | None = None,
    source: BinaryIO | None = None,
    sink: BinaryIO | None = None,
) -> None:
    """Play game after game over stdin and stdout until `bye` or the end of the input.

    `bot` is a function that chooses, or a subclass of `Player`; `deploy` answers the setup of a function.
    While it runs, `print` goes to stderr: stdout is the arbiter's.
    """
    session = new_session(bot, name=name, deploy=deploy, wants=wants, version=version, author=author)
    lines, answers = source or sys.stdin.buffer, sink or sys.stdout.buffer
    with redirect_stdout(sys.stderr):
        for line in lines:
            message = read_said(line)
            if isinstance(message, Bye):
                return
            answer = None if message is None else session.receive(message)
            if answer is not None and not _send(answers, answer):
                return


def _send(answers: BinaryIO, answer: AnyAnswer) -> bool:
    """Write an answer; False where the arbiter is gone."""
    try:
        answers.write(encode(answer))
        answers.flush()
    except BrokenPipeError:
        return False
    return True
