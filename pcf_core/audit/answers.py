"""Sampled runs: from texts to counted answers, and from these to preferences and a risk report.

**Worked example.**  "The nurse said that [Y]" with five answers, topic *gender*: " she had left", " he", " it
was", " She", ' "her patient' are three for women, one for men and one for neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from pcf_core.audit.listed import MARKS, listed_shares, unseen_note
from pcf_core.audit.preferences import Answered, Result, check_people, coverage_summary, decided
from pcf_core.audit.writing import Matrix, rough_means, with_decisions, written_report
from pcf_core.core.errors import CriterionError, RunError, TemplateError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import RiskReport, SampledRisk
from pcf_core.core.run import ModelSpec, Preferences, RunSpec, ScoringKey
from pcf_core.core.sampled import GO_ON, LENGTH, ONE_WORD, Sampled, Samples
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.measure.answers import Answers
from pcf_core.measure.bootstrap import RISKS, RiskIntervals
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.decisions import People, RateCriterion
from pcf_core.measure.decomposition import total
from pcf_core.measure.rated_answers import RatedAnswers, rates_by_group
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.models.scoring.base import opening_of, split_prompt
from pcf_core.store.store import Store

BEFORE = re.compile(rf"[\s{re.escape(MARKS)}]*")
STORED = "answers-1"  # name of stored counts; raise the number when they would change
WHAT_WRITES = {"model", "identity", "tokenizer", "family", "rules", "dtype", "opening"}
FULL = 0.995  # of the answers; below, a sentence says so
NO_ANSWER = "no answer names a group"


# Requests.


def sampled_run(
    spec: ModelSpec,
    topic: Topic,
    evidence: Evidence,
    templates: TemplateSet,
    samples: Samples,
    listed: int = 0,
) -> RunSpec:
    """Make the record of a sampled run of a model that can write; nothing is asked.

    ``listed``: so many of the likeliest first tokens are read instead, see :class:`Sampled`.
    Raises TemplateError for a template with text behind ``[Y]``, or without a person in a topic about people.
    """
    check_people(topic, templates)
    for template in templates.templates:
        if split_prompt(template.text)[1]:
            raise TemplateError(
                f"The template {template.text!r} has text behind [Y], which a sampled run cannot use, "
                "because the model writes what comes next: choose templates that end with [Y]."
            )
    how = Sampled(
        count=samples.samples or 0, temperature=samples.temperature, chat_template="", listed=listed
    )
    key = GenerationKey.of(spec, _decoding(how))
    scoring = ScoringKey(
        **key.model_dump(include=WHAT_WRITES),
        sampled=how.model_copy(update={"chat_template": key.chat_template}),
    )
    return RunSpec(scoring=scoring, topic=topic, evidence=evidence, templates=templates)


def writing_key(run: RunSpec) -> GenerationKey:
    """Return the key of the texts that a sampled run counts."""
    sampled = _how(run)
    return GenerationKey(
        **run.scoring.model_dump(include=WHAT_WRITES),
        chat_template=sampled.chat_template,
        decoding=_decoding(sampled),
        system=told_with(run.topic) if sampled.chat_template else "",
    )


def told_with(topic: Topic) -> str:
    """Return what a model that answers messages is told: to go on by a word, or to answer with one."""
    return ONE_WORD if topic.decides else GO_ON


def _decoding(how: Sampled) -> Decoding:
    length = 1 if how.listed else LENGTH
    return Decoding(temperature=how.temperature, top_p=1.0, length=length, listed=how.listed)


def _how(run: RunSpec) -> Sampled:
    assert run.scoring.sampled is not None
    return run.scoring.sampled


# Answers.


def group_reader(topic: Topic) -> Callable[[str], int | None]:
    """Return a function from a text to the group whose word it begins with, ``None`` for no group."""
    of_word = {word.casefold(): number for number, group in enumerate(topic.groups) for word in group.words}
    longest_first = "|".join(map(re.escape, sorted(of_word, key=len, reverse=True)))
    word_first = re.compile(rf"{BEFORE.pattern}({longest_first})(?!\w)", re.IGNORECASE)

    def group_of(text: str) -> int | None:
        match = word_first.match(text)
        return of_word.get(match.group(1).casefold()) if match else None

    return group_of


def counted(store: Store, run: RunSpec) -> Answered:
    """Count the answers of a run in its texts; raise RunError if some are missing."""
    topic = run.as_scored.topic
    group_of, groups = group_reader(topic), len(topic.groups)
    counts = np.zeros((run.cells, groups + 1))
    for row, texts in enumerate(_texts(store, run)):
        for text in texts:
            group = group_of(text)
            counts[row, groups if group is None else group] += 1
    return _answered(run, counts)


def _texts(store: Store, run: RunSpec) -> Iterator[tuple[str, ...]]:
    """Yield the texts of each cell; raise RunError if some are missing."""
    key, count = writing_key(run), _how(run).texts
    for prompt in map(opening_of, run.prompts):
        texts = store.texts(key, prompt, count)
        if texts is None:
            raise RunError(
                f"The run {run.key} is not finished, because answers are missing: finish it on the page 'Run "
                "an audit', or with `python -m pcf_core score --samples`."
            )
        yield texts.texts


def _answered(run: RunSpec, counts: FloatArray) -> Answered:
    """Arrange [cell, group or none] counts."""
    people = len(run.topic.people) if run.topic.decides else None
    shape = [len(run.evidence.terms), len(run.templates.templates), *([] if people is None else [people])]
    cells = counts.reshape(*shape, -1)
    return Answered(cells[..., :-1], cells[..., -1], None if people is None else _group_of_people(run.topic))


def _group_of_people(topic: Topic) -> NDArray[np.intp]:
    sizes = [len(group.words) for group in topic.groups]
    return np.repeat(np.arange(len(sizes)), sizes)


def sampled_result(store: Store, run: RunSpec, *, again: bool = False) -> Result:
    """Load or, also ``again``, count the answers of a run; preferences are without the noise of few answers.

    Raises RunError if answers are missing, and CriterionError if too few name a group.
    """
    if _how(run).listed:
        return listed_result(store, run, again=again)
    stored = None if again else store.load_result(run.kept_as, STORED)
    if stored is None:
        answers = counted(store, run)
        columns = np.concatenate([answers.counts, answers.none[..., np.newaxis]], axis=-1)
        columns = columns.reshape(run.cells, -1)
        if store.is_finished(run):
            store.save_result(run.kept_as, STORED, {str(i): one for i, one in enumerate(columns.T)}, {})
    else:
        answers = _answered(run, np.stack(list(stored[0].values()), axis=-1))
    some, several = np.asarray(answers.there.any(axis=1)), answers.counts.sum(axis=-1) > 1
    if not several[answers.there].any():
        raise CriterionError(
            "Risk cannot be estimated from so few answers: in no test sentence do two or more name a group; "
            "ask more often, or use sentences that lead to the topic's words."
        )
    unit = TemplateUnit.templates(run.templates.counts, run.templates.families)
    alike = np.full(some.sum(), 1 / some.sum())
    estimated = answers_of(answers.counts[some], answers.group, unit, alike, Criterion())
    values = _spread(estimated.values, some)
    preferences = Preferences(run.topic.group_names, run.evidence.terms, run.templates.texts, values)
    if isinstance(estimated, RatedAnswers):
        preferences = replace(preferences, people=_spread(estimated.of_people, some))
    return Result(preferences, run.as_scored.topic.words, (), (), (), answers=answers)


def _spread(values: FloatArray, some: NDArray[np.bool_]) -> FloatArray:
    """Return values of some occupations on the axis of all, NaN for the others."""
    every = np.full((some.size, *values.shape[1:]), np.nan)
    every[some] = values
    return every


def listed_result(store: Store, run: RunSpec, *, again: bool = False) -> Result:
    """Load or, also ``again``, read the listed probabilities of a run; raises as :func:`sampled_result`."""
    stored = None if again else store.load_result(run.kept_as, STORED)
    if stored is None:
        texts = (text for (text,) in _texts(store, run))
        shares = listed_shares(texts, run.as_scored.topic)
        if store.is_finished(run):
            store.save_result(run.kept_as, STORED, {str(i): one for i, one in enumerate(shares.T)}, {})
    else:
        shares = np.stack(list(stored[0].values()), axis=-1)
    named = shares[:, :-2]
    together = named.sum(axis=1)
    preferred = named / np.where(together > 0, together, 1.0)[:, np.newaxis]
    shape = len(run.evidence.terms), len(run.templates.templates), -1
    # An even split stands where no word is listed, of decisions for any of a group; coverage flags these.
    if run.topic.decides:
        group, of_people = _group_of_people(run.topic), together.reshape(shape)
        people = rates_by_group(preferred.reshape(*of_people.shape, -1), group)[1]
        coverage = People(of_people, group).of_groups(of_people).min(axis=-1)
        preferences = decided(run, people, coverage)
    else:
        values = np.where(together[:, np.newaxis] > 0, preferred, 1 / named.shape[1]).reshape(shape)
        coverage = together.reshape(shape[:2])
        preferences = Preferences(
            run.topic.group_names, run.evidence.terms, run.templates.texts, values, coverage
        )
    summary, note = coverage_summary(preferences, {}), unseen_note(shares, _how(run).listed)
    return Result(preferences, run.as_scored.topic.words, (), (), (note,), summary)


def answers_of(
    counts: FloatArray,
    group: NDArray[np.intp] | None,
    unit: TemplateUnit,
    shares: FloatArray,
    criterion: Criterion,
) -> Answers:
    """Make the estimator of counts, see :class:`Answered`, whose occupations all have a cell that counts."""
    if group is None:
        return Answers(counts, unit, shares, criterion)
    return RatedAnswers(counts, unit, shares, RateCriterion(), group)


def answers_report(
    matrix: Matrix,
    others: FloatArray | None,
    resamples: int = 2000,
    group: NDArray[np.intp] | None = None,
) -> RiskReport:
    """Estimate risk from answers (:mod:`pcf_core.measure.answers`).

    ``matrix.values``, ``others`` and ``group``: ``counts``, ``none`` and ``group`` of :class:`Answered`;
    ``others`` is ``None`` if unknown.  Raises CriterionError if too few name a group.
    """
    counts, whole = matrix.values, matrix.unit or matrix.whole
    there = Answered(counts, counts[..., 0], group).there & (whole.weights > 0)
    answered = np.asarray(there.any(axis=1))
    shares = np.where(answered, normalised(matrix.occupation_weights, len(counts), "occupation_weights"), 0.0)
    weighted = there & (shares > 0)[:, np.newaxis]
    if not (counts.sum(axis=-1)[weighted] > 1).any():
        raise CriterionError(
            "Risk cannot be estimated from `counts`: no occupation with a weight has a template with two or "
            "more answers that name a group; ask more often, or use words that the model answers with."
        )
    of_answered = shares[answered] / shares.sum()
    answers = answers_of(counts[answered], group, whole, of_answered, matrix.criterion)
    estimated = replace(
        matrix,
        values=answers.values,
        occupations=tuple(compress(matrix.occupations, answered)),
        occupation_weights=answers.shares,
        left_out=(
            *matrix.left_out,
            *(LeftOut(name=name, reason=NO_ANSWER) for name in compress(matrix.occupations, ~answered)),
        ),
    )
    cells = counts.sum(axis=-1) > 0
    number, every = float(counts.sum()), float(counts.sum() + (0 if others is None else others.sum()))
    sampled = SampledRisk(
        answers=number / int(cells.sum()),
        cells=int(cells.sum()),
        left_out=int(counts[..., 0].size - cells.sum()),
        coverage=None if others is None else number / every,
        uncorrected=answers.figures(answers.parts),
        noise_floor=dict(zip(RISKS, answers.floor, strict=True)),
    )
    totals = total(answers.corrected, answers.shares)
    intervals = RiskIntervals(answers.corrected, answers.intervals(resamples), {})
    warnings = (*sampled_notes(sampled, decides=group is not None), *rough_means(estimated))
    report = replace(written_report(estimated, totals, intervals, warnings), sampled=sampled)
    if not isinstance(answers, RatedAnswers):
        return report
    # Ranges of risks over people would be those of risks that are not corrected.
    of_people = replace(estimated, people=People(answers.of_people, answers.group))
    return with_decisions(report, of_people, resamples, risks=False)


def sampled_notes(sampled: SampledRisk, *, decides: bool = False) -> Iterator[str]:
    """Say how the figures were corrected, how many answers name no group, and which cells have none.

    ``decides``: the answers are decisions about people.
    """
    raw = sampled.uncorrected
    neutral = "a model that treats all groups alike" if decides else "a model without any preference"
    names = "are for or against a person" if decides else "name one of the groups"
    lack = "is for or against the person" if decides else "names one of the groups"
    yield (
        f"Sampled, n = {sampled.answers:.3g}: the risks are corrected for so few answers in each of "
        f"{sampled.cells:,} test sentences. As counted, risk would be {raw['overall_risk']:.2f} and caprice "
        f"{raw['caprice_risk']:.2f}; by chance alone, {neutral} would show a risk of "
        f"{sampled.noise_floor['overall_risk']:.2f}."
    )
    if sampled.coverage is not None and sampled.coverage < FULL:
        yield f"{100 * sampled.coverage:.0f} % of the answers {names}; only these count."
    if sampled.left_out:
        cells = sampled.cells + sampled.left_out
        yield (f"Left out: {sampled.left_out:,} of {cells:,} test sentences, because no answer {lack}.")
    if decides:
        yield (
            "A person counts as selected in a test sentence if at least half of so few answers are "
            "favourable, so chance moves selection rates more than means."
        )
