"""Pages in Markdown, drawn for a terminal."""

import re
from typing import Final

from rich.console import Console
from rich.markdown import Markdown

_MOST_COLUMNS: Final = 120
_FEWEST_COLUMNS: Final = 40


def draw_page(text: str, columns: int, *, colour: bool) -> str:
    """Draw a page in Markdown for a terminal of some columns."""
    width = max(_FEWEST_COLUMNS, min(columns, _MOST_COLUMNS))
    console = Console(width=width, color_system="standard" if colour else None, force_terminal=colour, highlight=False)
    with console.capture() as capture:
        without_anchors = re.sub(r"\[([^\]]*)\]\(#[^)]*\)", r"\1", text)
        console.print(Markdown(without_anchors, code_theme="ansi_dark", hyperlinks=False))
    return capture.get()
