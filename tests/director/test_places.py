"""The file that `--results` names: a file, or a folder for it."""

import pytest

from arbiter.director.files import find_source, find_sources, locate_file
from arbiter.errors import ConfigError


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


def test_files_that_belong_to_results_are_left_out_with_them_and_refused_without_them(tmp_path):
    names = ("a.sqlite", "a.sqlite-wal", "a.sqlite.live", "a.sqlite.lock", "b.sqlite.lock", "game.jsonl")
    paths = [tmp_path / name for name in names]
    for path in paths:
        path.touch()
    assert [path.name for path in find_sources(paths, None)] == ["a.sqlite", "b.sqlite.lock", "game.jsonl"]
    for path in paths[1:4]:
        with pytest.raises(ConfigError, match=r"belongs to the results a\.sqlite and contains no game; name "):
            find_source(path, None)
