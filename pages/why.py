"""The page Why?: what goes with the risk, what the model read, how firm the verdict is, what it knows."""

from pcf_core.app.addresses import FACTORS, KNOWLEDGE, READ, SENSITIVITY
from pcf_core.app.shell import draw_open_tab, show

PARTS = {
    FACTORS: (
        "Does the risk go with pay, education, women's share, or a word's frequency?",
        "why.factors:draw_factors",
    ),
    READ: ("Does the model repeat what it read?", "why.read:draw_read"),
    SENSITIVITY: (
        "How far can the analyst's choices move the verdict?",
        "why.sensitivity:draw_sensitivity",
    ),
    KNOWLEDGE: ("What does it know, and how surely?", "why.knowledge:draw_knowledge"),
}


def draw() -> None:
    """Draw the page."""
    draw_open_tab("why", "Why?", PARTS)


show(draw)
