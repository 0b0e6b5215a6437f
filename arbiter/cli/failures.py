"""How failures leave the program: a line on stderr and an exit code."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

import click

from arbiter.errors import ConfigError

ANSWER_IS_NO: Final = 1
MUST_BE_MENDED: Final = 2
INTERRUPTED: Final = 130

_CANNOT_BE_WRITTEN: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def open_closed_streams() -> None:
    """Let a standard stream that is closed (`>&-`) lead nowhere, lest the next file that is opened takes its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open to the end


@contextmanager
def told_plainly() -> Iterator[None]:
    """Turn what the operator must mend into one line on stderr and exit code 2."""
    try:
        yield
    except ConfigError as error:
        from arbiter.show.text import plain  # noqa: PLC0415 - not for the sake of --help

        _leave(plain(str(error)))  # it may quote a record of somebody else's
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(MUST_BE_MENDED)
    except click.ClickException as error:
        _leave(_with_help(error))
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has gone, as in `arbiter games ... | head`
        _drop_output()
        sys.exit(ANSWER_IS_NO)
    except OSError as error:
        if error.errno not in _CANNOT_BE_WRITTEN:
            raise
        _drop_output()
        _leave(f"cannot write what there is to say: {error.strerror}; what was stored before is safe")


def _leave(why: str) -> NoReturn:
    click.echo(f"arbiter: {why}", err=True)
    sys.exit(MUST_BE_MENDED)


def _with_help(error: click.ClickException) -> str:
    """Say what is wrong with a command line, and what would tell how it is right."""
    text = error.format_message().rstrip(".")
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    return f"{text}; see {ctx.command_path} --help" if ctx else text


def _drop_output() -> None:
    """Send what has not been written yet nowhere, lest Python tries again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
