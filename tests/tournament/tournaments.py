"""Tournaments and their manifests, made without a file."""

from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.results.manifest import new_manifest


def tournament_file(bots=("hunter", "random"), **settings):
    entries = [bot if isinstance(bot, BotEntry) else BotEntry(name=bot) for bot in bots]
    return TournamentFile(**{"name": "Club night", "seed": 17, "games": 6000, "bots": entries} | settings)


def manifest(bots=("hunter", "random"), **settings):
    return new_manifest(resolve_names(tournament_file(bots, **settings)), "process")
