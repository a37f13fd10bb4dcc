"""Overview, Tilt and Heat map while their run is scored: what is complete of it, marked as that."""

from __future__ import annotations

import json
import re

import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.core.run import Progress, RunSpec, ScoredSentence
from pcf_core.store.store import Store
from pcf_core.work.jobs import Stopped
from pcf_core.work.requests import submit_run
from pcf_core.work.scoring import score_run
from tests.conftest import fake_scorer, fill
from tests.pages.opened import App, open_app, own_queue, own_store, usual_run
from tests.quick import quick
from tests.work.toy import stop_if

GROWING = {
    "overview": "Risk of Mini GPT",
    "tilt": "Preference by occupation",
    "heat_map": "Probability of words for",
}


def score_some(store: Store, run: RunSpec, cells: int, scorer: FakeScorer | None = None) -> None:
    """Score a run until so many of its cells are saved."""
    told: list[Progress] = []
    with pytest.raises(Stopped):
        score_run(
            run,
            store,
            lambda spec, protocol: scorer or fake_scorer(run.scoring, run.topic),
            told.append,
            stop_if(lambda: told[-1].done >= cells),
        )


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block is saved once it is whole."""
    monkeypatch.setattr("pcf_core.work.scoring.SAVE_SECONDS", 0.0)


def running(run: RunSpec) -> int:
    """Submit a run, as if a worker had taken it; return the job's id."""
    job = submit_run(own_store(), own_queue(), run, run.cells)
    assert own_queue().claim("somebody") is not None
    return job.id


def titles_of(app: App) -> list[str]:
    """The titles of the pictures on a page, on one line each."""
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return [re.sub(r"<[^>]*>", " ", spec["layout"]["title"]["text"]) for spec in specs]


@pytest.mark.parametrize("page", quick(GROWING, ("overview",).__contains__))
def test_a_run_shows_what_is_complete_and_is_replaced_by_the_whole(page: str, small_blocks: None) -> None:
    run = usual_run("mini-gpt")
    score_some(own_store(), run, 1000)
    job = running(run)
    app = open_app(page, model=["mini-gpt"])
    assert "of 120 occupations, Mini GPT's risk is" in app.texts
    assert "The result for all 120 will probably lie between" in app.texts
    (title,) = titles_of(app)
    assert "of 120 occupations so far: " in title
    assert GROWING[page] in title
    fill(own_store(), "mini-gpt")
    own_queue().finish(job, {})
    app.run()
    assert "so far" not in "".join([app.said, *titles_of(app)])
    assert "will probably lie" not in app.texts
    assert app.pictures(page)


def test_nothing_is_shown_of_a_run_that_is_not_being_scored(small_blocks: None) -> None:
    run = usual_run("mini-gpt")
    score_some(own_store(), run, 1000)
    job = running(run)
    own_queue().cancel(job)
    own_queue().release("somebody")
    app = open_app("overview", model=["mini-gpt"])
    assert "No result yet" in app.texts
    assert "of 120 occupations" not in app.texts


def test_no_figure_stands_beside_no_reliable_answer(small_blocks: None) -> None:
    run = usual_run("mini-gpt")
    score_some(own_store(), run, 1000, FakeScorer(lambda prompt, word: 1e-7, key=run.scoring))
    running(run)
    app = open_app("overview", model=["mini-gpt"])
    assert "of 120 occupations there is no reliable answer: in " in app.texts
    assert "risk is" not in app.texts
    assert not app.get("plotly_chart")


def test_the_last_sentence_stands_beside_the_bar() -> None:
    run = usual_run("mini-gpt")
    job = running(run)
    sentence = ScoredSentence(prompt="The nurse said that [Y]", preferences={"male": 0.11, "female": 0.89})
    at = Progress(stage="scoring", total=run.cells, begun=570, sentence=sentence)
    own_queue().note(job, at.model_dump())
    app = open_app("run_an_audit", model=["mini-gpt"])
    assert "“The nurse said that …” women 89 %" in app.captions
    (bar,) = app.get("progress")
    assert bar.proto.value == 25
