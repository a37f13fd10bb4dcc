"""The page Method: how the numbers are made, the papers' figures, the words of the field, limits, sources."""

from pcf_core.app.addresses import ABOUT, AS_IN_PAPERS, GLOSSARY, HOW_IT_WORKS, SUPPORTED
from pcf_core.app.shell import open_tab, show

QUESTIONS = {
    HOW_IT_WORKS: "How do probabilities become a risk?",
    SUPPORTED: "Which conclusions does each number allow?",
    AS_IN_PAPERS: "How do our results compare with the figures in the papers?",
    GLOSSARY: "What do the words mean?",
    ABOUT: "What is measured, how is it read, and what may not be concluded?",
}


def draw() -> None:
    """Draw the page."""
    tab = open_tab("method", "Method", QUESTIONS)
    if tab == HOW_IT_WORKS:
        from pcf_core.app.method.how_it_works import draw_how_it_works

        draw_how_it_works()
    elif tab == SUPPORTED:
        from pcf_core.app.method.about import draw_supported

        draw_supported()
    elif tab == AS_IN_PAPERS:
        from pcf_core.app.method.as_in_papers import draw_as_in_papers

        draw_as_in_papers()
    elif tab == GLOSSARY:
        from pcf_core.app.method.how_it_works import draw_glossary

        draw_glossary()
    else:
        from pcf_core.app.method.about import draw_about

        draw_about()


show(draw)
