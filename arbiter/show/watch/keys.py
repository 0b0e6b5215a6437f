"""The keys as bindings of textual, which are also its footer."""

from collections.abc import Iterable

from textual.binding import Binding, BindingType

from arbiter.show.keys import Key, select_keys


def make_bindings(keys: Iterable[Key]) -> list[BindingType]:
    """Bind the keys of the terminal to their actions."""
    return [
        Binding(key.keys, key.action, key.footer, key_display=key.written.split()[0], show=bool(key.footer))
        for key in select_keys(keys, "terminal")
    ]
