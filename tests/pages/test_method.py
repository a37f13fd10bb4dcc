"""The tabs of Method: examples to move, what is said of numbers, and the papers' figures beside ours."""

from __future__ import annotations

import re
from itertools import product
from typing import get_args

import numpy as np
import pytest

from pcf_core.app.addresses import SUPPORTED, TABS, choice_of
from pcf_core.app.data import asked_run, finished
from pcf_core.app.lists import set_names, topics
from pcf_core.app.method.about import family_table, reference_table, sections
from pcf_core.app.method.as_in_papers import (
    PRINTED,
    TITLES,
    WORKED_OUT,
    address_of,
    papers_answer,
)
from pcf_core.app.method.how_it_works import GLOSSARY
from pcf_core.app.method.on_texts import criteria_asked, fairpair_asked
from pcf_core.core.families import Family
from pcf_core.core.records import digest
from pcf_core.material.numbers import load_numbers
from pcf_core.material.published import PAPERS, PrintedLink, printed_items, published_risks
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose
from pcf_core.measure.reference_models import toy_risk
from pcf_core.models.presets import preset_of
from pcf_core.show.findings.reliability import supported_rows
from pcf_core.show.findings.toy import caprice_finding, parts_finding
from tests.fuzz.test_links import PAGES, bound_keys
from tests.pages.opened import open_app, set_environment
from tests.quick import quick


def test_every_family_is_explained() -> None:
    assert [row.split(":")[0] for row in family_table().index] == list(get_args(Family))


def test_the_reference_models_are_those_of_the_papers() -> None:
    table = reference_table()
    assert list(table.loc["randomly initialised"]) == ["0.50", "0", "0.50"]
    assert list(table.loc["stereotyped"]) == ["1.00", "1.00", "0"]


def test_the_example_is_computed_as_it_is_told() -> None:
    male = np.array([[0.6, 0.6, 0.6], [0.5, 0.35, 0.65]])
    decomposed = decompose(np.stack([male, 1 - male], axis=-1), np.ones(3), Criterion())
    assert decomposed.overall == pytest.approx([0.2, 0.2])
    assert decomposed.caprice == pytest.approx([0.0, 0.2], abs=1e-12)
    method = " ".join(sections()["Method"].split())
    assert "0.6, 0.6, 0.6 and another gives them 0.5, 0.35, 0.65. Both have the risk 0.2." in method


def test_what_is_said_of_the_papers_tables_stands_in_them() -> None:
    """LLaMA2 above GPT-2 with Wikipedia's contexts, below with those of every other source."""
    limits = sections()["Limits"]
    first, last, other = (
        next(
            row.overall_risk
            for row in published_risks()
            if (row.paper, row.table, row.topic, row.model) == (paper, 1, "gender", model)
        )
        for paper, model in (("PCF", "LLaMA2"), ("BVF", "LLaMA2"), ("PCF", "GPT-2"))
    )
    assert f"({last:.3f} and {other:.3f})" in limits
    assert f"{first:.3f} in the first version and {last:.3f} in the last" in " ".join(limits.split())
    sources: dict[str, dict[str, float]] = {}
    for row in published_risks():
        if (row.paper, row.table) == ("BVF", 4):
            sources.setdefault(row.context_source, {})[row.model] = row.overall_risk
    assert set(sources) == {"book", "conversation", "textbook", "web page"}
    assert all(risks["Llama2"] < risks["GPT2"] for risks in sources.values())
    assert last > other


def test_moving_a_context_across_neutral_closes_the_gap() -> None:
    app = open_app("how_it_works")
    app.slider(key="p_second").set_value(0.6).run()
    moved = toy_risk("nurse", ("male", "female"), ("context 1", "context 2"), [0.9, 0.6])
    assert moved.caprice_risk == 0
    assert parts_finding(moved) in app.texts
    assert caprice_finding(moved) in app.texts
    app.slider(key="w_first").set_value(1.0).run()
    assert [metric.value for metric in app.metric] == ["0.80", "0.80", "0", "0"]


def test_few_contexts_show_prejudice_where_there_is_none() -> None:
    few = open_app("how_it_works", how_part="reference models", contexts="2")
    many = open_app("how_it_works", how_part="reference models", contexts="60")
    shown = [
        float(app.metric[2].delta.replace("\\", "").removeprefix("prejudice ").split(",")[0])
        for app in (few, many)
    ]
    assert shown[0] > 2 * shown[1]
    assert [app.metric[2].value for app in (few, many)] == ["1.00", "1.00"]


def test_the_norms_of_three_groups_order_as_they_must() -> None:
    risks = [
        float(open_app("how_it_works", how_part="three groups", toy_criterion=name).metric[1].value)
        for name in ("max", "l2", "l1")
    ]
    assert risks[0] <= risks[1] < risks[2]  # the first two differ in the third decimal


def test_on_a_telephone_each_number_is_a_card_with_what_it_supports_and_what_not() -> None:
    app = open_app("method", method_tab=SUPPORTED)
    cards = [one.value for one in app.markdown if "**Does not support:**" in one.value]
    for row, card in zip(supported_rows(load_numbers()), cards, strict=True):
        assert all(text in card for text in row)
    assert len(app.table[0].value) == len(cards)


def test_the_glossary_names_what_the_papers_call_by_other_names() -> None:
    glossary = open_app("method", method_tab="Glossary").texts
    assert GLOSSARY.read_text(encoding="utf8").split("\n\n", 2)[2].strip() in glossary.replace("\\", "")
    for word in ("bias risk", "system risk", "volatility", "efficiency risk", "Jensen gap"):
        assert word in glossary
    for entry in (
        "Topic",
        "Intersectional topic",
        "Evidence",
        "Swap",
        "Knowledge",
        "Confidence gap",
        "Trying a sentence",
    ):
        assert f"**{entry}**" in glossary
    assert "100 cases, ranges calculated in this way include the true value" in glossary


def test_the_glossary_is_in_alphabetical_order() -> None:
    entries = re.findall(r"^- \*\*(.+?)\*\*", GLOSSARY.read_text(encoding="utf8"), flags=re.MULTILINE)
    assert entries == sorted(entries, key=str.casefold)
    assert "Range" in entries


def test_pages_name_no_file_of_the_documentation() -> None:
    assert ".md" not in " ".join(sections().values())


LINKS = [(item, link) for item in printed_items() for link in item.link]
DISTINCT = {digest([link.page, link.tab, dict(link.parameters)]): link for _, link in LINKS}
FIRST = {link.tab or link.page: name for name, link in reversed(DISTINCT.items())}  # of each page or tab


@pytest.fixture
def as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, SHIPPED_RESULTS="1")


def test_every_link_leads_to_a_page_and_says_what_its_widgets_take() -> None:
    keys = {*bound_keys(), "set_view", "topic_view"}  # these two are named to the widget by own.draw_views
    for item, link in LINKS:
        assert link.page in PAGES, item.title
        assert link.tab in TABS.get(link.page, ("",)), item.title
        assert set(link.parameters) <= keys, item.title


@pytest.mark.usefixtures("as_it_comes")
def test_the_results_of_every_link_are_shipped() -> None:
    for item, link in LINKS:
        parameters = link.parameters
        if "model" in parameters:
            choice = choice_of(parameters)
            for model, precision in choice.asked:
                assert finished(asked_run(choice, model, precision)), f"{item.title}: {model}"
        if "fp_model" in parameters:
            assert fairpair_asked(link), item.title
        if "cr_model" in parameters:
            assert criteria_asked(link), item.title
        assert parameters.get("topic_shown", "gender") in topics(), item.title
        assert parameters.get("set", "gender-nineteen") in set_names(), item.title
        if item.ours == "change":
            preset = preset_of(choice_of(parameters).models)
            claims = [f"Figure {pair.claim.figure}" for pair in preset.pair if pair.claim] if preset else []
            assert item.number in claims, item.title


def test_all_that_the_file_calls_ours_can_be_worked_out() -> None:
    assert {item.ours for item in printed_items()} - {""} == set(WORKED_OUT)


@pytest.mark.usefixtures("as_it_comes")
def test_a_link_sets_every_choice_of_the_sidebar() -> None:
    for _, link in LINKS:
        if "model" in link.parameters:
            address = address_of(link)
            assert choice_of(address) == choice_of(link.parameters)
            assert choice_of(link.parameters).parameters.items() <= address.items()


@pytest.mark.usefixtures("as_it_comes")
@pytest.mark.parametrize("name", quick(DISTINCT, set(FIRST.values()).__contains__))
def test_a_link_opens_what_it_says(name: str) -> None:
    """The page reads every part of it, and offers nothing to be scored, written or asked."""
    link: PrintedLink = DISTINCT[name]
    address = {**address_of(link), **({f"{tab_key(link)}": link.tab} if link.tab else {})}
    app = open_app(link.page, **{"topic": "gender", **address})
    assert not app.link_warnings
    assert not app.error
    offers = {"score_missing", "fairpair_button", "criteria_button"}
    assert not offers & app.button_keys
    for key, value in link.parameters.items():
        held = app.session_state[key]
        assert (held if isinstance(held, list) else str(held).replace("True", "true")) == value, key


def tab_key(link: PrintedLink) -> str:
    return {"why": "why_tab", "written_text": "text_tab", "method": "method_tab"}[link.page]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("as_it_comes")
@pytest.mark.parametrize("paper", PAPERS)
def test_every_figure_of_a_paper_is_drawn_with_ours_beside_it(paper: str) -> None:
    app = open_app("method", method_tab="As in the papers", papers_paper=TITLES[paper])
    items = [item for item in printed_items() if item.paper == paper]
    for item in items:
        if item.ours:
            app.session_state[f"{PRINTED}{digest(item.title)}"] = True  # as its box is opened
    app.run()
    labels = [box.label for box in app.expander]
    for item in items:
        begins = f"**{item.number}.**"
        assert begins in app.texts if item.absent else any(label.startswith(begins) for label in labels)
    elsewhere = [link for item in items for link in item.link if link.page != "method"]  # no button
    assert len(app.get("page_link")) == len(elsewhere)
    assert not app.info, "all results are here"
    assert not app.error


@pytest.mark.usefixtures("as_it_comes")
def test_only_the_first_figure_of_a_paper_is_worked_out_at_first() -> None:
    app = open_app("method", method_tab="As in the papers", papers_paper=TITLES["BVF"])
    items = [item for item in printed_items() if item.paper == "BVF"]
    first, second, *_ = [item for item in items if item.ours]
    open_at_first = [link for item in items if item.absent or item is first for link in item.link]
    elsewhere = [link for link in open_at_first if link.page != "method"]  # no button
    assert len(app.get("page_link")) == len(elsewhere)
    app.session_state[f"{PRINTED}{digest(second.title)}"] = True  # as its box is opened
    app.run()
    assert len(app.get("page_link")) == len(elsewhere) + len(second.link)


@pytest.mark.usefixtures("as_it_comes")
def test_the_tab_begins_with_one_answer() -> None:
    """Of a paper of drawings alone, which nothing of ours stands beside; and what the others say."""
    app = open_app("method", method_tab="As in the papers", papers_paper=TITLES["PVF"])
    items = [item for item in printed_items() if item.paper == "PVF"]
    answer = f"Our results stand beside none of the {len(items)} figures and tables in “Note on PVF”."
    assert f"##### {answer}" in app.texts
    assert all(f"**{item.number}.**" in app.texts for item in items)
    for paper, made, printed in product(PAPERS, (0, 1, 26), (26, 1)):
        assert len(papers_answer(paper, made, printed).split()) <= 25
    assert papers_answer("BVF", 2, 2) == (
        "Our results stand beside all of the 2 figures and tables in “Bias and Volatility”."
    )
