"""A run: which model is scored, with which topic, evidence and templates; and the keys of its scores.

Also what a model makes of a run (its tokens, its preferences, how much they cover, its self-audit), and how
far a run is that is being scored.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pcf_core.core.errors import RunError
from pcf_core.core.families import FAMILIES, Family
from pcf_core.core.records import FloatArray, LeftOut, Record, digest
from pcf_core.core.topics import Evidence, Template, TemplateSet, Topic, differing, filled

ModelKind = Literal["public", "teaching", "planted", "own", "imported"]
Protocol = Literal["exact", "exact-boundary", "single-token", "equal-tokens", "fitting"]
# Which of the words scored as exact count: a selection from the same scores, with no key of its own.
BY_TOKENS: tuple[Protocol, ...] = ("single-token", "equal-tokens")
SELECTIONS: tuple[Protocol, ...] = (*BY_TOKENS, "fitting")


def scored_as(protocol: str) -> str:
    """Return the protocol under which the scores lie that are read as ``protocol``."""
    return "exact" if protocol in SELECTIONS else protocol


def model_label(model: str, dtype: str) -> str:
    """Name a model beside others: with its precision where that is another than float32 and a choice."""
    return model if dtype in ("float32", "auto", "server") else f"{model} ({dtype})"


def split_label(label: str) -> tuple[str, str]:
    """Return model and precision of a label that :func:`model_label` gave."""
    match = re.fullmatch(r"(.+) \((bfloat16|float16)\)", label)
    return (match[1], match[2]) if match else (label, "float32")


def version_name(item: Topic | Evidence | TemplateSet) -> str:
    """Return the name that stands for an item of a run wherever its plain name does not."""
    return f"{item.name}@{item.hash[:8]}"


def exact_name(item: Topic | Evidence | TemplateSet) -> str:
    """Return a name that also tells items of one hash apart, such as sets with other counts."""
    return f"{item.name}@{digest([item.hash, item.beside_hash])[:8]}"


class ModelSpec(Record):
    """A model that can be scored: where it is and what it is, read without loading it.

    ``identity`` is the hash of weights and configuration (or the hub's resolved revision); ``path`` is the
    folder, empty while a hub model is not downloaded; of an endpoint, its base URL without credentials.
    ``parameters`` counts weights, 0 where unknown.  ``dtype``: the number type it computes with;
    ``own_dtype``: that of its configuration.  ``remote_code``: no class of transformers loads it.
    ``chat_template``: hash of the template of its chats, empty where it has none.  ``quantization``: how the
    weights of a GGUF file are stored, such as ``Q4_1``; empty for weights as their makers published them.
    ``kind``: a public model, one that was trained to teach (``teaching``) or built with a known answer
    (``planted``), the operator's own, or one of which there are imported results alone (``imported``).
    """

    name: str
    family: Family
    path: str
    identity: str
    tokenizer: str
    parameters: int = 0
    dtype: str = "float32"
    own_dtype: str = "float32"
    context: int = 0
    remote_code: bool = False
    chat_template: str = ""
    quantization: str = ""
    kind: ModelKind = "own"
    title: str = ""
    notes: str = ""

    def with_dtype(self, dtype: str) -> ModelSpec:
        """Return the same model with weights as ``dtype``; behind an endpoint the server alone decides."""
        return self if self.family == "endpoint" else self.model_copy(update={"dtype": dtype})

    @property
    def label(self) -> str:
        """Its name, with the precision where that is not float32."""
        return model_label(self.name, self.dtype)


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
        """Return the key of a model; a selection has none of its own: it takes from ``exact`` rows."""
        return cls(
            model=spec.name,
            identity=spec.identity,
            tokenizer=spec.tokenizer,
            family=spec.family,
            rules=FAMILIES[spec.family].rules,
            dtype=spec.dtype,
            protocol=scored_as(protocol),
        )

    @property
    def imported(self) -> bool:
        """Whether the scores came in a pack: nobody here has seen the weights."""
        return False

    @property
    def name(self) -> str:
        """The name by which pages ask for the model."""
        return self.model

    @property
    def label(self) -> str:
        """The same name, with the precision where that is not float32."""
        return model_label(self.name, self.dtype)

    @cached_property
    def hash(self) -> str:
        """The hash under which scores are stored."""
        return digest(self.model_dump())


IMPORTED = "imported:"  # before the name of a model of which there are imported results alone
DIGITS_OF_IMPORTED = 8


def imported_name(model: str, identity: str, tokenizer: str, family: str) -> str:
    """Return the name by which pages ask for a model of a pack: ``imported:mini-gpt@1f3a9c20``.

    It has a colon and digits of what the pack says of the weights, so that it is never that of a model which
    can be scored here, and two models of one name are distinguished.  Scores and texts of one model share it.
    """
    return f"{IMPORTED}{model}@{digest([identity, tokenizer, family])[:DIGITS_OF_IMPORTED]}"


class ImportedKey(ScoringKey):
    """The key of scores that came in a pack: the same hash, another name, another place in the store."""

    @property
    def imported(self) -> bool:
        """Whether the scores came in a pack: they did."""
        return True

    @property
    def name(self) -> str:
        """The name by which pages ask for the model."""
        return imported_name(self.model, self.identity, self.tokenizer, self.family)


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
        """The number of draws, repeats counted."""
        return sum(self.times)


class Prompts(Sequence[str]):
    """Every template with every term, terms in the outer loop.

    Each prompt is made when it is needed: there may be millions.  A slice is a tuple.
    """

    def __init__(self, terms: Sequence[str], templates: Sequence[Template]) -> None:
        self._terms = terms
        self._texts = [template.text for template in templates]
        self._width = len(templates)

    def __len__(self) -> int:
        return len(self._terms) * self._width

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        places, width = range(len(self))[index], self._width
        if isinstance(places, int):
            return filled(self._texts[places % width], self._terms[places // width])
        if places.step != 1 or not places:
            return tuple(self[place] for place in places)
        found: list[str] = []
        for number in range(places.start // width, -(-places.stop // width)):  # of millions: a term at a time
            term, first = self._terms[number], number * width
            there = self._texts[max(0, places.start - first) : places.stop - first]
            found += [filled(text, term) for text in there]
        return tuple(found)


class RunSpec(Record):
    """What is requested: every prompt of templates × evidence, for every word of the topic.

    With a ``plan``, only the templates that were drawn; ``templates`` is the set they are drawn from.
    """

    scoring: ScoringKey
    topic: Topic
    evidence: Evidence
    templates: TemplateSet
    plan: SamplingPlan | None = None

    @cached_property
    def key(self) -> str:
        """Run key, for links: weights, counts, criteria and scales are not part of it, nor are the draws."""
        parts: list[Any] = [self.scoring.hash, self.topic.hash, self.evidence.hash, self.templates.hash]
        return digest(parts if self.plan is None else [*parts, [self.plan.within, self.plan.seed]])

    @property
    def kept_as(self) -> str:
        """The name under which what is derived from its scores is stored: no import is ever local."""
        return f"imported-{self.key}" if self.scoring.imported else self.key

    @property
    def as_imported(self) -> RunSpec:
        """The same run, read from the scores of a pack."""
        return self.model_copy(update={"scoring": ImportedKey(**self.scoring.model_dump())})

    def differing(self, other: RunSpec) -> dict[str, tuple[str, ...]]:
        """Name what may give two runs of one key other results, by ``topic``, ``evidence``, ``templates``."""
        differences = {
            "topic": differing(self.topic, other.topic),
            "evidence": differing(self.evidence, other.evidence),
            "templates": differing(self.templates, other.templates),
        }
        return {name: parts for name, parts in differences.items() if parts}

    def with_lists_of(self, stored: RunSpec) -> RunSpec:
        """Return the run with the lists of another run of the same key.

        Raises
        ------
        RunError
            It has a sampling plan, and the other run draws by other counts.
        """
        if self.plan is not None and "counts" in differing(self.templates, stored.templates):
            raise RunError(
                f"The run {self.key} draws templates by the counts of {stored.templates.name}, but "
                f"{self.templates.name} has different counts: delete that run, or score every template and "
                "read the result with your counts (risk RUN --templates FILE)."
            )
        return stored.model_copy(update={"scoring": self.scoring, "plan": self.plan})

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
        """The number of cells: occupations times templates drawn."""
        return len(self.evidence.terms) * len(self.drawn.templates)


# What a model makes of a run: its tokens, its preferences, how much they cover, and its self-audit.


LOW_COVERAGE = 1e-4  # a cell in which the topic's words together get less of the probability is flagged
MOST_FLAGGED = 0.05  # the share of flagged cells above which no answer is given


@dataclass(frozen=True)
class TokenTable:
    """What a tokenizer makes of the words: tokens per word behind a space, and the words it cannot express.

    ``spelling``: the tokens themselves as a text, the same for words that the model cannot tell apart ("He"
    and "he", where a tokenizer knows no capital letters).  Nothing is known of words that are not in it:
    those of scores that were stored without, and those of which an endpoint tells no whole characters.
    ``unspaced``: words that are known to have these same tokens where no space stands before them, as Chinese
    ones have where each character is a token.  ``at_start``: tokens of words at the very beginning of a text,
    of those that were requested there.
    """

    tokens: Mapping[str, int]
    refused: Mapping[str, str] = field(default_factory=dict)
    spelling: Mapping[str, str] = field(default_factory=dict, compare=False)
    unspaced: frozenset[str] = field(default=frozenset(), compare=False)
    at_start: Mapping[str, int] = field(default_factory=dict, compare=False)

    @property
    def same(self) -> tuple[tuple[str, ...], ...]:
        """Words of one spelling, two or more each, in the order of the table."""
        alike: dict[str, list[str]] = {}
        for word, spelling in self.spelling.items():
            alike.setdefault(spelling, []).append(word)
        return tuple(tuple(words) for words in alike.values() if len(words) > 1)


class SelfAudit(Record):
    """The self-audit of a scorer in one run, stored in the run's provenance under ``self_audit``.

    ``traits``: what it does with spaces, opening and closing tokens, and how it batches, a sentence each.
    ``noise_floor``: the largest difference in nats between scores of the run and the same ones computed
    again, one at a time (``noise_scores`` of them in ``noise_cells`` cells, which earlier versions did not
    count, with weights as ``noise_dtype``); ``None`` where none was, or where one of the two is no
    probability at all, of which ``note`` tells.
    """

    traits: dict[str, str]
    tokens: dict[str, int]
    left_out: tuple[LeftOut, ...] = ()
    noise_floor: float | None = None
    noise_scores: int = 0
    noise_cells: int | None = None
    noise_dtype: str = ""
    note: str = ""


@dataclass(frozen=True)
class Preferences:
    """A run's preferences by group, and how much probability they cover.

    ``values``: [occupation, template, group] probabilities that sum to 1 over groups (PCF Eq. 11).

    ``coverage``: [occupation, template] probability that the model gives to all words of the topic together;
    of a masked model the largest over the numbers of tokens, which share no sample space.  A causal model
    scores text right of ``[Y]`` together with the word: coverage is then that of the words given the text on
    the left alone (``left_only``), NaN where a token is part of both, and ``None`` if that is not stored.
    """

    groups: tuple[str, ...]
    occupations: tuple[str, ...]
    templates: tuple[str, ...]
    values: FloatArray
    coverage: FloatArray | None = None
    left_only: bool = False

    @property
    def flagged(self) -> NDArray[np.bool_]:
        """[occupation, template] whether the preferences say little: coverage under ``LOW_COVERAGE``."""
        if self.coverage is None:
            return np.zeros(self.values.shape[:2], dtype=bool)
        return np.asarray(self.coverage < LOW_COVERAGE)


class FlaggedCell(Record):
    """A cell whose coverage is under ``LOW_COVERAGE``."""

    occupation: str
    template: str
    coverage: float


class CoverageRange(Record):
    """Median and lowest probability of the topic's words together, over the cells of a run."""

    median: float
    lowest: float


class CoverageSummary(Record):
    """Coverage of a run (see :class:`Preferences`).

    ``by_tokens``: over all cells, per number of tokens of the words (masked) or under ``all``.  ``flagged``
    counts the cells of which none of these reaches ``limit``; ``listed`` names the lowest, at most a hundred.
    ``cells`` are those whose coverage is known; of ``unknown`` more it is not.  ``left_only``: text right of
    ``[Y]`` is scored with the words, and this is their coverage given the text on the left alone.
    """

    by_tokens: dict[str, CoverageRange]
    cells: int
    flagged: int
    listed: tuple[FlaggedCell, ...] = ()
    limit: float = LOW_COVERAGE
    left_only: bool = Field(False, exclude_if=operator.not_)  # results without keep their bytes
    unknown: int = Field(0, exclude_if=operator.not_)

    @property
    def is_low(self) -> bool:
        """Whether so many cells are flagged that the figures say little."""
        return self.flagged > MOST_FLAGGED * self.cells


# How far a run is that is being scored.


Stage = Literal["loading", "scoring", "writing", "checking"]


class ScoredSentence(Record):
    """A sentence that was scored: its text with ``[Y]``, and the preference for each group there, by name."""

    prompt: str
    preferences: dict[str, float]


class Progress(Record):
    """What a run is at, and how far that is.

    ``done`` of ``total`` are cells that were missing (scoring), cells that are read for the result (writing)
    or cells that are scored again alone (checking).  ``unsaved`` are cells beyond ``done`` that are
    scored, but in a shard that is not whole yet: they are lost if the work ends now.  ``begun``: how many
    more cells the work on the batch under way amounts to, of which no score is known yet.  ``rate`` counts
    these three a second, and is 0 until there is something to divide by.  ``seconds_left`` is that of the
    stage; ``None`` where nothing is known.  ``sentence``: one that was scored a moment ago.
    """

    stage: Stage
    done: int = 0
    total: int = 0
    unsaved: int = 0
    rate: float = 0.0
    seconds_left: float | None = None
    begun: int = 0
    sentence: ScoredSentence | None = None
