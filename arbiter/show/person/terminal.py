"""Where a person reads and types; what that is, is for whoever starts the game to say."""

from typing import Protocol


class Terminal(Protocol):
    """Shows lines and takes lines."""

    def say(self, text: str) -> None:
        """Show a text of one line or more."""
        ...

    def ask(self, prompt: str) -> str:
        """Show a prompt and wait for a line.  Raises EOFError where no more will come."""
        ...
