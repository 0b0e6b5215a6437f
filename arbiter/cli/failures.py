"""Exit codes, and errors as one line on stderr."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

import click

from arbiter.errors import ConfigError, list_messages

EXIT_NEGATIVE: Final = 1  # the command worked, and its answer is no: a check failed, games were voided, ...
EXIT_ERROR: Final = 2
EXIT_INTERRUPTED: Final = 130

_WRITE_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def open_closed_streams() -> None:
    """Connect closed standard streams (`>&-`) to /dev/null; otherwise the next opened file takes their number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open to the end


@contextmanager
def report_errors() -> Iterator[None]:
    """Turn expected errors into lines on stderr, one for each thing to fix, and an exit code."""
    try:
        yield
    except ConfigError as error:
        from arbiter.show.text import plain  # noqa: PLC0415 - `--help` does not need it

        _exit_with_error(*map(plain, list_messages(error)))  # the messages may quote foreign text
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(EXIT_ERROR)
    except click.ClickException as error:
        text = " ".join(error.format_message().rstrip(".").split())
        ctx = error.ctx if isinstance(error, click.UsageError) else None
        _exit_with_error(f"{text}; see {ctx.command_path} --help" if ctx else text)
    except (click.Abort, KeyboardInterrupt, SystemExit) as end:
        if isinstance(end, SystemExit) and end.code != EXIT_INTERRUPTED:
            raise
        _exit(EXIT_INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has exited, as in `arbiter games ... | head`
        _exit(EXIT_NEGATIVE)
    except OSError as error:
        if isinstance(error.__context__, KeyboardInterrupt):  # click prints a line after it, and the terminal is gone
            _exit(EXIT_INTERRUPTED)
        if error.errno not in _WRITE_ERRORS:
            raise
        _exit_with_error(f"cannot write the output: {error.strerror}; games stored before are safe")


def _exit_with_error(*messages: str) -> NoReturn:
    with suppress(OSError):  # the terminal is gone
        for message in messages:
            click.echo(f"arbiter: {message}", err=True)
    _exit(EXIT_ERROR)


def _exit(code: int) -> NoReturn:
    """End with an exit code, even if the output cannot be written: otherwise Python tries again and exits with 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)
