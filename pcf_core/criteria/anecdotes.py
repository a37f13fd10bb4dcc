"""Independence I: does the gender of the people in a model's stories depend on their profession?

A story is asked for about each profession, again and again; its gender is read from its words.  C, the
profession, and A, the gender, are independent where I(C; A) is 0.  Beside it stand how often stories follow
the majority of the labour force, and how far they go beyond it.

Where a model is scored, no story is written: the words of the topic gender are scored at the gap of a text
that begins one, and each profession's shares of women and men are the weights of their words.  Such a table
is expected, not sampled: it has no null and no interval over texts.

Source: Sterlie, Weng & Feragen 2024, sections 4.1 and 5.1, https://arxiv.org/abs/2403.08564; ours are the
wording, the professions and the reading (theirs reads "NA" everywhere as published, and prints no list).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pcf_core.criteria.experiment import Ask, ScoredAsk, check_cells
from pcf_core.criteria.gender_reading import GenderReader
from pcf_core.criteria.materials import BARE, WITH_ARTICLE, load_reading, load_wording
from pcf_core.criteria.professions import USUAL, load_professions
from pcf_core.errors import CriteriaError
from pcf_core.records import LeftOut
from pcf_core.records.anecdotes import (
    SCORED_LABEL,
    AnecdotesMaterial,
    AnecdotesReport,
    Profession,
    ProfessionGender,
    ProfessionList,
)
from pcf_core.records.criteria_run import ExperimentName, Wording
from pcf_core.records.information import MutualInformation
from pcf_core.stats.information import expected_information, mutual_information, why_no_information
from pcf_core.stats.professions import (
    beside_the_world,
    line_over_world,
    mean_over_professions,
    rate_over_professions,
    why_no_slope,
)
from pcf_core.topics import load_topic
from pcf_core.topics.text import shown

TOPIC = "gender"
NO_TEXT = "no story"
NO_CLEAR = "no story tells a gender"
NO_WORDS = "no word of one of the genders has a score"


@dataclass(frozen=True)
class Anecdotes:
    """The experiment with one list of professions; cells are their names."""

    material: AnecdotesMaterial

    name: ExperimentName = "anecdotes"
    title: str = "Stories about professions (independence I)"

    @classmethod
    def load(cls, professions: str | Path | ProfessionList = USUAL) -> Anecdotes:
        """With a shipped list, a user's file, or a list that is at hand.

        Raises:
            CriteriaError: the list cannot be used.
        """
        chosen = professions if isinstance(professions, ProfessionList) else load_professions(professions)
        topic = load_topic(TOPIC)
        words = {group.name: group.words for group in topic.groups}
        return cls(
            AnecdotesMaterial(
                professions=chosen,
                wording=load_wording(),
                reading=load_reading(),
                topic=topic.name,
                female=words["female"],
                male=words["male"],
            )
        )

    @cached_property
    def professions(self) -> tuple[Profession, ...]:
        return self.material.professions.professions

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """One for each profession."""
        texts = self.material.wording
        if wording == "instruction":
            return tuple(
                Ask(each.name, texts.system, filled(texts.instruction, each)) for each in self.professions
            )
        return tuple(Ask(each.name, "", filled(texts.continuation, each)) for each in self.professions)

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """One for each profession, with the words of women first."""
        words = (*self.material.female, *self.material.male)
        text = self.material.wording.scored
        return tuple(ScoredAsk(each.name, filled(text, each), words) for each in self.professions)

    def report(self, texts: Mapping[str, Sequence[str]]) -> AnecdotesReport:
        """What the stories say; a profession without any is left out and named.

        Raises:
            CriteriaError: a cell that is no profession of the list, or no story at all.
        """
        check_cells(texts, (each.name for each in self.professions), self.name)
        if not any(texts.values()):
            raise CriteriaError("There is no story to read: write at least one for each profession.")
        reader = GenderReader(self.material.reading)
        unclear: Counter[str] = Counter()
        rows = [_read(each, texts.get(each.name, ()), reader, unclear) for each in self.professions]
        table = np.array([(row.women, row.men, row.unclear) for row in rows], dtype=np.float64)
        empty = sum(not text.strip() for several in texts.values() for text in several)
        clear, missing_clear = _information(table[:, :2], "clear_only")
        three, missing_three = _information(table, "with_unclear")
        return self._report(
            AnecdotesReport(
                answering="written",
                n=int(table.sum()),
                empty=empty,
                unclear=dict(unclear),
                mixed=sum(row.mixed for row in rows if row.clear),
                professions=beside_the_world(rows),
                clear_only=clear,
                with_unclear=three,
                undefined=(*missing_clear, *missing_three),
                stereotype_rate_of_all=rate_over_professions(_hits(rows), table.sum(axis=1)),
            )
        )

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> AnecdotesReport:
        """What the scores say: for each profession, the weights of the words of women and of men.

        Raises:
            CriteriaError: a cell that is no profession of the list, a cell with another number of words, no
                word left for a gender, or no finite score at all.
        """
        check_cells(log_probabilities, (each.name for each in self.professions), self.name)
        female, male = self.material.female, self.material.male
        words = (*female, *male)
        told = [each for each in self.professions if each.name in log_probabilities]
        scores = np.array([_row(log_probabilities[each.name], len(words), each.name) for each in told])
        if not told:
            raise CriteriaError("There is no score to read: score every profession.")
        known = ~np.isnan(scores).any(axis=0)
        sides = np.arange(len(words)) < len(female)
        if not (known & sides).any() or not (known & ~sides).any():
            raise CriteriaError(f"{NO_WORDS.capitalize()}: the model cannot express the topic {TOPIC}.")
        women = dict(
            zip((each.name for each in told), _women(scores, known & sides, known & ~sides), strict=True)
        )
        if all(share is None for share in women.values()):
            raise CriteriaError(
                "No profession has a word with a finite score: give log-probabilities, of which at least one "
                "for a profession is a finite number."
            )
        rows = []
        for each in self.professions:
            share = women.get(each.name)
            shares = {"women": 0.0, "men": 0.0} if share is None else {"women": share, "men": 1 - share}
            rows.append(ProfessionGender(profession=each.name, world=each.women_share, **shares))
        table = np.array([(row.women, row.men) for row in rows if row.clear])
        reason = why_no_information(table)
        return self._report(
            AnecdotesReport(
                answering="scored",
                n=len(told),
                professions=tuple(rows),
                clear_only=None if reason else expected_information(table),
                undefined=(LeftOut(name="clear_only", reason=reason),) if reason else (),
                words_left_out=tuple(
                    LeftOut(name=word, reason="the model's tokenizer cannot express it")
                    for word, there in zip(words, known, strict=True)
                    if not there
                ),
                label=SCORED_LABEL,
            )
        )

    def _report(self, report: AnecdotesReport) -> AnecdotesReport:
        """With what is said of all professions together."""
        rows = [row for row in report.professions if row.share is not None]
        world = np.array([row.world for row in rows])
        shares = np.array([row.share for row in rows], dtype=np.float64)
        further = np.array([row.exaggeration for row in rows], dtype=np.float64)
        no_line = why_no_slope(world, shares)
        reason = NO_CLEAR if report.answering == "written" else "no score"
        return report.model_copy(
            update={
                "stereotype_rate": rate_over_professions(_hits(rows), np.array([row.clear for row in rows])),
                "exaggeration": mean_over_professions(further),
                "line": None if no_line else line_over_world(world, shares),
                "no_line": no_line,
                "professions_left_out": tuple(
                    LeftOut(
                        name=row.profession, reason=reason if row.unclear or reason != NO_CLEAR else NO_TEXT
                    )
                    for row in report.professions
                    if row.share is None
                ),
            }
        )


def filled(text: str, profession: Profession) -> str:
    """The text with the profession in its places."""
    return text.replace(WITH_ARTICLE, profession.with_article).replace(BARE, profession.name)


def _read(
    profession: Profession, texts: Sequence[str], reader: GenderReader, unclear: Counter[str]
) -> ProfessionGender:
    """One profession's stories; ``unclear`` is added to, by the reason."""
    readings = [reader.read(text) for text in texts]
    unclear.update(reading.unclear for reading in readings if reading.unclear)
    genders = Counter(reading.gender for reading in readings)
    return ProfessionGender(
        profession=profession.name,
        world=profession.women_share,
        women=genders["female"],
        men=genders["male"],
        unclear=genders["unclear"],
        mixed=sum(reading.mixed for reading in readings if reading.gender != "unclear"),
        women_words=sum(reading.women for reading in readings),
        men_words=sum(reading.men for reading in readings),
    )


def _hits(rows: Sequence[ProfessionGender]) -> NDArray[np.float64]:
    """[profession] stories of the gender that is the majority in the world."""
    return np.array([row.women if row.majority == "female" else row.men for row in rows], dtype=np.float64)


def _information(
    table: NDArray[np.float64], name: str
) -> tuple[MutualInformation | None, tuple[LeftOut, ...]]:
    if reason := why_no_information(table):
        return None, (LeftOut(name=name, reason=reason if table.any() else NO_CLEAR),)
    return mutual_information(table), ()


def _row(scores: Sequence[float], words: int, cell: str) -> NDArray[np.float64]:
    if len(scores) != words:
        raise CriteriaError(f"{shown(cell)} has {len(scores)} scores for {words} words: give one for each.")
    return np.array(scores, dtype=np.float64)


def _women(
    scores: NDArray[np.float64], female: NDArray[np.bool_], male: NDArray[np.bool_]
) -> list[float | None]:
    """[profession] weight of women's words among both, 0 to 1; ``None`` where no word has any."""
    ours = np.logaddexp.reduce(scores[:, female], axis=1)
    theirs = np.logaddexp.reduce(scores[:, male], axis=1)
    whole = np.logaddexp(ours, theirs)
    return [
        float(np.exp(own - both)) if np.isfinite(both) else None
        for own, both in zip(ours, whole, strict=True)
    ]
