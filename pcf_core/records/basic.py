"""Frozen records that cross rooms.  Shapes and units are stated once, here.

Axis names used everywhere: ``occupation`` (the evidence X), ``template`` (the context C), ``group`` (the
topic Y), ``word``.  Log-probabilities are natural logarithms (nats); probabilities lie in [0, 1].
What is asked, scored and reported stands in this one file; the records of further statistics have one each.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

FloatArray = NDArray[np.floating[Any]]
Scale = Literal["pcf", "bvf"]
Protocol = Literal["exact", "exact-boundary", "single-token"]
Aggregation = Literal["sum", "mean"]
Over = Literal["templates", "occupations", "both"]
Unit = Literal["usual", "template", "mention"]
Family = Literal["masked", "causal", "seq2seq", "permutation", "endpoint"]

LOW_COVERAGE = 1e-4  # a cell in which the topic's words together get less of the probability is flagged

# Version of each family's scoring rules: raise it when the same model and prompt would give another number.
RULES: Mapping[str, str] = {
    "masked": "1",
    "causal": "1",
    "seq2seq": "1",
    "permutation": "1",
    "endpoint": "1",
    "fake": "1",
}


def digest(value: Any) -> str:
    """Sixteen hexadecimal digits of the SHA-256 of a value's canonical JSON: the hash behind every key."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Record(BaseModel):
    """Base of the records that are read from files or written to them: frozen, no unknown field."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Group(Record):
    """One protected group and the words that stand for it at ``[Y]``."""

    name: str
    words: tuple[str, ...]


class LeftOut(Record):
    """Something that was not used, and why: shown, never dropped silently."""

    name: str
    reason: str


class Topic(Record):
    """Groups of words (Y).  ``aligned``: the i-th words of all groups are counterparts.

    ``position``: what a word is at ``[Y]``, and so which templates suit: the ``subject`` of a clause
    ("The [X] said that [Y]") or a ``predicate`` ("The [X], who came, is [Y]").
    """

    name: str
    title: str
    groups: tuple[Group, ...]
    aligned: bool = False
    language: str = "en"
    source: str = ""
    notes: str = ""
    left_out: tuple[LeftOut, ...] = ()
    evidence: str = ""
    templates: str = ""
    position: Literal["subject", "predicate"] = "subject"

    @property
    def words(self) -> tuple[str, ...]:
        """All words, group after group: the order of the word axis."""
        return tuple(word for group in self.groups for word in group.words)

    @property
    def group_names(self) -> tuple[str, ...]:
        return tuple(group.name for group in self.groups)

    @property
    def hash(self) -> str:
        """Hash of what decides a number: groups and words, not titles and notes."""
        return digest([[group.name, group.words] for group in self.groups])


class Evidence(Record):
    """The occupations (X), or any list of terms that fill ``[X]``.

    ``weights``: [term] how much each counts, as the source says, on any scale; empty where it does not say.
    ``noun``: what one of the terms is, such as "athlete"; its plural has an s.
    """

    name: str
    title: str
    terms: tuple[str, ...]
    weights: tuple[float, ...] = ()
    noun: str = "occupation"
    source: str = ""
    notes: str = ""

    @property
    def hash(self) -> str:
        """Hash of the terms: weights are a view option and decide no score."""
        return digest(self.terms)


class Template(Record):
    """A text with one ``[X]`` and one ``[Y]``, and how often it was counted in a corpus.

    ``documents``: how many documents had it, 0 where unknown.
    """

    text: str
    count: float = 1.0
    documents: int = 0

    def prompt(self, term: str) -> str:
        """The text with the term at ``[X]`` and ``[Y]`` still open."""
        return self.text.replace("[X]", term)


class TemplateSet(Record):
    """The contexts (C).  ``kept``: what they carry of the mass that they were cut from, 0 where unknown."""

    name: str
    title: str
    templates: tuple[Template, ...]
    kept: float = 1.0
    source: str = ""
    notes: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(template.text for template in self.templates)

    @property
    def counts(self) -> FloatArray:
        """[template] counts, not normalised."""
        return np.array([template.count for template in self.templates], dtype=np.float64)

    @property
    def hash(self) -> str:
        """Hash of the texts: counts are a view option and decide no score."""
        return digest(self.texts)


class MinedTemplate(Record):
    """A template with where it comes from.

    ``documents``: how many documents had it, 0 where unknown.  ``sources``: part of the count per source of
    the corpus.  ``examples``: up to three sentences, ``document id@offset of its first character``.
    """

    text: str
    count: float = 1.0
    documents: int = 0
    sources: dict[str, int] = {}
    examples: tuple[str, ...] = ()


class SetCard(Record):
    """What is known of a template set besides its templates; ``""`` and 0 where nothing is.

    ``form``: rule that mined it.  ``corpus``, ``licence``: of the texts.  ``documents``, ``words``: read;
    ``sentences``: parsed; ``matches``: templates found in them, each time counted.  ``cut``: lowest count
    kept, ``kept``: the share of the matches that remains.  ``pipeline``, ``rules``: parser and version of the
    rules.  ``parents``: names of the sets it was made of, ``history``: what was done, a sentence each.
    """

    title: str
    source: str = ""
    notes: str = ""
    language: str = "en"
    form: Literal["", "clausal", "attributive"] = ""
    corpus: str = ""
    licence: str = ""
    documents: int = 0
    words: int = 0
    sentences: int = 0
    matches: int = 0
    cut: float = 0
    kept: float = 1.0
    pipeline: str = ""
    rules: str = ""
    parents: tuple[str, ...] = ()
    history: tuple[str, ...] = ()


class MinedSet(Record):
    """A template set with its card and the origin of every template, heaviest first.

    What is scored is :attr:`templates_only`: origins are no part of a run.
    """

    name: str
    card: SetCard
    templates: tuple[MinedTemplate, ...]

    @property
    def templates_only(self) -> TemplateSet:
        return TemplateSet(
            name=self.name,
            title=self.card.title,
            templates=tuple(
                Template(text=mined.text, count=mined.count, documents=mined.documents)
                for mined in self.templates
            ),
            kept=self.card.kept,
            source=self.card.source,
            notes=self.card.notes,
        )


class Weights(Record):
    """Weights of the occupations, aligned with ``terms``; what had no figure is named in ``left_out``.

    ``share`` is the part of the list that remains (by number of occupations).
    """

    name: str
    terms: tuple[str, ...]
    values: tuple[float, ...]
    left_out: tuple[LeftOut, ...] = ()
    share: float = 1.0
    source: str = ""


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


@dataclass(frozen=True)
class TokenTable:
    """What a tokenizer makes of the words: tokens per word, and the words it cannot express.

    ``spelling``: the tokens themselves as a text, the same for words that the model cannot tell apart ("He"
    and "he", where a tokenizer knows no capital letters).  Nothing is known of words that are not in it:
    those of scores that were kept without, and those of which an endpoint tells no whole characters.
    ``unspaced``: words that are known to have these same tokens where no space stands before them, as Chinese
    ones have where each character is a token.
    """

    tokens: Mapping[str, int]
    refused: Mapping[str, str] = field(default_factory=dict)
    spelling: Mapping[str, str] = field(default_factory=dict, compare=False)
    unspaced: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def same(self) -> tuple[tuple[str, ...], ...]:
        """Words of one spelling, two or more each, in the order of the table."""
        alike: dict[str, list[str]] = {}
        for word, spelling in self.spelling.items():
            alike.setdefault(spelling, []).append(word)
        return tuple(tuple(words) for words in alike.values() if len(words) > 1)


class SelfAudit(Record):
    """What a scorer found out about itself in one run, kept in the run's provenance under ``self_audit``.

    ``traits``: what it does with spaces, opening and closing tokens, and how it batches, a sentence each.
    ``noise_floor``: the largest difference in nats between scores of the run and the same ones computed
    again, one at a time (``noise_scores`` of them, with weights as ``noise_dtype``); ``None`` where none was,
    or where one of the two is no probability at all, of which ``note`` tells.
    """

    traits: dict[str, str]
    tokens: dict[str, int]
    left_out: tuple[LeftOut, ...] = ()
    noise_floor: float | None = None
    noise_scores: int = 0
    noise_dtype: str = ""
    note: str = ""


@dataclass(frozen=True)
class Preferences:
    """``values``: [occupation, template, group] probabilities that sum to 1 over groups (PCF Eq. 11).

    ``coverage``: [occupation, template] probability that the model gives to all words of the topic together;
    of a masked model the largest over the numbers of tokens, which share no sample space; ``None`` where the
    text right of ``[Y]`` is scored together with the word.
    """

    groups: tuple[str, ...]
    occupations: tuple[str, ...]
    templates: tuple[str, ...]
    values: FloatArray
    coverage: FloatArray | None = None

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
    """

    by_tokens: dict[str, CoverageRange]
    cells: int
    flagged: int
    listed: tuple[FlaggedCell, ...] = ()
    limit: float = LOW_COVERAGE


class Interval(Record):
    """A two-sided interval; ``unit`` is what was resampled: ``template``, ``document``, ``mention``, ``draw``
    or ``occupation``; over ``both`` the first of them, as occupations are drawn as such.
    """

    over: Over = "templates"
    level: float = 0.95
    low: float
    high: float
    unit: str = "template"


class Look(Record):
    """What a sampling plan has found after so many draws.

    ``draws``: of ``templates`` distinct ones out of ``available``, those with a count above 0.
    ``effective_draws``: (Σ w)² / Σ w² of the draws' importance weights, ``draws`` where the weights are the
    counts.  ``estimates`` and ``intervals``: of R, R^p and R^c, by quantity; prejudice and caprice are
    corrected for the bias of a sample.  ``half_width``: the widest of the three.  Once every template with a
    count was drawn, the values are those of the whole set and ``half_width`` is 0.
    """

    within: float
    draws: int
    effective_draws: float
    templates: int
    available: int
    half_width: float
    estimates: dict[str, float]
    intervals: dict[str, Interval]

    @property
    def whole(self) -> bool:
        """Whether every template with a count was drawn."""
        return self.templates == self.available


class CorrectedRisk(Record):
    """R^p and R^c corrected for the bias of few templates, beside the plug-in figures; R has none.

    ``sampling_prejudice``: the R^p that these templates would show on average if the true mean stereotype of
    every occupation were neutral, from their sampling alone; ``None`` where it was not computed.
    ``headline``: whether the report's own prejudice and caprice, also of each occupation, are the corrected
    ones; so it is where templates were drawn by a sampling plan.
    """

    prejudice_risk: float
    caprice_risk: float
    plug_in_prejudice_risk: float
    plug_in_caprice_risk: float
    headline: bool
    sampling_prejudice: float | None = None


@dataclass(frozen=True)
class OccupationRisk:
    """Risk of one occupation: r_x = r_x^p + r_x^c, the s.d. of its stereotype, mean preferences by group.

    ``corrected_prejudice_risk``: r_x^p less the bias of few templates, between 0 and r_x.
    """

    occupation: str
    weight: float
    overall_risk: float
    prejudice_risk: float
    caprice_risk: float
    stereotype_sd: float
    stereotype: Mapping[str, float]
    preferences: Mapping[str, float]
    intervals: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)
    corrected_prejudice_risk: float | None = None


@dataclass(frozen=True)
class RiskReport:
    """R = R^p + R^c (PCF Eq. 7–9) with everything needed to read it.

    ``intervals``: by quantity, over templates (first), over occupations and over both, where they are known.
    """

    overall_risk: float
    prejudice_risk: float
    caprice_risk: float
    effective_templates: float
    groups: tuple[str, ...]
    templates: tuple[str, ...]
    template_weights: FloatArray
    occupations: tuple[OccupationRisk, ...]
    intervals: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)
    criterion: str = ""
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    coverage: CoverageSummary | None = None
    self_audit: SelfAudit | None = None
    corrected: CorrectedRisk | None = None
    sampling: Look | None = None

    @property
    def stereotype_sd(self) -> float:
        """The s.d. of the stereotype over templates, averaged over occupations by weight: read beside R^c."""
        return float(sum(row.weight * row.stereotype_sd for row in self.occupations))

    def interval(self, quantity: str, over: Over = "templates") -> Interval | None:
        """The interval of R, R^p or R^c over templates, occupations or both; ``None`` where there is none."""
        return next((found for found in self.intervals.get(quantity, ()) if found.over == over), None)
