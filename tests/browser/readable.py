"""Check that a page is readable on a phone, in light and dark colours and with a screen reader, with axe-core."""

from functools import cache
from importlib.resources import files

PHONE = (360, 740)
# The violations that axe-core finds, and the rules that it could not check.
AXE = """
axe.run(document).then((found) => [
  ...found.violations.map((rule) => [rule.id, rule.nodes.map((node) => node.html + " " + node.failureSummary)]),
  ...found.incomplete.filter((rule) => rule.error).map((rule) => [rule.id, String(rule.error)]),
])
"""

# axe-core cannot calculate the contrast of texts on the shadows that mark hidden columns, which are only at the edge.
WITHOUT_SHADOWS = "document.querySelectorAll('.scroll').forEach((box) => { box.style.backgroundImage = 'none'; })"


@cache
def read_axe():
    return files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def check_readable(page):
    """Check the open page at the size of a phone."""
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    page.run_script(read_axe())
    page.run_script(WITHOUT_SHADOWS)
    for scheme in ("light", "dark"):
        page.set_colour_scheme(scheme)
        assert page.run_script(AXE) == []
