"""What the requests and results of all audits of generated texts share."""

from __future__ import annotations

from typing import Literal

from pcf_core.core.generation import LONGEST
from pcf_core.core.options import OptionSpec
from pcf_core.core.records import Record, digest
from pcf_core.models.names import AUTO, PRECISIONS

Precision = Literal["auto", "float32", "bfloat16", "float16"]

# Options of every form that requests texts.

TOP_P = OptionSpec(
    title="top-p",
    help="Only the likeliest tokens that together have this probability can be drawn; 1 allows all tokens.",
    usage="above 0 and at most 1; 1 allows all tokens",
    least=0.01,
    most=1.0,
    step=0.05,
)
LENGTH = OptionSpec(
    title="Length in tokens",
    help="The largest number of new tokens. A sentence or two have about 40.",
    usage="the largest number of new tokens",
    placeholder="Empty: usual",
    least=1,
    most=LONGEST,
)
SEED = OptionSpec(
    title="Seed",
    help="With the same seed a local model writes the same texts again; another seed gives other texts.",
    usage="the seed of the texts",
    least=0,
)
PRECISION = OptionSpec(
    title="Precision",
    help="The number type for the calculation. automatic: on a GPU the model's own type if the GPU supports "
    "it, on a CPU float32. bfloat16 and float16 need half the memory of float32 and are less exact.",
    usage="auto, float32, bfloat16 or float16",
    url="precision",
    flag="--dtype",
    offered=PRECISIONS,
    words={AUTO: "automatic"},
    in_task=False,
)
CHAT = OptionSpec(
    title="Send prompts as chat messages to the endpoint",
    help="On: the server gets each prompt as a user's message (chat), which is right for models trained to "
    "answer. Off: its model continues the prompt itself (completions). For local models the tokenizer "
    "decides this.",
    usage="for an endpoint: send each prompt as a user's message",
    in_task=False,
)


class AuditAsked(Record):
    """A request to one model, or to several together."""

    @property
    def hash(self) -> str:
        """The digest of the request."""
        return digest(self.model_dump(mode="json"))


class AuditResult(Record):
    """The result of a request."""

    asked: AuditAsked
