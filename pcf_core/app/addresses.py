"""Addresses of the app: the tabs of its pages, and where the addresses of earlier versions lead.

A tab is in the address under a name of its page: two pages never share one, so that each keeps its tab.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WHY_TAB, TEXT_TAB, METHOD_TAB = "why_tab", "text_tab", "method_tab"
TAB_OF = {"why": WHY_TAB, "written_text": TEXT_TAB, "method": METHOD_TAB}
FACTORS, READ, SENSITIVITY, KNOWLEDGE = "Factors", "What it read", "Sensitivity", "Knowledge"
SUMMARY, FAIRPAIR, CRITERIA, KNOWN = "Summary", "FairPair", "Criteria", "Known benchmarks"
HOW_IT_WORKS, SUPPORTED, AS_IN_PAPERS = "How it works", "What numbers support", "As in the papers"
GLOSSARY, ABOUT = "Glossary", "About"
TABS: Mapping[str, tuple[str, ...]] = {
    "why": (FACTORS, READ, SENSITIVITY, KNOWLEDGE),
    "written_text": (SUMMARY, FAIRPAIR, CRITERIA, KNOWN),
    "method": (HOW_IT_WORKS, SUPPORTED, AS_IN_PAPERS, GLOSSARY, ABOUT),
}


@dataclass(frozen=True)
class Place:
    """A page, by the name of its file, and the tab that is open on it; empty where it has none."""

    page: str
    tab: str = ""

    @property
    def file(self) -> str:
        """The page's file, as links inside the app name it."""
        return f"pages/{self.page}.py"

    @property
    def parameters(self) -> dict[str, str | list[str]]:
        """The tab as a query parameter."""
        return {TAB_OF[self.page]: self.tab} if self.tab else {}


OVERVIEW, RISK, CAPRICE, TILT = Place("overview"), Place("risk"), Place("caprice"), Place("tilt")
HEAT_MAP, TEMPLATES, MODELS = Place("heat_map"), Place("templates"), Place("models")
FAIRPAIR_TAB, CRITERIA_TAB = Place("written_text", FAIRPAIR), Place("written_text", CRITERIA)
KNOWN_TAB = Place("written_text", KNOWN)
RUN_AN_AUDIT, TRY_A_SENTENCE = Place("run_an_audit"), Place("try_a_sentence")
OLD: Mapping[str, Place] = {
    "overview": OVERVIEW,  # the first page has the bare address alone
    "tails": CAPRICE,
    "factors": Place("why", FACTORS),
    "sensitivity": Place("why", SENSITIVITY),
    "knowledge": Place("why", KNOWLEDGE),
    "score": RUN_AN_AUDIT,
    "probe": TRY_A_SENTENCE,
    "case_file": Place("written_text", SUMMARY),
    "fairpair": FAIRPAIR_TAB,
    "criteria": CRITERIA_TAB,
    "how_it_works": Place("method", HOW_IT_WORKS),
    "about": Place("method", ABOUT),
}
# Views of old pages that are tabs now: the parameter that opened one, and its value.
OLD_VIEWS: Mapping[tuple[str, str, str], Place] = {
    ("factors", "factors_view", "what it read"): Place("why", READ),
    ("how_it_works", "how_part", "words"): Place("method", GLOSSARY),
}


def leads_to(old: str, parameters: Mapping[str, str | list[str]]) -> tuple[str, dict[str, str | list[str]]]:
    """Return the page that an old address leads to, and all that its new address says.

    Every parameter is kept, but one of :data:`OLD_VIEWS` whose place a tab has taken.

    Raises
    ------
    KeyError
        ``old`` is no old address.
    """
    said: dict[str, str | list[str]] = dict(parameters)
    for (page, name, value), place in OLD_VIEWS.items():
        if page == old and parameters.get(name) in (value, [value]):
            del said[name]
            return place.page, {**said, **place.parameters}
    return OLD[old].page, {**said, **OLD[old].parameters}
