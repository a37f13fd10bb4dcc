"""The tab Factors: its sentences are the library's, its controls are obeyed, a file is one panel more."""

from __future__ import annotations

import pytest

from pcf_core.app.why.factors import LINE_COLUMNS, POINT_COLUMNS
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.audit.results import Results
from pcf_core.core.factors import FactorPanel, Matching, Quantity
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.report.sections.factors import panels_in, short_p
from pcf_core.show.findings.factors import factors_finding, figures_note, link_strength, templates_note
from pcf_core.store.store import Store
from tests.pages.opened import open_app, own_store
from tests.quick import quick


def panels_of(
    store: Store, model: str, quantity: Quantity = "overall_risk", matching: Matching = "close"
) -> tuple[FactorPanel, ...]:
    topic = load_topic("gender")
    run = build_run(resolve(model), topic, load_evidence(topic.evidence), load_templates("gender-nineteen"))
    return panels_in(Results(store).report(run, ViewOptions()), ViewOptions(), quantity, matching)


def test_an_empty_store_offers_to_score() -> None:
    app = open_app("factors")
    assert app.titles == ["Why?"]
    assert app.button(key="score_missing").label == "Score what is missing"


def test_four_panels_and_the_findings_of_every_model(full_store: Store) -> None:
    app = open_app("factors")
    assert not app.error
    assert len(app.get("plotly_chart")) == 4
    assert app.figures[1] == "Education +1 year"
    for model in ("mini-bert", "mini-gpt"):
        panels = panels_of(full_store, model)
        assert factors_finding(model, panels) in app.texts
    assert "The 8 slopes of a model are tested together" in app.texts
    assert templates_note(panels_of(full_store, "mini-bert")) in app.texts
    assert app.captions.count("All occupations alike (solid)") == 4
    assert all(link_strength(panel) in app.texts for panel in panels_of(full_store, "mini-bert"))
    lines = app.table_with("p_holm")
    assert len(lines) == 16
    assert set(lines["line"]) == {"OLS", "WLS"}
    points = app.table_with("overall_risk")
    for table, columns in ((lines, LINE_COLUMNS), (points, POINT_COLUMNS)):
        assert not [name for name in table if "_" in columns.get(name, {"label": name})["label"]]


def test_a_link_names_the_model_the_part_and_the_broad_matches(full_store: Store) -> None:
    app = open_app("factors", factors_model="mini-gpt", factors_risk="caprice", broad="true")
    assert app.selectbox(key="factors_model").value == "mini-gpt"
    panels = panels_of(full_store, "mini-gpt", "caprice_risk", "broad")
    assert factors_finding("mini-gpt", panels) in app.texts
    table = app.table_with("caprice_risk")
    assert len(table[table["model"] == "mini-gpt"]) == sum(len(panel.points) for panel in panels)


def test_exact_matches_alone_are_a_choice(full_store: Store) -> None:
    app = open_app("factors", factors_model="mini-gpt", close="false")
    panels = panels_of(full_store, "mini-gpt", matching="exact")
    assert factors_finding("mini-gpt", panels) in app.texts
    assert panels[0].points != panels_of(full_store, "mini-gpt")[0].points


def test_what_was_left_out_is_a_table_with_reasons(full_store: Store) -> None:
    app = open_app("factors")
    table = app.table_with("because")
    director = table[table["occupation"] == "director"].iloc[0]
    assert director["left out of"] == "wage, education, women's share"
    assert "Producers and directors" in director["because"]


@pytest.mark.slow
def test_a_file_of_the_users_own_is_a_panel_more_until_it_is_removed(full_store: Store) -> None:
    app = open_app("factors")
    terms = load_evidence("occupations-bvf").terms[:20]
    rows = "".join(f"{term},{i},{i + 1}\n" for i, term in enumerate(terms))
    app.file_uploader(key="own_factor_upload").upload(
        "*danger*.csv", f"occupation,value,weight\n{rows}".encode()
    )
    app.run()
    assert len(app.get("plotly_chart")) == 5
    assert "\\*danger\\* +10" in app.figures
    assert "The 10 slopes" in app.texts
    app.switch_page("pages/caprice.py").run()
    app.switch_page("pages/why.py").run()
    assert len(app.get("plotly_chart")) == 5
    app.press("remove_own")
    assert len(app.get("plotly_chart")) == 4


@pytest.mark.parametrize(
    ("data", "said"), [(b"a,b\n1,2\n", "must name occupation and value"), (b"\xff\xfe", "not UTF-8")]
)
def test_a_file_that_cannot_be_read_is_one_sentence(full_store: Store, data: bytes, said: str) -> None:
    app = open_app("factors")
    app.file_uploader(key="own_factor_upload").upload("mine.csv", data).run()
    assert said in app.errors
    assert len(app.get("plotly_chart")) == 4


@pytest.mark.parametrize(
    ("value", "weight"),
    quick(
        [("1e308", "1"), ("-1e308", "1"), ("3e200", "1"), ("3e-320", "1"), ("3", "1e308")],
        [("3e-320", "1"), ("3", "1e308")].__contains__,
    ),
)
def test_numbers_that_cannot_be_reckoned_with_are_one_sentence(
    full_store: Store, value: str, weight: str
) -> None:
    app = open_app("factors")
    terms = load_evidence("occupations-bvf").terms[:20]
    rows = "".join(f"{term},{i},{i + 1}\n" for i, term in enumerate(terms[1:]))
    data = f"occupation,value,weight\n{rows}{terms[0]},{value},{weight}\n"
    app.file_uploader(key="own_factor_upload").upload("mine.csv", data.encode()).run()
    assert "sizes between 1e-9 and 1e12 are read" in app.errors
    assert len(app.get("plotly_chart")) == 4


@pytest.mark.parametrize(
    "row",
    quick(
        ["{i}e-9,{w}e-9", "-{w}e10,1e12", "{w}e10,{w}", "1e12,1", "{i},1e{e}", "{s}1e12,{w}"],
        ("{i}e-9,{w}e-9", "{s}1e12,{w}").__contains__,
    ),
)
def test_sizes_at_the_ends_of_what_is_read_are_drawn(full_store: Store, row: str) -> None:
    app = open_app("factors")
    terms = load_evidence("occupations-bvf").terms[:20]
    rows = "".join(
        f"{term},{row.format(i=i, w=i + 1, e=i - 8, s='-' * (i % 2))}\n" for i, term in enumerate(terms)
    )
    app.file_uploader(key="own_factor_upload").upload(
        "mine.csv", f"occupation,value,weight\n{rows}".encode()
    ).run()
    assert not app.error
    assert len(app.get("plotly_chart")) == 5
    assert "unknown" not in app.captions


def test_occupations_the_statistics_do_not_know() -> None:
    from tests.conftest import fill

    fill(own_store(), "mini-gpt", evidence="occupations-zh")
    app = open_app("factors", model=["mini-gpt"], evidence="occupations-zh")
    assert "No line is fitted to the risk of mini-gpt" in app.texts
    assert "0 points, fewer than 10" in app.captions


def test_a_file_without_a_known_occupation_is_not_used_and_says_so(full_store: Store) -> None:
    app = open_app("factors")
    rows = "".join(f"nobody {i},{i}\n" for i in range(20))
    app.file_uploader(key="own_factor_upload").upload("mine.csv", f"occupation,value\n{rows}".encode()).run()
    assert "No occupation of this file" in app.errors
    assert "0 of 120 occupations here have a value" in app.texts
    assert len(app.get("plotly_chart")) == 4


def test_key_figures_name_their_model_and_what_survives(full_store: Store) -> None:
    app = open_app("factors", factors_model="mini-gpt")
    panels = panels_of(full_store, "mini-gpt")
    assert figures_note("mini-gpt", panels) in app.captions
    for metric, found in zip(app.metric, panels, strict=True):
        assert found.ols is not None
        assert f" · {short_p(found.ols)}" in metric.delta.replace("\\", "")
        assert len(metric.label) < 24
