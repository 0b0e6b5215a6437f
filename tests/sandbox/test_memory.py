"""Memory: every way of taking more than a bot may have fails, and neither its opponent nor the arbiter notices."""

import pytest
from msgspec.structs import replace
from referee.real_games import bot
from referee.sandboxed_games import attack_report, check_undisturbed, play_in_sandbox

LIMIT_MB = 256
REFUSED = ["memfd", "queues", "semaphores", "shared", "zeros", "access_lists", "tcp"]
COUNTED = ["anonymous", "inodes", "backlog"]
BOUNDED = {"pipes": 160, "page_tables": 16, "sockets_in_flight": 120}


def attacker(name):
    return replace(bot("attacks_memory", name, "1500"), memory_mb=LIMIT_MB)


@pytest.mark.parametrize("name", REFUSED)
def test_memory_that_no_limit_counts_is_refused(sandbox, name):
    assert attack_report(check_undisturbed(play_in_sandbox(sandbox, attacker(name), bot()))) == 0


@pytest.mark.parametrize("name", COUNTED)
def test_a_bot_that_takes_more_memory_than_its_limit_loses(sandbox, name):
    played = play_in_sandbox(sandbox, attacker(name), bot())
    assert played.outcome == ("crash", "blue")
    assert f"memory_mb = {LIMIT_MB}" in played.result.why


@pytest.mark.parametrize("name", BOUNDED)
def test_other_memory_is_bounded(sandbox, name):
    assert attack_report(check_undisturbed(play_in_sandbox(sandbox, attacker(name), bot()))) <= BOUNDED[name]
