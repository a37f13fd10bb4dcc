"""Records of independence: stories by profession, hobbies by first name, the embedding score.

**Independence I**: short stories about people of a hundred professions.  C is the profession of the prompt, A
the gender that is read from the story.  Shares are of women, 0 to 1.

**Embedding score**: one embedding is learned from the texts of all models together.  A word's score is its
projection on the axis from *he* to *she* about their midpoint: above 0 it is nearer to *she*.  A text's score
is the mean over its known words.

**Independence II**: hobbies of students by first name.  Pairs of numbers are (female, male), by the gender of
the name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pcf_core.core.records import LeftOut, Record
from pcf_core.core.risk import Interval
from pcf_core.texts.criteria.records.quantities import (
    SIGNIFICANCE,
    Answering,
    Gender,
    GenderDifference,
    MutualInformation,
)

ReadGender = Literal["female", "male", "unclear"]
Unclear = Literal["", "no gendered word", "as many of either"]

STORIES_LABEL = (
    "the design of Sterlie, Weng & Feragen (arXiv 2403.08564, independence I) with our wording, our list of "
    "professions and our reading of gender; their numbers come from another list and other prompts"
)
SCORED_LABEL = (
    "ours: shares that the words of the topic gender get at a gap, in place of stories that are written and "
    "read; not to be mixed with those"
)


class ReadingWords(Record):
    """The words that tell a text's gender, as the asset lists them.

    ``female``, ``male``: pronouns and nouns, in any case.  ``…_titles``: written just so; ``…_before_names``:
    just so, and only before a word with a capital.  ``neither``: looks like one of them and is none ("s/he").
    """

    name: str
    title: str
    version: str = "1"
    female: tuple[str, ...]
    male: tuple[str, ...]
    female_titles: tuple[str, ...]
    male_titles: tuple[str, ...]
    female_before_names: tuple[str, ...] = ()
    male_before_names: tuple[str, ...] = ()
    neither: tuple[str, ...] = ()
    source: str = ""
    notes: str = ""


class GenderReading(Record):
    """The gendered words of a text: how often each occurs, by its spelling in the list."""

    female: Mapping[str, int] = {}
    male: Mapping[str, int] = {}

    @property
    def women(self) -> int:
        """Words of women in the text."""
        return sum(self.female.values())

    @property
    def men(self) -> int:
        """Words of men in the text."""
        return sum(self.male.values())

    @property
    def gender(self) -> ReadGender:
        """The majority; ``unclear`` if there is none."""
        if self.women == self.men:
            return "unclear"
        return "female" if self.women > self.men else "male"

    @property
    def unclear(self) -> Unclear:
        """Why the gender is unclear; empty where it is not."""
        if self.gender != "unclear":
            return ""
        return "as many of either" if self.women else "no gendered word"

    @property
    def mixed(self) -> bool:
        """Whether the text has words of both genders, as in a story about two people."""
        return bool(self.women and self.men)


class Profession(Record):
    """A profession as prompts name it, and its share of women among those employed in it.

    ``with_article``: "a nurse".  ``title``: the line of the statistics that the share is of; empty where a
    user's own list names none.
    """

    name: str
    with_article: str
    women_share: float
    title: str = ""

    @property
    def majority(self) -> Gender:
        """The gender of most who do the job in the world; at exactly half, male."""
        return "female" if self.women_share > 0.5 else "male"


class ProfessionList(Record):
    """Professions with one majority each; none is half and half."""

    name: str
    title: str
    version: str = "1"
    professions: tuple[Profession, ...]
    source: str = ""
    notes: str = ""
    left_out: tuple[LeftOut, ...] = ()


class AnecdoteWording(Record):
    """How a story is asked for; ``{profession}`` and ``{a profession}`` stand for the profession.

    ``system`` and ``instruction``: for models that follow one.  ``continuation``: the beginning of a text.
    ``scored``: a text with one ``[Y]``, at which the words of the topic gender are scored.
    """

    name: str
    version: str = "1"
    system: str
    instruction: str
    continuation: str
    scored: str
    source: str = ""


class AnecdotesMaterial(Record):
    """All that the experiment is made of.

    ``female``, ``male``: words at ``[Y]`` (of the topic ``topic``).
    """

    professions: ProfessionList
    wording: AnecdoteWording
    reading: ReadingWords
    topic: str
    female: tuple[str, ...]
    male: tuple[str, ...]


class ProfessionGender(Record):
    """One profession: what the stories about it say.

    ``women``, ``men``, ``unclear``: stories by the gender read; where scored, ``women`` and ``men`` are
    expected shares that sum to 1.  ``mixed``: stories with words of both genders.  ``women_words``,
    ``men_words``: gendered words in all its stories together.  ``interval``: Wilson's of ``share``, ``None``
    where scored or where no story is clear.  ``p_value``: exact, two-sided, of the world's share being the
    model's; ``adjusted``: controlled for false discoveries over all professions.
    """

    profession: str
    world: float
    women: float
    men: float
    unclear: int = 0
    mixed: int = 0
    women_words: int = 0
    men_words: int = 0
    interval: Interval | None = None
    p_value: float | None = None
    adjusted: float | None = None

    @property
    def majority(self) -> Gender:
        """The gender of most of those employed in the world; at exactly half, male."""
        return "female" if self.world > 0.5 else "male"

    @property
    def clear(self) -> float:
        """Stories with a clear gender, or the weight of all gendered words."""
        return self.women + self.men

    @property
    def share(self) -> float | None:
        """The number of stories about women among those with a clear gender; ``None`` if there are none."""
        return self.women / self.clear if self.clear else None

    @property
    def exaggeration(self) -> float | None:
        """How much farther the model's share lies towards the world's majority than the world's does.

        Above 0: more one-sided than the world; below 0: less so, or turned round.
        """
        if self.share is None:
            return None
        side = 1 if self.majority == "female" else -1
        return side * (self.share - self.world)

    @property
    def differs(self) -> bool:
        """Whether the model's share differs from the world's, controlled for so many professions."""
        return self.adjusted is not None and self.adjusted <= SIGNIFICANCE


class SharedValue(Record):
    """A value with its interval over professions; ``None`` if there are too few."""

    value: float
    interval: Interval | None = None


class AmplificationLine(Record):
    """The model's share of women = ``intercept`` + ``slope`` · the world's, over professions.

    Slope 1 and intercept 0 copy the world; a slope above 1 is steeper than it.  ``p_of_one``: of a slope of
    1, two-sided.  ``x``, ``mean``, ``low``, ``high``: [place] the line and its pointwise band.
    """

    slope: float
    intercept: float
    interval: Interval
    p_of_one: float
    r_squared: float
    x: tuple[float, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class AnecdotesReport(Record):
    """What one model's stories, or its scores, say of gender and profession.

    ``answering``: ``written`` or ``scored``, never mixed.  ``n``: stories, or scored prompts; ``empty``:
    stories without any text, which are unclear.  ``unclear``: stories by the reason why no gender was read.
    ``mixed``: clear stories that have words of both genders.  ``clear_only``: I(profession; gender) over
    stories with a clear gender; ``with_unclear``: with *unclear* as a third one; ``None``, with the reason in
    ``undefined``, where there is none.  ``stereotype_rate``: share of the clear stories that are of the
    gender that is the profession's majority in the world; ``stereotype_rate_of_all``: share of all stories.
    ``exaggeration``: mean over professions of :attr:`ProfessionGender.exaggeration`.  ``line``: ``None``
    where ``no_line`` says why.  ``professions_left_out``: those without a clear story or a score, and why.
    """

    experiment: Literal["anecdotes"] = "anecdotes"
    answering: Literal["written", "scored"]
    n: int
    empty: int = 0
    unclear: Mapping[str, int] = {}
    mixed: int = 0
    professions: tuple[ProfessionGender, ...]
    clear_only: MutualInformation | None = None
    with_unclear: MutualInformation | None = None
    stereotype_rate: SharedValue | None = None
    stereotype_rate_of_all: SharedValue | None = None
    exaggeration: SharedValue | None = None
    line: AmplificationLine | None = None
    no_line: str = ""
    professions_left_out: tuple[LeftOut, ...] = ()
    undefined: tuple[LeftOut, ...] = ()
    words_left_out: tuple[LeftOut, ...] = ()
    label: str = STORIES_LABEL

    @property
    def unclear_texts(self) -> int:
        """Stories whose gender is unclear, for whatever reason."""
        return sum(self.unclear.values())

    @property
    def more_extreme(self) -> tuple[ProfessionGender, ...]:
        """Professions more one-sided than in the world beyond chance, the farthest first."""
        return self._differing(1)

    @property
    def less_extreme(self) -> tuple[ProfessionGender, ...]:
        """Professions less one-sided than in the world, or turned round, beyond chance, in that order."""
        return self._differing(-1)

    def _differing(self, side: int) -> tuple[ProfessionGender, ...]:
        rows = [
            (side * each.exaggeration, each)
            for each in self.professions
            if each.differs and each.exaggeration is not None and side * each.exaggeration > 0
        ]
        return tuple(each for _, each in sorted(rows, key=lambda pair: -pair[0]))


# The embedding score.


EMBEDDING_LABEL = (
    "our names and prompts; the method of arXiv 2403.08564, about the true midpoint of she and he"
)

Variant = Literal["without gendered words", "all words"]
HEADLINE: Variant = "without gendered words"  # “she” in a text is an end of the axis: it scores as gendered


def one_sided(effects: Sequence[float | None]) -> bool:
    """Tell whether there are several values, all defined and on the same side of 0."""
    defined = [effect or 0.0 for effect in effects]
    return len(defined) > 1 and (min(defined) > 0 or max(defined) < 0)


class SeedReading(Record):
    """What one training shows: ``effect`` is Cohen's d of texts, ``p_value`` of names' means."""

    seed: int
    effect: float | None
    p_value: float | None


class EmbeddingReading(Record):
    """One model under one variant; a text's score is the mean over the seeds' embeddings.

    Intervals are over names, the vectors taken as they are; what those hang on is in ``seeds``.

    ``invalid``: texts of (female, male) without a known word, which are left out.  From few texts the axis is
    little more than the random vectors that learning begins with: the difference is then real, for any axis
    tells two vocabularies apart, but its side is chance, and the seeds do not agree on it.
    """

    model: str
    variant: Variant
    difference: GenderDifference
    seeds: tuple[SeedReading, ...]
    invalid: tuple[int, int]

    @property
    def steady(self) -> bool:
        """Whether there are several seeds and all show a preference for the same side."""
        return one_sided([one.effect for one in self.seeds])

    @property
    def differs(self) -> bool:
        """Whether names differ beyond chance, and to a side that does not hang on the seed."""
        return self.difference.differs and self.steady


class EmbeddingGap(Record):
    """How far the effects of two models lie apart.

    ``difference``: effect of ``second`` − that of ``first``; ``interval`` over names, which both share.

    ``seeds``: the same in each embedding by itself, ``None`` where an effect is undefined there.
    """

    first: str
    second: str
    variant: Variant
    difference: float
    interval: Interval | None
    seeds: tuple[float | None, ...] = ()

    @property
    def steady(self) -> bool:
        """Whether there are several seeds and the same model has the larger effect in all of them."""
        return one_sided(self.seeds)

    @property
    def differs(self) -> bool:
        """Whether the effects differ for other names too, and to a side that does not hang on the seed."""
        interval = self.interval
        return interval is not None and not interval.low <= 0 <= interval.high and self.steady


class ScoredWord(Record):
    """A word with its score on the axis from *he* to *she*.

    ``score``: mean over seeds; ``texts``: that have the word, of all models.
    """

    word: str
    score: float
    texts: int


class EmbeddingReport(Record):
    """The embedding score of all models that are pooled.

    ``library``: what learned the vectors, with its version; ``settings``: its options.  ``vocabulary``:
    words with a vector.  ``undefined``: why there is no axis; then ``readings`` is empty.
    ``words``: the ends of the axis, gendered words left out.
    """

    models: tuple[str, ...]
    library: str
    settings: dict[str, int | float | str]
    seeds: tuple[int, ...]
    texts: int
    vocabulary: int
    level: float
    readings: tuple[EmbeddingReading, ...]
    gaps: tuple[EmbeddingGap, ...]
    words: tuple[ScoredWord, ...]
    undefined: str = ""
    label: str = EMBEDDING_LABEL

    def gaps_of(self, variant: Variant = HEADLINE) -> tuple[EmbeddingGap, ...]:
        """Return the gaps of every two models of one variant."""
        return tuple(one for one in self.gaps if one.variant == variant)

    def of(self, variant: Variant = HEADLINE) -> tuple[EmbeddingReading, ...]:
        """Return the readings of one variant, model by model."""
        return tuple(one for one in self.readings if one.variant == variant)


# Independence II: hobbies of students by first name.


HOBBIES_LABEL = (
    "our names, prompts and labels; the method of arXiv 2403.08564, whose figures could not be read"
)
NOT_WRITTEN = "words were scored and no text was written, so there is none to count words or learn vectors of"


class GivenName(Record):
    """A given name and its births by registered sex.

    ``births``: the number registered with this name, 0 if unknown; ``female_births``: those registered as
    girls.
    """

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
        """Return the names of one gender."""
        return tuple(one.name for one in self.names if one.gender == gender)

    @property
    def genders(self) -> dict[str, Gender]:
        """Gender by name."""
        return {one.name: one.gender for one in self.names}


class HobbyLabel(Record):
    """A label that a text about hobbies can have.

    ``name``: as in the files; ``title``: what a reader and an NLI model are given, "Volunteer work".

    ``words``: the lexicon, lower case, one word or two, with * at its end with whatever follows;
    ``answers``: single words that are scored at ``[Y]``, as many for every label.
    """

    name: str
    title: str
    words: tuple[str, ...]
    answers: tuple[str, ...]


class HobbyPrompt(Record):
    """How a student of a given name is asked about.

    ``system``: empty where none; ``prompt``: with ``{name}``.
    """

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


class LabelDifference(Record):
    """The mean share of the texts about each gender that belongs to one label, 0 to 1."""

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
        """Whether the word differs beyond chance, by its controlled p."""
        return self.adjusted <= SIGNIFICANCE


class HobbyWords(Record):
    """Words that are used more often of one gender.

    ``tested``: words in at least ``least_texts``; ``found``: that differ; ``words``: the strongest.
    """

    tested: int
    found: int
    least_texts: int
    words: tuple[HobbyWord, ...]


class HobbiesReport(Record):
    """What one model's texts, or its scores, say of hobbies and gender.

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
    label: str = HOBBIES_LABEL
