"""What the requests and results of all audits of generated texts share."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from pcf_core.core.errors import InputError
from pcf_core.core.generation import LONGEST, Decoding, GenerationKey
from pcf_core.core.options import OptionSpec
from pcf_core.core.records import Record, digest
from pcf_core.core.run import ModelSpec
from pcf_core.models.frames import text_frame
from pcf_core.models.names import AUTO, PRECISIONS

Precision = Literal["auto", "float32", "bfloat16", "float16"]
Around = Literal["", "bare", "chat"]

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
    placeholder="The usual length",
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
    title="Number type",
    help="The type of numbers for the calculation. automatic: on a GPU the model's own type if the GPU "
    "supports it, on a CPU float32. bfloat16 and float16 need half the memory of float32 and are less exact.",
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
FRAME = OptionSpec(
    title="Around each prompt",
    help="As suits the model: a model with a chat template is sent the prompt as a user's message, others "
    "continue it. nothing: every model continues the prompt itself. a chat: only models that have one, with "
    "your texts.",
    usage="what stands around each prompt: bare (the prompt is continued) or chat; by default a chat where "
    "the model has one",
    words={"": "as suits the model", "bare": "nothing", "chat": "a chat"},
    row=True,
    in_task=False,
)
SYSTEM = OptionSpec(
    title="System text",
    help="What the model is told before the conversation, such as a rule it has to keep. If it is empty, "
    "many templates put in a text of their own.",
    usage="system text of the chat, or a file with it",
    placeholder="The text of the model's own template",
    in_task=False,
)
INSTRUCTION = OptionSpec(
    title="Instruction",
    help="What the user says, such as Continue the text. The model's answer then begins with the prompt. "
    "Empty: the user says the prompt.",
    usage="the user's message, to which the answer begins with the prompt; by default the prompt is it",
    placeholder="The prompt",
    in_task=False,
)


class TextOptions(Protocol):
    """The options of a request for texts that say in which frame the prompts stand."""

    @property
    def frame(self) -> Around:
        """What stands around each prompt; empty for what suits the model."""

    @property
    def system(self) -> str:
        """The system text of the chat."""

    @property
    def instruction(self) -> str:
        """The user's message, if that is not the prompt."""

    @property
    def chat(self) -> bool:
        """Whether an endpoint is sent messages."""


def sends_messages(options: TextOptions) -> bool:
    """Return whether prompts are messages to an endpoint; raise InputError for options that disagree."""
    if options.chat and options.frame == "bare":
        raise InputError(
            "--chat sends an endpoint each prompt as a message, and --frame bare does not: leave one of the "
            "two out."
        )
    return options.chat or options.frame == "chat"


def writing_key(spec: ModelSpec, decoding: Decoding, options: TextOptions) -> GenerationKey:
    """Return the key of a model's texts, in the frame of the options; quick.

    Raises GenerationError for a family that cannot write, and as :func:`~pcf_core.models.frames.text_frame`.
    """
    key = GenerationKey.of(spec, decoding)
    return key.in_frame(text_frame(spec, options.frame, options.system, options.instruction), spec.opening)


def frame_fields(key: GenerationKey) -> dict[str, Any]:
    """Return the options of a key's frame, none for one without."""
    frame = key.frame
    if frame is None:
        return {}
    return {"frame": frame.kind, "system": frame.system, "instruction": frame.instruction}


class AuditAsked(Record):
    """A request to one model, or to several together."""

    @property
    def hash(self) -> str:
        """The digest of the request."""
        return digest(self.model_dump(mode="json"))


class AuditResult(Record):
    """The result of a request."""

    asked: AuditAsked
