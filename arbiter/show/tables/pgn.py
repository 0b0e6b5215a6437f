"""Headers of games as PGN, for programs that rate chess games, such as Ordo and BayesElo."""

from collections.abc import Iterable, Iterator

from arbiter.show.text import plain
from arbiter.tournament.standings.stored_game import StoredGame

_RESULTS = {"red": "1-0", "blue": "0-1", None: "1/2-1/2"}


def write_pgn(games: Iterable[StoredGame], event: str) -> Iterator[str]:
    """Yield each game as PGN without moves: red is White."""
    for game in games:
        result = _RESULTS[game.winner]
        tags = {
            "Event": event,
            "Site": "?",
            "Date": game.started[:10].replace("-", "."),
            "Round": f"{game.round}.{game.pair}",
            "White": game.red,
            "Black": game.blue,
            "Result": result,
            "Termination": game.ending,
            "PlyCount": str(game.plies),
        }
        yield "".join(f'[{tag} "{_escape(value)}"]\n' for tag, value in tags.items()) + f"\n{result}\n\n"


def _escape(text: str) -> str:
    return plain(text).replace("\\", "\\\\").replace('"', '\\"')
