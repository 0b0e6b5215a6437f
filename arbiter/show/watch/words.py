"""Texts of the list of games."""


def count_games(shown: int, finished: int, ongoing: int) -> str:
    """Write how many games there are, and how many of them the filter shows."""
    if shown < finished + ongoing:
        return f"{shown} of {finished + ongoing} games"
    return f"{finished} games" + (f" and {ongoing} in progress" if ongoing else "")


def explain_list(*, is_live: bool, is_followed: bool) -> str:
    """Explain below the list of games what can be watched, or what is followed."""
    if is_followed:
        what = "each game is shown while it is played" if is_live else "each game is replayed after it has finished"
        return f"Following: {what}. Press f to stop."
    if is_live:
        return "New games appear in the list, and can be watched while they are played."
    return "Games can be watched after they finish; run with --live to watch them before."
