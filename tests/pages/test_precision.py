"""The precision of a model on pages: chosen, in links, said beside what is shown, and compared."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pcf_core.app.addresses import Choice, parameters_for
from pcf_core.app.lists import parameters_of
from pcf_core.app.report import finished_runs
from pcf_core.audit.options import ViewOptions
from pcf_core.core.run import RunSpec
from pcf_core.models import precision
from pcf_core.store.store import Store
from pcf_core.work.requests import ProbeRequest, ScoreRequest
from tests.conftest import fill
from tests.pages.opened import open_app, own_queue, own_store
from tests.quick import quick

NARROW = "mini-gpt (bfloat16)"
READ_PAGES = ["overview", "heat_map", "tilt", "risk", "caprice", "compare", "report", "case_file"]


@pytest.fixture
def narrow_run() -> RunSpec:
    """The one finished run of a cache: mini-gpt in bfloat16."""
    return fill(own_store(), "mini-gpt", dtype="bfloat16")


@pytest.fixture
def both_runs(full_store: Store) -> RunSpec:
    """The same run beside those of both models in float32."""
    return fill(full_store, "mini-gpt", dtype="bfloat16")


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this machine have a GPU that computes with every type."""
    monkeypatch.setattr(precision, "_capability", lambda: 9.0)
    return


@pytest.mark.parametrize("page", quick(READ_PAGES, ("overview", "risk", "case_file").__contains__))
def test_the_link_of_a_narrow_run_opens_it_on_every_page(narrow_run: RunSpec, page: str) -> None:
    asked = parameters_of(narrow_run)
    assert asked["precision"] == ["bfloat16"]
    app = open_app(page, **asked)
    assert not app.error
    assert "Not scored yet" not in app.texts
    assert app.multiselect(key="precision").value == ["bfloat16"]
    if page in ("overview", "risk", "heat_map"):
        said = app.texts + "".join(str(one.options) for one in app.selectbox)
        assert NARROW in said
    if page == "case_file":
        assert "The risk is of scores in bfloat16." in [caption.value for caption in app.caption]


def test_a_link_without_a_precision_shows_what_there_are_results_in(narrow_run: RunSpec) -> None:
    app = open_app("risk", model=["mini-gpt"])
    assert NARROW in app.texts
    assert "Not scored yet" not in app.texts


def test_float32_goes_first_on_a_cpu(both_runs: RunSpec) -> None:
    assert NARROW not in open_app("risk", model=["mini-gpt"]).texts


def test_another_precision_than_there_is_is_not_scored_yet_and_is_what_is_offered(full_store: Store) -> None:
    app = open_app("risk", model=["mini-gpt"], precision="float16")
    assert "Not scored yet:** mini-gpt (float16)" in app.texts
    app.press("score_missing")
    (job,) = own_queue().list(5, kind="score")
    asked = ScoreRequest.model_validate(job.payload)
    assert full_store.load_run(asked.run).scoring.dtype == "float16"
    assert "**mini-gpt (float16)**" in app.texts


def test_what_comes_with_the_app_is_shown_beside_a_gpu_too(full_store: Store, gpu: None) -> None:
    """The shipped models' own precision is float16, and their shipped results are float32."""
    said = open_app("risk", model=["mini-gpt"]).texts
    assert "Not scored yet" not in said
    assert "float16" not in said


def test_two_precisions_of_one_model_are_compared(both_runs: RunSpec) -> None:
    app = open_app("compare", model=["mini-gpt"], precision=["float32", "bfloat16"])
    assert not app.error
    sides = [app.selectbox(key=f"compare_{side}") for side in ("first", "second")]
    assert [side.value for side in sides] == ["mini-gpt", NARROW]
    assert f"and that of {NARROW} (" in app.texts


@pytest.mark.parametrize("page", ["compare", "risk"])
def test_the_noise_floor_of_each_precision_stands_beside_it(both_runs: RunSpec, page: str) -> None:
    app = open_app(page, model=["mini-gpt"], precision=["float32", "bfloat16"]).open_foot()
    facts = [table.value["value"] for table in app.table if "noise floor" in table.value.index]
    assert [fact["precision"] for fact in facts] == ["float32", "bfloat16"]
    assert all("Scored again one at a time, " in fact["noise floor"] for fact in facts)


def test_every_scored_run_says_its_precision_on_overview_and_in_reports(both_runs: RunSpec) -> None:
    app = open_app("overview", all_runs="true").open_foot("Data")
    assert set(app.dataframe[0].value["model"]) == {"mini-bert", "mini-gpt", NARROW}
    assert len(app.dataframe) == 3
    assert all(NARROW in frame.value.to_numpy() for frame in app.dataframe[1:])  # every run; the data
    assert [label for label in finished_runs() if label.startswith(NARROW)]


def test_score_asks_for_the_chosen_precision() -> None:
    memory = {}
    for dtype in ("float32", "bfloat16"):
        app = open_app("run_an_audit", score_model=["mini-gpt"], score_precision=dtype)
        line = next(line for line in app.texts.splitlines() if line.startswith(f"**mini-gpt** · {dtype}"))
        memory[dtype] = next(part for part in line.split(" · ") if part.endswith(" memory"))
    assert float(memory["bfloat16"].split()[0]) < float(memory["float32"].split()[0])
    app.press("score_button")
    (job,) = own_queue().list(5, kind="score")
    asked = ScoreRequest.model_validate(job.payload)
    assert own_store().load_run(asked.run).scoring.dtype == "bfloat16"
    assert asked.model == NARROW


def test_auto_scores_in_the_models_own_precision_where_there_is_a_gpu(gpu: None) -> None:
    assert "**mini-gpt** · float16" in open_app("run_an_audit", score_model=["mini-gpt"]).texts


def test_a_probe_is_asked_in_the_chosen_precision() -> None:
    open_app("try_a_sentence", model=["mini-gpt"], precision="bfloat16")
    (job,) = own_queue().list(5, kind="probe")
    assert ProbeRequest.model_validate(job.payload).dtype == "bfloat16"


def test_an_empty_field_is_auto_and_a_wrong_link_is_told(full_store: Store) -> None:
    app = open_app("risk", model=["mini-gpt"])
    app.multiselect(key="precision").set_value([]).run()
    assert "Not scored yet" not in app.texts
    told = [warning.value for warning in open_app("risk", model=["mini-gpt"], precision="int4").warning]
    assert any("int4" in text and "bfloat16" in text for text in told)


def test_rows_of_overview_are_opened_in_their_precisions() -> None:
    assert parameters_for([NARROW]) == {"model": ["mini-gpt"], "precision": ["bfloat16"]}
    both = {"model": ["mini-gpt"], "precision": ["float32", "bfloat16"]}
    assert parameters_for(["mini-gpt", NARROW]) == both


def test_links_between_pages_keep_the_precisions() -> None:
    choice = Choice(("m",), "race", "mine", "few", ViewOptions(), precisions=("float32", "bfloat16"))
    assert choice.parameters["precision"] == ["float32", "bfloat16"]
    assert choice.asked == (("m", "float32"), ("m", "bfloat16"))
