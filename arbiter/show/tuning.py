"""The course of a tuning: lines for the terminal, a table of the values, and a plot."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, cast

from arbiter.errors import write_count
from arbiter.games.base import Ending
from arbiter.languages.sentences import write_ending
from arbiter.show.tables.sheet import Column, Sheet
from arbiter.show.text import number
from arbiter.tournament.tuning import Iteration, Parameter, Values, write_values

_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_COLUMNS: Final = 40
_WIDTH: Final = 640
_HEIGHT: Final = 280
_MARGIN: Final = 40
_LABEL: Final = 170
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")


def describe_tuning(bot: str, command: Sequence[str], parameters: Sequence[Parameter], games: int) -> str:
    """Describe a tuning in a few words: a parameter that the command of a bot names as {NAME} is an argument."""
    names = [one.name for one in parameters]
    arguments = [name for name in names if any(f"{{{name}}}" in word for word in command)]
    variables = [name for name in names if name not in arguments]
    ways = [f"{', '.join(arguments)} as arguments"] if arguments else []
    ways += [f"{', '.join(variables)} as environment variables"] if variables else []
    return f"tuning {bot} in {write_count(games, 'game')}; {' and '.join(ways)}"


def write_bot_table(name: str, command: Sequence[str], read: Sequence[str], env: Mapping[str, str]) -> str:
    """Write the table of a bot for a tournament file."""
    lines = ["[[bots]]", f"name = {_quote(name)}", f"command = [{', '.join(map(_quote, command))}]"]
    if read:
        lines.append(f"read = [{', '.join(map(_quote, read))}]")
    if env:
        lines.append(f"env = {{ {', '.join(f'{key} = {_quote(value)}' for key, value in env.items())} }}")
    return "\n".join(lines)


def _quote(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_iteration(iteration: Iteration, total_pairs: int) -> str:
    """Write one line about an iteration."""
    values = ", ".join(f"{name} {value:.4g}" for name, value in iteration.values.items())
    result = f"+{iteration.won} ={iteration.drawn} -{iteration.lost}"
    forfeits = f" ({_count_forfeits([iteration])})" if iteration.forfeits else ""
    return f"pair {iteration.pairs}/{total_pairs}: {result}{forfeits}; {values}"


def _count_forfeits(iterations: Sequence[Iteration]) -> str:
    """Describe the forfeited games of iterations, by their endings."""
    counts = sum((Counter(iteration.forfeits) for iteration in iterations), Counter[str]())
    kinds = ", ".join(f"{write_ending(cast('Ending', ending))} {count}" for ending, count in counts.most_common())
    return f"{write_count(counts.total(), 'forfeit')}: {kinds}"


def values_sheet(parameters: Sequence[Parameter], iterations: Sequence[Iteration], values: Values) -> Sheet:
    """Make the table of the values, with their course."""
    written = write_values(parameters, values)
    object_ = {
        "type": "tuning",
        "pairs": iterations[-1].pairs if iterations else 0,
        "values": {one.name: values[one.name] for one in parameters},
        "written": written,
        "forfeits": dict(sum((Counter(iteration.forfeits) for iteration in iterations), Counter[str]())),
    }
    columns: tuple[Column[Parameter], ...] = (
        Column("parameter", value=lambda one: one.name, align="left"),
        Column("start"),
        Column("value", value=lambda one: round(values[one.name], 4)),
        Column("for the bot", value=lambda one: written[one.name]),
        Column(
            "course",
            value=lambda one: _draw_course(one, [iteration.values[one.name] for iteration in iterations]),
            align="left",
        ),
    )
    notes = []
    if any(iteration.forfeits for iteration in iterations):
        games = sum(iteration.won + iteration.drawn + iteration.lost for iteration in iterations)
        notes.append(
            f"Of {write_count(games, 'game')}, {_count_forfeits(iterations)}. They count as losses, so the values may "
            "show where the bot fails and not where it is strong: `arbiter check` explains the fault."
        )
    return Sheet(title="Values", columns=columns, items=parameters, data=(object_,), notes=tuple(notes))


def _draw_course(parameter: Parameter, course: Sequence[float]) -> str:
    """Draw the course of a value in its range with block characters."""
    values = [parameter.start, *course]
    count = min(len(values), _COLUMNS)
    chosen = (values[round(at * (len(values) - 1) / max(1, count - 1))] for at in range(count))
    span = parameter.high - parameter.low
    return "".join(_BLOCKS[min(7, int(8 * (value - parameter.low) / span))] for value in chosen)


def draw_plot(parameters: Sequence[Parameter], iterations: Sequence[Iteration]) -> str:
    """Draw the course of all values as SVG; the height of the plot is the range of each parameter."""
    pairs = iterations[-1].pairs if iterations else 1
    lines = []
    for number_, one in enumerate(parameters):
        colour = _COLOURS[number_ % len(_COLOURS)]
        span = one.high - one.low
        points = [(0, one.start), *((iteration.pairs, iteration.values[one.name]) for iteration in iterations)]
        path = " ".join(
            f"{_MARGIN + _WIDTH * at / pairs:.1f},{_MARGIN + _HEIGHT * (one.high - value) / span:.1f}"
            for at, value in points
        )
        top = _MARGIN + 16 * number_ + 12
        label = f"{one.name} {number(round(points[-1][1], 4))} ({number(one.low)} to {number(one.high)})"
        lines.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
        lines.append(f'<text x="{_MARGIN + _WIDTH + 10}" y="{top}" fill="{colour}">{label}</text>')
    size = f"{_WIDTH + 2 * _MARGIN + _LABEL} {_HEIGHT + 2 * _MARGIN}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" font-size="12">'
        f"<title>Values of the parameters over {pairs} pairs of games</title>"
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#999"/>'
        + "".join(lines)
        + f'<text x="{_MARGIN}" y="{_HEIGHT + _MARGIN + 18}">0</text>'
        f'<text x="{_MARGIN + _WIDTH}" y="{_HEIGHT + _MARGIN + 18}" text-anchor="end">{pairs} pairs of games</text>'
        "</svg>\n"
    )
