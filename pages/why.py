"""The page Why?: what goes with the risk, what the model read, how firm the verdict is, what it knows."""

from pcf_core.app.addresses import FACTORS, KNOWLEDGE, READ, SENSITIVITY
from pcf_core.app.shell import Tab, draw_tabs, show
from pcf_core.app.why.factors import draw_factors
from pcf_core.app.why.knowledge import draw_knowledge
from pcf_core.app.why.read import draw_read
from pcf_core.app.why.sensitivity import draw_sensitivity

TABS = {
    FACTORS: Tab("Does the risk go with pay, education, women's share, or a word's frequency?", draw_factors),
    READ: Tab("Does the model repeat what it read?", draw_read),
    SENSITIVITY: Tab("How far can the analyst's choices move the verdict?", draw_sensitivity),
    KNOWLEDGE: Tab("What does it know, and how surely?", draw_knowledge),
}


def draw() -> None:
    """Draw the page."""
    draw_tabs("why", "Why?", TABS)


show(draw)
