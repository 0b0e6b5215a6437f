"""Writes files to its home and its temporary folder, and exits."""

import os
import tempfile
from pathlib import Path

(Path.home() / "notes").write_text("openings")
os.mkdir(Path(tempfile.gettempdir()) / "folder")
(Path(tempfile.gettempdir()) / "folder" / "more").write_text("endgames")
