"""The page Written text: what a model writes, about whom, and whether all its audits agree."""

from pcf_core.app.addresses import CRITERIA, FAIRPAIR, KNOWN, SUMMARY
from pcf_core.app.shell import open_tab, show

QUESTIONS = {
    SUMMARY: "What does each audit find, and do they agree?",
    FAIRPAIR: "Does it write differently about another person?",
    CRITERIA: "Does gender change what it writes and whom it believes?",
    KNOWN: "What do the known benchmarks find, and do they agree with us?",
}


def draw() -> None:
    """Draw the page."""
    tab = open_tab("written_text", "Written text", QUESTIONS)
    if tab == SUMMARY:
        from pcf_core.app.texts.summary import draw_summary

        draw_summary()
    elif tab == FAIRPAIR:
        from pcf_core.app.fairpair.tab import draw_fairpair

        draw_fairpair()
    elif tab == CRITERIA:
        from pcf_core.app.criteria.tab import draw_criteria

        draw_criteria()
    else:
        from pcf_core.app.texts.benchmarks import draw_benchmarks

        draw_benchmarks()


show(draw)
