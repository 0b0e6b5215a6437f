"""Check that a page is readable on desktops and phones, in light and dark colours, and with a screen reader, with axe-core."""

from functools import cache
from importlib.resources import files

from browser.window import DESKTOP

PHONE = (360, 740)
LOOKS = ((DESKTOP, "light"), (PHONE, "dark"))  # rules on sizes and rules on colours find little together
OTHER_LOOKS = ((DESKTOP, "dark"), (PHONE, "light"))
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


def check_readable(page, looks=LOOKS):
    """Check the open page in several looks: the size of the window and the colour scheme."""
    page.run_script(read_axe())
    page.run_script(WITHOUT_SHADOWS)
    for size, scheme in looks:
        page.resize(*size)
        page.set_colour_scheme(scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        found = page.run_script(AXE)
        assert not found, f"{size}, {scheme}: {found}"
