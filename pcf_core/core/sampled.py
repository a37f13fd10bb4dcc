"""How answers are sampled from a model that gives no probabilities: the request, and its part of a key."""

from __future__ import annotations

import operator
from typing import ClassVar

from pydantic import Field

from pcf_core.core.options import number_text, option
from pcf_core.core.records import Record

MOST_SAMPLES = 1000  # of each sentence
LENGTH = 8  # new tokens, enough for the longest word of a topic
# What a model that answers messages is told, in sentences and in decisions about people.
GO_ON = "Continue the text with the next word only."
ONE_WORD = "Answer the question with one word only."


class Samples(Record):
    """A request for ``samples`` answers to each sentence; ``None``: probabilities are scored instead."""

    prefix: ClassVar[str] = "score_"

    samples: int | None = option(
        None,
        title="Sampled answers (n)",
        help="For a model that gives no probabilities, such as most chat services: the model continues each "
        "sentence this often, and the words of the topic are counted. 20 is usual; every answer is one "
        "request. Risks are corrected for the chance in so few answers.",
        usage="of a model without probabilities: continue each sentence this many times, and count the words",
        placeholder="Use the model's probabilities",
        least=2,
        most=MOST_SAMPLES,
        step=1,
        in_task=False,
    )
    temperature: float = option(
        1.0,
        title="Temperature",
        help="The one that people use the model with. At 1 the model's own probabilities are sampled.",
        usage="of --samples",
        least=0.01,
        most=10.0,
        step=0.1,
        in_task=False,
    )
    chat: bool = option(
        False,
        title="Send messages",
        help="For an endpoint that takes only messages (`/chat/completions`).",
        usage="with --samples: send an endpoint messages",
        in_task=False,
    )


SCORED = Samples()


class Sampled(Record):
    """How the answers of a run are sampled: ``count`` of each sentence.

    ``chat_template``: as in :class:`~pcf_core.core.generation.GenerationKey`.  ``listed``: nothing is drawn,
    because the server lists so many of the likeliest first tokens with their probabilities.
    """

    count: int
    temperature: float
    chat_template: str
    listed: int = Field(0, exclude_if=operator.not_)

    @property
    def texts(self) -> int:
        """How many answers of the server each sentence needs."""
        return 1 if self.listed else self.count

    @property
    def label(self) -> str:
        """What stands beside the model's name: "sampled, n = 20, temperature 0.7, messages"."""
        if self.listed:
            return f"sampled, {self.listed} likeliest first tokens"
        hot = [] if self.temperature == 1 else [f"temperature {number_text(self.temperature)}"]
        return ", ".join([f"sampled, n = {self.count}", *hot, *["messages"] * bool(self.chat_template)])
