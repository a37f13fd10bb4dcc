"""The fixed inputs that requests of goldens are made from: no model, and nothing shipped."""

from __future__ import annotations

from typing import Any, get_args

from pcf_core.audit.preferences import build_run
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec, Protocol, RunSpec, ScoringKey
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic

MASKED = ModelSpec(name="one", family="masked", path="", identity="weights", tokenizer="words")
CAUSAL = MASKED.model_copy(update={"name": "two", "family": "causal", "chat_template": "chats"})
TOPIC = Topic(
    name="pronouns",
    title="Pronouns",
    groups=(Group(name="female", words=("she", "her")), Group(name="male", words=("he", "him"))),
    aligned=True,
)
EVIDENCE = Evidence(name="jobs", title="Jobs", terms=("nurse", "engineer"), weights=(2.0, 1.0))
TEMPLATES = TemplateSet(
    name="three",
    title="Three",
    templates=(
        Template(text="The [X] said that [Y] was late.", count=40, documents=30),
        Template(text="[Y] is the [X].", count=9),
        Template(text="The [X] thought un[Y].", count=1),
    ),
)
SCORING = ScoringKey.of(MASKED)
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
WRITING = GenerationKey.of(CAUSAL, Decoding())


def run_of(protocol: Protocol = "exact", **changed: Any) -> RunSpec:
    return build_run(CAUSAL.model_copy(update=changed), TOPIC, EVIDENCE, TEMPLATES, protocol)
