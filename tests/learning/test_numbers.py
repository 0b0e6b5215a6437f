"""Trained policies depend on the numbers of actions and on the planes, so those of each rule set never change."""

import hashlib

import msgspec
import pytest

from arbiter.games.catalogue import find_game
from arbiter.learning.actions import ActionTable
from arbiter.learning.planes import Layout

NUMBERS = [
    ("barrage", 0, 1416, "151a91428bfe5f18"),
    ("clone-wars", 0, 1416, "151a91428bfe5f18"),
    ("clone-wars-powers", 0, 2821, "0c82a7708c17f16c"),
    ("duel", 0, 1416, "151a91428bfe5f18"),
    ("infiltrator", 0, 4718, "bbe2095b79eddf8f"),
    ("isf", 0, 1416, "151a91428bfe5f18"),
    ("original", 0, 1416, "151a91428bfe5f18"),
    ("original-2000", 0, 1416, "151a91428bfe5f18"),
    ("us", 0, 1416, "151a91428bfe5f18"),
    ("us", 4, 1877, "47a55379f50a330c"),
]


@pytest.mark.parametrize(("name", "options", "size", "digest"), NUMBERS)
def test_numbers_and_planes_stay_as_they_are(name, options, size, digest):
    game = find_game(name)
    game = game.with_options(game.offers) if options else game
    table = ActionTable(game)
    numbered = msgspec.json.encode([table.actions["red"], table.actions["blue"], Layout(game).names])
    assert table.size == size
    assert hashlib.sha256(numbered).hexdigest()[:16] == digest
