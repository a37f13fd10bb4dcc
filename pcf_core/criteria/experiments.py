"""Which experiments there are: made from files, and again from the material that was kept with a request."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pcf_core.criteria.anecdotes import Anecdotes
from pcf_core.criteria.experiment import Experiment
from pcf_core.criteria.hobbies import Hobbies
from pcf_core.criteria.hobbies_material import load_hobbies
from pcf_core.criteria.labellers import choose_labeller, restore_labeller
from pcf_core.criteria.names import load_names
from pcf_core.criteria.question_files import some_questions
from pcf_core.criteria.questions import Questions
from pcf_core.criteria.tasks import Tasks
from pcf_core.errors import CriteriaError
from pcf_core.records.anecdotes import AnecdotesMaterial
from pcf_core.records.criteria_run import Answering, ExperimentName
from pcf_core.records.generation import Decoding
from pcf_core.records.hobbies import HobbiesMaterial
from pcf_core.records.questions import QuestionMaterial, TaskMaterial

# As the paper draws texts; length by what is asked for: a short story, a few interests, an answer.
TEMPERATURE, TOP_P = 0.5, 1.0
USUAL_QUESTIONS = 16  # that are written about; the paper has 14
LENGTHS: Mapping[ExperimentName, int] = {"anecdotes": 80, "hobbies": 60, "questions": 60, "tasks": 40}


def usual_decoding(name: ExperimentName) -> Decoding:
    """How texts of an experiment are drawn where nobody says otherwise."""
    return Decoding(temperature=TEMPERATURE, top_p=TOP_P, length=LENGTHS[name])


def load_experiment(name: ExperimentName, material: str | Path = "", labeller: str = "") -> Experiment:
    """An experiment with what is shipped, or with a file of the user's own.

    Args:
        name: of the experiment.
        material: professions, names, questions or tasks; empty for those that are shipped.
        labeller: of hobbies, see :func:`pcf_core.criteria.labellers.choose_labeller`.

    Raises:
        CriteriaError: a file that cannot be used, or a labeller where there are no hobbies to label.
        ModelError: an NLI model that is not there, or is none.
    """
    if labeller and name != "hobbies":
        raise CriteriaError(f"Only hobbies are labelled, and {name} were asked for: leave the labeller out.")
    if name == "hobbies":
        made = load_hobbies(load_names(Path(material)) if material else None)
        chosen = choose_labeller(labeller, made.labels)
        return Hobbies(made.model_copy(update={"labeller": chosen.name}), chosen)
    if name == "anecdotes":
        return Anecdotes.load(material) if material else Anecdotes.load()
    if name == "questions":
        return Questions.load(material) if material else Questions.load()
    return Tasks.load(material) if material else Tasks.load()


def fitted(experiment: Experiment, answering: Answering, questions: int | None = None) -> Experiment:
    """With as many of its questions as are asked; any other experiment as it is.

    Args:
        experiment: with all its questions.
        answering: how it is put to a model.
        questions: how many, spread over the set; ``None`` for all where words are scored, and for 16 at most
            where texts are written: a question has 17 prompts, and each prompt 25 texts or more.

    Raises:
        CriteriaError: there are not so many, or no questions.
    """
    if not isinstance(experiment, Questions):
        if questions is not None:
            raise CriteriaError(
                f"The experiment {experiment.name} asks no questions, and a number of them was given: "
                "leave it out."
            )
        return experiment
    kept = experiment.material.questions
    most = USUAL_QUESTIONS if answering == "written" else len(kept.questions)
    some = some_questions(kept, min(most, len(kept.questions)) if questions is None else questions)
    return Questions(experiment.material.model_copy(update={"questions": some}))


def material_of(experiment: Experiment) -> dict[str, Any]:
    """The material as the store keeps it."""
    return experiment.material.model_dump(mode="json")


def restore_experiment(name: ExperimentName, body: Mapping[str, Any]) -> Experiment:
    """The experiment whose :func:`material_of` is ``body``.

    Raises:
        ValidationError: it is of another form.
    """
    if name == "hobbies":
        material = HobbiesMaterial.model_validate(body)
        return Hobbies(material, restore_labeller(material.labeller, material.labels))
    if name == "anecdotes":
        return Anecdotes(AnecdotesMaterial.model_validate(body))
    if name == "questions":
        return Questions(QuestionMaterial.model_validate(body))
    return Tasks(TaskMaterial.model_validate(body))
