"""The colours of all themes can be read, and pages and terminal use the same ones."""

import re

import msgspec
import pytest
from rich.color import Color, ColorSystem

from arbiter.games.ranks import RANKS
from arbiter.languages.catalogue import LANGUAGES
from arbiter.show.language import SentenceWriter
from arbiter.show.screen.canvas import LOOKS
from arbiter.show.theme import INKS, KNOWN, THEMES, list_designs, write_css, write_script

AA = 4.5
ON = {
    "ink": ("paper", "card", "ground", "ground_2", "lake"),
    "soft": ("paper", "card"),
    "link": ("paper", "card"),
    "accent": ("paper", "card"),
    "warn": ("paper", "card"),
    "on": ("red", "blue", "red_deep", "blue_deep"),
    "paper": ("ink",),
}


def luminance(colour):
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_each_theme_has_a_name_in_each_language():
    assert all(SentenceWriter(lang).write_theme(name) for lang in LANGUAGES for name in THEMES)


def test_contrast_of_known_colours():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", THEMES)
def test_texts_have_the_contrast_of_wcag_aa(name):
    theme = THEMES[name]
    found = {
        (text, below): round(contrast(getattr(theme, text), getattr(theme, below)), 2)
        for text, grounds in ON.items()
        for below in grounds
    }
    assert {pair: ratio for pair, ratio in found.items() if ratio < AA} == {}


@pytest.mark.parametrize("name", THEMES)
def test_screens_of_terminals_have_the_contrast_of_wcag_aa(name):
    found = {}
    for field, value in msgspec.structs.asdict(LOOKS[name]).items():
        styles = value.values() if isinstance(value, dict) else [value]
        # Squares and lakes have no text; their dots and waves only fill them.
        for number, style in enumerate(() if field in {"squares", "lake"} else styles):
            found[field, number] = round(contrast(style.color.name, style.bgcolor.name), 2)
    assert len(found) == 16
    assert {part: ratio for part, ratio in found.items() if ratio < AA} == {}


def test_colours_for_any_terminal_can_be_read_on_black_and_on_white():
    for colour in msgspec.structs.asdict(INKS).values():
        assert min(contrast(colour, "#000000"), contrast(colour, "#ffffff")) >= AA
        assert Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT).get_truecolor().hex == colour


@pytest.mark.parametrize("name", THEMES)
def test_known_and_hidden_pieces_differ_in_brightness(name):
    theme = THEMES[name]
    assert contrast(theme.red, theme.red_deep) > 1.4
    assert contrast(theme.blue, theme.blue_deep) > 1.4


def test_each_rank_has_a_drawing_and_a_value():
    assert set(list_designs()) == set(RANKS)
    assert all(one.drawing for one in list_designs().values())


def test_the_css_contains_each_theme_completely():
    blocks = re.findall(r'data-theme="(\w+)"\] \{([^}]*)\}', write_css())
    assert [name for name, _ in blocks] == list(THEMES)
    assert len({tuple(re.findall(r"--([\w-]+):", block)) for _, block in blocks}) == 1


def test_the_script_is_one_object():
    shared = msgspec.json.decode(write_script().removeprefix("window.arbiterTheme = ").removesuffix(";\n"))
    assert shared["symbols"]["known"] == KNOWN
    assert shared["drawings"] == {rank: one.drawing for rank, one in list_designs().items()}
