"""Records of independence: stories by profession, hobbies by first name, the embedding score.

**Independence I**: short stories about people of a hundred professions.  C is the profession, A the gender
read from the story.  Shares are of women, 0 to 1.  **Independence II**: hobbies of students by first name.
Pairs of numbers are (female, male), by the gender of the name.

**Embedding score**: one embedding is learned from the texts of all models.  A word's score is its projection
on the axis from *he* to *she*, above 0 nearer to *she*; a text's score is the mean over its known words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pcf_core.core.records import LeftOut, Record
from pcf_core.core.risk import Interval, Tested
from pcf_core.texts.criteria.records.quantities import (
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
    """The words that show a text's gender.

    ``female``, ``male``: pronouns and nouns, in any case.  ``…_titles``: in exactly this spelling;
    ``…_before_names``: likewise, and only before a capitalised word.  ``neither``: resembles one ("s/he").
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
    """The gendered words of a text and their counts, by spelling in the list."""

    female: Mapping[str, int] = {}
    male: Mapping[str, int] = {}

    @property
    def women(self) -> int:
        """The number of women's words."""
        return sum(self.female.values())

    @property
    def men(self) -> int:
        """The number of men's words."""
        return sum(self.male.values())

    @property
    def gender(self) -> ReadGender:
        """The majority; ``unclear`` if there is none."""
        if self.women == self.men:
            return "unclear"
        return "female" if self.women > self.men else "male"

    @property
    def unclear(self) -> Unclear:
        """Why the gender is unclear, or empty."""
        if self.gender != "unclear":
            return ""
        return "as many of either" if self.women else "no gendered word"

    @property
    def mixed(self) -> bool:
        """Whether the text has words of both genders."""
        return bool(self.women and self.men)


class Profession(Record):
    """A profession, ``with_article`` as in "a nurse"; ``title``: the line of the statistics, or empty."""

    name: str
    with_article: str
    women_share: float
    title: str = ""


class ProfessionList(Record):
    """Professions, none of them exactly half women."""

    name: str
    title: str
    version: str = "1"
    professions: tuple[Profession, ...]
    source: str = ""
    notes: str = ""
    left_out: tuple[LeftOut, ...] = ()


class AnecdoteWording(Record):
    """Prompts for stories; ``{profession}`` and ``{a profession}`` stand for the profession.

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
    """Everything the experiment uses; ``female``, ``male``: words of ``topic`` at ``[Y]``."""

    professions: ProfessionList
    wording: AnecdoteWording
    reading: ReadingWords
    topic: str
    female: tuple[str, ...]
    male: tuple[str, ...]


class ProfessionGender(Tested):
    """The stories about one profession.

    ``women``, ``men``, ``unclear``: stories by gender; where scored, ``women`` and ``men`` are expected
    shares that sum to 1.  ``mixed``: stories with words of both genders.  ``women_words``, ``men_words``: in
    all its stories.  ``interval``: Wilson's of ``share``, ``None`` where scored or no story is clear.
    ``p_value``: exact, two-sided, that the model's share is the world's; ``adjusted``: over professions.
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
        """The majority of those employed; at exactly half, male."""
        return "female" if self.world > 0.5 else "male"

    @property
    def clear(self) -> float:
        """Stories with a clear gender, or the weight of all gendered words."""
        return self.women + self.men

    @property
    def share(self) -> float | None:
        """The share of women among clear stories; ``None`` if there are none."""
        return self.women / self.clear if self.clear else None

    @property
    def exaggeration(self) -> float | None:
        """How much further than the world's share the model's share lies towards the world's majority."""
        if self.share is None:
            return None
        side = 1 if self.majority == "female" else -1
        return side * (self.share - self.world)


class SharedValue(Record):
    """A value with its interval over professions, ``None`` if there are too few."""

    value: float
    interval: Interval | None = None


class AmplificationLine(Record):
    """The model's share of women = ``intercept`` + ``slope`` · the world's, over professions.

    Slope 1 and intercept 0 copy the world.  ``p_of_one``: of a slope of 1, two-sided.  ``x``, ``mean``,
    ``low``, ``high``: [point] the line and its pointwise band.
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
    """Gender and profession in one model's stories or scores.

    ``n``: stories or scored prompts; ``empty``: stories without text, which are unclear.  ``unclear``: counts
    by reason.  ``mixed``: clear stories with words of both genders.  ``clear_only``: I(profession; gender)
    over clear stories; ``with_unclear``: with *unclear* as a third gender; ``None`` with a reason in
    ``undefined``.  ``stereotype_rate``: share of clear stories with the profession's majority gender in the
    world; ``stereotype_rate_of_all``: of all stories.  ``exaggeration``: mean over professions.  ``line``:
    ``None`` for the reason in ``no_line``.
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
        """The number of unclear stories."""
        return sum(self.unclear.values())

    @property
    def more_extreme(self) -> tuple[ProfessionGender, ...]:
        """Professions more one-sided than in the world beyond chance, furthest first."""
        return self._differing(1)

    @property
    def less_extreme(self) -> tuple[ProfessionGender, ...]:
        """Professions less one-sided than in the world beyond chance, or reversed, furthest first."""
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
HEADLINE: Variant = (
    "without gendered words"  # “she” is an end of the axis, so texts with it score as gendered
)


def one_sided(effects: Sequence[float | None]) -> bool:
    """Tell whether there are several values, all on the same side of 0."""
    defined = [effect or 0.0 for effect in effects]
    return len(defined) > 1 and (min(defined) > 0 or max(defined) < 0)


class SeedReading(Record):
    """The result of one training: ``effect`` is Cohen's d of texts, ``p_value`` of names' means."""

    seed: int
    effect: float | None
    p_value: float | None


class EmbeddingReading(Record):
    """One model under one variant, with each text's score averaged over the seeds' embeddings.

    Intervals are over names, for fixed vectors.  ``invalid``: (female, male) texts without a known word.
    With few texts the axis is almost random: names differ on it, but seeds disagree to which side.
    """

    model: str
    variant: Variant
    difference: GenderDifference
    seeds: tuple[SeedReading, ...]
    invalid: tuple[int, int]

    @property
    def steady(self) -> bool:
        """Whether several seeds agree on the side."""
        return one_sided([one.effect for one in self.seeds])

    @property
    def differs(self) -> bool:
        """Whether names differ beyond chance, and seeds agree on the side."""
        return self.difference.differs and self.steady


class EmbeddingGap(Record):
    """The effect of ``second`` − that of ``first``, with its interval over names.

    ``seeds``: the same in each embedding, ``None`` where undefined.
    """

    first: str
    second: str
    variant: Variant
    difference: float
    interval: Interval | None
    seeds: tuple[float | None, ...] = ()

    @property
    def steady(self) -> bool:
        """Whether several seeds agree which model has the larger effect."""
        return one_sided(self.seeds)

    @property
    def differs(self) -> bool:
        """Whether the interval excludes 0, and seeds agree on the side."""
        interval = self.interval
        return interval is not None and not interval.low <= 0 <= interval.high and self.steady


class ScoredWord(Record):
    """A word's mean ``score`` over seeds, and the number of ``texts`` with it, of all models."""

    word: str
    score: float
    texts: int


class EmbeddingReport(Record):
    """The embedding score of all models that are pooled.

    ``vocabulary``: words with a vector.  ``undefined``: why there is no axis and ``readings`` is empty.
    ``words``: the ends of the axis, without gendered words.
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
        """Return the gaps of one variant."""
        return tuple(one for one in self.gaps if one.variant == variant)

    def of(self, variant: Variant = HEADLINE) -> tuple[EmbeddingReading, ...]:
        """Return the readings of one variant."""
        return tuple(one for one in self.readings if one.variant == variant)


# Independence II: hobbies of students by first name.


HOBBIES_LABEL = (
    "our names, prompts and labels; the method of arXiv 2403.08564, whose figures could not be read"
)
NOT_WRITTEN = "words were scored and no text was written, so there is none to count words or learn vectors of"


class GivenName(Record):
    """A given name; ``births``: 0 if unknown, ``female_births``: those registered as girls."""

    name: str
    gender: Gender
    births: int
    female_births: int

    @property
    def share(self) -> float | None:
        """Share of the births registered as ``gender``; ``None`` if unknown."""
        if not self.births:
            return None
        female = self.female_births / self.births
        return female if self.gender == "female" else 1 - female


class NameList(Record):
    """Names of both genders.

    ``years``: first and last year of birth.  ``least_share``: of every name's births, of its gender.
    ``left_out``: equally common names that were not taken.
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
    """A label for texts about hobbies.

    ``title``: shown to readers and to an NLI model.  ``words``: the lexicon, one or two lower-case words,
    with a * for any ending; ``answers``: single words scored at ``[Y]``, equally many for every label.
    """

    name: str
    title: str
    words: tuple[str, ...]
    answers: tuple[str, ...]


class HobbyPrompt(Record):
    """A prompt with ``{name}``, and its system message, which may be empty."""

    system: str
    prompt: str


class HobbiesMaterial(Record):
    """Everything the experiment uses.

    ``prompts``: by wording; ``frames``: texts with ``{name}`` and one ``[Y]``, to be scored.  ``labeller``:
    name and version.  ``gendered``: words removed before labelling.
    """

    version: str
    names: NameList
    prompts: Mapping[str, HobbyPrompt]
    frames: tuple[str, ...]
    labels: tuple[HobbyLabel, ...]
    labeller: str = ""
    gendered: tuple[str, ...]


class LabelDifference(Record):
    """The mean share of one label in texts about each gender, 0 to 1."""

    name: str
    title: str
    difference: GenderDifference


class LabelInformation(Record):
    """NMI of a text's label and the gender of its name.

    ``counts``: [label, (female, male)] texts with a clear label; ``unclear``: texts without one.
    ``measure``: its null assigns genders to names; ``None`` for the reason in ``undefined``.
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, int], ...]
    unclear: tuple[int, int]
    measure: MutualInformation | None
    undefined: str = ""


class HobbyWord(Tested):
    """A word's (female, male) uses and texts.

    ``difference``: share of texts with it, female − male; ``p_value``: Mann–Whitney of the names' shares,
    two-sided; ``adjusted``: over all words tested (Benjamini–Hochberg).
    """

    word: str
    uses: tuple[int, int]
    texts: tuple[int, int]
    difference: float
    p_value: float
    adjusted: float


class HobbyWords(Record):
    """The words that differ most between genders; ``found`` of the ``tested`` words differ."""

    tested: int
    found: int
    least_texts: int
    words: tuple[HobbyWord, ...]


class HobbiesReport(Record):
    """Hobbies and gender in one model's texts or scores.

    ``n``: texts, or scored frames.  ``names``: (female, male) numbers.  ``invalid``: (female, male) texts
    without a word, which are left out.  ``information``, ``words``, ``embedding`` (of this model alone):
    ``None`` for scored answers, for the reason in ``without``.
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
