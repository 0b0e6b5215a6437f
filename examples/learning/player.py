"""Play a trained policy as a bot: `arbiter match "python examples/learning/player.py" random --rules barrage`."""

import sys
from pathlib import Path

from policy import LinearPolicy

from arbiter.learning.policy_bot import run_policy

if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "barrage.json"
    run_policy(LinearPolicy.load(path), name=path.stem)
