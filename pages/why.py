"""The page Why?: factors of the risk, what the model read, how firm the verdict is, what it knows."""

from pcf_core.app.addresses import FACTORS, KNOWLEDGE, READ, SENSITIVITY
from pcf_core.app.shell import open_tab, show

QUESTIONS = {
    FACTORS: "Does the risk go with pay, education, women's share, or a word's frequency?",
    READ: "Does the model repeat its training text?",
    SENSITIVITY: "How much do the analyst's choices change the result?",
    KNOWLEDGE: "What does the model know, and how certain is it?",
}


def draw() -> None:
    """Draw the page."""
    tab = open_tab("why", "Why?", QUESTIONS)
    if tab == FACTORS:
        from pcf_core.app.why.factors import draw_factors

        draw_factors()
    elif tab == READ:
        from pcf_core.app.why.read import draw_read

        draw_read()
    elif tab == SENSITIVITY:
        from pcf_core.app.why.sensitivity import draw_sensitivity

        draw_sensitivity()
    else:
        from pcf_core.app.why.knowledge import draw_knowledge

        draw_knowledge()


show(draw)
