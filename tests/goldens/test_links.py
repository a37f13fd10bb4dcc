"""Every link: pages and tabs, where old addresses lead, and what addresses say of choices, and back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pcf_core.app import addresses
from pcf_core.app.addresses import (
    OLD,
    OLD_VIEWS,
    TAB_OF,
    TABS,
    Choice,
    Place,
    choice_of,
    leads_to,
    parameters_for,
    precisions_called,
    precisions_named,
)
from pcf_core.app.criteria import request as criteria_links
from pcf_core.app.fairpair import request as fairpair_links
from pcf_core.app.lists import parameters_of as parameters_of_run
from pcf_core.app.method.as_in_papers import address_of
from pcf_core.app.present import in_full
from pcf_core.app.run.request import First
from pcf_core.app.shell import SECTIONS
from pcf_core.audit.options import PageOptions, ViewOptions
from pcf_core.core.options import declared, from_page, link_values, page_values
from pcf_core.material.published import printed_items
from pcf_core.models.names import PRECISIONS
from pcf_core.store.store import Store
from tests.goldens.recorded import assert_recorded
from tools.ship_audits import ASKED, WRITERS, usual_criteria, usual_fairpair
from tools.ship_results import RUNS

CHOICE = Choice(
    models=("mini-bert", "mini-gpt"),
    topic="gender",
    templates="gender-wikipedia-100",
    evidence="occupations-pcf",
    options=ViewOptions(),
)
VALUES = [(name, value) for name, field in declared(PageOptions).items() for value in field.offered]


def test_pages_and_tabs() -> None:
    pages = {
        title: {page: [page_title, *rest] for page, page_title, *rest in pages}
        for title, pages in SECTIONS.items()
    }
    named = {name: place for name, place in vars(addresses).items() if isinstance(place, Place)}
    tabs = [Place(page, tab) for page, tabs in TABS.items() for tab in tabs]
    assert_recorded(
        "links/pages",
        {
            "sections": pages,
            "named": {name: [place.file, place.parameters] for name, place in named.items()},
            "tabs": [[place.file, place.parameters] for place in tabs],
            "tab of": TAB_OF,
        },
    )


def test_old_addresses() -> None:
    said: dict[str, str | list[str]] = {"model": ["mini-bert"], "topic": "gender"}
    plain = {old: leads_to(old, said) for old in OLD}
    views = {
        f"{page}?{name}={value}": leads_to(page, {**said, name: value}) for page, name, value in OLD_VIEWS
    }
    other = {f"{page}?{name}=other": leads_to(page, {**said, name: "other"}) for page, name, _ in OLD_VIEWS}
    assert_recorded("links/old_addresses", plain | views | other)


def test_addresses_of_the_shared_choice() -> None:
    choices = {
        "usual": CHOICE,
        "half precision": replace(CHOICE, precisions=("bfloat16", "auto")),
        "over both": replace(CHOICE, over="both"),
        "an own file": replace(CHOICE, options=ViewOptions(occupation_weights="own.csv", margin="0.03")),
    }
    assert_recorded("links/choice", {name: choice.parameters for name, choice in choices.items()})
    labels = ["mini-bert", "mini-gpt (bfloat16)", "mini-bert (float16)"]
    presented = [in_full({"present": said}) for said in ("1", "true", ["true", "1"], "no")]
    first = First(["mini-bert"], "gender", "gender-wikipedia-100", "occupations-pcf")
    assert_recorded(
        "links/parts_of_choices",
        {
            "models in precisions": parameters_for(labels),
            "precisions": dict(zip(PRECISIONS, precisions_called(PRECISIONS), strict=True)),
            "presented": presented,
            "form of a run": first.fields,
        },
    )
    assert precisions_named(precisions_called(PRECISIONS)) == [*PRECISIONS]


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_an_option_comes_back_from_a_link(name: str, value: str) -> None:
    options = PageOptions.model_validate({name: value})
    assert from_page(PageOptions, page_values(options)) == options
    assert from_page(PageOptions, link_values(options)) == options
    choice = replace(CHOICE, options=ViewOptions(**options.model_dump(exclude={"over"})), over=options.over)
    assert choice_of(choice.parameters) == choice


def test_parameters_and_command_line_options_of_view_options() -> None:
    fields = declared(PageOptions)
    assert_recorded(
        "links/view_options",
        {
            name: {
                "parameter": field.url,
                "option": field.flag,
                "default": field.default,
                "values": field.called,
                "old values": field.spec.old,
            }
            for name, field in fields.items()
        },
    )
    old = {
        name: from_page(PageOptions, page_values(PageOptions()) | {field.url: value})
        for name, field in fields.items()
        for value in field.spec.old
    }
    assert all(getattr(options, name) in fields[name].offered for name, options in old.items())


def test_addresses_of_runs(shipped_store: Store) -> None:
    named = [(item, item.run) for item in RUNS]
    runs = {f"{run.scoring.name} · {item.topic} · {item.templates}": run for item, run in named}
    assert_recorded("links/runs", {name: parameters_of_run(run) for name, run in runs.items()})


def test_addresses_of_text_audits(shipped_store: Store) -> None:
    fairpair = {model: fairpair_links.parameters_of(usual_fairpair(model)[0].hash) for model in WRITERS[:2]}
    criteria = {
        f"{model} · {name}": criteria_links.parameters_of(usual_criteria(model, name)[0].hash)
        for model, name in ASKED
    }
    assert_recorded("links/text_audits", {"fairpair": fairpair, "criteria": criteria})


def test_links_to_what_the_papers_print(shipped_store: Store) -> None:
    links = {
        f"{item.paper} · {item.number} · {link.label}": [link.page, link.tab, address_of(link)]
        for item in printed_items()
        for link in item.link
    }
    assert_recorded("links/papers", links)
