"""Writes files into its home and its folder for scratch, and leaves."""

import os
import tempfile
from pathlib import Path

(Path.home() / "notes").write_text("openings")
os.mkdir(Path(tempfile.gettempdir()) / "folder")
(Path(tempfile.gettempdir()) / "folder" / "more").write_text("endgames")
