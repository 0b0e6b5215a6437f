"""Parts of the application that need no screen: texts, filters, following, keys."""

import pytest
from show.sample_record import record
from show.watch.sample_games import GAMES, stored

from arbiter.errors import ConfigError
from arbiter.languages.catalogue import LANGUAGES
from arbiter.record import RecordError
from arbiter.show.keys import IN_GAME, IN_LIST, select_keys
from arbiter.show.language import SentenceWriter
from arbiter.show.watch import game_list
from arbiter.show.watch.app import GamesScreen, ReplayApp
from arbiter.show.watch.game_screen import GameScreen
from arbiter.show.watch.source import OngoingGame, ViewSettings
from arbiter.show.watch.state import SPEEDS, ReplayState
from arbiter.tournament.standings.game_status import COUNTS, GameStatus

# Filters, each with the numbers of the games that it shows.
FILTERS = """
hunter = 12345; RANDOM = 3; hunter timeout = 3; red:mine = 2; blue:h = 2; winner:red = 13; winner:draw = 4;
winner:annulled = 5; ending:limit = 4; round:1 = 125; round:11 = 4; plies:30 = 12345; plies:3 =; round: = 12345;
id:g2 = 2; nobody =; colour:red =; [bold] =
"""


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", "12345"),
        ("red:hunter  winner:red round:2", "3"),
        *(one.split(" =") for one in " ".join(FILTERS.split()).split("; ")),
    ],
)
def test_the_filter(text, ids):
    assert "".join(game.id[1:] for game in game_list.filter_games(GAMES, text)) == ids.strip()


@pytest.mark.parametrize(
    ("text", "ids"), [("", "712345"), ("in progress", "7"), ("ending:progress", "7"), ("winner:red", "13")]
)
def test_games_in_progress_are_filtered_as_others(text, ids):
    assert "".join(game.id[1:] for game in game_list.filter_games([ongoing(7), *GAMES], text)) == ids


STATES = {
    "g1": GameStatus("struck", "mine"),
    "g2": GameStatus("not_in_bracket"),
    "g3": GameStatus("replaced", "g3~r2"),
    "g5": GameStatus("annulled"),
}


@pytest.mark.parametrize(
    ("text", "ids"),
    [("state:struck", "1"), ("state:annulled", "5"), ("bracket", "2"), ("state:not_in", "2"), ("state:counts", "")],
)
def test_games_are_filtered_by_their_state(text, ids):
    assert "".join(game.id[1:] for game in game_list.filter_games(GAMES, text, STATES)) == ids


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "red          30  struck with mine: flag taken"),
        (2, "blue         30  not in the bracket: flag taken"),
        (3, "red          30  replaced by g3~r2: out of time"),
        (4, "draw         30  too many plies without an attack"),
        (5, "annulled     30  annulled"),
    ],
)
def test_a_line_shows_why_a_game_does_not_count(number, words):
    game = GAMES[number - 1]
    assert game_list.write_game(game, 8, STATES.get(game.id, COUNTS)).endswith(words)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_lines_of_games_stand_under_their_heads(width):
    names = game_list.name_width(width)
    line = game_list.write_game(stored(1, red="\x1b" * 60, blue="\U0001f600" * 60), names)
    assert line.isprintable()
    assert line.index("red ") == game_list.write_head(names).index("winner") - line.count("\U0001f600")
    assert len(game_list.write_head(names)) < width


def test_who_follows_is_shown_the_latest_of_the_games_that_are_new():
    following = game_list.Following([stored(1)])
    assert following.next() is None
    following.update([stored(1), stored(3, started="2028"), stored(2, started="2027")], (), is_live=False)
    assert following.next() == stored(3, started="2028")
    assert following.next() is None
    following.update([stored(1), stored(2), stored(3)], (), is_live=False)
    assert following.next() is None


def ongoing(number, *, at="2027", plies=3):
    return OngoingGame(f"g{number}", 1, "hunter", "mine", at, plies)


def test_who_follows_is_shown_games_in_progress_where_they_can_be_watched():
    following = game_list.Following([stored(1)])
    begins, older, newer = ongoing(4, plies=None), ongoing(2), ongoing(3, at="2028")
    following.update([stored(1)], [begins], is_live=True)
    assert following.next() is None, "there is nothing of it yet"
    following.update([stored(1)], [begins, newer, older], is_live=True)
    assert following.next() == newer
    following.update([stored(1), stored(5, started="2029")], [begins, newer, older], is_live=True)
    assert following.next() == older, "one that is over already is not live"
    following.update([stored(1), stored(2), stored(3), stored(5)], [begins], is_live=False)
    assert following.next() is None, "what was seen live is not played again"


def test_who_follows_is_shown_a_game_again_that_is_played_again():
    following = game_list.Following([])
    for at in ("2027", "2028"):
        following.update([], [ongoing(1, at=at)], is_live=True)
        assert following.next() == ongoing(1, at=at)


def test_speeds():
    viewing = ReplayState(record(""), ViewSettings(speed=3))
    viewing.change_speed(1)
    assert viewing.speed == 5
    for _ in SPEEDS:
        viewing.change_speed(-1)
    assert viewing.speed == SPEEDS[0]
    for _ in (*SPEEDS, 1):
        viewing.change_speed(1)
    assert viewing.speed == SPEEDS[-1]


@pytest.mark.parametrize(("viewer", "why"), [("arbiter", "never moves"), ("red", "it is against the rules$")])
def test_a_record_against_the_rules_cannot_be_watched(viewer, why):
    with pytest.raises(RecordError, match=f"act 2 cannot be shown: .*{why}"):
        ReplayState(record("a4-a5 b7-b8"), ViewSettings(viewer=viewer))


def test_an_unknown_language():
    with pytest.raises(ConfigError, match="unknown language"):
        ReplayState(record(""), ViewSettings(lang="xx"))


@pytest.mark.parametrize(("screen", "keys"), [(GameScreen, IN_GAME), (GamesScreen, IN_LIST)])
def test_every_key_does_something_and_none_two_things(screen, keys):
    keys = select_keys(keys, "terminal")
    for key in keys:
        name = key.action.split("(")[0].removeprefix("app.")
        assert hasattr(ReplayApp if key.action.startswith("app.") else screen, f"action_{name}"), key
    bound = [one for key in keys for one in key.keys.split(",")]
    assert len(bound) == len(set(bound))
    for lang in LANGUAGES:
        texts = [f"{key.written:<9}{SentenceWriter(lang).write_key(key.text)}" for key in keys]
        assert all(len(text) <= 73 for text in texts), "the help is 73 columns wide, next to its scroll bar"


@pytest.mark.parametrize("is_live", [True, False])
@pytest.mark.parametrize("is_followed", [True, False])
def test_what_is_said_beneath_the_list_fits_in_a_line(is_live, is_followed):
    for lang in LANGUAGES:
        assert len(game_list.explain_list(SentenceWriter(lang), is_live=is_live, is_followed=is_followed)) < 80


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((5, 5, 0), "5 games"),
        ((6, 5, 1), "5 games and 1 in progress"),
        ((2, 5, 1), "2 of 6 games"),
        ((0, 0, 0), "0 games"),
    ],
)
def test_how_many_games_there_are(numbers, said):
    assert game_list.count_games(*numbers) == said
