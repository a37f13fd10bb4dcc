"""What the requests and results of all audits of written texts have in common."""

from __future__ import annotations

from typing import Literal

from pcf_core.core.generation import LONGEST
from pcf_core.core.options import OptionSpec
from pcf_core.core.records import Record, digest
from pcf_core.models.precision import AUTO, PRECISIONS

Precision = Literal["auto", "float32", "bfloat16", "float16"]

# Options of every form in which models are asked for texts.

TOP_P = OptionSpec(
    title="top-p",
    help="Only the likeliest tokens that together have this probability can be drawn; 1 allows all.",
    usage="above 0, at most 1: all tokens",
    least=0.01,
    most=1.0,
    step=0.05,
)
LENGTH = OptionSpec(
    title="Length, tokens",
    help="New tokens at most. A sentence or two have about 40.",
    usage="new tokens at most",
    placeholder="Empty: usual",
    least=1,
    most=LONGEST,
)
SEED = OptionSpec(
    title="Seed",
    help="Another seed gives other texts; the same gives the same ones, from a local model.",
    usage="of the texts",
    least=0,
)
PRECISION = OptionSpec(
    title="Precision",
    help="The number type the model computes with. automatic: the model's own on a GPU that has it, float32 "
    "on a CPU. bfloat16 and float16 take half the memory of float32, and round more.",
    usage="auto, float32, bfloat16 or float16",
    url="precision",
    flag="--dtype",
    offered=PRECISIONS,
    words={AUTO: "automatic"},
    in_task=False,
)
CHAT = OptionSpec(
    title="Prompts as messages to the endpoint",
    help="On: the server gets each prompt as a user's message (chat), as models that were taught to answer "
    "need. Off: its model goes on from the prompt itself (completions). Local models do by themselves what "
    "their tokenizer says.",
    usage="of an endpoint: a prompt is a user's message",
    in_task=False,
)


class AuditAsked(Record):
    """A request to one model, or to several together."""

    @property
    def hash(self) -> str:
        """Hash of the request."""
        return digest(self.model_dump(mode="json"))


class AuditResult(Record):
    """The result of a request."""

    asked: AuditAsked
