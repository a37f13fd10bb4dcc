"""The page Written text: what a model writes, about whom, and whether all its audits agree."""

from pcf_core.app.addresses import CRITERIA, FAIRPAIR, KNOWN, SUMMARY
from pcf_core.app.criteria.tab import draw_criteria
from pcf_core.app.fairpair.tab import draw_fairpair
from pcf_core.app.shell import Tab, draw_tabs, show
from pcf_core.app.texts.benchmarks import draw_benchmarks
from pcf_core.app.texts.summary_views import draw_summary

TABS = {
    SUMMARY: Tab("What does each audit find about one model, and do they agree?", draw_summary),
    FAIRPAIR: Tab("Does it write differently about another person?", draw_fairpair),
    CRITERIA: Tab("Does gender change what it writes and whom it believes?", draw_criteria),
    KNOWN: Tab(
        "What do CrowS-Pairs, StereoSet and WinoBias find, and do they agree with us?", draw_benchmarks
    ),
}


def draw() -> None:
    """Draw the page."""
    draw_tabs("written_text", "Written text", TABS)


show(draw)
