"""The arbiter with the rule set of the engineers: each line of stdin is a command, and its output is printed as JSON."""

import engineers.register  # first  # isort: skip

import json
import sys
from contextlib import redirect_stdout
from io import StringIO

from arbiter.cli import main

assert engineers.register.ENGINEERS

if __name__ == "__main__":
    for line in sys.stdin:
        try:
            with redirect_stdout(StringIO()) as output:
                main(json.loads(line))
        except SystemExit as end:
            assert end.code in {0, 1, None}  # noqa: PT017 - it is no test
        print(json.dumps(output.getvalue()), flush=True)  # noqa: T201 - its output
