"""A FairPair run: what is asked of one model, and what came of it.

Several models are asked one by one, with the same prompts, table and decoding; their reports are read
together by :func:`pcf_core.fairpair.report.controlled`.

What the store keeps beside the texts themselves, as ``results/<key>/<name>.json``.  ``load_fairpair(store,
asked.hash)``, ``kept_fairpairs(store)`` and ``load_pairs(store, result, place)`` read it back
(:mod:`pcf_core.jobs.fairpair`); :mod:`pcf_core.jobs.pairing` writes it:

    =====================  =================  ==========================================================
    key                    name               holds
    =====================  =================  ==========================================================
    ``asked.hash``         ``ASKED``          the :class:`FairPairAsked`, from when it was asked for on
    ``asked.hash``         ``RESULT``         the :class:`FairPairResult`, once it is complete
    ``asked.pairs_hash``   ``counterparts``   [prompt] p(x)
    ``asked.pairs_hash``   a prompt's hash    [text] u = p(g(x)) of that prompt, and the errors of p in it
    ``prompts.kept``       ``prompts``        the whole :class:`PromptSet`
    ``perturbation.kept``  ``table``          the whole :class:`PerturbationTable`
    =====================  =================  ==========================================================

z = g(p(x)) are the store's texts of the prompt p(x) as they are: ``store.texts(asked.key, p(x), count)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import model_validator

from pcf_core.errors import FairPairError
from pcf_core.records.base import Record, digest
from pcf_core.records.fairpair import LABEL, Convergence, FairPairReport, Side
from pcf_core.records.fairpair_categories import CategorySet
from pcf_core.records.fairpair_prompts import PromptSet
from pcf_core.records.fairpair_words import WordReport
from pcf_core.records.generation import End, GenerationKey
from pcf_core.records.perturbation import Mode, Pair, PerturbationErrors, PerturbationTable

ASKED, RESULT = "fairpair-asked", "fairpair"
JACCARD, OTHERS = "jaccard", "jaccard-others"
USUAL_DISSIMILARITIES = (JACCARD, OTHERS, "sentiment")
FAIRPAIR_RULES = "1"  # raise it when the same texts would give other numbers
EMBEDDING = "embedding"  # a dissimilarity of that name and a model: embedding:mini-bert
ENCODER_RULES = "1"  # raise it when the same encoder would give other vectors
PERTURBATION_RULES = "2"  # raise it when the same table and parser would give other texts
FEWEST_TEXTS, MOST_TEXTS = 2, 10_000  # a side and prompt
MOST_TOGETHER = 2_000  # a side, of those that are compared all with all: under 1 GB of memory


class PromptsAsked(Record):
    """Which prompts: ``names`` are the entity in them and the one that it is exchanged for, ``hash`` that of
    names and texts, ``count`` how many there are, ``kept`` the key under which the store has the whole set.
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
        return cls(
            name=prompts.name,
            title=prompts.title,
            version=prompts.version,
            hash=prompts.hash,
            names=prompts.names,
            count=len(prompts.prompts),
            kept=digest(prompts.model_dump(mode="json")),
        )


class PerturbationAsked(Record):
    """p: by the ``table`` of this ``hash``, which the store has under ``kept``.

    ``entity``: the names of the table's first and second side; ``reverse``: the prompts are about the second.
    ``pipeline``: the parser, which decides where a word's counterpart depends on its part of speech.
    ``rules``: version of how words are found, read and left.
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
        """Of the entity in the prompts, and of its counterpart."""
        first, second = self.entity
        return (second, first) if self.reverse else (first, second)


class EncoderKey(Record):
    """All that decides the vector of a text, in float32: :mod:`pcf_core.fairpair.mean_pooling`."""

    model: str
    identity: str
    tokenizer: str
    rules: str = ENCODER_RULES

    @property
    def choice(self) -> str:
        """The name of the dissimilarity."""
        return f"{EMBEDDING}:{self.model}"


class FairPairAsked(Record):
    """One model: ``count`` texts a side for each prompt, compared by each of the ``dissimilarities``.

    ``fold_size``: texts a side and fold; ``None`` for all in one.  ``dissimilarities``: names that
    :func:`pcf_core.fairpair.dissimilarity.dissimilarities` knows; ``encoders``: those of the ones named
    ``embedding:MODEL``, in their order.  ``categories``: of words; ``None`` for the shipped ones.  ``rules``:
    of measuring, so that numbers of older ones are not given again.

    Raises:
        FairPairError: a count, fold or choice that nothing can be measured with; the entity of the prompts
            is not that of the perturbation.
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
                f"FairPair takes {FEWEST_TEXTS} to {MOST_TEXTS:,} texts a side for each prompt, and "
                f"{self.count:,} were asked for; 20 to 50 are usual, 500 are the paper's."
            )
        if self.fold_size is not None and not 2 <= self.fold_size <= self.count:
            raise FairPairError(
                f"Of {self.count:,} texts a side a fold has 2 to {self.count:,}, and {self.fold_size:,} were "
                "asked for; leave it out to compare all with all."
            )
        largest = -(-self.count // (self.count // (self.fold_size or self.count)))
        if largest > MOST_TOGETHER:
            raise FairPairError(
                f"Up to {MOST_TOGETHER:,} texts a side are compared all with all, and these would be "
                f"{largest:,}: ask for smaller folds, such as 5, or for fewer texts."
            )
        if not self.dissimilarities or len(set(self.dissimilarities)) < len(self.dissimilarities):
            raise FairPairError(
                f"The dissimilarities are {', '.join(self.dissimilarities) or 'none'}: name at least one, "
                "each once."
            )
        embeddings = [name for name in self.dissimilarities if name.startswith(f"{EMBEDDING}:")]
        if embeddings != [encoder.choice for encoder in self.encoders]:
            raise FairPairError(
                f"The dissimilarities {', '.join(self.dissimilarities)} need an encoder for each embedding, "
                f"and {', '.join(encoder.model for encoder in self.encoders) or 'none'} is given."
            )
        if self.prompts.names != self.perturbation.names:
            raise FairPairError(
                f"The prompts are about {' and '.join(self.prompts.names)}, and the perturbation exchanges "
                f"{' for '.join(self.perturbation.names)}: give both the same names."
            )
        return self

    @property
    def hash(self) -> str:
        """What two requests have in common that ask for the same.

        What came later and is not asked for is no part of it, so that what was found before is found again.
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


class FairPairResult(Record):
    """What came of a request.

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
    def without_text(self) -> dict[Side, int]:
        """By side, texts that were refused or are empty."""
        return {side: ends.get("refused", 0) + ends.get("empty", 0) for side, ends in self.ends.items()}
