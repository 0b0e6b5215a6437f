"""Paths into nested tables and lists, for tests that change one value."""


def paths(value, path=()):
    """Yield the path to each value in a nested value; the first is (), the whole value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


def put(value, path, item):
    """Return a copy of a nested value with another item at a path."""
    if not path:
        return item
    copy = value.copy()
    copy[path[0]] = put(value[path[0]], path[1:], item)
    return copy
