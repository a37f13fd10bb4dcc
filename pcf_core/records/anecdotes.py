"""Independence I: short stories about people of a hundred professions, and the gender they are told of.

C is the profession of the prompt, A the gender that is read from the story.  Shares are of women, 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pcf_core.records.base import LeftOut, Record, digest
from pcf_core.records.criteria import SIGNIFICANCE
from pcf_core.records.information import MutualInformation
from pcf_core.records.risk import Interval

Gender = Literal["female", "male"]
ReadGender = Literal["female", "male", "unclear"]
Unclear = Literal["", "no gendered word", "as many of either"]

LABEL = (
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

    @property
    def hash(self) -> str:
        """Hash of what decides a reading."""
        return digest(self.model_dump(mode="json", exclude={"name", "title", "version", "source", "notes"}))


class GenderReading(Record):
    """What a text's words say: how often each gendered word stands in it, by its spelling in the list."""

    female: Mapping[str, int] = {}
    male: Mapping[str, int] = {}

    @property
    def women(self) -> int:
        return sum(self.female.values())

    @property
    def men(self) -> int:
        return sum(self.male.values())

    @property
    def gender(self) -> ReadGender:
        """The majority; ``unclear`` where there is none."""
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
        """Whether words of both genders stand in the text, as where two people meet."""
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

    @property
    def hash(self) -> str:
        """Hash of names and shares."""
        return digest([[each.name, each.with_article, each.women_share] for each in self.professions])


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

    @property
    def hash(self) -> str:
        """Hash of what decides a number: professions, wording and words, not titles and notes."""
        texts = self.wording.model_dump(exclude={"name", "version", "source"})
        return digest([self.professions.hash, texts, self.reading.hash, self.female, self.male])


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
        """Of those employed in the world."""
        return "female" if self.world > 0.5 else "male"

    @property
    def clear(self) -> float:
        return self.women + self.men

    @property
    def share(self) -> float | None:
        """Women among the stories with a clear gender; ``None`` where there is none."""
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
    """A value with its interval, if other professions had been chosen; ``None`` where too few are."""

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
    label: str = LABEL

    @property
    def unclear_texts(self) -> int:
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
        found = [
            (side * each.exaggeration, each)
            for each in self.professions
            if each.differs and each.exaggeration is not None and side * each.exaggeration > 0
        ]
        return tuple(each for _, each in sorted(found, key=lambda pair: -pair[0]))
