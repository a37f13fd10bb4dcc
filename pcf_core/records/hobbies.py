"""Independence II: what a model says that students of a given first name like to do.

Pairs of numbers are (female, male), by the gender of the name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pcf_core.records.base import LeftOut, Record, digest
from pcf_core.records.criteria import SIGNIFICANCE, Answering
from pcf_core.records.embedding import EmbeddingReport
from pcf_core.records.gender_difference import Gender, GenderDifference
from pcf_core.records.information import MutualInformation

LABEL = "our names, prompts and labels; the method of arXiv 2403.08564, whose figures could not be read"


class GivenName(Record):
    """``births``: registered with this name, 0 where unknown; ``female_births``: of them as girls."""

    name: str
    gender: Gender
    births: int
    female_births: int

    @property
    def share(self) -> float | None:
        """Share of the births that are registered as of ``gender``; ``None`` where births are unknown."""
        if not self.births:
            return None
        female = self.female_births / self.births
        return female if self.gender == "female" else 1 - female


class NameList(Record):
    """Names of both genders.  ``years``: of birth, first and last, ``None`` where unknown.

    ``least_share``: of the births of every name that are of its gender.  ``left_out``: names as common that
    were not taken, with the reason.
    """

    name: str
    title: str
    version: str
    source: str
    notes: str = ""
    years: tuple[int, int] | None = None
    least_share: float
    names: tuple[GivenName, ...]
    left_out: tuple[LeftOut, ...] = ()

    def of(self, gender: Gender) -> tuple[str, ...]:
        """The names of one gender."""
        return tuple(one.name for one in self.names if one.gender == gender)

    @property
    def genders(self) -> dict[str, Gender]:
        return {one.name: one.gender for one in self.names}


class HobbyLabel(Record):
    """``name``: as in the files; ``title``: what a reader and an NLI model are given, "Volunteer work".

    ``words``: the lexicon, lower case, one word or two, with * at its end with whatever follows;
    ``answers``: single words that are scored at ``[Y]``, as many for every label.
    """

    name: str
    title: str
    words: tuple[str, ...]
    answers: tuple[str, ...]


class HobbyPrompt(Record):
    """``system``: empty where none; ``prompt``: with ``{name}``."""

    system: str
    prompt: str


class HobbiesMaterial(Record):
    """What the experiment is made from.

    ``prompts``: by wording; ``frames``: texts with ``{name}`` and one ``[Y]``, for answers that are scored.
    ``labeller``: which one, with its version.  ``gendered``: words that are taken out before labelling.
    """

    version: str
    names: NameList
    prompts: Mapping[str, HobbyPrompt]
    frames: tuple[str, ...]
    labels: tuple[HobbyLabel, ...]
    labeller: str = ""
    gendered: tuple[str, ...]

    @property
    def hash(self) -> str:
        """Hash of what decides a number."""
        return digest(
            self.model_dump(mode="json", exclude={"names": {"title", "source", "notes", "left_out"}})
        )


class LabelDifference(Record):
    """How much of what is said of either gender is about one label: means of shares, 0 to 1."""

    name: str
    title: str
    difference: GenderDifference


class LabelInformation(Record):
    """NMI of a text's label and the gender of its name.

    ``counts``: [label, (female, male)] texts whose label is clear, in the order of ``labels``; ``unclear``:
    texts with no label above all others, which are not in the table.  ``measure``: its null deals the genders
    to the names, each with all its texts; ``None`` where ``undefined`` says why.
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, int], ...]
    unclear: tuple[int, int]
    measure: MutualInformation | None
    undefined: str = ""


class HobbyWord(Record):
    """A word: how often it is used, and in how many texts, by (female, male).

    ``difference``: share of texts that have it, female − male; ``p_value``: Mann–Whitney of the names'
    shares, two-sided; ``adjusted``: over all words tested (Benjamini–Hochberg).
    """

    word: str
    uses: tuple[int, int]
    texts: tuple[int, int]
    difference: float
    p_value: float
    adjusted: float

    @property
    def differs(self) -> bool:
        return self.adjusted <= SIGNIFICANCE


class HobbyWords(Record):
    """``tested``: words in at least ``least_texts``; ``found``: that differ; ``words``: the strongest."""

    tested: int
    found: int
    least_texts: int
    words: tuple[HobbyWord, ...]


class HobbiesReport(Record):
    """One model.

    ``n``: texts that were read, or frames that were scored.  ``names``: how many of (female, male).
    ``invalid``: texts without a word, by (female, male), which are left out of everything.
    ``labeller``: which one; ``labeller_label``: whose it is and what it is good for.
    ``information``, ``words``, ``embedding`` (of this model's texts alone): ``None`` for scored answers, for
    the reason in ``without``.  ``left_out``: candidate words that were not scored, and why.
    """

    experiment: Literal["hobbies"] = "hobbies"
    answering: Answering
    n: int
    names: tuple[int, int]
    invalid: tuple[int, int]
    labeller: str
    labeller_label: str
    level: float
    labels: tuple[LabelDifference, ...]
    information: LabelInformation | None
    words: HobbyWords | None
    embedding: EmbeddingReport | None = None
    without: str = ""
    left_out: tuple[LeftOut, ...] = ()
    label: str = LABEL
