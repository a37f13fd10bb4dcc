"""The page Method: how the numbers are made, the papers' figures, the words of the field, limits, sources."""

from pcf_core.app.addresses import ABOUT, AS_IN_PAPERS, GLOSSARY, HOW_IT_WORKS, SUPPORTED
from pcf_core.app.method.about import draw_about, draw_supported
from pcf_core.app.method.as_in_papers import draw_as_in_papers
from pcf_core.app.method.how_it_works import draw_glossary, draw_how_it_works
from pcf_core.app.shell import Tab, draw_tabs, show

TABS = {
    HOW_IT_WORKS: Tab("How do probabilities become a risk?", draw_how_it_works),
    SUPPORTED: Tab("What can each number support, and what can it not?", draw_supported),
    AS_IN_PAPERS: Tab("What do the papers print, and what comes out here?", draw_as_in_papers),
    GLOSSARY: Tab("What do the words mean?", draw_glossary),
    ABOUT: Tab("What is measured, how is it read, and what may not be concluded?", draw_about),
}


def draw() -> None:
    """Draw the page."""
    draw_tabs("method", "Method", TABS)


show(draw)
