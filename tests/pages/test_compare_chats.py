"""Compare along the axis *instruction*: one model bare, in its chat, and with system texts."""

from __future__ import annotations

import pytest

from pcf_core.audit.comparing import compared, controlled
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import load_result
from pcf_core.core.frame import BARE, Frame
from pcf_core.core.records import digest
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.show.findings.comparison import chat_finding
from pcf_core.store.store import Store
from tests.pages.opened import App, open_app, own_store, score_with, usual_run

CHAT = Frame(kind="chat", text="user: Continue the text.\nassistant: ")
FAIR = CHAT.model_copy(update={"system": "Be fair.", "text": f"system: Be fair.\n{CHAT.text}"})
TOLD = CHAT.model_copy(update={"instruction": "Write.", "text": "user: Write.\nassistant: "})
SHARES = {BARE: 0.9, CHAT: 0.8, FAIR: 0.6, TOLD: 0.8}  # of he, about so in every sentence
OF_MINI = {"compare_view": "along an axis", "compare_axis": "instruction", "model": ["mini-gpt"]}


def run_in(frame: Frame) -> RunSpec:
    run = usual_run("mini-gpt")
    key = run.scoring.model_copy(update={"frame": None if frame == BARE else frame})
    return run.model_copy(update={"scoring": ScoringKey.model_validate(key.model_dump())})


def score_in(frame: Frame, scale: float = 1.0, **key: str) -> RunSpec:
    """A run in which the model prefers "he", by a little more or less from sentence to sentence.

    ``scale``: of all probabilities, so that the words are hardly used.  ``key``: what differs in its key.
    """
    run = run_in(frame)
    run = run.model_copy(update={"scoring": run.scoring.model_copy(update=key)})

    def probability(prompt: str, word: str) -> float:
        he = SHARES[frame] + int(digest([prompt, frame.text])[:4], 16) / 0xFFFF / 20
        return scale * {"he": he, "she": 1 - he}.get(word, 1e-9)

    score_with(run, probability)
    return run


@pytest.fixture
def store(own_settings: object) -> Store:
    return own_store()


def opened(**more: str | list[str]) -> App:
    return open_app("compare", **{**OF_MINI, **more})


def test_each_chat_is_compared_with_the_plain_one_and_that_with_bare_sentences(store: Store) -> None:
    runs = {frame: score_in(frame) for frame in SHARES}
    views = {frame: RunView(run, load_result(store, run), ViewOptions()) for frame, run in runs.items()}
    pairs = {FAIR: CHAT, TOLD: CHAT, CHAT: BARE}
    tested = dict(
        zip(
            pairs,
            controlled([compared(views[one], views[other], ViewOptions()) for one, other in pairs.items()]),
            strict=True,
        )
    )
    app = opened()
    for frame, comparison in tested.items():
        sentence = chat_finding("mini-gpt", frame, comparison, from_bare=pairs[frame] == BARE)
        assert sentence in app.texts
    assert "When Mini GPT is told “Be fair”, its risk falls from " in app.texts
    assert "When Mini GPT is asked “Write”, we cannot tell whether its risk changes (" in app.texts
    assert "In a chat, the risk of Mini GPT falls from " in app.texts
    rows = app.open_foot("Data").table_with("place")
    assert sorted(rows["place"]) == ["bare", "chat", "chat, asked “Write.”", "chat, “Be fair.”"]


def test_results_of_a_chat_alone_are_shown_under_the_models_name(store: Store) -> None:
    score_in(FAIR)
    name = "mini-gpt (chat, “Be fair.”)"
    app = opened(model=[name])
    assert "Risk lies" not in app.texts
    rows = app.open_foot("Data").table_with("place")
    assert list(rows["place"]) == ["chat, “Be fair.”"]


def test_without_a_chat_a_link_leads_to_the_form(store: Store) -> None:
    score_in(BARE)
    app = opened()
    assert "no result in a chat" in app.infos
    (link,) = [one for one in app.get("page_link") if "in a chat" in one.proto.label]
    assert "score_frame=chat" in link.proto.query_string
    assert "score_model=mini-gpt" in link.proto.query_string


def test_a_chat_without_a_reliable_answer_is_named(store: Store) -> None:
    score_in(BARE)
    score_in(CHAT, scale=1e-7)
    app = opened()
    assert "Mini GPT (chat), Gender, 19 sentence beginnings" in app.captions
    assert "no reliable answer" in app.captions
    assert "no result in a chat to show" in app.infos
    assert list(app.open_foot("Data").table_with("place")["place"]) == ["bare"]


def test_what_a_system_text_adds_to_bare_sentences_is_not_its_effect_alone(store: Store) -> None:
    score_in(BARE)
    score_in(FAIR)
    assert "When Mini GPT is told “Be fair” in a chat, its risk falls from " in opened().texts


def test_results_of_other_weights_have_a_line_of_their_own(store: Store) -> None:
    """Both were scored under one name: the chat before the weights changed, the bare sentences after."""
    score_in(BARE)
    score_in(CHAT, identity="0" * 16)
    app = opened(model=["mini-gpt", "mini-gpt (chat)"])
    assert "In a chat" not in app.texts
    rows = app.open_foot("Data").table_with("place")
    assert len(rows) == 2
