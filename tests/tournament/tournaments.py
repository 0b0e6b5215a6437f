"""Tournaments and their manifests, made without a file."""

from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.results.manifest import new_manifest


def tournament_file(bots=("hunter", "random"), **keys):
    """Make a tournament file with the keys of TOML."""
    entries = [bot if isinstance(bot, BotConfig) else BotConfig(name=bot) for bot in bots]
    return make_table(TournamentFile, **{"name": "Club night", "seed": 17, "games": 6000, "bots": entries} | keys)


def make_table(shape, **keys):
    """Make a tournament file or a stage with the keys of TOML."""
    settings = {key: keys.pop(key) for key in shape.list_settings() if key in keys}
    return shape(**keys, settings=settings)


def manifest(bots=("hunter", "random"), secret=None, **settings):
    return new_manifest(resolve_names(tournament_file(bots, **settings)), "process", secret)
