"""Records of FairPair: word categories, prompts, tables of counterparts, reports, requests and results.

u = p(g(x)), ``original``: what the model wrote for a prompt, perturbed.  z = g(p(x)), ``prompt``: what it
wrote for the perturbed prompt.  Both are about the same entity.  Dissimilarities Φ lie in [0, 1].

Stored beside the texts as ``results/<key>/<name>.json``:

    =====================  =================  ==========================================================
    key                    name               content
    =====================  =================  ==========================================================
    ``asked.pairs_hash``   ``counterparts``   [prompt] p(x)
    ``asked.pairs_hash``   a prompt's hash    [text] u of that prompt, and the errors of p
    ``prompts.kept``       ``prompts``        the :class:`PromptSet`
    ``perturbation.kept``  ``table``          the :class:`PerturbationTable`
    =====================  =================  ==========================================================

z are the store's texts of the prompt p(x).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pydantic import Field, model_validator

from pcf_core.core.errors import FairPairError
from pcf_core.core.generation import End, GenerationKey
from pcf_core.core.options import shared_fields
from pcf_core.core.records import LeftOut, Record, digest
from pcf_core.core.risk import Interval, Tested
from pcf_core.texts.text_audit import AuditAsked, AuditResult

# Categories of words in which FairPair's texts may differ.


class WordCategory(Record):
    """A category of lower-case words; * at the end of one matches every continuation."""

    name: str
    title: str
    words: tuple[str, ...]

    @cached_property
    def whole(self) -> frozenset[str]:
        """The words as a set; those with * match no word of a text."""
        return frozenset(self.words)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The words that ended in *, without it."""
        return tuple(word[:-1] for word in self.words if word.endswith("*"))

    def holds(self, word: str) -> bool:
        """Tell whether a lower-case word is in this category."""
        return word in self.whole or word.startswith(self.stems)


class CategorySet(Record):
    """A user's own categories."""

    name: str
    title: str
    categories: tuple[WordCategory, ...]


# Prompts.


class Prompt(Record):
    """A prompt that names an entity, such as "John is a nurse.".

    ``fact``: shared with prompts that express it in other words; the prompt itself if there are none.
    """

    text: str
    category: str = ""
    fact: str = ""


class PromptSet(Record):
    """Prompts about one entity; ``names``: the entity and its counterpart."""

    name: str
    title: str
    version: str
    names: tuple[str, str]
    prompts: tuple[Prompt, ...]
    source: str = ""
    notes: str = ""
    left_out: tuple[LeftOut, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the prompts."""
        return tuple(prompt.text for prompt in self.prompts)

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, in order of first use."""
        return tuple(dict.fromkeys(prompt.category for prompt in self.prompts))

    @property
    def hash(self) -> str:
        """The digest of names and texts, which alone affect results."""
        return digest([self.names, self.texts])


# Tables of counterparts, and the errors of exchanging words by them.


Mode = Literal["entity", "whole"]
Pair = tuple[str, str]
Cause = Literal["one way", "part of speech", "another reading"]


class Rule(Record):
    """A word of one side that becomes another word; the first rule that fits counts.

    ``tags``: the Penn Treebank tags required, any if empty; ``title``: only before a name.
    """

    side: str
    word: str
    becomes: str
    tags: tuple[str, ...] = ()
    title: bool = False


class PerturbationTable(Record):
    """Words of two sides and their counterparts, the first side's word first.

    ``names``: the first is the usual entity.  Titles precede ``rules``, which precede words.  ``pronouns``:
    words that may refer to whoever was named.  ``surnames``: words that stay behind a given name.  ``fixed``:
    phrases that stay.  ``unpaired``: by side, words without a counterpart, which stay and count as left.
    """

    name: str
    title: str
    sides: Pair
    names: tuple[Pair, ...]
    titles: tuple[Pair, ...] = ()
    words: tuple[Pair, ...] = ()
    plurals: tuple[Pair, ...] = ()
    rules: tuple[Rule, ...] = ()
    pronouns: tuple[str, ...] = ()
    surnames: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    unpaired: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    source: str = ""
    notes: str = ""

    @property
    def hash(self) -> str:
        """The digest of everything that affects texts."""
        return digest(self.model_dump(mode="json", exclude={"name", "title", "source", "notes"}))


class NotReturned(Record):
    """A changed word that was not restored by exchanging back, with the text around it.

    ``word`` became ``counterpart``, which became ``back``; one is empty if recognised in only one direction.
    """

    word: str
    counterpart: str
    back: str
    cause: Cause
    context: str


class PerturbationErrors(Record):
    """How well a perturbation can be undone.

    ``changed``: words, in ``changed_texts``.  ``returned_texts``: texts restored byte for byte.
    ``not_returned``: words by cause: the counterpart leads to another word (``one way``), its part of speech
    was read differently (``part of speech``), or it was not recognised (``another reading``).  ``left``:
    counts of source-side words that remain, in ``left_texts``: in mode ``whole`` words without a counterpart
    and supposed surnames, in mode ``entity`` only the entity's name.
    """

    table: str
    mode: Mode
    texts: int
    changed_texts: int
    changed: int
    returned_texts: int
    not_returned: dict[Cause, int]
    left: dict[str, int]
    left_texts: int
    examples: tuple[NotReturned, ...] = ()

    @property
    def text_error(self) -> float | None:
        """Share of texts that were not restored; ``None`` without texts."""
        return 1 - self.returned_texts / self.texts if self.texts else None

    @property
    def word_error(self) -> float | None:
        """Share of changed words that were not restored; ``None`` if none was changed."""
        return min(1.0, sum(self.not_returned.values()) / self.changed) if self.changed else None

    @property
    def left_share(self) -> float | None:
        """Words left as a share of words left and changed; ``None`` without any."""
        left = sum(self.left.values())
        return left / (left + self.changed) if left + self.changed else None


# Pairs of texts, and the measures of them.


LABEL = "our reconstruction; the paper's tables were not available"
FEW_FACTS = 10  # intervals over fewer are rough
NOTHING = 1e-12  # a dissimilarity of 0, after rounding

Undefined = Literal["", "no variation", "one side constant", "both sides constant"]
Side = Literal["original", "prompt"]


@dataclass(frozen=True)
class PromptPairs:
    """One prompt with the same number of continuations per side: u and z."""

    prompt: str
    perturbed_original: tuple[str, ...]
    perturbed_prompt: tuple[str, ...]
    category: str = ""
    fact: str = ""


class Variation(Record):
    """B, V_pg and V_gp, 0 to 1, with F and E.

    ``between``: B, mean Φ(u, z).  ``within_original``: V_pg, mean Φ(u, u′) of two different texts;
    ``within_prompt``: V_gp, mean Φ(z, z′).
    """

    between: float
    within_original: float
    within_prompt: float

    @property
    def ratio(self) -> float | None:
        """F = B² / (V_gp · V_pg): 1 if sampling explains the difference; ``None`` where a V is 0."""
        if self.undefined:
            return None
        return self.between / self.within_original * (self.between / self.within_prompt)

    @property
    def energy(self) -> float:
        """E = 2 B − V_pg − V_gp: 0 if sampling explains the difference; always defined."""
        return 2 * self.between - self.within_original - self.within_prompt

    @property
    def undefined(self) -> Undefined:
        """Why F is undefined, or empty.

        ``no variation``: one V and B are 0.  ``both sides constant``: both V are 0, B is not.  ``one side
        constant``: one V is 0, B is not.
        """
        constant = (self.within_original <= NOTHING) + (self.within_prompt <= NOTHING)
        if not constant:
            return ""
        if self.between <= NOTHING:
            return "no variation"
        return "both sides constant" if constant == 2 else "one side constant"


class SignedReading(Record):
    """Mean sentiments of both sides, −1 to 1, with the interval of ``prompt`` − ``original``.

    ``interval``: over texts for one prompt, over facts or prompts for several; ``None`` without variation.
    """

    original: float
    prompt: float
    interval: Interval | None

    @property
    def difference(self) -> float:
        """``prompt`` − ``original``."""
        return self.prompt - self.original

    @property
    def more_positive(self) -> Side | None:
        """The more positive side, if the interval excludes 0."""
        if self.interval is None or self.interval.low <= 0 <= self.interval.high:
            return None
        return "prompt" if self.difference > 0 else "original"


class PromptDifference(Variation, Tested):
    """The result for one prompt.

    ``samples``: n per side; ``folds``: k.  ``empty_original``, ``empty_prompt``: texts without a word, which
    count like any other.  ``p_value``: of relabelling u and z within folds, one-sided; ``least_p``: the
    smallest possible.  ``chance_ratio``: mean F of random labels, ``None`` if never defined.  ``adjusted``:
    over all prompts (Holm).  All four are ``None`` where nothing was sampled.
    """

    prompt: str
    category: str = ""
    fact: str = ""
    samples: int
    folds: int
    empty_original: int = 0
    empty_prompt: int = 0
    p_value: float | None
    least_p: float | None
    chance_ratio: float | None
    adjusted: float | None = None
    sentiment: SignedReading


class Course(Record):
    """Mean B, V_pg and V_gp over prompts at each of ``places``; ``None`` for V of a single sample."""

    places: tuple[int, ...]
    between: tuple[float, ...]
    within_original: tuple[float | None, ...]
    within_prompt: tuple[float | None, ...]

    @property
    def ratio(self) -> tuple[float | None, ...]:
        """F of the means at each place; ``None`` where undefined."""
        rows = zip(self.between, self.within_original, self.within_prompt, strict=True)
        return tuple(
            None
            if original is None or prompt is None
            else Variation(between=between, within_original=original, within_prompt=prompt).ratio
            for between, original, prompt in rows
        )


class Convergence(Record):
    """How B, V and F settle (the paper's figures 3 and 4).

    ``samples``: over all pairs of the first 1 … n samples; ``folds``: of n samples in k folds, k rising.
    """

    count: int
    prompts: int
    samples: Course
    folds: Course


class OthersReading(Tested):
    """The result under Jaccard without the exchanged words; ``ratio``: F, the ratio of means."""

    ratio: float | None
    interval: Interval | None
    p_value: float | None
    adjusted: float | None = None


class FairPairReport(Tested):
    """One model's prompts under one Φ.

    ``means``: B and V averaged over prompts; their ``ratio`` is the ratio of means, to be read against 1.
    ``mean_ratio``: mean F of the prompts where it is defined (the others are in ``undefined``), to be read
    against ``chance_ratio``, the mean F under random labels.  ``intervals``: by :data:`QUANTITIES`, from two
    facts on.  Prompts that share a fact are resampled together.

    ``p_value``: of relabelling within folds, for the mean E; the verdict rests on it.  ``wilcoxon_p``: signed
    ranks over facts of B − √(V_gp V_pg), one-sided; ``None`` where all are 0.  ``adjusted``: over the models
    read together (Holm).  All are ``None``, and ``permutations`` 0, where nothing was sampled (temperature
    0).  ``others``: beside Jaccard, the same without exchanged words.
    """

    model: str
    dissimilarity: str
    original: str
    counterpart: str
    prompts: tuple[PromptDifference, ...]
    means: Variation
    mean_ratio: float | None
    chance_ratio: float | None
    intervals: dict[str, Interval]
    p_value: float | None
    least_p: float | None
    wilcoxon_p: float | None
    adjusted: float | None = None
    permutations: int
    sentiment: SignedReading
    undefined: tuple[LeftOut, ...] = ()
    mode: Mode | None = None
    others: OthersReading | None = None
    label: str = LABEL

    @property
    def sampled(self) -> bool:
        """Whether texts were drawn, so that a test is possible."""
        return self.p_value is not None

    @property
    def facts(self) -> int:
        """The number of facts, the units of intervals."""
        return len({row.fact or row.prompt for row in self.prompts})


QUANTITIES = ("between", "within_original", "within_prompt", "mean_ratio", "ratio_of_means", "energy")


class WordDifference(Tested):
    """An n-gram and the number of texts per side that contain it.

    ``log_odds``: δ, above 0 if more frequent in z; ``z_score``: δ over its standard error; ``p_value``:
    two-sided, ``adjusted`` over all n-grams (Benjamini–Hochberg), ``None`` where nothing was sampled.
    ``exchanged``: has a word that p exchanges.  ``original_texts``, ``prompt_texts``: (prompt, text) indices.
    """

    words: str
    original: int
    prompt: int
    log_odds: float
    z_score: float
    p_value: float | None
    adjusted: float | None
    categories: tuple[str, ...] = ()
    exchanged: bool = False
    original_texts: tuple[tuple[int, int], ...] = ()
    prompt_texts: tuple[tuple[int, int], ...] = ()

    @property
    def more_in(self) -> Side:
        """The side that has it more often."""
        return "prompt" if self.log_odds > 0 else "original"


class CategoryDifference(Tested):
    """A category of words and the number of texts per side that contain any of them.

    ``p_value``: Cochran–Mantel–Haenszel over prompts, two-sided, ``None`` if no test is possible;
    ``adjusted`` over categories (Holm).  ``words``: texts per side for each word.  ``original_texts``,
    ``prompt_texts``: (prompt, text) indices.
    """

    name: str
    title: str
    original: int
    prompt: int
    p_value: float | None
    adjusted: float | None
    words: Mapping[str, tuple[int, int]] = {}
    original_texts: tuple[tuple[int, int], ...] = ()
    prompt_texts: tuple[tuple[int, int], ...] = ()


class WordReport(Record):
    """The words in which u and z differ.

    ``tested``: n-grams; ``found``: those that differ, ``exchanged`` of them with a word that p exchanges;
    ``words``: the strongest by |z|, whether they differ or not.  Where nothing was ``sampled``, nothing is
    tested and copies of a text count once per prompt and side.
    """

    original: str
    counterpart: str
    original_texts: int
    prompt_texts: int
    tested: int
    found: int
    words: tuple[WordDifference, ...]
    categories: tuple[CategoryDifference, ...]
    exchanged: int = 0
    sampled: bool = True
    label: str = LABEL


# Requests and results.


JACCARD, OTHERS = "jaccard", "jaccard-others"
USUAL_DISSIMILARITIES = (JACCARD, OTHERS, "sentiment")
FAIRPAIR_RULES = "1"  # raise when the same texts give other numbers
EMBEDDING = "embedding"  # followed by a model: embedding:mini-bert
ENCODER_RULES = "1"  # raise when the same encoder gives other vectors
PERTURBATION_RULES = "2"  # raise when the same table and parser give other texts
FEWEST_TEXTS, MOST_TEXTS = 2, 10_000  # a side and prompt
PROMPTS, TABLE, COUNTERPARTS = "prompts", "table", "counterparts"  # names of stored documents
MOST_TOGETHER = 2_000  # per side, compared all with all: under 1 GB of memory


class PromptsAsked(Record):
    """The prompts of a request; ``names``: the entity and its counterpart, ``kept``: the stored set's key."""

    name: str
    title: str
    version: str
    hash: str
    names: Pair
    count: int
    kept: str

    @classmethod
    def of(cls, prompts: PromptSet) -> PromptsAsked:
        """Describe a set of prompts."""
        return cls(
            **shared_fields(cls, prompts),
            hash=prompts.hash,
            count=len(prompts.prompts),
            kept=digest(prompts.model_dump(mode="json")),
        )


class PerturbationAsked(Record):
    """The perturbation p of a request.

    ``hash``: of the table, stored under ``kept``.  ``entity``: names of the table's first and second side;
    ``reverse``: the prompts are about the second.  ``pipeline``: the parser, where words need parts of
    speech.
    """

    table: str
    title: str
    hash: str
    kept: str
    entity: Pair
    mode: Mode = "whole"
    reverse: bool = False
    pipeline: str
    rules: str

    @classmethod
    def of(
        cls, table: PerturbationTable, entity: Pair, mode: Mode, pipeline: str, reverse: bool = False
    ) -> PerturbationAsked:
        """Describe a perturbation by its table, entity, mode and parser."""
        return cls(
            table=table.name,
            title=table.title,
            hash=table.hash,
            kept=digest(table.model_dump(mode="json")),
            entity=entity,
            mode=mode,
            reverse=reverse,
            pipeline=pipeline,
            rules=PERTURBATION_RULES,
        )

    @property
    def names(self) -> Pair:
        """The names of the entity and its counterpart."""
        first, second = self.entity
        return (second, first) if self.reverse else (first, second)


class EncoderKey(Record):
    """Everything that decides the float32 vector of a text (:mod:`pcf_core.texts.fairpair.mean_pooling`)."""

    model: str
    identity: str
    tokenizer: str
    rules: str = ENCODER_RULES

    @property
    def choice(self) -> str:
        """The name of the dissimilarity."""
        return f"{EMBEDDING}:{self.model}"


class FairPairAsked(AuditAsked):
    """A request: ``count`` texts per side and prompt, compared by each of the ``dissimilarities``.

    ``fold_size``: texts per side and fold, ``None`` for a single fold.  ``encoders``: of the dissimilarities
    named ``embedding:MODEL``, in their order.  ``categories``: ``None`` for the shipped ones.

    Raises FairPairError if nothing can be measured, or prompts and perturbation have different names.
    """

    key: GenerationKey
    prompts: PromptsAsked
    perturbation: PerturbationAsked
    count: int
    fold_size: int | None = None
    dissimilarities: tuple[str, ...] = USUAL_DISSIMILARITIES
    encoders: tuple[EncoderKey, ...] = ()
    categories: CategorySet | None = None
    rules: str = FAIRPAIR_RULES

    @model_validator(mode="after")
    def _can_be_measured(self) -> FairPairAsked:
        if not FEWEST_TEXTS <= self.count <= MOST_TEXTS:
            raise FairPairError(
                f"FairPair compares {FEWEST_TEXTS} to {MOST_TEXTS:,} texts per side for each prompt, but "
                f"{self.count:,} were requested; 20 to 50 are usual, and the paper uses 500."
            )
        if self.fold_size is not None and not 2 <= self.fold_size <= self.count:
            raise FairPairError(
                f"With {self.count:,} texts per side a fold can have 2 to {self.count:,}, but "
                f"{self.fold_size:,} were requested; leave the fold out to compare all texts with each "
                "other."
            )
        largest = -(-self.count // (self.count // (self.fold_size or self.count)))
        if largest > MOST_TOGETHER:
            raise FairPairError(
                f"Up to {MOST_TOGETHER:,} texts per side can be compared with each other, and these are "
                f"{largest:,}: request smaller folds, such as 5, or fewer texts."
            )
        if not self.dissimilarities or len(set(self.dissimilarities)) < len(self.dissimilarities):
            raise FairPairError(
                f"The dissimilarities are {', '.join(self.dissimilarities) or 'none'}: give at least one, "
                "and each only once."
            )
        embeddings = [name for name in self.dissimilarities if name.startswith(f"{EMBEDDING}:")]
        if embeddings != [encoder.choice for encoder in self.encoders]:
            raise FairPairError(
                f"The dissimilarities {', '.join(self.dissimilarities)} need an encoder for each embedding, "
                "but the encoders given are "
                f"{', '.join(encoder.model for encoder in self.encoders) or 'none'}."
            )
        if self.prompts.names != self.perturbation.names:
            raise FairPairError(
                f"The prompts are about {' and '.join(self.prompts.names)}, and the perturbation exchanges "
                f"{' for '.join(self.perturbation.names)}: give both the same names."
            )
        return self

    @property
    def hash(self) -> str:
        """The digest of the request; later fields only if set, so that earlier results keep their hash."""
        without = {name for name in ("encoders", "categories") if not getattr(self, name)}
        return digest(self.model_dump(mode="json", exclude=without))

    @property
    def pairs_hash(self) -> str:
        """The digest of what decides the texts u, without how they are compared."""
        compared = {"fold_size", "dissimilarities", "encoders", "categories", "rules"}
        return digest(self.model_dump(mode="json", exclude=compared))

    @property
    def sampled(self) -> bool:
        """Whether texts are drawn; at temperature 0 all texts of a prompt are the same."""
        return self.key.decoding.temperature > 0

    @property
    def imported(self) -> bool:
        """Whether the texts came in a pack."""
        return self.key.imported

    @property
    def as_imported(self) -> FairPairAsked:
        """The same request, to the imported model."""
        return self.model_copy(update={"key": self.key.as_imported})

    @property
    def alike(self) -> str:
        """The digest of all but model and temperature; results with the same one can be compared."""
        request = self.model_dump(mode="json", exclude={"key", "encoders"})
        decoding = self.key.decoding.model_dump(mode="json", exclude={"temperature"})
        return digest([request, decoding])


class PerturbedTexts(Record):
    """The stored texts u = p(g(x)) of a prompt, and the errors of p."""

    prompt: str
    texts: tuple[str, ...]
    errors: PerturbationErrors


class FairPairResult(AuditResult):
    """The result of a request.

    ``counterparts``: [prompt] p(x).  ``reports``, ``convergence``: by dissimilarity.  ``errors``: of p over
    all g(x); any of them looks like a difference.  ``ends``: number of texts by side and how they ended.
    ``declined``: by side, texts that decline in words; empty in older results.  Refused, empty and declining
    texts are measured like others.
    """

    asked: FairPairAsked
    counterparts: tuple[str, ...]
    reports: dict[str, FairPairReport]
    convergence: dict[str, Convergence]
    words: WordReport
    errors: PerturbationErrors
    ends: dict[Side, dict[End, int]]
    provenance: dict[str, Any]
    declined: Mapping[Side, int] = {}
    label: str = LABEL

    @property
    def as_imported(self) -> FairPairResult:
        """The same result, of the imported model."""
        request = self.asked.as_imported
        named = {"model": request.key.name}
        reports = {name: one.model_copy(update=named) for name, one in self.reports.items()}
        return self.model_copy(update={"asked": request, "reports": reports})

    @property
    def without_text(self) -> dict[Side, int]:
        """By side, texts that were refused or are empty."""
        return {side: ends.get("refused", 0) + ends.get("empty", 0) for side, ends in self.ends.items()}
