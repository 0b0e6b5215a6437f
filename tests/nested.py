"""Ways through nested tables and lists, for tests that change one thing in them."""


def places(value, path=()):
    """Yield the way to each value in a nested value, the whole first."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def put(value, path, item):
    """Copy a value with another item in one place."""
    if not path:
        return item
    copy = value.copy()
    copy[path[0]] = put(value[path[0]], path[1:], item)
    return copy
