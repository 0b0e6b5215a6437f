"""Tournaments and their manifests, made without a file."""

from arbiter.tournament.commands import BotEntry
from arbiter.tournament.config import Tournament
from arbiter.tournament.manifest import new_manifest


def tournament(bots=("hunter", "random"), **settings):
    entries = [bot if isinstance(bot, BotEntry) else BotEntry(name=bot) for bot in bots]
    return Tournament(**{"name": "Club night", "seed": 17, "games": 6000, "bots": entries} | settings)


def manifest(bots=("hunter", "random"), **settings):
    return new_manifest(tournament(bots, **settings), "process")
