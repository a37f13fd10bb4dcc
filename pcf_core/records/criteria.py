"""The words in which all records of the criteria say how an experiment was put to a model."""

from __future__ import annotations

from typing import Literal

ExperimentName = Literal["anecdotes", "hobbies", "questions", "tasks"]
Wording = Literal["instruction", "continuation"]
Answering = Literal["written", "scored"]
