"""Falls over an import, as a bot does whose author has more installed than the arena has."""

import base
import no_such_module

no_such_module.play(base)
