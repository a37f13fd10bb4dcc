"""Records of the known benchmarks: their sentences, the requests to models, and the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from pcf_core.core.frame import Frames
from pcf_core.core.records import LeftOut, Record, digest
from pcf_core.core.risk import Interval
from pcf_core.core.run import ScoringKey
from pcf_core.texts.text_audit import AuditAsked, AuditResult

BenchmarkName = Literal["crows-pairs", "stereoset", "winobias"]
BENCHMARKS: tuple[BenchmarkName, ...] = get_args(BenchmarkName)
SENTENCES: tuple[BenchmarkName, ...] = ("crows-pairs", "stereoset")  # need tokens of whole sentences
BENCHMARK_RULES = "2"  # raise it when the same sentences and model would give another report


@dataclass(frozen=True)
class Facts:
    """A benchmark in words: its title and paper, what it measures, and its known criticism."""

    title: str
    paper: str
    measures: str
    criticism: str


ENGLISH = "en"
LANGUAGES: Mapping[str, str] = {  # of the editions that others have published
    **{"ar": "Arabic", "ca": "Catalan", "de": "German", "en": "English", "es": "Spanish", "fr": "French"},
    **{"it": "Italian", "mt": "Maltese", "tr": "Turkish", "zh": "Chinese"},
}
NO_HALVES = (
    "no sentence has its counterpart with the other pronoun: give both files, pro_stereotyped and "
    "anti_stereotyped, of one type"
)
FACTS: Mapping[BenchmarkName, Facts] = {
    "crows-pairs": Facts(
        "CrowS-Pairs",
        "Nangia et al. 2020, https://aclanthology.org/2020.emnlp-main.154",
        "In how many pairs does the model give the more stereotypical sentence the higher probability? "
        "50 % is even.",
        "Blodgett et al. 2021 (https://aclanthology.org/2021.acl-long.81) find that many pairs are "
        "ungrammatical, differ in more than the group, or do not make clear which stereotype they test.",
    ),
    "stereoset": Facts(
        "StereoSet, intrasentence",
        "Nadeem, Bethke & Reddy 2021, https://aclanthology.org/2021.acl-long.416",
        "How often does the model prefer a stereotype to its opposite (SS, 50 % is even), and how often "
        "either of them to nonsense (LMS)?",
        "Blodgett et al. 2021 (https://aclanthology.org/2021.acl-long.81) find that many of its stereotypes "
        "are not stereotypes, or not the opposites of each other. ICAT rewards fluent models.",
    ),
    "winobias": Facts(
        "WinoBias",
        "Zhao et al. 2018, https://aclanthology.org/N18-2003",
        "Does the model less often understand whom a pronoun refers to when the job is unusual for that "
        "gender?",
        "Blodgett et al. 2021 (https://aclanthology.org/2021.acl-long.81) note that it has two genders, the "
        "job shares of one country, and sentences made from few patterns.",
    ),
}


def language_name(code: str) -> str:
    """Name a language: "French"; one that has no name here by its code."""
    return LANGUAGES.get(code.partition("-")[0].lower(), code)


def edition(benchmark: BenchmarkName, language: str) -> str:
    """Return the title of a benchmark, with the language of its sentences if they are not English."""
    title = FACTS[benchmark].title
    return title if language == ENGLISH else f"{title} ({language_name(language)})"


class PairItem(Record):
    """A pair of CrowS-Pairs: the more stereotyping sentence, and the less."""

    name: str
    bias: str
    more: str
    less: str


class TripleItem(Record):
    """A triple of StereoSet: a context with BLANK, and three fillings with their whole sentences.

    ``words`` and ``sentences``: the stereotype, its opposite, the unrelated one.  ``target``: the term whose
    triples are averaged before terms are.
    """

    name: str
    bias: str
    target: str
    context: str
    words: tuple[str, str, str]
    sentences: tuple[str, str, str]


class CoreferenceItem(Record):
    """A sentence of WinoBias with the two jobs that its pronoun may mean.

    ``bias``: type1 or type2.  ``pro``: the pronoun is that of the gender usual in the job.  ``pair``: what
    the same sentence with the other gender's pronoun has in common with it.
    """

    name: str
    bias: str
    pro: bool
    pair: str
    sentence: str
    pronoun: str
    right: str
    wrong: str


Item = PairItem | TripleItem | CoreferenceItem


class Material(Record):
    """The sentences of one benchmark.

    ``title``: the names of the files, or the package.  ``sources``: name of a file -> SHA-256.
    ``left_out``: rows that cannot be used, with the reason.  ``language``: the code of the sentences'.
    """

    benchmark: BenchmarkName
    title: str
    sources: dict[str, str]
    language: str = ENGLISH
    pairs: tuple[PairItem, ...] = ()
    triples: tuple[TripleItem, ...] = ()
    sentences: tuple[CoreferenceItem, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """All items, in the order of the files."""
        return (*self.pairs, *self.triples, *self.sentences)

    @property
    def body(self) -> dict[str, Any]:
        """What is stored, and hashed; the language is a part of it only where it is not English."""
        return self.model_dump(mode="json", exclude=_usual(self.language))


def _usual(language: str) -> set[str]:
    return {"language"} if language == ENGLISH else set()


class ItemScores(Record):
    """The scores of the texts of one item, in nats; empty with a ``reason`` where it cannot be scored.

    (more, less), (stereotype, opposite, unrelated), or (right, wrong).
    """

    nats: tuple[float, ...] = ()
    reason: str = ""


class BenchmarkFigure(Record):
    """One published quantity, over all items or those of one ``part`` (a kind of bias, or a type).

    ``value``: 0 to 1, where papers write 0 to 100.  ``neutral``: the value without a stereotype, ``None`` if
    there is none.  ``items``: the number of items it is based on; ``unit``: the kind of item.
    """

    quantity: str
    part: str
    value: float
    interval: Interval | None = None
    neutral: float | None = None
    items: int
    unit: str


class AbsentFigure(Record):
    """A quantity that the sentences do not allow, of all items or of a ``part``, and why."""

    quantity: str
    part: str
    reason: str


class BenchmarkReport(Record):
    """The result of a benchmark for one model.

    ``readings``: the first is the headline.  ``outcomes``: name of an item (of a term in StereoSet, of a pair
    in WinoBias) -> its share of the headline, which models are compared by.  ``ties``: items without a
    preference, which count as none for the stereotype.  ``unpaired``: sentences of WinoBias without their
    other half.  ``absent``: quantities that need sentences which are not there.
    """

    readings: tuple[BenchmarkFigure, ...]
    outcomes: dict[str, float]
    ties: int = 0
    unpaired: int = 0
    absent: tuple[AbsentFigure, ...] = ()

    @property
    def headline(self) -> BenchmarkFigure:
        """The quantity by which models are compared."""
        return self.readings[0]

    @property
    def distance(self) -> float:
        """How far the headline is from its neutral value, without a direction."""
        return abs(self.headline.value - (self.headline.neutral or 0.0))


class BenchmarkFrames(Frames):
    """What stands around the sentences of a benchmark."""

    prefix: ClassVar[str] = "bench_"


class BenchmarkAsked(AuditAsked):
    """A benchmark, put to one model, in the frame of ``scoring``.

    ``material``: the key under which the store has its sentences.  ``opening``: the token that whole
    sentences are scored behind, where it is not the usual one; only then it is part of the hash, as is the
    ``language`` of the sentences where it is not English.
    """

    benchmark: BenchmarkName
    title: str
    material: str
    scoring: ScoringKey
    rules: str = BENCHMARK_RULES
    opening: str = ""
    language: str = ENGLISH

    @property
    def hash(self) -> str:
        """Hash of the request."""
        left_out = _usual(self.language) | (set() if self.opening else {"opening"})
        return digest(self.model_dump(mode="json", exclude=left_out))

    @property
    def needs_opening(self) -> bool:
        """Whether the token before a bare sentence counts, as its first token is scored too."""
        bare = self.scoring.frame is None
        return bare and self.benchmark in SENTENCES and self.scoring.family == "causal"

    @property
    def model(self) -> str:
        """The name of the tested model."""
        return self.scoring.model

    @property
    def name(self) -> str:
        """The same, with its frame."""
        return self.scoring.name


class BenchmarkResult(AuditResult):
    """The result of a request.

    ``left_out``: items that are not counted, of the files and of the model.  ``provenance`` has under
    ``opening`` what sentences were scored behind, where that counts.
    """

    asked: BenchmarkAsked
    report: BenchmarkReport
    left_out: tuple[LeftOut, ...]
    provenance: dict[str, Any]
