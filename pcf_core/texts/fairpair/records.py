"""Records of FairPair: categories of words, prompts, tables of counterparts, pairs of texts, runs.

**FairPair: pairs of texts, what is measured of them, and what was found.**  u = p(g(x)), ``original``: what
the model wrote for a prompt, perturbed.  z = g(p(x)), ``prompt``: what it wrote for the perturbed prompt.
Both are about the same entity.  Dissimilarities Φ lie in [0, 1].

**A FairPair run: what is asked of one model, and what came of it.**  Several models are asked one by one,
with the same prompts, table and decoding; their reports are read together by
:func:`pcf_core.texts.fairpair.report.controlled`.

What the store keeps beside the texts themselves, as ``results/<key>/<name>.json``, with the request and its
result (:mod:`pcf_core.work.text_audits`); :mod:`pcf_core.work.fairpair` reads it back, and
:mod:`pcf_core.work.pairing` writes it:

    =====================  =================  ==========================================================
    key                    name               holds
    =====================  =================  ==========================================================
    ``asked.pairs_hash``   ``counterparts``   [prompt] p(x)
    ``asked.pairs_hash``   a prompt's hash    [text] u = p(g(x)) of that prompt, and the errors of p in it
    ``prompts.kept``       ``prompts``        the whole :class:`PromptSet`
    ``perturbation.kept``  ``table``          the whole :class:`PerturbationTable`
    =====================  =================  ==========================================================

z = g(p(x)) are the store's texts of the prompt p(x) as they are: ``store.texts(asked.key, p(x), count)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from pcf_core.core.errors import FairPairError
from pcf_core.core.generation import End, GenerationKey
from pcf_core.core.options import shared_fields
from pcf_core.core.records import LeftOut, Record, digest
from pcf_core.core.risk import Interval
from pcf_core.texts.text_audit import AuditAsked, AuditResult

# Categories of words in which FairPair's texts may differ.


class WordCategory(Record):
    """A category of words, as a file lists it.

    ``words``: in small letters; a word with * at its end includes every word that begins like this.
    """

    name: str
    title: str
    words: tuple[str, ...]

    @cached_property
    def whole(self) -> frozenset[str]:
        """The words, to look one up: no word of a text ends in *."""
        return frozenset(self.words)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The beginnings of words of the category."""
        return tuple(word[:-1] for word in self.words if word.endswith("*"))

    def holds(self, word: str) -> bool:
        """Tell whether a lower-case word is of this category."""
        return word in self.whole or word.startswith(self.stems)


class CategorySet(Record):
    """A user's own; the categories are compared, the name is for people."""

    name: str
    title: str
    categories: tuple[WordCategory, ...]


# Prompts that FairPair has texts written from.


class Prompt(Record):
    """A prompt for which FairPair has texts written.

    ``text``: with the entity's name in it, "John is a nurse."; ``category``: its subject.

    ``fact``: the statement that several prompts express in other words, which groups them; the prompt itself
    if no other prompt does.
    """

    text: str
    category: str = ""
    fact: str = ""


class PromptSet(Record):
    """Prompts about one entity.

    ``names``: the entity in the prompts, and the one that it is exchanged for.

    ``left_out``: occupations of a list that are in no prompt, and why.
    """

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
        """The categories, in the order of their first prompts."""
        return tuple(dict.fromkeys(prompt.category for prompt in self.prompts))

    @property
    def hash(self) -> str:
        """Hash of what decides a number: names and texts."""
        return digest([self.names, self.texts])


# Tables of counterparts, by which a text about one group becomes one about another; their own errors.


Mode = Literal["entity", "whole"]
Pair = tuple[str, str]
Cause = Literal["one way", "part of speech", "another reading"]


class Rule(Record):
    """A word of one side that becomes another word, which may have another counterpart itself.

    ``tags``: the Penn Treebank tags under which it does, any where there are none; ``title``: only before a
    name.  Of several rules for a word the first that fits counts.
    """

    side: str
    word: str
    becomes: str
    tags: tuple[str, ...] = ()
    title: bool = False


class PerturbationTable(Record):
    """Words of two sides and their counterparts.

    A pair has the first side's word first.  ``names``, the first of which is the usual entity, and ``titles``
    are written with a capital; ``words`` and ``plurals`` in any case.  ``rules`` go before words, titles
    before rules.  ``pronouns``: which of the words may mean whoever was named.  ``surnames``: which may be
    surnames, too: they stay behind a given name.  ``fixed``: phrases that stay.  ``unpaired``: by side, words
    without a counterpart, which stay and are counted as left.
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
        """Hash of what decides a text: all but titles of the table, source and notes."""
        return digest(self.model_dump(mode="json", exclude={"name", "title", "source", "notes"}))


class NotReturned(Record):
    """A word that was changed but not restored by the way back, with the text around it.

    ``word`` became ``counterpart``, which became ``back``; one of them is empty if the word was recognised in
    only one direction.
    """

    word: str
    counterpart: str
    back: str
    cause: Cause
    context: str


class PerturbationErrors(Record):
    """The errors of a perturbation over texts, by its own measure.

    ``changed``: words that it changed, in ``changed_texts`` of the ``texts``.  ``returned_texts``: texts that
    the way back made what they were, byte by byte.  ``not_returned``: words of the others, by cause: the
    counterpart leads back to another word (``one way``), its part of speech was read otherwise
    (``part of speech``), or it was not found again (``another reading``).  ``left``: words of the source side
    that still stand in the result where nothing was put, in ``left_texts``; word -> how often.  In the mode
    ``whole`` these are words without a counterpart and what was taken for a surname, rightly or not; in the
    mode ``entity`` the entity's name alone, since other words may rightly be about somebody else.
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
        """Share of all texts that did not come back, 0 to 1; ``None`` without texts."""
        return 1 - self.returned_texts / self.texts if self.texts else None

    @property
    def word_error(self) -> float | None:
        """Share of the changed words that did not come back, 0 to 1; ``None`` where none was changed."""
        return min(1.0, sum(self.not_returned.values()) / self.changed) if self.changed else None

    @property
    def left_share(self) -> float | None:
        """Words left, as a share of those left and changed; ``None`` without any."""
        left = sum(self.left.values())
        return left / (left + self.changed) if left + self.changed else None


# FairPair: pairs of texts, what is measured of them, and what was found.


LABEL = "our reconstruction; the paper's tables were not available"
SIGNIFICANCE = 0.05
FEW_FACTS = 10  # an interval over fewer is rough
NOTHING = 1e-12  # what the arithmetic leaves of a dissimilarity that is 0

Undefined = Literal["", "no variation", "one side constant", "both sides constant"]
Side = Literal["original", "prompt"]


@dataclass(frozen=True)
class PromptPairs:
    """One prompt x with n texts per side, continuations only.

    ``perturbed_original``: u, ``perturbed_prompt``: z, the same number.  ``fact``: the statement shared with
    prompts that express it in other words; empty if no other prompt does.
    """

    prompt: str
    perturbed_original: tuple[str, ...]
    perturbed_prompt: tuple[str, ...]
    category: str = ""
    fact: str = ""


class _Tested(Record):
    """The two fields of every tested result."""

    if TYPE_CHECKING:
        p_value: float | None
        adjusted: float | None

    @property
    def controlled_p(self) -> float | None:
        """The p-value for the verdict: corrected if there are several tests."""
        return self.p_value if self.adjusted is None else self.adjusted

    @property
    def differs(self) -> bool:
        """Whether u and z differ beyond sampling variability, by the corrected p-value."""
        return self.controlled_p is not None and self.controlled_p <= SIGNIFICANCE


class Variation(Record):
    """B, V_pg and V_gp, 0 to 1, with F and E.

    ``between``: B, mean Φ(u, z).  ``within_original``: V_pg, mean Φ(u, u') of two different samples;
    ``within_prompt``: V_gp, mean Φ(z, z').
    """

    between: float
    within_original: float
    within_prompt: float

    @property
    def ratio(self) -> float | None:
        """F = B² / (V_gp · V_pg): 1 where sampling explains the difference; ``None`` where a V is 0."""
        if self.undefined:
            return None
        return self.between / self.within_original * (self.between / self.within_prompt)

    @property
    def energy(self) -> float:
        """E = 2 B − V_pg − V_gp: 0 where sampling explains the difference, defined everywhere."""
        return 2 * self.between - self.within_original - self.within_prompt

    @property
    def undefined(self) -> Undefined:
        """Why F is undefined; empty if it is defined.

        ``no variation``: one V and B are 0, so all texts are the same.  ``both sides constant``: both V are 0
        but B > 0, so each side always has the same text, different from the other side's.  ``one side
        constant``: one V is 0 and B > 0.
        """
        constant = (self.within_original <= NOTHING) + (self.within_prompt <= NOTHING)
        if not constant:
            return ""
        if self.between <= NOTHING:
            return "no variation"
        return "both sides constant" if constant == 2 else "one side constant"


class SignedReading(Record):
    """Which side is more positive: mean sentiments, −1 to 1, and ``prompt`` − ``original`` with its interval.

    ``interval``: over texts for one prompt, ``None`` where neither side varies or nothing was sampled; over
    facts or prompts for several.
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
        """The side, where the interval leaves out 0."""
        if self.interval is None or self.interval.low <= 0 <= self.interval.high:
            return None
        return "prompt" if self.difference > 0 else "original"


class PromptDifference(Variation, _Tested):
    """The result for one prompt.

    ``fact``: as in :class:`PromptPairs`.  ``samples``: n a side; ``folds``: k.  ``empty_original``,
    ``empty_prompt``: texts without a word among them, which count like any other.  ``p_value``: of
    relabelling u and z at random within folds, one-sided; ``least_p``: the smallest that it could have been.
    ``chance_ratio``: mean F of random labels, ``None`` where that is never defined.  ``adjusted``: controlled
    over all prompts that are read together (Holm).
    All four are ``None`` where nothing was sampled: copies of one text are no samples.
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
    """Mean B, V_pg and V_gp over prompts at each of ``places``; a V of a single sample is ``None``."""

    places: tuple[int, ...]
    between: tuple[float, ...]
    within_original: tuple[float | None, ...]
    within_prompt: tuple[float | None, ...]

    @property
    def ratio(self) -> tuple[float | None, ...]:
        """F of the means for each number of texts, ``None`` where undefined."""
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


class OthersReading(_Tested):
    """The result under Jaccard over the words that the table of p does not exchange.

    ``ratio``: F, the ratio of means, with its ``interval``; ``None`` where there is none.  ``p_value``,
    ``adjusted``: as in :class:`FairPairReport`.
    """

    ratio: float | None
    interval: Interval | None
    p_value: float | None
    adjusted: float | None = None


class FairPairReport(_Tested):
    """One model's prompts under one Φ.

    ``original``, ``counterpart``: the names of the entities of x and p(x); ``mode``: of p.  ``means``: B and
    V averaged over prompts, whose ``ratio`` is the ratio of means.  ``mean_ratio``: mean of the prompts' F
    where defined, the others in ``undefined``; ``None`` where none is.  ``chance_ratio``: the mean F that the
    same prompts have with labels dealt at random: above 1 where V is noisy, so ``mean_ratio`` is read against
    it, while the ratio of means is read against 1.  ``intervals``: by :data:`QUANTITIES`, for those that are
    defined with two facts or more.  Prompts that share a fact are drawn together: the unit is ``fact``, or
    ``prompt`` where none shares one.

    ``p_value``: of relabelling within the folds of every prompt, for the mean E; what a verdict rests on.
    ``wilcoxon_p``: signed ranks over facts of B − √(V_gp V_pg), one-sided; ``None`` where all are 0.
    ``adjusted``: ``p_value`` controlled over the models that are read together (Holm).  None of them is there
    where nothing was sampled (temperature 0); ``permutations`` is then 0.
    ``others``: beside Jaccard, the same without the words that p exchanges; ``None`` where not measured.
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
        """Whether texts were drawn, so that there is something to test."""
        return self.p_value is not None

    @property
    def facts(self) -> int:
        """The number of facts, which are the units of intervals."""
        return len({row.fact or row.prompt for row in self.prompts})


QUANTITIES = ("between", "within_original", "within_prompt", "mean_ratio", "ratio_of_means", "energy")


class WordDifference(_Tested):
    """An n-gram and how many texts of either side have it.

    ``log_odds``: δ, above 0 where z has it more often; ``z_score``: δ over its standard error; ``p_value``
    two-sided, ``adjusted`` over all n-grams (Benjamini–Hochberg); both ``None`` where nothing was sampled.
    ``categories``: of its words.  ``exchanged``: one of them is a word that p exchanges.
    ``original_texts``, ``prompt_texts``: the texts that have it, as (prompt, text) positions.
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
        """The side whose texts have it more often."""
        return "prompt" if self.log_odds > 0 else "original"


class CategoryDifference(_Tested):
    """A category of words and how many texts of either side have one of them.

    ``p_value``: Cochran–Mantel–Haenszel over prompts, two-sided, ``None`` where no prompt can tell or nothing
    was sampled; ``adjusted`` over categories (Holm).  ``words``: each word found, with how many texts have it
    by side.  ``original_texts``, ``prompt_texts``: the texts with any of them, as (prompt, text) positions.
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
    """Which words u and z differ in.

    ``original``, ``counterpart``: names of the entities of x and p(x).  ``original_texts``, ``prompt_texts``:
    how many texts are counted.  ``tested``: n-grams; ``found``: those that differ, of which ``words`` holds
    the strongest by |z|, whether they differ or not; ``exchanged``: of those found, how many have a word that
    p exchanges.  Where nothing was ``sampled``, copies of a text of one prompt and side count once, and
    nothing is tested.
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


# A FairPair run: what is asked of one model, and what came of it.


JACCARD, OTHERS = "jaccard", "jaccard-others"
USUAL_DISSIMILARITIES = (JACCARD, OTHERS, "sentiment")
FAIRPAIR_RULES = "1"  # raise it when the same texts would give other numbers
EMBEDDING = "embedding"  # a dissimilarity of that name and a model: embedding:mini-bert
ENCODER_RULES = "1"  # raise it when the same encoder would give other vectors
PERTURBATION_RULES = "2"  # raise it when the same table and parser would give other texts
FEWEST_TEXTS, MOST_TEXTS = 2, 10_000  # a side and prompt
PROMPTS, TABLE, COUNTERPARTS = "prompts", "table", "counterparts"  # names of what the store keeps
MOST_TOGETHER = 2_000  # a side, of those that are compared all with all: under 1 GB of memory


class PromptsAsked(Record):
    """The prompts of a request.

    ``names`` are the entity in them and the one that it is exchanged for, ``hash`` that of names and texts,
    ``count`` how many there are, ``kept`` the key under which the store has the whole set.
    """

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
    """p: defined by the ``table`` of this ``hash``, which the store has under ``kept``.

    ``entity``: the names of the table's first and second side; ``reverse``: the prompts are about the second.
    ``pipeline``: the parser, needed if a word's counterpart depends on its part of speech.  ``rules``: the
    version of the rules that find and exchange words.
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
        """The names of the entity in the prompts, and of its counterpart."""
        first, second = self.entity
        return (second, first) if self.reverse else (first, second)


class EncoderKey(Record):
    """All that decides the vector of a text, in float32: :mod:`pcf_core.texts.fairpair.mean_pooling`."""

    model: str
    identity: str
    tokenizer: str
    rules: str = ENCODER_RULES

    @property
    def choice(self) -> str:
        """The name of the dissimilarity."""
        return f"{EMBEDDING}:{self.model}"


class FairPairAsked(AuditAsked):
    """One model: ``count`` texts a side for each prompt, compared by each of the ``dissimilarities``.

    ``fold_size``: texts a side and fold; ``None`` for all in one.  ``dissimilarities``: names that
    :func:`pcf_core.texts.fairpair.dissimilarity.dissimilarities` knows; ``encoders``: those of the ones named
    ``embedding:MODEL``, in their order.  ``categories``: of words; ``None`` for the shipped ones.  ``rules``:
    of measuring, so that numbers of older ones are not given again.

    Raises FairPairError where nothing can be measured, or the prompts are about other names than p exchanges.
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
        """Hash of the request.

        Fields that were added later are included only if they are set, so that earlier results keep their
        hash.
        """
        without = {name for name in ("encoders", "categories") if not getattr(self, name)}
        return digest(self.model_dump(mode="json", exclude=without))

    @property
    def pairs_hash(self) -> str:
        """Hash of what decides the texts u: all but how they are compared."""
        compared = {"fold_size", "dissimilarities", "encoders", "categories", "rules"}
        return digest(self.model_dump(mode="json", exclude=compared))

    @property
    def sampled(self) -> bool:
        """Whether texts are drawn: at temperature 0 a model writes one text however often it is asked."""
        return self.key.decoding.temperature > 0

    @property
    def imported(self) -> bool:
        """Whether its texts came in a pack."""
        return self.key.imported

    @property
    def as_imported(self) -> FairPairAsked:
        """The same request, to the imported model."""
        return self.model_copy(update={"key": self.key.as_imported})

    @property
    def alike(self) -> str:
        """Hash of all but the model and the temperature: requests with the same hash can be compared."""
        request = self.model_dump(mode="json", exclude={"key", "encoders"})
        decoding = self.key.decoding.model_dump(mode="json", exclude={"temperature"})
        return digest([request, decoding])


class PerturbedTexts(Record):
    """The stored texts of a prompt: ``texts`` are u = p(g(x)), [text], ``errors`` those of p in them."""

    prompt: str
    texts: tuple[str, ...]
    errors: PerturbationErrors


class FairPairResult(AuditResult):
    """The result of a request.

    ``counterparts``: [prompt] p(x), in the order of the prompts, which is that of every report.  ``reports``,
    ``convergence``: by dissimilarity, in the order asked for.  ``errors``: of p over all texts g(x): any of
    them looks like a difference.  ``ends``: how many texts ended in which way, of g(x) under ``original`` and
    of g(p(x)) under ``prompt``; those refused or empty are in the measure as they are.  ``declined``: how
    many more decline in words, by side, which are in it too; empty in results from before they were counted.
    ``provenance``:
    versions, the parser, seconds of each stage.
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
        named = {"model": request.key.model}
        reports = {name: one.model_copy(update=named) for name, one in self.reports.items()}
        return self.model_copy(update={"asked": request, "reports": reports})

    @property
    def without_text(self) -> dict[Side, int]:
        """By side, texts that were refused or are empty."""
        return {side: ends.get("refused", 0) + ends.get("empty", 0) for side, ends in self.ends.items()}
