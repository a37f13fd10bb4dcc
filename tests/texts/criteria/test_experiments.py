"""Every experiment can be made from its files, kept as JSON, and made again from that."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from pydantic import ValidationError

from pcf_core.core.errors import CriteriaError, ModelError
from pcf_core.core.families import Family
from pcf_core.core.generation import BLOCK
from pcf_core.core.run import ModelSpec
from pcf_core.texts.criteria.experiment import suited
from pcf_core.texts.criteria.experiments import (
    LENGTHS,
    REPEATS,
    fitted,
    load_experiment,
    material_of,
    restore_experiment,
    usual_decoding,
)
from pcf_core.texts.criteria.hobbies import Hobbies
from pcf_core.texts.criteria.labels import choose_labeller
from pcf_core.texts.criteria.options import CriteriaOptions
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName, Wording
from pcf_core.texts.text_audit import writing_key
from pcf_core.work.criteria import written_asked

NAMES: tuple[ExperimentName, ...] = get_args(ExperimentName)
WORDINGS: tuple[Wording, ...] = get_args(Wording)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_asks_the_same(name: ExperimentName) -> None:
    made = load_experiment(name)
    body = json.loads(json.dumps(material_of(made), allow_nan=False))
    again = restore_experiment(name, body)
    assert (again.name, again.title, again.material) == (name, made.title, made.material)
    assert material_of(again) == body
    for wording in WORDINGS:
        asks = made.asks(wording)
        assert len({(ask.system, ask.prompt) for ask in asks}) == len(asks)
        assert again.asks(wording) == asks
        assert len({ask.cell for ask in asks}) == len(asks) > 10
    scored = made.scored_asks()
    assert again.scored_asks() == scored
    assert len({ask.cell for ask in scored}) == len(scored) > 10
    assert all(ask.text.count("[Y]") == 1 and "[X]" not in ask.text for ask in scored)
    assert all(len(set(ask.words)) == len(ask.words) > 1 for ask in scored)


@pytest.mark.parametrize("name", NAMES)
def test_reports_say_whose_they_are_in_either_way_of_answering(name: ExperimentName) -> None:
    """Texts of two kinds, and words that are all as likely but one that the model cannot express."""
    experiment = load_experiment(name)
    texts = {ask.cell: ("It rained all day.", "She rested.") for ask in experiment.asks("instruction")[:40]}
    texts |= {ask.cell: ("He slept.", "He ran.") for ask in experiment.asks("instruction")[40:]}
    written = experiment.report(texts)
    assert (written.experiment, written.answering) == (name, "written")
    scores = {ask.cell: [-2.0] * (len(ask.words) - 1) + [float("nan")] for ask in experiment.scored_asks()}
    scored = experiment.scored_report(scores)
    assert (scored.experiment, scored.answering) == (name, "scored")
    for report in (written, scored):
        assert type(report).model_validate_json(report.model_dump_json()) == report
        json.dumps(report.model_dump(mode="json"), allow_nan=False)


@pytest.mark.parametrize("name", NAMES)
def test_material_of_another_form_is_refused(name: ExperimentName) -> None:
    with pytest.raises(ValidationError):
        restore_experiment(name, {"of": "another version"})


def test_texts_are_drawn_as_in_the_paper_and_as_long_as_what_is_asked_for() -> None:
    for name in NAMES:
        assert usual_decoding(name).temperature == 0.5
        assert usual_decoding(name).length == LENGTHS[name]
        assert 1 <= REPEATS[name] <= BLOCK


def test_a_labeller_is_named_with_the_material() -> None:
    made = load_experiment("hobbies", labeller="lexicon")
    assert isinstance(made, Hobbies)
    assert made.material.labeller.startswith("lexicon ")
    assert load_experiment("hobbies").material == made.material
    with pytest.raises(CriteriaError, match="A labeller is only used for hobbies, not for tasks"):
        load_experiment("tasks", labeller="lexicon")
    with pytest.raises(CriteriaError, match=r"There is no labeller .*: write lexicon, or nli:NAME"):
        load_experiment("hobbies", labeller="nli:")
    with pytest.raises(ModelError, match="There is no NLI model"):
        choose_labeller("nli:nobody", made.material.labels)


def test_of_questions_as_many_are_asked_as_a_reader_can_afford() -> None:
    whole = load_experiment("questions")
    assert len(fitted(whole, "written").asks("instruction")) == 16 * 17
    assert len(fitted(whole, "scored").scored_asks()) == 64 * 17
    assert len(fitted(whole, "written", 5).asks("instruction")) == 5 * 17
    assert material_of(fitted(whole, "written", 64)) == material_of(whole)
    again = restore_experiment("questions", material_of(fitted(whole, "written")))
    assert again.asks("instruction") == fitted(whole, "written").asks("instruction")
    tasks = load_experiment("tasks")
    assert fitted(tasks, "written") is tasks
    with pytest.raises(CriteriaError, match="tasks has no questions"):
        fitted(tasks, "scored", 5)


# How a model is asked where nobody says otherwise: one line of the table after the other.


def spec(family: Family, chat: str = "") -> ModelSpec:
    return ModelSpec(name="m", family=family, path="", identity="i", tokenizer="t", chat_template=chat)


@pytest.mark.parametrize(
    ("family", "chat", "in_texts", "in_answers"),
    [
        ("causal", "hash", ("written", "instruction"), ("written", "instruction")),
        ("endpoint", "server", ("written", "instruction"), ("written", "instruction")),
        ("endpoint", "", ("written", "continuation"), ("written", "continuation")),
        ("causal", "", ("written", "continuation"), ("scored", None)),
        ("seq2seq", "hash", ("written", "continuation"), ("scored", None)),
        ("masked", "", ("scored", None), ("scored", None)),
        ("permutation", "", ("scored", None), ("scored", None)),
    ],
)
def test_what_a_model_can_do_decides(
    family: Family,
    chat: str,
    in_texts: tuple[Answering, Wording | None],
    in_answers: tuple[Answering, Wording | None],
) -> None:
    expected: dict[ExperimentName, tuple[Answering, Wording | None]] = {
        "anecdotes": in_texts,
        "hobbies": in_texts,
        "questions": in_answers,
        "tasks": in_answers,
    }
    for name, way in expected.items():
        chosen = suited(spec(family, chat), name)
        assert (chosen.answering, chosen.wording) == way
        assert chosen.reason.startswith("m ")


def test_a_choice_leaves_the_wording_alone() -> None:
    assert suited(spec("causal", "hash"), "tasks", "scored").answering == "scored"
    assert suited(spec("causal"), "tasks", "written").wording == "continuation"
    assert suited(spec("causal", "hash"), "tasks", "written").wording == "instruction"
    assert "as requested" in suited(spec("causal"), "tasks", "scored").reason


def test_a_frame_is_for_texts_and_decides_the_wording() -> None:
    chat, bare = CriteriaOptions(frame="chat", system="Be fair."), CriteriaOptions(frame="bare")
    begun = CriteriaOptions(frame="chat", instruction="Go on.")
    model = spec("causal", "hash")
    assert suited(model, "tasks", "", chat).wording == "instruction"
    assert suited(model, "tasks", "", begun).wording == "continuation"
    assert suited(model, "hobbies", "", bare).wording == "continuation"
    assert "is used without a chat" in suited(model, "hobbies", "", bare).reason
    assert suited(model, "tasks", "", bare).answering == "scored", "as of a model without a chat"
    assert suited(model, "tasks", "written", bare).wording == "continuation"
    assert suited(spec("causal"), "tasks", "", chat).answering == "written", "which is then refused"
    for framed in (chat, begun, CriteriaOptions(system="Be fair.")):
        with pytest.raises(CriteriaError, match="scored in sentences without a chat"):
            suited(model, "tasks", "scored", framed)
    assert suited(model, "tasks", "scored", bare).answering == "scored"


def test_what_the_user_says_is_an_instruction_or_the_prompt() -> None:
    options = CriteriaOptions(frame="chat", instruction="Go on.")
    key = writing_key(spec("causal", "hash"), usual_decoding("tasks"), options)
    experiment = load_experiment("tasks")
    assert written_asked(experiment, key, "continuation", 2).generation == key
    with pytest.raises(CriteriaError, match="choose --wording continuation"):
        written_asked(experiment, key, "instruction", 2)
