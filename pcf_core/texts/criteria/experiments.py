"""Load experiments from files, or from the stored material of a request."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pcf_core.core.errors import CriteriaError
from pcf_core.core.generation import Decoding
from pcf_core.texts.criteria.anecdotes import Anecdotes
from pcf_core.texts.criteria.experiment import Experiment
from pcf_core.texts.criteria.hobbies import Hobbies, load_hobbies
from pcf_core.texts.criteria.labels import choose_labeller, restore_labeller
from pcf_core.texts.criteria.names import NAMES
from pcf_core.texts.criteria.questions import Questions, some_questions
from pcf_core.texts.criteria.records.independence import AnecdotesMaterial, HobbiesMaterial
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName
from pcf_core.texts.criteria.records.separation import QuestionMaterial, TaskMaterial
from pcf_core.texts.criteria.tasks import Tasks

# Decoding as in the paper; length for a short story, a few interests, an answer.
TEMPERATURE, TOP_P = 0.5, 1.0
USUAL_QUESTIONS = 16  # for written answers; the paper has 14
LENGTHS: Mapping[ExperimentName, int] = {"anecdotes": 80, "hobbies": 60, "questions": 60, "tasks": 40}

# Texts of each prompt: few where there are many prompts, since more texts say nothing about other prompts.
REPEATS: Mapping[ExperimentName, int] = {"anecdotes": 25, "hobbies": 25, "questions": 2, "tasks": 25}


def usual_decoding(name: ExperimentName) -> Decoding:
    """Return the default decoding of an experiment."""
    return Decoding(temperature=TEMPERATURE, top_p=TOP_P, length=LENGTHS[name])


def load_experiment(name: ExperimentName, material: str | Path = "", labeller: str = "") -> Experiment:
    """Load an experiment with shipped or a user's material.

    ``material``: a name or file; empty for the shipped one.  ``labeller``: of hobbies, see
    :func:`pcf_core.texts.criteria.labels.choose_labeller`.  Raises CriteriaError for an unusable file, or a
    labeller without hobbies; ModelError for an unusable NLI model.
    """
    if labeller and name != "hobbies":
        raise CriteriaError(f"A labeller is only used for hobbies, not for {name}: leave the labeller out.")
    if name == "hobbies":
        made = load_hobbies(NAMES.load(material) if material else None)
        chosen = choose_labeller(labeller, made.labels)
        return Hobbies(made.model_copy(update={"labeller": chosen.name}), chosen)
    if name == "anecdotes":
        return Anecdotes.load(material) if material else Anecdotes.load()
    if name == "questions":
        return Questions.load(material) if material else Questions.load()
    return Tasks.load(material) if material else Tasks.load()


def fitted(experiment: Experiment, answering: Answering, questions: int | None = None) -> Experiment:
    """Return the experiment with this number of questions; other experiments are unchanged.

    By default all if words are scored, at most 16 if texts are written, as each question has 17 prompts.
    Raises CriteriaError if there are fewer questions, or none.
    """
    if not isinstance(experiment, Questions):
        if questions is not None:
            raise CriteriaError(
                f"The experiment {experiment.name} has no questions, but a number of questions was given: "
                "leave it out."
            )
        return experiment
    there = len(experiment.material.questions.questions)
    most = min(USUAL_QUESTIONS, there) if answering == "written" else there
    return _with_some(experiment, most if questions is None else questions)


@lru_cache(maxsize=16)  # pages repeat the call in every run of their script
def _with_some(experiment: Questions, number: int) -> Questions:
    some = some_questions(experiment.material.questions, number)
    return Questions(experiment.material.model_copy(update={"questions": some}))


def material_of(experiment: Experiment) -> dict[str, Any]:
    """Return the material as stored."""
    return experiment.material.model_dump(mode="json")


def restore_experiment(name: ExperimentName, body: Mapping[str, Any]) -> Experiment:
    """Restore the experiment whose :func:`material_of` is ``body``, or raise ValidationError."""
    if name == "hobbies":
        material = HobbiesMaterial.model_validate(body)
        return Hobbies(material, restore_labeller(material.labeller, material.labels))
    if name == "anecdotes":
        return Anecdotes(AnecdotesMaterial.model_validate(body))
    if name == "questions":
        return Questions(QuestionMaterial.model_validate(body))
    return Tasks(TaskMaterial.model_validate(body))
