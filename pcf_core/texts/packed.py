"""Results of FairPair and of the criteria in packs, with their material, texts and scores.

Reports are calculated again from their texts and must come out the same.  What needs a model or minutes
(exchanged words, embedding distances and scores, labels by a model) is accepted unchanged and listed in
:attr:`Checked.as_it_came`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import Field
from pydantic_core import to_jsonable_python

from pcf_core.core.errors import PackError
from pcf_core.core.generation import End, Generated, GenerationKey, parts
from pcf_core.core.records import LeftOut, Record, digest
from pcf_core.core.risk import Over
from pcf_core.material.safety.text import check_name, check_text
from pcf_core.models.generation.base import count_declining
from pcf_core.texts.criteria.experiment import Ask, Experiment
from pcf_core.texts.criteria.experiments import material_of, restore_experiment
from pcf_core.texts.criteria.hobbies import OWN_TEXTS, Hobbies
from pcf_core.texts.criteria.labels import LEXICON
from pcf_core.texts.criteria.own import check_foreign
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.records.independence import EMBEDDING_LABEL, EmbeddingReport, HobbiesReport
from pcf_core.texts.criteria.records.runs import CRITERIA_RULES, MATERIAL, CriteriaResult
from pcf_core.texts.fairpair.perturbation import together
from pcf_core.texts.fairpair.records import (
    COUNTERPARTS,
    EMBEDDING,
    FAIRPAIR_RULES,
    LABEL,
    PROMPTS,
    QUANTITIES,
    TABLE,
    FairPairReport,
    FairPairResult,
    PerturbationAsked,
    PerturbationTable,
    PerturbedTexts,
    PromptPairs,
    PromptsAsked,
    PromptSet,
)
from pcf_core.texts.fairpair.report import REASONS, measured, permutations_for
from pcf_core.texts.fairpair.tables import check_sides

MOST_TEXTS = 100_000  # of one result
MOST_CHARACTERS = 20_000_000  # of all texts of one side of one result
MOST_COMPARED = 50_000_000_000  # pairs of texts times relabellings in one result: some minutes
LONGEST = 65_536  # characters of a text
ABOVE_NOTHING = 0.01  # nats: a log-probability is at most 0, apart from rounding
SAME = 1e-6  # relative and absolute tolerance for numbers calculated on another machine
EXCHANGE = "the exchange of words"
Documents = Mapping[tuple[str, str], Mapping[str, Any]]  # by key and name, as the store keeps them


class WrittenTexts(Record):
    """The texts that a model wrote for a prompt, as :class:`Generated` from index 0."""

    system: str = ""
    prompt: str
    texts: tuple[str, ...]
    ends: tuple[End, ...]
    tokens: tuple[int, ...]

    @property
    def generated(self) -> Generated:
        """The same as the store has it; raises ValueError if the lengths differ."""
        return Generated(self.prompt, 0, self.texts, self.ends, self.tokens)


@dataclass(frozen=True)
class Checked:
    """A result that passed all checks, to be stored under the imported name.

    ``documents``: all but the result.  ``texts``: by key and block.  ``as_it_came``: not recalculated.
    """

    kind: str
    result: FairPairResult | CriteriaResult
    documents: Documents
    texts: tuple[tuple[GenerationKey, Generated], ...]
    as_it_came: tuple[str, ...]


# ----------------------------------------------------------------------------------------- FairPair


class PackedFairPair(Record):
    """A FairPair result: g(x) and g(p(x)) in ``written``, u = p(g(x)) in ``perturbed``, by prompt."""

    result: FairPairResult
    prompts: PromptSet
    table: PerturbationTable
    written: tuple[WrittenTexts, ...] = Field(max_length=MOST_TEXTS)
    perturbed: tuple[PerturbedTexts, ...] = Field(max_length=MOST_TEXTS)

    def checked(self) -> Checked:
        """Check all parts against each other and recalculate the reports.

        Raises ValueError if parts do not belong together, PackError for a name or text that is not allowed.
        """
        result, request = self.result, self.result.asked
        if request.rules != FAIRPAIR_RULES:
            raise ValueError("it was measured by the rules of another version")
        for name in (
            self.prompts.name,
            self.table.name,
            *([request.categories.name] if request.categories else []),
        ):
            check_name(name, "a name", "fairpair.json", PackError)
        _check_texts(self.model_dump(include={"prompts", "table"}))
        _check_texts(request.model_dump(exclude={"key"}))
        check_sides(self.table, request.perturbation.entity)
        if PromptsAsked.of(self.prompts) != request.prompts or request.perturbation != PerturbationAsked.of(
            self.table,
            request.perturbation.entity,
            request.perturbation.mode,
            request.perturbation.pipeline,
            request.perturbation.reverse,
        ):
            raise ValueError("its prompts or its table are not those of the request")
        texts = self.prompts.texts
        _check_written(self.written, [("", text) for text in (*texts, *result.counterparts)], request.count)
        if len(result.counterparts) != len(texts) or tuple(one.prompt for one in self.perturbed) != texts:
            raise ValueError("it has texts of prompts that are not in the request")
        if any({len(one.texts), one.errors.texts} != {request.count} for one in self.perturbed):
            raise ValueError("its number of texts is not that of the request")
        of = {one.prompt: one.generated for one in self.written}
        sides = [of[text] for text in texts], [of[text] for text in result.counterparts]
        self._check_counted(sides)
        pairs = [
            PromptPairs(prompt.text, changed.texts, written.texts, prompt.category, prompt.fact)
            for prompt, changed, written in zip(self.prompts.prompts, self.perturbed, sides[1], strict=True)
        ]
        folds = request.count // (request.fold_size or request.count)
        compared = len(pairs) * 4 * request.count**2 / folds * permutations_for(len(pairs))
        _check_length(text for one in self.perturbed for text in one.texts)
        if compared > MOST_COMPARED:
            raise ValueError(
                "it has more texts than can be compared again here: request fewer texts, or folds"
            )
        again = measured(request, self.table, pairs)
        distances = [name for name in request.dissimilarities if name.startswith(f"{EMBEDDING}:")]
        if [*result.reports] != [*request.dissimilarities] or {*result.convergence} != {*result.reports}:
            raise ValueError("its reports use other measures than the request")
        _check_same(
            [
                {name: one for name, one in result.reports.items() if name in again.reports},
                {name: one for name, one in result.convergence.items() if name in again.convergence},
                result.words,
                result.label,
            ],
            [again.reports, again.convergence, again.words, LABEL],
        )
        for name in distances:
            self._check_distance(name, result.reports[name])
        return Checked(
            "fairpair",
            result.as_imported,
            self._documents(),
            tuple(_blocks(request.key.as_imported, self.written)),
            (EXCHANGE, *([f"the embedding distance ({', '.join(distances)})"] if distances else [])),
        )

    def _check_counted(self, sides: tuple[Sequence[Generated], Sequence[Generated]]) -> None:
        result = self.result
        ends = [Counter(end for one in side for end in one.ends) for side in sides]
        declined = [sum(map(count_declining, side)) for side in sides]
        first, second = result.ends.get("original", {}), result.ends.get("prompt", {})
        if [Counter(first), Counter(second)] != ends or {*first, *second} - {*get_args(End)}:
            raise ValueError("its texts did not end as it states")
        if result.declined and [result.declined.get(one) for one in ("original", "prompt")] != declined:
            raise ValueError("its texts do not decline as it states")
        if together([one.errors for one in self.perturbed]) != result.errors:
            raise ValueError("its exchange of words does not have the errors that it states")

    def _check_distance(self, name: str, report: FairPairReport) -> None:
        """Check a report that is not recalculated: its texts must be those of the request."""
        request, prompts = self.result.asked, self.prompts.prompts
        measure = f"embedding distance ({name.partition(':')[2]})"
        allowed = {request.key.name, measure, *request.prompts.names, request.perturbation.mode, LABEL}
        allowed |= {*REASONS.values(), *get_args(Over), "fact", "prompt", "text"}
        allowed |= {text for one in prompts for text in (one.text, one.category, one.fact)}
        if (
            [row.prompt for row in report.prompts] != [*self.prompts.texts]
            or (report.model, report.dissimilarity, report.others) != (request.key.name, measure, None)
            or not {*report.intervals} <= {*QUANTITIES}
            or not {*_texts_in(report.model_dump())} <= allowed
        ):
            raise ValueError(f"its report by {name} does not belong to the request")

    def _documents(self) -> Documents:
        request = self.result.asked.as_imported
        texts = {
            (request.pairs_hash, digest(one.prompt)): one.model_dump(mode="json") for one in self.perturbed
        }
        return {
            (request.hash, "fairpair-asked"): request.model_dump(mode="json"),
            (request.prompts.kept, PROMPTS): self.prompts.model_dump(mode="json"),
            (request.perturbation.kept, TABLE): self.table.model_dump(mode="json"),
            (request.pairs_hash, COUNTERPARTS): {"texts": list(self.result.counterparts)},
            **texts,
        }


# ----------------------------------------------------------------------------------------- criteria


class PackedCriteria(Record):
    """A criteria result.

    ``written``: by cell, in the order of the prompts; or ``scored``: [cell][word] nats, ``None`` where
    inexpressible.
    """

    result: CriteriaResult
    material: dict[str, Any]
    written: tuple[WrittenTexts, ...] = Field((), max_length=MOST_TEXTS)
    scored: tuple[tuple[float | None, ...], ...] = Field((), max_length=MOST_TEXTS)

    def checked(self) -> Checked:
        """Check all parts and recalculate the report; raises as :meth:`PackedFairPair.checked`."""
        result, request = self.result, self.result.asked
        if request.rules != CRITERIA_RULES:
            raise ValueError("it was evaluated by the rules of another version")
        if digest(self.material) != request.material:
            raise ValueError("its material is not that of the request")
        _check_texts(self.material)
        experiment = restore_experiment(request.experiment, self.material)
        check_foreign(experiment)
        if material_of(experiment) != self.material:
            raise ValueError("its material is not written as the app writes it")
        if experiment.title != request.title:
            raise ValueError("its title is not that of its experiment")
        entries: tuple[LeftOut, ...] = ()
        if isinstance(experiment, Questions):
            entries = experiment.material.questions.left_out
        if entries != result.entries_left_out:
            raise ValueError("the entries left out are not those of its material")
        came = self._check_written(experiment) if request.generation else self._check_scored(experiment)
        marked = request.as_imported
        return Checked(
            "criteria",
            result.as_imported,
            {
                (marked.hash, "criteria-asked"): marked.model_dump(mode="json"),
                (marked.material, MATERIAL): self.material,
            },
            tuple(_blocks(marked.generation, self.written)) if marked.generation else (),
            came,
        )

    def _check_written(self, experiment: Experiment) -> tuple[str, ...]:
        """Check the texts and their report; return what could not be recalculated."""
        result, request = self.result, self.result.asked
        assert request.wording is not None  # of a request that is written, validated
        asks: Sequence[Ask] = experiment.asks(request.wording)
        _check_written(self.written, [(ask.system, ask.prompt) for ask in asks], request.repeats)
        if len(self.written) != len(asks) or self.scored or result.left_out:
            raise ValueError("its prompts are not those of its experiment")
        counted = Counter(end for one in self.written for end in one.ends)
        if Counter(result.ends) != counted or {*result.ends} - {*get_args(End)}:
            raise ValueError("its texts did not end as it states")
        texts = {ask.cell: one.texts for ask, one in zip(asks, self.written, strict=True)}
        if not isinstance(experiment, Hobbies):
            _check_same(result.report, experiment.report(texts))
            return ()
        assert isinstance(result.report, HobbiesReport)  # of hobbies, validated
        vectors = result.report.embedding
        if vectors is not None:
            _check_texts(vectors.model_dump())
            _check_vectors(vectors)
        if not str(self.material["labeller"]).startswith(LEXICON):
            _check_texts(result.report.model_dump())
            return ("the labels of the hobbies and everything calculated from them",)
        again = experiment.without_vectors(texts).model_copy(update={"embedding": vectors})
        _check_same(result.report, again)
        return () if vectors is None else ("the embedding score",)

    def _check_scored(self, experiment: Experiment) -> tuple[str, ...]:
        result, asks = self.result, experiment.scored_asks()
        if (
            [len(one) for one in self.scored] != [len(ask.words) for ask in asks]
            or self.written
            or result.ends
        ):
            raise ValueError("its prompts are not those of its experiment")
        left_out = [one.name for one in result.left_out]
        cells = [
            (word in left_out, value)
            for ask, nats in zip(asks, self.scored, strict=True)
            for word, value in zip(ask.words, nats, strict=True)
        ]
        words = {word for ask in asks for word in ask.words}
        if any(out != (value is None) for out, value in cells) or sorted({*left_out} & words) != sorted(
            left_out
        ):
            raise ValueError("the words left out are not those without a score")
        if any(value is not None and value > ABOVE_NOTHING for _, value in cells):
            raise ValueError("it has a value that is not the logarithm of a probability")
        _check_texts([one.reason for one in result.left_out])
        nats = {
            ask.cell: tuple(math.nan if value is None else value for value in row)
            for ask, row in zip(asks, self.scored, strict=True)
        }
        _check_same(result.report, experiment.scored_report(nats))
        return ()


# ------------------------------------------------------------------------------------ shared checks


def _check_vectors(report: EmbeddingReport) -> None:
    named = {*report.models, *(one.model for one in report.readings)}
    if named != {OWN_TEXTS} or report.gaps or report.label != EMBEDDING_LABEL:
        raise ValueError("its embedding score belongs to other texts")


def _check_written(written: Sequence[WrittenTexts], request: Iterable[tuple[str, str]], count: int) -> None:
    if [(one.system, one.prompt) for one in written] != list(dict.fromkeys(request)):
        raise ValueError("it has texts of prompts that are not in the request")
    if len(written) * count > MOST_TEXTS:
        raise ValueError(f"it has more than {MOST_TEXTS:,} texts")
    if any(len(one.generated.texts) != count for one in written):
        raise ValueError("its number of texts is not that of the request")
    _check_length(text for one in written for text in one.texts)
    if any(number < 0 for one in written for number in one.tokens):
        raise ValueError("one of its texts has a negative number of tokens")


def _check_length(texts: Iterable[str]) -> None:
    whole = 0
    for text in texts:
        whole += len(text)
        if len(text) > LONGEST or whole > MOST_CHARACTERS:
            raise ValueError(
                f"its texts have more than {LONGEST:,} characters, or together more than {MOST_CHARACTERS:,}"
            )


def _blocks(key: GenerationKey, written: Iterable[WrittenTexts]) -> Iterator[tuple[GenerationKey, Generated]]:
    for one in written:
        for part in parts(one.prompt, 0, len(one.texts)):
            rows = slice(part.first, part.first + part.count)
            cut = Generated(one.prompt, part.first, one.texts[rows], one.ends[rows], one.tokens[rows])
            yield key.with_system(one.system), cut


def _check_texts(value: object) -> None:
    """Check every text in nested tables and lists by the rules for users' files."""
    for text in _texts_in(value):
        check_text(text, "a text", "a result", PackError)


def _texts_in(value: object) -> Iterator[str]:
    """Yield every text in nested tables and lists, except field names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts_in(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts_in(inner)


def _check_same(stated: object, again: object) -> None:
    if not same(to_jsonable_python(stated), to_jsonable_python(again)):
        raise ValueError("its report does not match its texts or scores")


def same(stated: object, other: object) -> bool:
    """Compare nested tables and lists; numbers may differ by :data:`SAME`."""
    if isinstance(stated, dict) and isinstance(other, dict):
        return stated.keys() == other.keys() and all(same(stated[name], other[name]) for name in stated)
    if isinstance(stated, list) and isinstance(other, list):
        return len(stated) == len(other) and all(map(same, stated, other))
    numbers = [one for one in (stated, other) if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) == 2:
        return math.isclose(numbers[0], numbers[1], rel_tol=SAME, abs_tol=SAME)
    return type(stated) is type(other) and stated == other
