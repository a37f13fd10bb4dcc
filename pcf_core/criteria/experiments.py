"""Which experiments there are: made from files, and again from the material that was kept with a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcf_core.criteria.experiment import Experiment
from pcf_core.records.criteria_run import ExperimentName
from pcf_core.records.generation import Decoding

# As the paper draws texts; length by what is asked for: a short story, a few interests, an answer.
TEMPERATURE, TOP_P = 0.5, 1.0
LENGTHS: Mapping[ExperimentName, int] = {"anecdotes": 80, "hobbies": 60, "questions": 60, "tasks": 40}


def usual_decoding(name: ExperimentName) -> Decoding:
    """How texts of an experiment are drawn where nobody says otherwise."""
    return Decoding(temperature=TEMPERATURE, top_p=TOP_P, length=LENGTHS[name])


def material_of(experiment: Experiment) -> dict[str, Any]:
    """The material as the store keeps it."""
    return experiment.material.model_dump(mode="json")


def restore_experiment(name: ExperimentName, body: Mapping[str, Any]) -> Experiment:
    """The experiment whose :func:`material_of` is ``body``.

    Raises:
        ValidationError: it is of another form.
    """
    raise NotImplementedError(name, body)
