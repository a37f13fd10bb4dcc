"""The page Method: how the numbers are made, the papers' figures, the words of the field, limits, sources."""

from pcf_core.app.addresses import ABOUT, AS_IN_PAPERS, GLOSSARY, HOW_IT_WORKS, SUPPORTED
from pcf_core.app.shell import draw_open_tab, show

PARTS = {
    HOW_IT_WORKS: ("How do probabilities become a risk?", "method.how_it_works:draw_how_it_works"),
    SUPPORTED: ("What can each number support, and what can it not?", "method.about:draw_supported"),
    AS_IN_PAPERS: (
        "What do the papers print, and what comes out here?",
        "method.as_in_papers:draw_as_in_papers",
    ),
    GLOSSARY: ("What do the words mean?", "method.how_it_works:draw_glossary"),
    ABOUT: ("What is measured, how is it read, and what may not be concluded?", "method.about:draw_about"),
}


def draw() -> None:
    """Draw the page."""
    draw_open_tab("method", "Method", PARTS)


show(draw)
