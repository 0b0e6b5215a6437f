"""How failures leave the program: a line on stderr and an exit code."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from arbiter.errors import ConfigError

ANSWER_IS_NO: Final = 1
MUST_BE_MENDED: Final = 2
INTERRUPTED: Final = 130


@contextmanager
def told_plainly() -> Iterator[None]:
    """Turn what the operator must mend into one line on stderr and exit code 2."""
    try:
        yield
    except ConfigError as error:
        click.echo(f"arbiter: {error}", err=True)
        sys.exit(MUST_BE_MENDED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has gone, as in `arbiter games ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ANSWER_IS_NO)
