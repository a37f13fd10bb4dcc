"""The app's addresses: tabs, the shared choice, and where old addresses lead.

Models and precisions are separate parameters: every chosen model is shown in every chosen precision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from pcf_core.audit.options import PageOptions, ViewOptions
from pcf_core.core.options import from_page, page_values
from pcf_core.core.risk import Over
from pcf_core.core.run import split_label
from pcf_core.models.names import AUTO, PRECISIONS

WHY_TAB, TEXT_TAB, METHOD_TAB, REPORT_TAB = "why_tab", "text_tab", "method_tab", "report_tab"
TAB_OF = {"why": WHY_TAB, "written_text": TEXT_TAB, "report": REPORT_TAB, "method": METHOD_TAB}
FACTORS, READ, SENSITIVITY, KNOWLEDGE = "Factors", "What it read", "Sensitivity", "Knowledge"
SUMMARY, FAIRPAIR, CRITERIA, KNOWN = "Summary", "FairPair", "Criteria", "Known benchmarks"
HOW_IT_WORKS, SUPPORTED, AS_IN_PAPERS = "How it works", "What numbers support", "As in the papers"
GLOSSARY, ABOUT = "Glossary", "About"
REPORT, REGULATIONS, AUDIT_PLAN = "Report", "Regulations", "Audit plan"
TABS: Mapping[str, tuple[str, ...]] = {
    "why": (FACTORS, READ, SENSITIVITY, KNOWLEDGE),
    "written_text": (SUMMARY, FAIRPAIR, CRITERIA, KNOWN),
    "report": (REPORT, REGULATIONS, AUDIT_PLAN),
    "method": (HOW_IT_WORKS, SUPPORTED, AS_IN_PAPERS, GLOSSARY, ABOUT),
}


@dataclass(frozen=True)
class Place:
    """A page, named by its file, and its open tab; empty if it has none."""

    page: str
    tab: str = ""

    @property
    def file(self) -> str:
        """The page's path, as links inside the app use it."""
        return f"pages/{self.page}.py"

    @property
    def parameters(self) -> dict[str, str | list[str]]:
        """The tab as a query parameter."""
        return {TAB_OF[self.page]: self.tab} if self.tab else {}


OVERVIEW, RISK, CAPRICE, TILT = Place("overview"), Place("risk"), Place("caprice"), Place("tilt")
HEAT_MAP, TEMPLATES, MODELS = Place("heat_map"), Place("templates"), Place("models")
FAIRPAIR_TAB, CRITERIA_TAB = Place("written_text", FAIRPAIR), Place("written_text", CRITERIA)
KNOWN_TAB = Place("written_text", KNOWN)
READ_TAB, KNOWLEDGE_TAB = Place("why", READ), Place("why", KNOWLEDGE)
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
    """Return the page and the query parameters to which an old address leads."""
    address: dict[str, str | list[str]] = dict(parameters)
    for (page, name, value), tab in OLD_VIEWS.items():
        if page == old and parameters.get(name) in (value, [value]):
            del address[name]
            return tab.page, {**address, **tab.parameters}
    return OLD[old].page, {**address, **OLD[old].parameters}


AUTOMATIC = "automatic"
PRECISIONS_CALLED: Mapping[str, str] = {one: AUTOMATIC if one == AUTO else one for one in PRECISIONS}


@dataclass(frozen=True)
class Choice:
    """The sidebar's choice: names, not loaded data."""

    models: tuple[str, ...]
    topic: str
    templates: str
    evidence: str
    options: ViewOptions
    over: Over = "templates"
    precisions: tuple[str, ...] = (AUTO,)

    @property
    def asked(self) -> tuple[tuple[str, str], ...]:
        """Every chosen model in every chosen precision, in the order shown."""
        return tuple(product(self.models, self.precisions))

    @property
    def parameters(self) -> dict[str, str | list[str]]:
        """The choice as query parameters, for links between pages."""
        return {
            "model": list(self.models),
            "topic": self.topic,
            "templates": self.templates,
            "evidence": self.evidence,
            "precision": precisions_called(self.precisions),
            **page_values(PageOptions(**self.options.model_dump(), over=self.over)),
        }


def precisions_called(names: Iterable[str]) -> list[str]:
    """Return precisions as pages and addresses call them."""
    return [PRECISIONS_CALLED.get(name, name) for name in names]


def precisions_named(names_called: Iterable[str]) -> list[str]:
    """Return precisions by the names that pages and addresses have for them."""
    names = {called: name for name, called in PRECISIONS_CALLED.items()}
    return [names.get(one, one) for one in names_called]


def choice_of(address: Mapping[str, Any]) -> Choice:
    """Read a choice from an address or from the bound widgets; missing options have their defaults."""
    read = from_page(PageOptions, {**page_values(PageOptions()), **address})
    return Choice(
        models=tuple(address["model"]),
        topic=str(address["topic"]),
        templates=str(address["templates"]),
        evidence=str(address["evidence"]),
        options=ViewOptions(**read.model_dump(exclude={"over"})),
        over=read.over,
        precisions=tuple(precisions_named(address.get("precision", ()))) or (AUTO,),
    )


def parameters_for(labels: Sequence[str]) -> dict[str, list[str]]:
    """Return the query parameters that open models by label: every model in every precision."""
    models, precisions = zip(*map(split_label, labels), strict=True)
    return {"model": list(dict.fromkeys(models)), "precision": list(dict.fromkeys(precisions))}


SENTENCE = "sentence"


def as_typed(prompt: str) -> str:
    """Write a prompt as a reader would type it: … for [Y], unless it has dots of its own."""
    return prompt if "…" in prompt or "..." in prompt else prompt.replace("[Y]", "…")


def as_prompt(typed: str) -> str:
    """Turn typed text into a prompt: without [Y], … or three dots stand for it."""
    return typed if "[Y]" in typed else typed.replace("...", "…").replace("…", "[Y]")
