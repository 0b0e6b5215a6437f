"""Knows what it will be asked, answers all of it on time and never reads a byte of it."""

import fcntl
import time

from base import Bot, move

fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
bot = Bot()
bot.wants = ("legal", "view", "news")
bot.greet()
time.sleep(0.1)
bot.say({"type": "act", "ask": 1, "action": {"type": "deploy", "pieces": bot.deployment()}})
time.sleep(0.1)
bot.say({"type": "act", "ask": 2, "action": move("a4", "a5")})
time.sleep(3600)
