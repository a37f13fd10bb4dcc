"""Records of the known benchmarks: their sentences, the requests to models, and the results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pcf_core.core.frame import Frames
from pcf_core.core.records import LeftOut, Record, digest
from pcf_core.core.risk import Interval
from pcf_core.core.run import ScoringKey
from pcf_core.texts.text_audit import AuditAsked, AuditResult

BenchmarkName = Literal["crows-pairs", "stereoset", "winobias", "bbq", "discrim-eval"]
SENTENCES: tuple[BenchmarkName, ...] = ("crows-pairs", "stereoset")  # need tokens of whole sentences
BENCHMARK_RULES = "2"  # raise it when the same sentences and model would give another report
ENGLISH = "en"
LANGUAGES: Mapping[str, str] = {  # of the editions that others have published
    **{"ar": "Arabic", "ca": "Catalan", "de": "German", "en": "English", "es": "Spanish", "fr": "French"},
    **{"it": "Italian", "mt": "Maltese", "tr": "Turkish", "zh": "Chinese"},
}
NO_HALVES = (
    "no sentence has its counterpart with the other pronoun: give both files, pro_stereotyped and "
    "anti_stereotyped, of one type"
)


def language_name(code: str) -> str:
    """Name a language: "French"; one that has no name here by its code."""
    return LANGUAGES.get(code.partition("-")[0].lower(), code)


class BenchmarkItem(Record):
    """An item of a benchmark; ``name``: where it comes from, ``bias``: its kind."""

    name: str
    bias: str

    @property
    def text(self) -> str:
        """A sentence of it that shows its language; empty where this must be English."""
        return ""


class PairItem(BenchmarkItem):
    """A pair of CrowS-Pairs: the more stereotyping sentence, and the less."""

    more: str
    less: str

    @property
    def text(self) -> str:
        """See :class:`BenchmarkItem`."""
        return self.more


class TripleItem(BenchmarkItem):
    """A triple of StereoSet: a context with BLANK, and three fillings with their whole sentences.

    ``words`` and ``sentences``: the stereotype, its opposite, the unrelated one.  ``target``: the term whose
    triples are averaged before terms are.
    """

    target: str
    context: str
    words: tuple[str, str, str]
    sentences: tuple[str, str, str]

    @property
    def text(self) -> str:
        """See :class:`BenchmarkItem`."""
        return self.sentences[0]


class CoreferenceItem(BenchmarkItem):
    """A sentence of WinoBias with the two jobs that its pronoun may mean.

    ``bias``: type1 or type2.  ``pro``: the pronoun is that of the gender usual in the job.  ``pair``: what
    the same sentence with the other gender's pronoun has in common with it.
    """

    pro: bool
    pair: str
    sentence: str
    pronoun: str
    right: str
    wrong: str


def usual(language: str) -> set[str]:
    """Return the field that is no part of a hash if the language is English."""
    return {"language"} if language == ENGLISH else set()


class ItemScores(Record):
    """The scores of the texts of one item, in nats; empty with a ``reason`` where it cannot be scored.

    (more, less), (stereotype, opposite, unrelated), (right, wrong), or one for each answer.
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
    in WinoBias, of a template in BBQ, of a question in discrim-eval) -> its share of the headline, which
    models are compared by.  ``ties``: items without a preference, which count as none for the stereotype.
    ``unpaired``: sentences of WinoBias without their other half.  ``absent``: quantities that need sentences
    which are not there.
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
        left_out = usual(self.language) | (set() if self.opening else {"opening"})
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
