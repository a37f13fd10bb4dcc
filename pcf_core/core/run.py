"""A run: a model scored with a topic, evidence and templates; its keys and immediate results."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pcf_core.core.errors import RunError
from pcf_core.core.families import FAMILIES, Family
from pcf_core.core.frame import Frame, framed_name
from pcf_core.core.records import FloatArray, LeftOut, Record, digest
from pcf_core.core.sampled import Sampled
from pcf_core.core.topics import Evidence, Template, TemplateSet, Topic, differing, filled, with_person

ModelKind = Literal["public", "teaching", "planted", "own", "imported"]
Protocol = Literal["exact", "exact-boundary", "single-token", "equal-tokens", "fitting"]
# These protocols select from the words scored as exact, and have no key of their own.
BY_TOKENS: tuple[Protocol, ...] = ("single-token", "equal-tokens")
SELECTIONS: tuple[Protocol, ...] = (*BY_TOKENS, "fitting")


# Tokens before every bare text, none if empty; ``None``: those that the tokenizer puts there.
Opening = tuple[str, ...] | None


def is_usual(opening: Opening) -> bool:
    """Return whether texts begin as the tokenizer has it."""
    return opening is None


def scored_as(protocol: str) -> str:
    """Return the protocol under which the scores of ``protocol`` are stored."""
    return "exact" if protocol in SELECTIONS else protocol


def model_label(model: str, dtype: str) -> str:
    """Return a model's name, with its precision if that is a choice other than float32."""
    return model if dtype in ("float32", "auto", "server") else f"{model} ({dtype})"


def split_label(label: str) -> tuple[str, str]:
    """Return model and precision of a label from :func:`model_label`."""
    match = re.fullmatch(r"(.+) \((bfloat16|float16)\)", label)
    return (match[1], match[2]) if match else (label, "float32")


def version_name(item: Topic | Evidence | TemplateSet) -> str:
    """Return an item's name with a version, for use where the plain name is ambiguous."""
    return f"{item.name}@{item.hash[:8]}"


def exact_name(item: Topic | Evidence | TemplateSet) -> str:
    """Return a name that also distinguishes items of one hash, such as sets with other counts."""
    return f"{item.name}@{digest([item.hash, item.beside_hash])[:8]}"


class ModelSpec(Record):
    """A model that can be scored, described without loading it.

    ``identity``: hash of weights and configuration (or the hub's resolved revision).  ``path``: folder, empty
    until a hub model is downloaded; an endpoint's base URL without credentials.  ``parameters``: 0 if
    unknown.  ``dtype``: for computing; ``own_dtype``: in its configuration.  ``remote_code``: no class of
    transformers loads it.  ``chat_template``: hash, if any.  ``quantization``: of compressed weights, such as
    ``Q4_1`` (GGUF) or ``4-bit GPTQ``.  ``kind``: public, trained for teaching, with a planted answer, the
    operator's own, or with imported results only.  ``text_part_of``: the class of a multimodal model that
    only reads text here.  ``frame``: of the sentences to be scored, rendered; ``None`` for bare ones.
    ``opening``: see :mod:`pcf_core.models.beginnings`.  ``base``: the name of the model that an adapter
    changes; empty for others.
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
    text_part_of: str = Field("", exclude_if=operator.not_)
    frame: Frame | None = Field(None, exclude_if=operator.not_)
    opening: Opening = Field(None, exclude_if=is_usual)
    base: str = Field("", exclude_if=operator.not_)

    def with_dtype(self, dtype: str) -> ModelSpec:
        """Return the model with this dtype; unchanged for an endpoint, where the server decides."""
        return self if self.family == "endpoint" else self.model_copy(update={"dtype": dtype})

    def scored_like(self, other: ModelSpec | ScoringKey) -> ModelSpec:
        """Return the model with the dtype, frame and opening of another one, or of a key."""
        update = {"frame": other.frame, "opening": other.opening}
        return self.with_dtype(other.dtype).model_copy(update=update)

    @property
    def chats(self) -> bool:
        """Whether sentences can be scored in a chat of the model."""
        return bool(self.chat_template) and FAMILIES[self.family].answers

    @property
    def reading(self) -> str:
        """The family, and the class of which only the text part is read."""
        return f"{self.family} (text part of {self.text_part_of})" if self.text_part_of else self.family

    @property
    def label(self) -> str:
        """The name, with the frame, if there is one, and the precision, if that is not float32."""
        return model_label(framed_name(self.name, self.frame), self.dtype)


class ScoringKey(Record):
    """Everything that decides the log-probability of a word in a prompt; no ``frame`` for bare prompts.

    ``opening``: tokens before a bare prompt, if not the tokenizer's.  ``sampled``: answers are counted,
    no probabilities scored; ``rules`` are then those of texts.
    """

    model: str
    identity: str
    tokenizer: str
    family: str
    rules: str
    dtype: str = "float32"
    protocol: str = "exact"
    frame: Frame | None = Field(None, exclude_if=operator.not_)  # keeps the hashes of bare prompts
    opening: Opening = Field(None, exclude_if=is_usual)  # keeps the hashes of texts as tokenized
    sampled: Sampled | None = Field(None, exclude_if=operator.not_)  # keeps the hashes of scores

    @classmethod
    def of(cls, spec: ModelSpec, protocol: str = "exact") -> ScoringKey:
        """Return the key of a model; a selection has that of ``exact``."""
        return cls(
            model=spec.name,
            identity=spec.identity,
            tokenizer=spec.tokenizer,
            family=spec.family,
            rules=FAMILIES[spec.family].rules,
            dtype=spec.dtype,
            protocol=scored_as(protocol),
            frame=spec.frame,
            opening=None if spec.frame else spec.opening,
        )

    @property
    def imported(self) -> bool:
        """Whether the scores came in a pack, from weights that were never verified here."""
        return False

    @property
    def draws(self) -> bool:
        """Whether answers are drawn, so that chance is in the figures."""
        return self.sampled is not None and not self.sampled.listed

    @property
    def name(self) -> str:
        """The model's name on pages, with its frame, or with how its answers were sampled."""
        return f"{self.model} ({self.sampled.label})" if self.sampled else framed_name(self.model, self.frame)

    @property
    def label(self) -> str:
        """The name, with the precision if that is not float32."""
        return model_label(self.name, self.dtype)

    @cached_property
    def hash(self) -> str:
        """The hash under which scores are stored."""
        return digest(self.model_dump())


IMPORTED = "imported:"  # prefix of a model with imported results only
DIGITS_OF_IMPORTED = 8


@lru_cache(maxsize=4096)
def imported_name(model: str, identity: str, tokenizer: str, family: str) -> str:
    """Return the name of a model from a pack, ``imported:mini-gpt@1f3a9c20``, which no local model has.

    The digits depend on what the pack states about the weights.
    """
    return f"{IMPORTED}{model}@{digest([identity, tokenizer, family])[:DIGITS_OF_IMPORTED]}"


class ImportedKey(ScoringKey):
    """The key of scores from a pack: the same hash, another name, stored elsewhere."""

    @property
    def imported(self) -> bool:
        """Always true."""
        return True

    @property
    def name(self) -> str:
        """The model's name on pages, with its frame."""
        name = imported_name(self.model, self.identity, self.tokenizer, self.family)
        return framed_name(name, self.frame)


class SamplingPlan(Record):
    """Draw templates with replacement, by count, until intervals are narrow enough.

    ``within``: half-width of the intervals of R, R^p and R^c (uniform reference, PCF scale).  ``seed``: a
    finer plan begins with the same draws.  ``times`` [template]: how often each was drawn so far.
    """

    within: float
    seed: int = 0
    times: tuple[int, ...]

    @property
    def draws(self) -> int:
        """The number of draws, including repeats."""
        return sum(self.times)


class Prompts(Sequence[str]):
    """Every template with every term, terms in the outer loop, each made on demand; a slice is a tuple."""

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
        for number in range(places.start // width, -(-places.stop // width)):  # a term at a time
            term, first = self._terms[number], number * width
            there = self._texts[max(0, places.start - first) : places.stop - first]
            found += [filled(text, term) for text in there]
        return tuple(found)


class RunSpec(Record):
    """A request: every prompt of (drawn) templates × evidence, for every word of the topic."""

    scoring: ScoringKey
    topic: Topic
    evidence: Evidence
    templates: TemplateSet
    plan: SamplingPlan | None = None

    @cached_property
    def key(self) -> str:
        """Run key, for links; independent of weights, counts, criteria, scales and draws."""
        parts: list[Any] = [self.scoring.hash, self.topic.hash, self.evidence.hash, self.templates.hash]
        return digest(parts if self.plan is None else [*parts, [self.plan.within, self.plan.seed]])

    @property
    def kept_as(self) -> str:
        """The name under which derived results are stored, different for imported and local runs."""
        return f"imported-{self.key}" if self.scoring.imported else self.key

    @property
    def as_imported(self) -> RunSpec:
        """The same run, with scores from a pack."""
        return self.model_copy(update={"scoring": ImportedKey(**self.scoring.model_dump())})

    def differing(self, other: RunSpec) -> dict[str, tuple[str, ...]]:
        """Return what may make results of two runs with one key differ, by kind of list."""
        differences = {
            "topic": differing(self.topic, other.topic),
            "evidence": differing(self.evidence, other.evidence),
            "templates": differing(self.templates, other.templates),
        }
        return {name: parts for name, parts in differences.items() if parts}

    def opened_with(self, opening: tuple[str, ...]) -> RunSpec:
        """Return the same run with other tokens before every text."""
        return self.model_copy(update={"scoring": self.scoring.model_copy(update={"opening": opening})})

    def with_lists_of(self, stored: RunSpec) -> RunSpec:
        """Return the run with another's lists; raise RunError if it has a plan and counts differ."""
        if self.plan is not None and "counts" in differing(self.templates, stored.templates):
            raise RunError(
                f"The run {self.key} draws templates by the counts of {stored.templates.name}, but "
                f"{self.templates.name} has different counts: delete that run, or score every template and "
                "read the result with your counts (risk RUN --templates FILE)."
            )
        return stored.model_copy(update={"scoring": self.scoring, "plan": self.plan})

    @property
    def whole(self) -> RunSpec:
        """The run without a sampling plan."""
        return self if self.plan is None else self.model_copy(update={"plan": None})

    @property
    def drawn(self) -> TemplateSet:
        """The templates that are scored, in order: all, or those drawn by the plan."""
        if self.plan is None:
            return self.templates
        pairs = zip(self.templates.templates, self.plan.times, strict=True)
        return self.templates.model_copy(
            update={"templates": tuple(template for template, times in pairs if times)}
        )

    @property
    def as_scored(self) -> RunSpec:
        """The run as a model sees it, under the same key: the run itself, unless its groups are people.

        Then every person makes a template of each, person-minor, and the answers are the topic's words.
        """
        return self._of_people if self.topic.decides else self

    @cached_property
    def _of_people(self) -> RunSpec:
        texts = with_people(self.topic, self.drawn.templates)
        templates = self.templates.model_copy(update={"templates": texts})
        update = {"topic": self.topic.answers, "templates": templates, "plan": None}
        scored = self.model_copy(update=update)
        scored.__dict__["key"] = self.key  # which sentences of errors name, and a sample is drawn by
        return scored

    @property
    def prompts(self) -> Prompts:
        """Prompts in the order occupation-major, template-minor."""
        return Prompts(self.evidence.terms, self.as_scored.drawn.templates)

    @property
    def cells(self) -> int:
        """The number of prompts: occupations times templates drawn, times people if there are any."""
        return len(self.evidence.terms) * len(self.as_scored.drawn.templates)


def with_people(topic: Topic, templates: Sequence[Template]) -> tuple[Template, ...]:
    """Return templates as a model sees them: in a topic about people, each with every person."""
    if not topic.decides:
        return tuple(templates)
    return tuple(
        template.model_copy(update={"text": with_person(template.text, person), "family": ""})
        for template in templates
        for person in topic.people
    )


# Results of a run: tokens, preferences, coverage and self-audit.


LOW_ANSWERS = 0.01  # the same of all answers together, where people are decided about
LOW_COVERAGE = 1e-4  # cells in which the topic's words together have less probability are flagged
MOST_FLAGGED = 0.05  # share of flagged cells above which there is no answer
LEAST_COUNTED = 0.5  # share of cells that must remain for an answer


@dataclass(frozen=True)
class TokenTable:
    """A tokenizer's treatment of words: tokens per word after a space, and words that it cannot express.

    ``spelling``: the tokens as text, equal for words that the model cannot distinguish ("He" and "he" without
    capitals).  Words that are not in it are unknown: from scores without a table, or endpoints with
    incomplete characters.  ``unspaced``: words with the same tokens without a space, as in Chinese.
    ``at_start``: tokens of words at the beginning of a text, if requested there.
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
    """The self-audit of a scorer in one run, stored in the run's provenance as ``self_audit``.

    ``traits``: what was checked when it was opened, by name a sentence each; earlier versions had fewer.
    ``tokens``: per word.  ``noise_floor``: the largest difference in nats when ``noise_scores`` in
    ``noise_cells`` cells are recomputed one at a time, with ``noise_dtype``; ``None`` if none were, or one is
    not a probability, as ``note`` explains.
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
    """A run's preferences by group, and their coverage.

    ``values`` [occupation, template, group]: probabilities that sum to 1 over groups (PCF Eq. 11), NaN where
    the model forbids a word (:class:`ForbiddenWords`).  ``coverage`` [occupation, template]: probability of
    all the topic's words together; for masked models the largest over numbers of tokens, which share no
    sample space.  If a causal model scores text right of ``[Y]`` with the word, it is given the left text
    alone (``left_only``), NaN where a token spans both, ``None`` if not stored.  Of decisions, ``values`` are
    rates of favourable answers, coverage is that of all answers, its mean over people, and ``people``
    [occupation, template, person] has the rates of each person.
    """

    groups: tuple[str, ...]
    occupations: tuple[str, ...]
    templates: tuple[str, ...]
    values: FloatArray
    coverage: FloatArray | None = None
    left_only: bool = False
    people: FloatArray | None = None

    @property
    def limit(self) -> float:
        """The coverage under which a cell is flagged."""
        return LOW_COVERAGE if self.people is None else LOW_ANSWERS

    @property
    def flagged(self) -> NDArray[np.bool_]:
        """[occupation, template] whether coverage is under the limit."""
        if self.coverage is None:
            return np.zeros(self.values.shape[:2], dtype=bool)
        return np.asarray(self.coverage < self.limit)


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
    """Coverage of a run (see :class:`Preferences`), by number of tokens (masked models) or under ``all``.

    ``flagged``: cells where none of these reaches ``limit``; ``listed``: the lowest, at most a hundred.
    ``cells``: with known coverage; ``unknown``: the others.
    """

    by_tokens: dict[str, CoverageRange]
    cells: int
    flagged: int
    listed: tuple[FlaggedCell, ...] = ()
    limit: float = LOW_COVERAGE
    left_only: bool = Field(False, exclude_if=operator.not_)  # keeps the bytes of results without it
    unknown: int = Field(0, exclude_if=operator.not_)

    @property
    def is_low(self) -> bool:
        """Whether too many cells are flagged for an answer."""
        return self.flagged > MOST_FLAGGED * self.cells


class ForbiddenWords(Record):
    """Words to which the model gives no probability at all (log P = −∞), so that cells have no preference.

    ``words``: in the topic's order.  ``cells`` of ``total`` have no preference.  ``occupations`` and
    ``templates`` are left out of all figures, so that the others have a preference in every cell; ``counted``
    cells remain, none if there are too many without.
    """

    words: tuple[str, ...]
    cells: int
    total: int
    occupations: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    counted: int = 0

    @property
    def too_many(self) -> bool:
        """Whether too few cells have a preference for any figure."""
        return self.cells > MOST_FLAGGED * self.total or self.counted < LEAST_COUNTED * self.total


# Progress of a run.


Stage = Literal["loading", "scoring", "writing", "checking"]


class ScoredSentence(Record):
    """A scored sentence: its text with ``[Y]``, and the preferences by group."""

    prompt: str
    preferences: dict[str, float]


class Progress(Record):
    """The stage and progress of a run.

    ``done`` of ``total``: missing cells (scoring), cells to be read for the result (writing) or recomputed
    singly (checking).  ``unsaved``: scored cells beyond ``done`` in an incomplete shard, lost if work stops
    now.  ``begun``: work done on the current batch, in cells.  ``rate``: all three per second, 0 at first.
    ``seconds_left``: of the stage, if known.  ``sentence``: one scored a moment ago.
    """

    stage: Stage
    done: int = 0
    total: int = 0
    unsaved: int = 0
    rate: float = 0.0
    seconds_left: float | None = None
    begun: int = 0
    sentence: ScoredSentence | None = None
