"""Boards as pictures: SVG, and pixels for PNG and GIF, which need Pillow."""

from importlib.util import find_spec

from arbiter.errors import ConfigError


def has_pillow() -> bool:
    """Return True if Pillow is installed; it is not imported."""
    return find_spec("PIL") is not None


def require_pillow(option: str) -> None:
    """Raise ConfigError, with the option that asks for pixels, if Pillow is not installed."""
    if not has_pillow():
        raise ConfigError(f'{option}: needs Pillow; install it with: pip install "stratego-arbiter[pictures]"')
