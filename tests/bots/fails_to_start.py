"""Fails at an import, like a bot that needs a missing module."""

import base
import no_such_module

no_such_module.play(base)
