"""Whether all can read a page: on a phone, by day and by night, and with a screen reader, as axe-core judges it."""

from functools import cache
from importlib.resources import files

PHONE = (360, 740)
# What it finds, and what keeps a rule of its from being tried.
AXE = """
axe.run(document).then((found) => [
  ...found.violations.map((rule) => [rule.id, rule.nodes.map((node) => node.html + " " + node.failureSummary)]),
  ...found.incomplete.filter((rule) => rule.error).map((rule) => [rule.id, String(rule.error)]),
])
"""


@cache
def axe():
    return files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def check_readable(page):
    """Look at a page that is open, on a phone."""
    assert page.ask("document.documentElement.scrollWidth") <= PHONE[0]
    page.run(axe())
    for scheme in ("light", "dark"):
        page.colours(scheme)
        assert page.run(AXE) == []
