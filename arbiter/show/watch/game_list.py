"""The list of games: its texts, its filter, its lines, and the game to show next to a user who follows a tournament."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.events import Click
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from arbiter.show.language import ENGLISH, SentenceWriter
from arbiter.show.screen.canvas import cut
from arbiter.show.tables.games import NO_STATES, winner_of
from arbiter.show.text import plain
from arbiter.show.watch.source import OngoingGame
from arbiter.tournament.standings.game_status import COUNTS, GameStatus
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import SEATS


def count_games(shown: int, finished: int, ongoing: int, sentences: SentenceWriter = ENGLISH) -> str:
    """Write how many games there are, and how many of them the filter shows."""
    if shown < finished + ongoing:
        return sentences.write("some_games", some=str(shown), all=str(finished + ongoing))
    games = sentences.write("count_games", count=finished)
    return sentences.write("and_playing", games=games, count=str(ongoing)) if ongoing else games


def explain_list(sentences: SentenceWriter = ENGLISH, *, is_live: bool, is_followed: bool) -> str:
    """Explain below the list of games what can be watched, or what is followed."""
    if is_followed:
        return sentences.write("following_live" if is_live else "following_after")
    return sentences.write("list_is_live" if is_live else "list_is_not_live")


ListedGame = StoredGame | OngoingGame


def _write_winner(game: ListedGame) -> str:
    return "" if isinstance(game, OngoingGame) else winner_of(game)


# What `KEY:word` is compared with; a word without a key is searched for in all of them.
FIELDS: Final[Mapping[str, Callable[[ListedGame, GameStatus], str]]] = {
    "id": lambda game, _: game.id,
    "round": lambda game, _: str(game.round),
    "red": lambda game, _: game.red,
    "blue": lambda game, _: game.blue,
    "winner": lambda game, _: _write_winner(game),
    "ending": lambda game, _: f"{game.ending_words} {game.ending}",
    "state": lambda _, state: "" if state.counts else f"{state.words} {state.code}",
    "plies": lambda game, _: "" if game.plies is None else str(game.plies),
}
_WHOLE: Final = frozenset({"round", "plies"})  # round:1 does not match round 11
_ONLY_BY_KEY: Final = frozenset({"plies"})
_SHORTEST_NAME, _LONGEST_NAME = 4, 40
_ENDING_WIDTH: Final = 34  # of most endings, such as a limit of plies without an attack


def filter_games(
    games: Iterable[ListedGame],
    text: str,
    uncounted: Mapping[str, GameStatus] = NO_STATES,
    sentences: SentenceWriter = ENGLISH,
) -> list[ListedGame]:
    """Return the games that match every word of a text, ignoring case: `hunter timeout`, `red:mine round:2`.

    Endings match in English and in the language that is shown.
    """
    words = text.lower().split()

    def matches(game: ListedGame, state: GameStatus, word: str) -> bool:
        key, colon, wanted = word.partition(":")
        shown = "" if sentences is ENGLISH else write_ending(game, state, sentences).lower()
        if not colon or key not in FIELDS:
            fields = (field(game, state).lower() for name, field in FIELDS.items() if name not in _ONLY_BY_KEY)
            return any(word in value for value in (*fields, shown))
        value = FIELDS[key](game, state).lower()
        if key == "ending":
            value = f"{value} {shown}"
        return wanted == value if wanted and key in _WHOLE else wanted in value

    return [game for game in games if all(matches(game, uncounted.get(game.id, COUNTS), word) for word in words)]


def name_width(
    width: int,
    games: Iterable[ListedGame] = (),
    uncounted: Mapping[str, GameStatus] = NO_STATES,
    sentences: SentenceWriter = ENGLISH,
) -> int:
    """Return the width of a name in a line of so many columns, with as much room for endings as the games need."""
    endings = [cell_len(write_ending(game, uncounted.get(game.id, COUNTS), sentences)) for game in games]
    longest = max(cell_len(sentences.write("ending")), min(_ENDING_WIDTH, max(endings, default=_ENDING_WIDTH)))
    others = cell_len(write_head(0, sentences)) - cell_len(sentences.write("ending")) + longest
    return max(_SHORTEST_NAME, min(_LONGEST_NAME, (width - others - 1) // 2))


def write_ending(game: ListedGame, state: GameStatus, sentences: SentenceWriter = ENGLISH) -> str:
    """Write how a game ended, and why it does not count."""
    if isinstance(game, OngoingGame):
        return sentences.write("now_playing")
    words = sentences.write_ending(game.ending, game.reason)
    return plain(words if state.counts or game.ending == "annulled" else f"{sentences.write_state(state)}: {words}")


def explain_empty(text: str, sentences: SentenceWriter = ENGLISH) -> str:
    """Explain why a filter shows no games."""
    return sentences.write("list_is_empty", text=ascii(text))


def write_head(width: int, sentences: SentenceWriter = ENGLISH) -> str:
    """Write the heading of the list, with names of a width."""
    write = sentences.write
    red, blue = (set_cell_size(cut(write(seat), width), width) for seat in SEATS)
    heads = f"{write('winner'):<8}  {write('plies'):>5}  {write('ending')}"
    return f"{write('round'):>5}  {red}  {blue}  {heads}"


def write_game(game: ListedGame, width: int, state: GameStatus = COUNTS, sentences: SentenceWriter = ENGLISH) -> str:
    """Write the line of a game, with names cut or filled to a width, and why it does not count."""
    red, blue = (set_cell_size(cut(plain(name), width), width) for name in (game.red, game.blue))
    plies = "" if game.plies is None else game.plies
    winner = _write_winner(game)
    winner = winner and sentences.write(winner)
    return f"{game.round:>5}  {red}  {blue}  {winner:<8}  {plies:>5}  {write_ending(game, state, sentences)}"


class Following:
    """Chooses the next game for a user who follows a tournament.

    It is the latest game in progress if games are live, else the latest one that has finished.
    """

    def __init__(self, finished: Iterable[StoredGame]) -> None:
        self._known = {game.id for game in finished}
        self._shown: set[tuple[str, str]] = set()  # id and start: a voided game starts again under its id
        self._latest: ListedGame | None = None

    def update(self, finished: Iterable[StoredGame], ongoing: Iterable[OngoingGame], *, is_live: bool) -> None:
        """Take the games that there are now."""
        new = [game for game in finished if game.id not in self._known]
        self._known |= {game.id for game in new}
        if is_live:
            begun = [one for one in ongoing if one.plies is not None and (one.id, one.started) not in self._shown]
            self._latest = max(begun, key=lambda game: game.started, default=None)
        elif new or isinstance(self._latest, OngoingGame):
            self._latest = max(new, key=lambda game: game.started, default=None)

    def next(self) -> ListedGame | None:
        """Return the game to show next; a second call returns None."""
        latest, self._latest = self._latest, None
        if isinstance(latest, OngoingGame):
            self._shown.add((latest.id, latest.started))
            self._known.add(latest.id)
        return latest


WriteLine = Callable[[int], str]
_CURSOR: Final = Style(reverse=True)
_CONTEXT: Final = 2  # lines that stay visible above and below the cursor


class LineList(ScrollView, can_focus=False):
    """A list with a cursor; a line is written only when it becomes visible."""

    DEFAULT_CSS = "LineList { scrollbar-size: 1 1; overflow-x: hidden; overflow-y: scroll; }"

    def __init__(self, *, id: str) -> None:  # noqa: A002 - the name that textual uses
        super().__init__(id=id)
        self.count = 0
        self.cursor = 0
        self._write: WriteLine = str

    def fill(self, count: int, write: WriteLine, cursor: int = 0) -> None:
        """Show `count` lines; `write` returns the text of a line by its number.

        The cursor stays visible, unless the user has scrolled away from it.
        """
        # Before the first layout the list has no height.
        was_visible = not self.size.height or 0 <= self.cursor - self.scroll_offset.y < self.size.height
        self.count = count
        self._write = write
        self.virtual_size = Size(self.size.width, count)
        self.refresh()
        self._set_cursor(cursor)
        if was_visible:
            self._scroll_to_cursor()

    def move_to(self, number: int) -> None:
        """Move the cursor to a line, or to the nearest one, and make it visible."""
        self._set_cursor(number)
        self._scroll_to_cursor()

    def on_resize(self) -> None:
        self._scroll_to_cursor()

    def _set_cursor(self, number: int) -> None:
        before = self.cursor
        self.cursor = max(0, min(number, self.count - 1))
        for line in (before, self.cursor):
            self.refresh(Region(0, line - self.scroll_offset.y, self.size.width, 1))

    def _scroll_to_cursor(self) -> None:
        around = Region(0, max(0, self.cursor - _CONTEXT), 1, 2 * _CONTEXT + 1)
        self.scroll_to_region(around, animate=False, force=True, immediate=True)

    def render_line(self, y: int) -> Strip:
        """Render the line at a height below the upper edge."""
        number = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if number >= self.count:
            return Strip.blank(width, self.rich_style)
        style = self.rich_style + _CURSOR if number == self.cursor else self.rich_style
        return Strip([Segment(set_cell_size(self._write(number), width), style)], width)

    async def on_click(self, event: Click) -> None:
        """Open the game of a line."""
        number = event.y + self.scroll_offset.y
        if number < self.count:
            self.move_to(number)
            await self.run_action("screen.open")
