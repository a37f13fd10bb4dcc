"""How a model is best asked: what it can do decides whether it writes or is scored, and in which wording.

======================  =======================  =========================================
model                   ``anecdotes, hobbies``   ``questions, tasks``
======================  =======================  =========================================
has a chat template     written, instruction     written, instruction
an endpoint's chat      written, instruction     written, instruction
an endpoint without     written, continuation    written, continuation
goes on from a text     written, continuation    scored: it follows no instruction
fills a gap             scored                   scored
======================  =======================  =========================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pcf_core.records import ModelSpec
from pcf_core.records.criteria_run import Answering, ExperimentName, Wording
from pcf_core.records.generation import GENERATION_RULES

TOLD_IN_TEXTS: tuple[ExperimentName, ...] = ("anecdotes", "hobbies")  # no answer to a question is read


@dataclass(frozen=True)
class Suited:
    """``wording``: ``None`` where words are scored.  ``reason``: a sentence for readers."""

    answering: Answering
    wording: Wording | None
    reason: str


def suited(spec: ModelSpec, experiment: ExperimentName, answering: Literal["", Answering] = "") -> Suited:
    """How to put an experiment to a model; with ``answering`` that is chosen, and only the wording is left.

    ``spec``: of a writer (:func:`pcf_core.models.resolve_writer`); of an endpoint, whether it chats is in it.
    """
    name = spec.name
    if answering == "scored":
        return Suited("scored", None, f"The candidate words of {name} are scored, as was asked for.")
    if spec.family not in GENERATION_RULES and not answering:
        return Suited(
            "scored", None, f"{name} fills a gap and cannot write a text: its candidate words are scored."
        )
    if spec.chat_template and spec.family != "seq2seq":
        return Suited("written", "instruction", f"{name} answers messages: it is given an instruction.")
    goes_on = f"{name} has no chat template: it goes on from the beginning of a text"
    if answering or spec.family == "endpoint" or experiment in TOLD_IN_TEXTS:
        return Suited("written", "continuation", f"{goes_on}.")
    return Suited("scored", None, f"{goes_on} and follows no instruction: its candidate words are scored.")
