"""The tabs of Why?: factors, what a model read, how much its risk hangs on choices, what it knows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import streamlit as st

from benchmarks.fakes import FakeScorer
from pcf_core.app import data
from pcf_core.app.why.factors import LINE_COLUMNS, POINT_COLUMNS
from pcf_core.app.why.read import LINE_COLUMNS as READ_LINES
from pcf_core.app.why.read import READ_COLUMNS
from pcf_core.app.why.sensitivity import CHOICE_COLUMNS
from pcf_core.audit.knowledge import knowledge_report
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Results, result_name
from pcf_core.audit.sensitivity import sensitivity, sensitivity_kept
from pcf_core.core.factors import FactorPanel, Matching, Quantity
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.sensitivity import Sensitivities
from pcf_core.core.settings import Settings, settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.knowledge import OWN, load_knowledge
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.report.citing import RISK_PAPERS, citation_bibtex, citation_text
from pcf_core.report.reproducing import afresh
from pcf_core.report.sections.factors import panels_in, short_p
from pcf_core.show.findings.factors import (
    MATCHED,
    factors_finding,
    figures_note,
)
from pcf_core.show.findings.why import (
    confidence_finding,
    knowledge_finding,
    readings_finding,
    sensitivity_finding,
)
from pcf_core.store.results import result_path
from pcf_core.store.store import Store
from pcf_core.work.knowledge import score_knowledge
from pcf_core.work.worker import Worker
from tests.conftest import fill
from tests.pages.opened import App, open_app, own_queue, own_store, usual_run
from tests.pages.own import SKY
from tests.pages.walks import assert_state, assert_walk
from tests.quick import quick


def panels_of(
    store: Store, model: str, quantity: Quantity = "overall_risk", matching: Matching = "close"
) -> tuple[FactorPanel, ...]:
    report = Results(store).report(usual_run(model), ViewOptions())
    return panels_in(report, ViewOptions(), quantity, matching)


def test_four_panels_and_the_findings_of_every_model(full_store: Store) -> None:
    app = open_app("factors")
    assert_state(app, "factors of two models")
    for model in ("mini-bert", "mini-gpt"):
        panels = panels_of(full_store, model)
        assert factors_finding(model, panels) in app.texts
    lines = app.table_with("p_holm")
    assert len(lines) == 16
    assert set(lines["line"]) == {"OLS", "WLS"}
    for table, columns in ((lines, LINE_COLUMNS), (app.table_with("overall_risk"), POINT_COLUMNS)):
        assert not [name for name in table if "_" in columns.get(name, {"label": name})["label"]]


def test_a_link_names_the_model_the_part_and_the_broad_matches(full_store: Store) -> None:
    app = open_app("factors", factors_model="mini-gpt", factors_risk="caprice", broad="true")
    assert app.selectbox(key="factors_model").value == "mini-gpt"
    panels = panels_of(full_store, "mini-gpt", "caprice_risk", "broad")
    assert factors_finding("mini-gpt", panels) in app.texts
    table = app.table_with("caprice_risk")
    assert len(table[table["model"] == "Mini GPT"]) == sum(len(panel.points) for panel in panels)


def with_factor(data: str | bytes, name: str = "mine.csv") -> App:
    return open_app("factors").upload("own_factor_upload", name, data)


def factor(row: str) -> str:
    """A file of twenty occupations: its rows with i for a number, w for the next, s for every other sign."""
    rows = (
        f"{term},{row.format(i=i, w=i + 1, e=i - 8, s='-' * (i % 2))}\n"
        for i, term in enumerate(load_evidence("occupations-bvf").terms[:20])
    )
    return "occupation,value,weight\n" + "".join(rows)


@pytest.mark.slow
def test_a_file_of_the_users_own_is_a_panel_more_until_it_is_removed(full_store: Store) -> None:
    app = with_factor(factor("{i},{w}"), "*danger*.csv")
    assert len(app.get("plotly_chart")) == 5
    assert "*danger* +10" in app.figures
    assert "The 10 slopes" in app.texts
    app.switch_page("pages/caprice.py").run()
    app.switch_page("pages/why.py").run()
    assert len(app.get("plotly_chart")) == 5
    assert len(app.press("remove_own").get("plotly_chart")) == 4


TOO_LARGE = "values must be between 1e-9 and 1e12 in size"


@pytest.mark.parametrize(
    ("data", "refused"),
    [
        ("a\n1\n", "must name occupation and value"),
        (b"\xff\xfe", "is empty"),
        (
            "occupation,value\n" + "".join(f"nobody {i},{i}\n" for i in range(20)),
            "This file has none of the occupations shown here",
        ),
        *((f"{factor('{i},{w}')}nurse,{value},1\n", TOO_LARGE) for value in ("1e308", "-1e308", "3e-320")),
        (f"{factor('{i},{w}')}nurse,3,1e308\n", TOO_LARGE),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(
    full_store: Store, data: str | bytes, refused: str
) -> None:
    app = with_factor(data)
    assert refused in app.errors
    assert len(app.get("plotly_chart")) == 4


@pytest.mark.parametrize(
    "row",
    quick(
        ["{i}e-9,{w}e-9", "-{w}e10,1e12", "{w}e10,{w}", "1e12,1", "{i},1e{e}", "{s}1e12,{w}"],
        ("{i}e-9,{w}e-9", "{s}1e12,{w}").__contains__,
    ),
)
def test_sizes_at_the_ends_of_what_is_read_are_drawn(full_store: Store, row: str) -> None:
    app = with_factor(factor(row))
    assert not app.error
    assert len(app.get("plotly_chart")) == 5
    assert "unknown" not in app.captions


def test_occupations_the_statistics_do_not_know() -> None:
    fill(own_store(), "mini-gpt", evidence="occupations-zh")
    app = open_app("factors", model=["mini-gpt"], evidence="occupations-zh")
    assert "None of these occupations is in the US labour statistics" in app.texts
    assert not app.get("plotly_chart")
    assert "No line is fitted to the risk of Mini GPT" in app.texts
    assert "0 points, fewer than 10" in app.captions


def test_key_figures_name_their_model_and_what_survives(full_store: Store) -> None:
    app = open_app("factors", factors_model="mini-gpt")
    panels = panels_of(full_store, "mini-gpt")
    assert figures_note("mini-gpt", panels) in app.captions
    for metric, panel in zip(app.metric, panels, strict=True):
        assert panel.ols is not None
        assert f" · {short_p(panel.ols)}" in metric.delta.replace("\\", "")
        assert len(metric.label) < 24


READ = "what it read"


def test_the_view_compares_every_model_whose_text_is_known(full_store: Store) -> None:
    app = open_app("factors", factors_view=READ, read_model="mini-gpt")
    table, lines, missing = (app.table_with(name) for name in ("share_he", "plain_low", "because"))
    nurse = table[(table["occupation"] == "nurse") & (table["model"] == "Mini GPT")].iloc[0]
    assert (nurse["he"], nurse["she"]) == (16, 69)
    assert (len(table), len(missing)) == (2 * 83, 120 - 83)
    assert list(lines["model"]) == ["Mini BERT", "Mini GPT"]
    assert "cook" in set(missing["occupation"])
    for shown, columns in ((table, READ_COLUMNS), (lines, READ_LINES)):
        assert not [name for name in shown if "_" in columns.get(name, {"label": name})["label"]]


@pytest.mark.slow
def test_tilt_has_the_row_and_the_sentences_until_they_are_switched_off(full_store: Store) -> None:
    app = open_app("tilt")
    assert "The differences between 83 occupations are smaller in Mini GPT" in app.texts
    assert "training text" in app.get("plotly_chart")[0].proto.spec
    assert "59,539 biographies" in app.captions
    assert "The 95 % ranges of slope and shift allow for" in app.captions
    app.selectbox(key="occupation").set_value("nurse").run()
    assert (
        "In the training text, 19 % (12–28 %) of 85 biographies that name “nurse” mostly say “he”"
        in app.texts
    )
    app.toggle(key="read").set_value(False).run()
    assert "are smaller in Mini GPT" not in app.texts
    assert "training text" not in app.get("plotly_chart")[0].proto.spec


@pytest.mark.slow
def test_another_model_is_said_not_to_be_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of a shipped folder with another configuration is another model, under whatever name."""
    folder = tmp_path / "own" / "mini-gpt-2"
    shutil.copytree(settings().assets / "models" / "mini-gpt", folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "n_head": 2}))
    monkeypatch.setenv("PCF_MODELS", str(folder.parent))
    settings.cache_clear()
    store = own_store()
    fill(store, "mini-gpt-2")
    app = open_app("factors", factors_view=READ, model=["mini-gpt-2"])
    assert "We do not know what text mini-gpt-2 was trained on" in app.infos
    assert not app.button
    fill(store, "mini-gpt")
    assert (
        "was trained on"
        not in open_app("factors", factors_view=READ, model=["mini-gpt-2"])
        .press_label("Show Mini GPT instead")
        .infos
    )
    both = open_app("factors", factors_view=READ, model=["mini-gpt-2", "mini-gpt"])
    assert "We do not know what text mini-gpt-2 was trained on" in both.captions
    assert "are smaller in Mini GPT than in its training text" in both.texts


@pytest.mark.slow
def test_other_groups_and_unknown_occupations_are_one_sentence() -> None:
    store = own_store()
    fill(store, "mini-gpt", topic_name="race")
    app = open_app("factors", factors_view=READ, model=["mini-gpt"], topic="race")
    assert "so this page shows men and women" in app.infos
    fill(store, "mini-gpt", evidence="occupations-zh")
    app = open_app("factors", factors_view=READ, model=["mini-gpt"], evidence="occupations-zh")
    assert "is named in enough documents" in app.infos


def read_jobs() -> list[tuple[str, str]]:
    return [(job.kind, job.state) for job in own_queue().list(kind="read")]


@pytest.fixture
def gpt_store() -> Store:
    """One model's key, scored by the fake."""
    store = own_store()
    fill(store, "mini-gpt")
    return store


@pytest.fixture
def serve(own_settings: Settings, gpt_store: Store) -> Worker:
    return Worker(gpt_store, own_queue(), own_settings)


def test_the_page_says_what_the_library_finds(full_store: Store) -> None:
    app = open_app("sensitivity", template_weights="equal")
    assert_state(app, "sensitivity equal weights")
    options = ViewOptions(template_weighting="equal")
    choices = Sensitivities(
        {model: sensitivity(full_store, usual_run(model), options) for model in ("mini-bert", "mini-gpt")}
    )
    assert readings_finding(choices, "") in app.texts
    for model, one in choices.models.items():
        moved = sensitivity_finding(model, one).partition(". ")[2].partition(" In samples")[0]
        assert moved.startswith("With ")
        assert moved in app.texts


def test_a_table_of_each_choice_and_model_has_all_three_risks(full_store: Store) -> None:
    frames = [frame.value for frame in open_app("sensitivity").dataframe]
    table = next(frame for frame in frames if "rank" in frame and (frame["choice"] == "as chosen").any())
    assert set(table["model"]) == {"Mini BERT", "Mini GPT"}
    gaps = table["overall_risk"] - table["prejudice_risk"] - table["caprice_risk"]
    assert abs(gaps).max() < 1e-12
    assert (table.loc[table["choice"] == "as chosen", "change"] == 0).all()
    assert not [column for column in table if "_" in CHOICE_COLUMNS.get(column, {"label": column})["label"]]
    assert table.loc[table["choice"] == "published scripts", "stereotype_sd"].isna().all()


def test_every_word_left_out_is_listed_where_its_box_is_opened(gpt_store: Store) -> None:
    app = open_app("sensitivity", model=["mini-gpt"])
    tables = [frame.value for frame in app.dataframe if "rank" in frame.value]
    app.session_state["each_open"] = True
    more = [frame.value for frame in app.run().dataframe if "rank" in frame.value]
    assert len(more) == len(tables) + 1
    assert any(table["how"].str.startswith("random half").any() for table in more)


def test_the_slopes_stand_under_every_matching(gpt_store: Store) -> None:
    app = open_app("sensitivity", model=["mini-gpt"], sensitivity_risk="prejudice")
    assert not [frame for frame in app.dataframe if "matching" in frame.value], "drawn where it is opened"
    app.session_state["matching_open"] = True
    table = app.run().table_with("matching")
    assert len(table) == 4 * 2 * 3
    assert list(table["matching"][:3]) == list(MATCHED.values())
    item = Results(gpt_store).report(usual_run("mini-gpt"), ViewOptions())
    exact = panels_in(item, ViewOptions(), "prejudice_risk", "exact")
    rows = table[(table["matching"] == MATCHED["exact"]) & (table["line"] == "OLS")].set_index("factor")
    for panel in exact:
        assert panel.ols is not None
        assert rows.loc[panel.scale.noun, "slope"] == pytest.approx(panel.scale.step * panel.ols.slope)
        assert rows.loc[panel.scale.noun, "n"] == panel.ols.n
    assert "the prejudice of Mini GPT" in app.texts
    assert "Whichever matches count" in app.texts or "depends on which matches count" in app.texts


@pytest.mark.slow
def test_a_large_table_is_worked_out_by_the_worker(
    gpt_store: Store, own_settings: Settings, serve: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was worked out in vain, since it is gone, is worked out by the page."""
    monkeypatch.setitem(data.MOST_CELLS, "sensitivity", 10)
    app = open_app("sensitivity", model=["mini-gpt"])
    assert "calculated once" in app.texts
    assert "waiting" in app.texts
    assert not app.get("plotly_chart")
    app.run()
    assert read_jobs() == [("read", "queued")]
    run = usual_run("mini-gpt")
    assert not sensitivity_kept(gpt_store, run, ViewOptions())
    serve.run(until_idle=True)
    assert read_jobs() == [("read", "done")]
    app.run()
    assert len(app.get("plotly_chart")) == 1
    assert "calculated once" not in app.texts
    for path in result_path(own_settings.cache, run.key, "x").parent.glob("sensitivity-*"):
        path.unlink()
    st.cache_resource.clear()
    assert len(open_app("sensitivity", model=["mini-gpt"]).get("plotly_chart")) == 1
    assert read_jobs() == [("read", "done")]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["risk", "tilt", "overview"])
def test_every_page_waits_for_another_grouping_of_a_large_run(
    gpt_store: Store, serve: Worker, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(data.MOST_CELLS, "preferences", 10)
    app = open_app(page, model=["mini-gpt"])
    assert read_jobs() == []  # the usual reading is kept
    assert len(app.pictures(page))
    app = open_app(page, model=["mini-gpt"], protocol="single-token")
    assert "results with other reading options" in app.texts
    job = own_queue().list(kind="read")[0]
    app.press(f"cancel_{job.id}")
    assert read_jobs() == [("read", "cancelled")]
    app.run()
    assert read_jobs() == [("read", "cancelled")]  # it is not asked for again by itself
    app.press(f"retry_{job.id}")
    serve.run(until_idle=True)
    run = usual_run("mini-gpt")
    assert gpt_store.has_result(run.key, result_name(run, "single-token"))
    assert len(open_app(page, model=["mini-gpt"], protocol="single-token").pictures(page))


@pytest.mark.slow
def test_means_over_words_are_read_from_the_kept_sums(
    gpt_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No job, however large; gender's groups have as many words each, so the numbers stay."""
    monkeypatch.setitem(data.MOST_CELLS, "preferences", 10)
    values = [
        [metric.value for metric in open_app("risk", model=["mini-gpt"], aggregation=how).metric]
        for how in ("sum", "mean")
    ]
    assert values[0] == values[1]
    assert read_jobs() == []


CONTINENTS = load_knowledge("continents")
RIGHT = {fact.subject: fact.right[0] for fact in CONTINENTS.facts}


def probability(prompt: str, word: str) -> float:
    """Africa is known well, and better in longer prompts; elsewhere all answers get the same."""
    is_known = any(subject in prompt and answer == word == "Africa" for subject, answer in RIGHT.items())
    return 0.01 * len(prompt) / 60 if is_known else 0.002


def fake(spec: ModelSpec, protocol: str) -> Scorer:
    return FakeScorer(probability, key=ScoringKey.of(spec, protocol))


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr("pcf_core.work.self_audit.PART_OF_TIME", 1e9)  # all drawn prompts are checked
    store = own_store()
    score_knowledge(CONTINENTS, ScoringKey.of(resolve("mini-gpt")), store, fake)
    return store


def test_what_is_known_is_said_drawn_and_listed(scored: Store) -> None:
    app = open_app("knowledge", model="mini-gpt")
    report = knowledge_report(scored, ScoringKey.of(resolve("mini-gpt")), CONTINENTS)
    assert knowledge_finding("mini-gpt", report) in app.texts
    assert confidence_finding(report).replace(" %", " %") in app.texts
    assert len(app.get("plotly_chart")) == 1
    assert len(app.dataframe[0].value) == 60
    best = max(report.facts, key=lambda fact: fact.knowledge)
    assert f"**{best.subject}**  \nRight: {', '.join(best.right)}" in app.texts, "as a card, for a telephone"
    assert app.figures == ["Knowledge · Mini GPT"]
    commands = [code.value for code in app.open_foot().code]
    floor = app.table[0].value["value"]["noise floor"].replace("\\", "")
    assert floor.startswith("Scored again one at a time, ")
    assert "100 scores in 50 test sentences" in floor
    text, bibtex, command, scratch = commands[-4:]
    assert (text, bibtex) == (citation_text(RISK_PAPERS), citation_bibtex(RISK_PAPERS))
    assert "knowledge --model mini-gpt --set continents --score sqrt" in command
    assert scratch == afresh(command)
    assert not app.error


def test_a_model_without_results_leads_to_one_that_has_some(scored: Store) -> None:
    app = open_app("knowledge", model="mini-bert")
    assert not app.figures
    assert app.press_label("Show Mini GPT instead").figures == ["Knowledge · Mini GPT"]


@pytest.mark.slow
def test_what_was_not_scored_is_queued_and_answered_by_a_worker(
    scored: Store, own_settings: Settings
) -> None:
    answering = ("do", lambda: Worker(scored, own_queue(), own_settings, fake).run(until_idle=True))
    app = open_app("knowledge", model=["mini-gpt", "mini-bert"])
    assert_walk(app, "facts are scored", "score_knowledge", answering)
    assert app.figures == ["Knowledge · Mini GPT", "Knowledge · Mini BERT"]
    assert "Mini BERT · knowledge · Continents of countries" in open_app("run_an_audit").texts.replace(
        "*", ""
    )


def test_scores_without_an_audit_say_so(scored: Store, own_settings: Settings) -> None:
    """As those that an earlier version shipped."""
    shutil.rmtree(own_settings.cache / "results")
    app = open_app("knowledge", model="mini-gpt").open_foot()
    assert app.table[0].value["value"]["noise floor"].startswith("not audited")
    assert not app.error


@pytest.mark.slow
def test_a_set_of_ones_own_is_kept_queued_scored_and_read(own_settings: Settings) -> None:
    OWN.save(OWN.read_upload([("my-sky.csv", SKY.encode())]))
    app = open_app("knowledge", model="mini-gpt", facts="my-sky")
    answering = ("do", lambda: Worker(own_store(), own_queue(), own_settings, fake).run(until_idle=True))
    assert_walk(app, "facts of ones own are scored", "score_knowledge", answering)
    command = app.open_foot().code[-1].value
    assert command.startswith("python -m pcf_core knowledge --model mini-gpt --set my-sky")
