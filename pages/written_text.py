"""The page Written text: what a model writes, about whom, and whether all its audits agree."""

from pcf_core.app.addresses import CRITERIA, FAIRPAIR, KNOWN, SUMMARY
from pcf_core.app.shell import draw_open_tab, show

PARTS = {
    SUMMARY: (
        "What does each audit find about one model, and do they agree?",
        "texts.summary_views:draw_summary",
    ),
    FAIRPAIR: ("Does it write differently about another person?", "fairpair.tab:draw_fairpair"),
    CRITERIA: ("Does gender change what it writes and whom it believes?", "criteria.tab:draw_criteria"),
    KNOWN: (
        "What do CrowS-Pairs, StereoSet and WinoBias find, and do they agree with us?",
        "texts.benchmarks:draw_benchmarks",
    ),
}


def draw() -> None:
    """Draw the page."""
    draw_open_tab("written_text", "Written text", PARTS)


show(draw)
