"""A game, or a part of it, as a file: a page, a picture, an animation or a recording of the terminal."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.show.pictures import require_pillow
from arbiter.show.pictures.layout import lay_out, write_context, write_svg
from arbiter.show.replay.clip import cut_story, show_all
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.plain_text import describe_players, write_title
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.screen import write_cast
from arbiter.show.theme import DEFAULT_THEME, PAPER, THEMES, Theme

MOST_GIF_FRAMES: Final = 1000


class GameExport(Struct, frozen=True, kw_only=True):
    """A part of a game, as one viewer sees it."""

    replay: Replay
    viewer: Viewer

    start: str
    """The ply that a page opens at: a number or `end`."""

    number: int
    """The frame of a picture."""

    numbers: tuple[int, ...]
    """The frames of a moving picture."""

    speed: float
    """Frames per second."""

    is_story: bool = False
    """The animation shows the turning points of the game instead of these frames."""

    theme: str | None
    """A name of THEMES; by default a recording of the terminal has the theme of `arbiter replay`, others are light."""

    @property
    def colours(self) -> Theme:
        """The theme of a picture."""
        return THEMES[self.theme] if self.theme else PAPER

    def html(self) -> bytes:
        """Return a page with the viewer."""
        from arbiter.show.report.games import make_single_page  # noqa: PLC0415 - templates are slow to import

        return make_single_page(self.replay, self.viewer, self.start)

    def svg(self) -> bytes:
        """Return the picture of a ply as SVG, with the names, the result and the act."""
        sentences = self.replay.sentences
        players = describe_players(self.replay.record, sentences)
        title = sentences.write("title_at_ply", title=players, ply=str(self.replay.ply(self.number)))
        frame = self.replay.frame(self.number, self.viewer)
        lines = write_context(frame, write_title(self.replay), sentences)
        return write_svg(lay_out(frame, self.viewer, sentences), self.colours, title, lines).encode()

    def png(self) -> bytes:
        """Return it as PNG.  Raises ConfigError without Pillow."""
        require_pillow("--png")
        from arbiter.show.pictures.pixels import write_png  # noqa: PLC0415 - Pillow is optional

        frame = self.replay.frame(self.number, self.viewer)
        return write_png(frame, self.viewer, self.colours, write_title(self.replay), sentences=self.replay.sentences)

    def gif(self) -> bytes:
        """Return an animation.  Raises ConfigError without Pillow, or if it has too many frames."""
        require_pillow("--gif")
        from arbiter.show.pictures.pixels import write_gif  # noqa: PLC0415 - Pillow is optional

        if not self.is_story and len(self.numbers) > MOST_GIF_FRAMES:
            raise ConfigError(
                f"--gif: {len(self.numbers)} frames are too many, {MOST_GIF_FRAMES} are allowed; "
                "choose a part of the game with --from and --to, or its turning points with --story"
            )
        title = write_title(self.replay)
        story = cut_story(self.replay, self.viewer) if self.is_story else show_all(self.numbers, self.speed)
        frames = (self.replay.frame(shot.number, self.viewer) for shot in story)
        return write_gif(frames, story, self.viewer, self.colours, title, sentences=self.replay.sentences)

    def cast(self) -> bytes:
        """Return a recording of the terminal."""
        theme = self.theme or DEFAULT_THEME
        return write_cast(self.replay, self.viewer, self.numbers, theme, speed=self.speed)


_MAKERS: Final = (GameExport.html, GameExport.svg, GameExport.png, GameExport.gif, GameExport.cast)
MAKERS: Final[dict[str, Callable[[GameExport], bytes]]] = {make.__name__: make for make in _MAKERS}
"""The files that are made of a game, by their types."""


def select_frames(replay: Replay, first: int, last: int | None) -> tuple[int, ...]:
    """Return the frames of some plies.  Raises ConfigError if there are none."""
    start = replay.find_ply(replay.check_ply(first))
    if last is None:
        return tuple(range(start, len(replay)))
    if last < first:
        raise ConfigError(f"--to {last}: is before --from {first}")
    return tuple(range(start, replay.find_ply_end(replay.check_ply(last)) + 1))
