"""Settings of all tests."""

import os

from hypothesis import settings

settings.register_profile("here", deadline=None, database=None)
settings.register_profile("ci", deadline=None, database=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
