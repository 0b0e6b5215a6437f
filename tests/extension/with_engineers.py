"""The commands of the arbiter with the rule set of the engineers: `python with_engineers.py rules engineers`."""

import engineers.register  # noqa: F401 - first  # isort: skip

from arbiter.cli import main

if __name__ == "__main__":
    main()
