"""A run: which model is asked, with which topic, evidence and templates; and the keys of its scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from pcf_core.records.base import Record, digest
from pcf_core.records.templates import Template, TemplateSet
from pcf_core.records.topics import Evidence, Topic

Protocol = Literal["exact", "exact-boundary", "single-token"]
Family = Literal["masked", "causal", "seq2seq", "permutation", "endpoint"]

# Version of each family's scoring rules: raise it when the same model and prompt would give another number.
RULES: Mapping[str, str] = {
    "masked": "1",
    "causal": "1",
    "seq2seq": "1",
    "permutation": "1",
    "endpoint": "1",
    "fake": "1",
}


class ModelSpec(Record):
    """A model that can be scored: where it is and what it is, found without loading it.

    ``identity`` is the hash of weights and configuration (or the hub's resolved revision); ``path`` is the
    folder, empty while a hub model is not downloaded; of an endpoint, its base URL without credentials.
    ``parameters`` counts weights, 0 where unknown.  ``remote_code``: no class of transformers loads it.
    ``chat_template``: hash of the template of its chats, empty where it has none.
    """

    name: str
    family: Family
    path: str
    identity: str
    tokenizer: str
    parameters: int = 0
    dtype: str = "float32"
    context: int = 0
    remote_code: bool = False
    chat_template: str = ""
    title: str = ""
    notes: str = ""

    def with_dtype(self, dtype: str) -> ModelSpec:
        """The same model with weights as ``dtype``; behind an endpoint the server alone decides on that."""
        return self if self.family == "endpoint" else self.model_copy(update={"dtype": dtype})


class ScoringKey(Record):
    """All that decides the log-probability of a word in a prompt, and nothing else."""

    model: str
    identity: str
    tokenizer: str
    family: str
    rules: str
    dtype: str = "float32"
    protocol: str = "exact"

    @classmethod
    def of(cls, spec: ModelSpec, protocol: str = "exact") -> ScoringKey:
        """The key of a model; ``single-token`` selects from the ``exact`` rows and has no key of its own."""
        return cls(
            model=spec.name,
            identity=spec.identity,
            tokenizer=spec.tokenizer,
            family=spec.family,
            rules=RULES[spec.family],
            dtype=spec.dtype,
            protocol="exact" if protocol == "single-token" else protocol,
        )

    @property
    def hash(self) -> str:
        return digest(self.model_dump())


class SamplingPlan(Record):
    """Templates are drawn with replacement, by their counts, until the intervals are narrow enough.

    ``within``: the half-width that the intervals of R, R^p and R^c shall have (uniform reference, PCF scale).
    ``seed``: decides the draws; a finer plan begins with the same ones.  ``times``: [template] how often each
    template of the set has been drawn so far.
    """

    within: float
    seed: int = 0
    times: tuple[int, ...]

    @property
    def draws(self) -> int:
        return sum(self.times)


class Prompts(Sequence[str]):
    """Every template with every term, terms outside, each prompt made when it is asked for: there may be
    millions.  A slice is a tuple.
    """

    def __init__(self, terms: Sequence[str], templates: Sequence[Template]) -> None:
        self._terms = terms
        self._templates = templates

    def __len__(self) -> int:
        return len(self._terms) * len(self._templates)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return tuple(self[place] for place in places)
        term, template = divmod(places, len(self._templates))
        return self._templates[template].prompt(self._terms[term])


class RunSpec(Record):
    """What is asked for: every prompt of templates × evidence, for every word of the topic.

    With a ``plan``, only the templates that were drawn; ``templates`` is the set they are drawn from.
    """

    scoring: ScoringKey
    topic: Topic
    evidence: Evidence
    templates: TemplateSet
    plan: SamplingPlan | None = None

    @property
    def key(self) -> str:
        """Run key, for links: weights, counts, criteria and scales are not part of it, nor are the draws."""
        parts: list[Any] = [self.scoring.hash, self.topic.hash, self.evidence.hash, self.templates.hash]
        return digest(parts if self.plan is None else [*parts, [self.plan.within, self.plan.seed]])

    @property
    def whole(self) -> RunSpec:
        """The same run without a sampling plan."""
        return self if self.plan is None else self.model_copy(update={"plan": None})

    @property
    def drawn(self) -> TemplateSet:
        """The templates that are scored, in the order of the set: all, or those that a plan has drawn."""
        if self.plan is None:
            return self.templates
        pairs = zip(self.templates.templates, self.plan.times, strict=True)
        return self.templates.model_copy(
            update={"templates": tuple(template for template, times in pairs if times)}
        )

    @property
    def prompts(self) -> Prompts:
        """Prompts in the order occupation-major, template-minor."""
        return Prompts(self.evidence.terms, self.drawn.templates)

    @property
    def cells(self) -> int:
        return len(self.evidence.terms) * len(self.drawn.templates)
