"""Independence I: test whether the gender of people in a model's stories depends on their profession.

Stories are requested about each profession, and their gender is read from their words.  C, the profession,
and A, the gender, are independent if I(C; A) is 0.  Also reported: how often stories follow the majority of
the labour force, and how far they exceed it.

Where a model is scored, the words of the topic gender are scored at the gap of a text that begins a story; a
profession's shares are the weights of the words.  This table has no null and no interval over texts.

**Comparison with the labour force.**  The world's shares are taken as known.  Single professions have
Wilson's interval and an exact binomial test against the world's share, adjusted for false discoveries
(Benjamini & Hochberg 1995).  Means and rates resample professions with all their stories; if all stories
agree, Wilson's interval is used, with each profession as one observation.

Source: Sterlie, Weng & Feragen 2024, sections 4.1 and 5.1, https://arxiv.org/abs/2403.08564; wording,
professions and reading are ours (theirs reads "NA" everywhere as published, and prints no list).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import CriteriaError
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import Interval
from pcf_core.material.safety.text import shown
from pcf_core.material.topics import load_topic
from pcf_core.measure.amplification import lean_interval
from pcf_core.measure.regression import fit_line, why_no_line
from pcf_core.measure.resampling import percentiles, resampled_occupation_weights
from pcf_core.texts.criteria.experiment import Ask, ScoredAsk, check_cells
from pcf_core.texts.criteria.gender_reading import GenderReader
from pcf_core.texts.criteria.information import expected_information, mutual_information, why_no_information
from pcf_core.texts.criteria.professions import (
    BARE,
    PROFESSIONS,
    USUAL,
    WITH_ARTICLE,
    load_reading,
    load_wording,
)
from pcf_core.texts.criteria.records.independence import (
    SCORED_LABEL,
    AmplificationLine,
    AnecdotesMaterial,
    AnecdotesReport,
    Profession,
    ProfessionGender,
    ProfessionList,
    SharedValue,
)
from pcf_core.texts.criteria.records.quantities import LEVEL, ExperimentName, MutualInformation, Wording
from pcf_core.texts.fairpair.intervals import mean_interval

UNIT = "profession"
FEWEST = 2  # a single profession says nothing about others


def beside_the_world(professions: Sequence[ProfessionGender]) -> tuple[ProfessionGender, ...]:
    """Return [profession] rows, with interval and test for those with a clear story."""
    from scipy.stats import binomtest, false_discovery_control

    tested = [index for index, each in enumerate(professions) if each.clear]
    rows = list(professions)
    p_values = [
        float(binomtest(int(rows[index].women), int(rows[index].clear), rows[index].world).pvalue)
        for index in tested
    ]
    adjusted = false_discovery_control(p_values) if p_values else []
    for index, p_value, controlled in zip(tested, p_values, adjusted, strict=True):
        one = rows[index]
        interval = wilson(one.women / one.clear, one.clear, over="templates", unit="text")
        update = {"interval": interval, "p_value": min(p_value, 1.0), "adjusted": float(controlled)}
        rows[index] = one.model_copy(update=update)
    return tuple(rows)


def wilson(share: float, n: float, *, over: str = "occupations", unit: str = UNIT) -> Interval:
    """Return Wilson's interval of a share of n (1927, doi:10.1080/01621459.1927.10502953)."""
    quantile = NormalDist().inv_cdf((1 + LEVEL) / 2)
    low, high = ((float(end) + 1) / 2 for end in lean_interval(2 * share - 1, n, quantile))
    bounds = {"low": max(0.0, min(low, share)), "high": min(1.0, max(high, share))}  # rounding
    return Interval.model_validate({"over": over, "level": LEVEL, "unit": unit, **bounds})


def rate_over_professions(
    hits: FloatArray, of: FloatArray, *, resamples: int = 2000, seed: int = 0
) -> SharedValue | None:
    """Return Σ hits / Σ of over [profession], with its interval; ``None`` if the denominator is 0."""
    used = of > 0
    hits, of = hits[used], of[used]
    if not of.size:
        return None
    value = float(hits.sum() / of.sum())
    if of.size < FEWEST:
        return SharedValue(value=value)
    if value in (0, 1):
        return SharedValue(value=value, interval=wilson(value, float(of.size)))
    drawn = np.concatenate(list(resampled_occupation_weights(np.ones(of.size), resamples, seed)))
    low, high = percentiles((drawn @ hits) / (drawn @ of), LEVEL, of.size)
    interval = Interval(over="occupations", level=LEVEL, low=float(low), high=float(high), unit=UNIT)
    return SharedValue(value=value, interval=interval)


def mean_over_professions(values: FloatArray) -> SharedValue | None:
    """Return the mean of [profession] values with its interval; ``None`` without values."""
    if not values.size:
        return None
    interval = mean_interval(values, level=LEVEL)
    if interval is not None:
        interval = interval.model_copy(update={"over": "occupations", "unit": UNIT})
    return SharedValue(value=float(values.mean()), interval=interval)


def why_no_slope(world: FloatArray, shares: FloatArray) -> str:
    """Return why no line can be fitted, as the end of a sentence, or nothing."""
    if shares.size and np.ptp(shares) == 0:
        return "the model's share of women is the same for all professions"
    if world.size and np.ptp(world) == 0:
        return "the world's share of women is the same for all professions"
    return why_no_line(world, shares).replace("points", "professions").replace("point", "profession")


def line_over_world(world: FloatArray, shares: FloatArray) -> AmplificationLine:
    """Fit the model's on the world's [profession] shares by least squares."""
    from scipy.stats import t

    line = fit_line(world, shares, level=LEVEL)
    away, error = abs(line.slope - 1), line.slope_error
    p_of_one = float(2 * t.sf(away / error, line.n - 2)) if error else float(away == 0)
    return AmplificationLine(
        slope=line.slope,
        intercept=line.intercept,
        interval=line.interval.model_copy(update={"unit": UNIT}),
        p_of_one=p_of_one,
        r_squared=line.r_squared,
        x=tuple(map(float, line.x)),
        mean=tuple(map(float, line.mean)),
        low=tuple(map(float, line.low)),
        high=tuple(map(float, line.high)),
    )


TOPIC = "gender"
NO_TEXT = "no story"
NO_CLEAR = "no story tells a gender"
NO_WORDS = "no word of one of the genders has a score"


@dataclass(frozen=True)
class Anecdotes:
    """The experiment with one list of professions, whose names are the cells."""

    material: AnecdotesMaterial

    name: ExperimentName = "anecdotes"
    title: str = "Stories about professions (independence I)"

    @classmethod
    def load(cls, professions: str | Path | ProfessionList = USUAL) -> Anecdotes:
        """Load the experiment with a shipped list, a user's file, or a loaded list."""
        chosen = professions if isinstance(professions, ProfessionList) else PROFESSIONS.load(professions)
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
        """The professions of the list."""
        return self.material.professions.professions

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        """List one prompt for each profession."""
        texts = self.material.wording
        system, text = (
            (texts.system, texts.instruction) if wording == "instruction" else ("", texts.continuation)
        )
        return tuple(Ask(each.name, system, _filled(text, each)) for each in self.professions)

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        """List one text to score for each profession, with the words for women first."""
        words = (*self.material.female, *self.material.male)
        text = self.material.wording.scored
        return tuple(ScoredAsk(each.name, _filled(text, each), words) for each in self.professions)

    def report(self, texts: Mapping[str, Sequence[str]]) -> AnecdotesReport:
        """Evaluate the stories; professions without stories are left out and listed."""
        check_cells(texts, (each.name for each in self.professions), self.name)
        if not any(texts.values()):
            raise CriteriaError("No story was given: write at least one for each profession.")
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
        """Evaluate scores: for each profession, the weights of the words for women and for men."""
        check_cells(log_probabilities, (each.name for each in self.professions), self.name)
        female, male = self.material.female, self.material.male
        words = (*female, *male)
        for cell, nats in log_probabilities.items():
            if len(nats) != len(words):
                raise CriteriaError(
                    f"{shown(cell)} has {len(nats)} scores for {len(words)} words: give one score for "
                    "each word."
                )
        if not log_probabilities:
            raise CriteriaError("No scores were given: score every profession.")
        scores = np.array([*log_probabilities.values()], dtype=np.float64)
        able = np.asarray(~np.isnan(scores).any(axis=0))
        sides = np.arange(len(words)) < len(female)
        if not (able & sides).any() or not (able & ~sides).any():
            raise CriteriaError(f"{NO_WORDS.capitalize()}: the model cannot express the topic {TOPIC}.")
        shares = _women(scores, able & sides, able & ~sides)
        if all(share is None for share in shares):
            raise CriteriaError(
                "No profession has a word with a finite score: give log-probabilities, with at least one "
                "finite number for a profession."
            )
        women = dict(zip(log_probabilities, shares, strict=True))
        rows = []
        for each in self.professions:
            share = women.get(each.name)
            weights = {"women": 0.0, "men": 0.0} if share is None else {"women": share, "men": 1 - share}
            rows.append(ProfessionGender(profession=each.name, world=each.women_share, **weights))
        table = np.array([(row.women, row.men) for row in rows if row.clear])
        reason = why_no_information(table)
        return self._report(
            AnecdotesReport(
                answering="scored",
                n=len(scores),
                professions=tuple(rows),
                clear_only=None if reason else expected_information(table),
                undefined=(LeftOut(name="clear_only", reason=reason),) if reason else (),
                words_left_out=tuple(
                    LeftOut(name=word, reason="the model's tokenizer cannot express it")
                    for word, there in zip(words, able, strict=True)
                    if not there
                ),
                label=SCORED_LABEL,
            )
        )

    def _report(self, report: AnecdotesReport) -> AnecdotesReport:
        rows = [row for row in report.professions if row.share is not None]
        world = np.array([row.world for row in rows])
        shares = np.array([row.share for row in rows], dtype=np.float64)
        further = np.array([row.exaggeration for row in rows], dtype=np.float64)
        no_line = why_no_slope(world, shares)
        scored = report.answering == "scored"
        reason = "no score" if scored else NO_CLEAR
        return report.model_copy(
            update={
                "stereotype_rate": rate_over_professions(_hits(rows), np.array([row.clear for row in rows])),
                "exaggeration": mean_over_professions(further),
                "line": None if no_line else line_over_world(world, shares),
                "no_line": no_line,
                "professions_left_out": tuple(
                    LeftOut(name=row.profession, reason=reason if scored or row.unclear else NO_TEXT)
                    for row in report.professions
                    if row.share is None
                ),
            }
        )


def _filled(text: str, profession: Profession) -> str:
    return text.replace(WITH_ARTICLE, profession.with_article).replace(BARE, profession.name)


def _read(
    profession: Profession, texts: Sequence[str], reader: GenderReader, unclear: Counter[str]
) -> ProfessionGender:
    """Read one profession's stories; count unclear ones in ``unclear`` by reason."""
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
    """Return [profession] stories of the world's majority gender."""
    return np.array([row.women if row.majority == "female" else row.men for row in rows], dtype=np.float64)


def _information(
    table: NDArray[np.float64], name: str
) -> tuple[MutualInformation | None, tuple[LeftOut, ...]]:
    if reason := why_no_information(table):
        return None, (LeftOut(name=name, reason=reason if table.any() else NO_CLEAR),)
    return mutual_information(table), ()


def _women(
    scores: NDArray[np.float64], female: NDArray[np.bool_], male: NDArray[np.bool_]
) -> list[float | None]:
    """Return [profession] weight of women's words among both, 0 to 1; ``None`` if all are 0."""
    ours = np.logaddexp.reduce(scores[:, female], axis=1)
    theirs = np.logaddexp.reduce(scores[:, male], axis=1)
    whole = np.logaddexp(ours, theirs)
    return [
        float(np.exp(own - both)) if np.isfinite(both) else None
        for own, both in zip(ours, whole, strict=True)
    ]
