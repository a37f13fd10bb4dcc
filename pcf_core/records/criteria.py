"""What all records of the criteria have in common: how a model was asked, and from which p on it is shown."""

from __future__ import annotations

from typing import Literal

ExperimentName = Literal["anecdotes", "hobbies", "questions", "tasks"]
Wording = Literal["instruction", "continuation"]
Answering = Literal["written", "scored"]
SIGNIFICANCE = 0.05  # of a p-value, controlled where several are tested
