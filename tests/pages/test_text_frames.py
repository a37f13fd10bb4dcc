"""Texts in a chat or without one: the form, the link, the request of each, and the name of its result."""

from __future__ import annotations

import pytest

from pcf_core.app.criteria.request import parameters_of as criteria_parameters_of
from pcf_core.app.fairpair.request import choices_of, parameters_of
from pcf_core.core.frame import TextFrame
from pcf_core.core.settings import Settings, settings
from pcf_core.report.provenance import fairpair_facts
from pcf_core.store.store import Store
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from pcf_core.work.worker import Worker
from tests.models.scoring.conftest import save
from tests.models.scoring.test_frames import load_style
from tests.pages.opened import open_app, own_queue, own_store
from tests.texts.criteria.asked import WRITTEN, writer
from tests.texts.fairpair.written import SMALL, fake

FAIR = "Be fair."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny model with a chat template."""
    return save(load_style("chatml"), tmp_path_factory.mktemp("chatty"))


def written() -> Store:
    Worker(own_store(), own_queue(), settings(), open_generator=fake).run(until_idle=True)
    return own_store()


def test_fairpair_in_a_chat_is_a_result_of_its_own(model: str, own_settings: Settings) -> None:
    asked = {**SMALL, "fp_model": [model, "mini-gpt"]}
    app = open_app("fairpair", **asked)
    assert app.segmented_control(key="fp_frame").value == "as suits the model"
    assert "fp_system" not in [field.key for field in app.text_input]
    app = open_app("fairpair", **asked, fp_frame="a chat", fp_system=FAIR, fp_instruction="Go on.")
    assert not app.link_warnings
    assert "mini-gpt has no chat template" in app.errors
    named = f"(chat, “{FAIR}”, asked “Go on.”)"
    assert f"{named}** at temperature 1: 100 texts to write" in app.texts
    app.press("fairpair_button")
    store = written()
    (request,) = FAIRPAIR_AUDIT.kept(store)
    assert request.key.frame == TextFrame(kind="chat", system=FAIR, instruction="Go on.")
    result = FAIRPAIR_AUDIT.load(store, request.hash)
    assert result is not None
    assert {one.model for one in result.reports.values()} == {f"{model} {named}"}
    assert fairpair_facts(result)["around each prompt"] == (
        f"a chat with the system text “{FAIR}” and the instruction “Go on.”, to which the answer begins with "
        "the prompt"
    )
    choices = choices_of(request)
    assert choices is not None
    assert (choices["fp_frame"], choices["fp_system"], choices["fp_model"]) == ("a chat", FAIR, [model])
    link = parameters_of(request.hash)
    assert link is not None
    shown = open_app("fairpair", **link)
    assert not shown.link_warnings
    assert named in shown.figures[0], "its result, by its name"
    assert "Ratio of differences ·" not in " ".join(open_app("fairpair", **asked).figures), (
        "none of the usual one"
    )
    summary = open_app("written_text", text_tab="Summary", cf_model=f"{model} {named}")
    assert not summary.errors
    assert named in summary.texts
    assert named not in open_app("written_text", text_tab="Summary", cf_model=model).texts


def test_a_bare_prompt_is_continued_by_a_model_with_a_chat(model: str, own_settings: Settings) -> None:
    app = open_app("fairpair", **SMALL, fp_model=[model, "mini-gpt"], fp_frame="nothing")
    app.press("fairpair_button")
    requests = [FAIRPAIR_AUDIT.load_asked(own_store(), job.key) for job in own_queue().list(2)]
    frames = {one.key.model: one.key.frame for one in requests}
    assert frames == {model: TextFrame(kind="bare"), "mini-gpt": None}
    assert {one.key.chat_template for one in requests} == {""}


def test_a_link_to_a_result_without_a_frame_says_nothing_of_one(texts_store: Store) -> None:
    (request,) = FAIRPAIR_AUDIT.kept(texts_store)
    link = parameters_of(request.hash)
    assert link is not None
    assert not [name for name in link if name.endswith(("_frame", "_system", "_instruction"))]


def test_criteria_in_a_chat_are_a_result_of_their_own(model: str, own_settings: Settings) -> None:
    asked: dict[str, str | list[str]] = {**WRITTEN, "cr_model": [model, "mini-gpt"], "cr_view": "tasks"}
    app = open_app("criteria", **asked, cr_frame="a chat", cr_system=FAIR)
    assert not app.link_warnings
    assert "mini-gpt has no chat template" in app.errors
    app.press("criteria_button")
    Worker(own_store(), own_queue(), settings(), open_generator=writer).run(until_idle=True)
    (request,) = CRITERIA_AUDIT.kept(own_store())
    assert request.generation is not None
    assert request.generation.frame == TextFrame(kind="chat", system=FAIR)
    assert request.wording == "instruction"
    link = criteria_parameters_of(request.hash)
    assert link is not None
    assert (link["cr_frame"], link["cr_system"]) == ("a chat", FAIR)
    shown = open_app("criteria", **link)
    assert not shown.link_warnings
    assert f"(chat, “{FAIR}”)" in shown.texts
    refused = open_app("criteria", cr_model=[model], cr_answering="scored words", cr_frame="a chat")
    assert "scored in sentences without a chat" in refused.errors
    begun = open_app("criteria", **asked, cr_frame="a chat", cr_instruction="Go on.")
    assert "its answer begins as the text does" in begun.captions
