"""Settings for showing games.  Does not load rich, so that commands which only print start faster."""

from typing import Final

from msgspec import Struct

from arbiter.show.language import DEFAULT_LANGUAGE
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.theme import DEFAULT_THEME

USUAL_SPEED: Final = 2.0  # plies a second


class ViewSettings(Struct, frozen=True, kw_only=True):
    """Settings for showing games."""

    viewer: Viewer = "arbiter"
    speed: float = USUAL_SPEED
    """Plies a second."""
    lang: str = DEFAULT_LANGUAGE
    """Language of the names of the pieces."""
    theme: str = DEFAULT_THEME
    """A name of THEMES."""
    animates: bool = True
    """True if fights are shown step by step."""
