"""The file that `--results` names: a file, or a folder for it."""

import pytest

from arbiter.director.files import locate_file


@pytest.mark.parametrize(
    ("place", "found"),
    {
        "a.sqlite": "a.sqlite",
        "a.db": "a.db",
        "old": "old",  # is a file already
        "new": "new/match.sqlite",
        "folder": "folder/match.sqlite",
        "folder.d": "folder.d/match.sqlite",
        "new/a.json": "new/a.json",
    }.items(),
)
def test_a_place_is_a_file_or_a_folder(place, found, tmp_path):
    (tmp_path / "old").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.d").mkdir()
    assert locate_file(tmp_path / place, "match") == tmp_path / found
