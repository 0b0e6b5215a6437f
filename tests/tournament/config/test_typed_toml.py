from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nested import paths, put

from arbiter.errors import ConfigError
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.config.typed_toml import list_faults, read_toml

VALID = {
    "name": "Club night",
    "rules": {"base": "duel", "army": {"scout": 2}, "two_squares": 0},
    "options": ["x"],
    "points": {"win": 3, "draw": 1, "loss": 0, "forfeit": 0},
    "tie_breaks": ["points"],
    "time": {"bank_s": 60, "move_s": 5.5, "clock": "wall"},
    "draws": {"max_plies": 9},
    "bots": [{"name": "hunter"}, {"name": "mine", "command": ["./mine.py"], "memory_mb": 64, "trusted": True}],
}


words = st.sampled_from(["name", "base", "bank_s", "bank_seconds", "win", "hunter", "", "a\nb", "\x1b[31m"])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10) | st.floats() | st.dates() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(list(paths(VALID))[1:]), values)
def test_exactly_invalid_values_are_explained_in_one_line(path, item):
    raw = put(VALID, path, item)
    fault = next(list_faults(raw, TournamentFile), None)
    try:
        msgspec.convert(raw, TournamentFile, strict=True)
    except msgspec.ValidationError:
        assert fault is not None
        assert fault.isprintable()
    else:
        assert fault is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"name = {'[' * 100_000}", "brackets are nested too deeply"),
        (f"name = {'{a=' * 100_000}", "brackets are nested too deeply"),
        (f"seed = 0x{'f' * 10_000}\nname = 'x'\nbots = []", "seed: is a number of thousands of digits, must be"),
        (f"seed = {'9' * 10_000}\nname = 'x'\nbots = []", "this is not TOML"),
    ],
    ids=["lists", "tables", "hexadecimal", "decimal"],
)
def test_deep_nesting_and_long_numbers(tmp_path, text, message):
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        read_toml(path, TournamentFile)
    assert str(caught.value).isprintable()


class Times(msgspec.Struct):
    text: str
    starts: datetime


def test_times_may_lack_the_seconds(tmp_path):
    path = tmp_path / "times.toml"
    path.write_text('text = """\nstarts = 2026-12-05T19:00\n"""\nstarts = 2026-12-05T19:00Z # UTC\n', encoding="utf-8")
    assert read_toml(path, Times) == Times("starts = 2026-12-05T19:00\n", datetime(2026, 12, 5, 19, tzinfo=UTC))
    path.write_text("starts = 2026-12-05T19:61\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="line 1, column"):
        read_toml(path, Times)
