"""Fails at an import, like a bot that needs a module which is not installed here."""

import base
import no_such_module

no_such_module.play(base)
