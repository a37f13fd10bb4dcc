"""The shared choice: what is looked at and how it is read.  One block in the sidebar, bound to the URL.

Every widget has a fixed default, so that a link without a parameter means the same everywhere.  The options
are names, not labels: Streamlit writes into the URL what it shows, and a link must outlive a label's wording.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from pcf_core.audit import ViewOptions
from pcf_core.models import list_models
from pcf_core.records import Over, Protocol, Scale, Topic, Unit
from pcf_core.ui.data import scored_models
from pcf_core.ui.lists import NONE, evidence_lists, template_sets, usual_lists
from pcf_core.ui.named_models import draw_lookable, lookable
from pcf_core.ui.versions import all_topics, kept

DEFAULT_MODELS = ("mini-bert", "mini-gpt")
MOST_ASKED = 20
LONGEST_NAME = 300
VIEW_OPTIONS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    (
        "weights",
        "Occupation weights",
        ("uniform", "employment", "list"),
        "uniform: every occupation counts alike. employment: as many times as people work in it in the US. "
        "list: as the list itself says, where its source has figures, such as education.",
    ),
    (
        "template_weights",
        "Template weights",
        ("counts", "equal"),
        "counts: as often as the corpus has the context. equal: every template counts alike.",
    ),
    (
        "criterion",
        "Criterion J",
        ("max", "l2", "l1"),
        "How one stereotype a group becomes one number: the largest positive one (the papers' l∞), or a norm "
        "of the positive ones. With two groups all agree.",
    ),
    (
        "scale",
        "Scale",
        ("pcf", "bvf"),
        "pcf: the largest value is 1. bvf: p/p* − 1. With two groups and the uniform reference both agree.",
    ),
    (
        "reference",
        "Neutral point p*",
        ("uniform", "labour"),
        "uniform: every group alike. labour: women's and men's shares of the occupation in the US.",
    ),
    (
        "protocol",
        "Words",
        ("exact", "single-token", "exact-boundary"),
        "exact: whole words. single-token: the papers' choice, words of one token only, a selection from the "
        "same scores. exact-boundary: whole words that also end there, for causal models.",
    ),
    (
        "aggregation",
        "A group's words",
        ("sum", "mean"),
        "sum: a group gets what its words get together (the papers' formula). mean: what its words get on "
        "average, so that a group with more words is not favoured.",
    ),
    (
        "over",
        "Intervals over",
        ("templates", "occupations", "both"),
        "templates: if other contexts had been taken, for these occupations. occupations: if other "
        "occupations had been taken, in these contexts. both: if all had been other.",
    ),
    (
        "unit",
        "Drawn again",
        ("usual", "template", "mention"),
        "What intervals over templates draw again. usual: the document where the set knows documents, else "
        "the template. mention: every count as if it were independent, which makes intervals too narrow.",
    ),
)


@dataclass(frozen=True)
class Choice:
    """What the sidebar says: names, not yet loaded."""

    models: tuple[str, ...]
    topic: str
    templates: str
    evidence: str
    options: ViewOptions
    over: Over = "templates"

    @property
    def parameters(self) -> dict[str, str | list[str]]:
        """The choice as query parameters, for links between pages."""
        return {
            "model": list(self.models),
            "topic": self.topic,
            "templates": self.templates,
            "evidence": self.evidence,
            "weights": self.options.occupation_weights,
            "template_weights": self.options.template_weighting,
            "criterion": self.options.criterion,
            "scale": self.options.scale,
            "reference": self.options.reference,
            "protocol": self.options.protocol,
            "aggregation": self.options.aggregation,
            "over": self.over,
            "unit": self.options.unit,
        }


def draw_choice() -> None:
    """Draw the block; pages read it with :func:`current_choice`."""
    known_topics = all_topics()
    known = [*(spec.name for spec in list_models()), *scored_models()]
    with st.sidebar:
        st.caption("What the pages under *Read* show")
        models = st.multiselect(
            "Models",
            with_asked("model", known),
            default=[name for name in DEFAULT_MODELS if name in known],
            key="model",
            bind="query-params",
            help="The models whose results are shown side by side. Score others on the page Score.",
        )
        draw_lookable(models)
        topic = st.selectbox(
            "Topic",
            with_asked("topic", known_topics),
            key="topic",
            bind="query-params",
            on_change=take_usual,
            help="The groups whose words are compared at [Y]. A name with @ is that of finished runs whose "
            "words are not, or no longer, those of a topic here.",
        )
        draw_texts(known_topics.get(topic) or next(iter(known_topics.values())))
        with st.expander("How it is read"):
            draw_view_options()


def with_asked(key: str, known: Iterable[str]) -> list[str]:
    """The known names, and those that the link asks for: a page then says by name what it does not have."""
    asked = [name for name in st.query_params.get_all(key) if 0 < len(name) <= LONGEST_NAME]
    return list(dict.fromkeys([*known, *asked[:MOST_ASKED]]))


def take_usual(prefix: str = "") -> None:
    """Another topic brings its usual templates and occupations, as a link that names the topic alone does."""
    state = st.session_state
    topic = all_topics().get(state[f"{prefix}topic"])
    if topic is None:
        return
    usual = usual_lists(topic, NONE if prefix else kept())
    state[f"{prefix}templates"], state[f"{prefix}evidence"] = usual.templates, usual.evidence


def draw_texts(topic: Topic) -> None:
    """Templates and occupations; a topic names its usual ones."""
    others = kept()
    sets = with_asked("templates", [*template_sets(), *others.templates])
    lists = with_asked("evidence", [*evidence_lists(), *others.evidence])
    usual = usual_lists(topic, others)
    st.selectbox(
        "Templates",
        sets,
        index=sets.index(usual.templates),
        key="templates",
        bind="query-params",
        help="The contexts: sentences with [X] for the occupation and [Y] for the word.",
    )
    st.selectbox(
        "Occupations",
        lists,
        index=lists.index(usual.evidence),
        key="evidence",
        bind="query-params",
        help="The list that fills [X].",
    )


def draw_view_options() -> None:
    """View options cost no scoring: they only change how the scores are read."""
    for key, label, options, help_text in VIEW_OPTIONS:
        st.selectbox(label, options, key=key, bind="query-params", help=help_text)


def current_choice() -> Choice:
    """The choice of the block drawn in this script run."""
    state = st.session_state
    scales, protocols, overs = get_args(Scale), get_args(Protocol), get_args(Over)
    units = get_args(Unit)
    return Choice(
        models=tuple(lookable(state["model"])),
        topic=state["topic"],
        templates=state["templates"],
        evidence=state["evidence"],
        options=ViewOptions(
            template_weighting="equal" if state["template_weights"] == "equal" else "counts",
            occupation_weights=state["weights"],
            criterion=state["criterion"],
            scale=scales[scales.index(state["scale"])],
            reference="labour" if state["reference"] == "labour" else "uniform",
            protocol=protocols[protocols.index(state["protocol"])],
            aggregation="mean" if state["aggregation"] == "mean" else "sum",
            unit=units[units.index(state["unit"])],
        ),
        over=overs[overs.index(state["over"])],
    )
