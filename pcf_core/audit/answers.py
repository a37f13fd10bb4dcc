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

from pcf_core.audit.preferences import Answered, Result
from pcf_core.audit.writing import Matrix, rough_means, written_report
from pcf_core.core.errors import CriterionError, RunError, TemplateError, TopicError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import RiskReport, SampledRisk
from pcf_core.core.run import ModelSpec, Preferences, RunSpec, ScoringKey
from pcf_core.core.sampled import GO_ON, LENGTH, Sampled, Samples
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.measure.answers import Answers
from pcf_core.measure.bootstrap import RISKS, RiskIntervals
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.decomposition import total
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.models.scoring.base import opening_of, split_prompt
from pcf_core.store.store import Store

BEFORE = re.compile(r"[\s\"'“”‘’«»(*_]*")
STORED = "answers-1"  # name of stored counts; raise the number when they would change
WHAT_WRITES = {"model", "identity", "tokenizer", "family", "rules", "dtype", "opening"}
FULL = 0.995  # of the answers; below, a sentence says so
NO_ANSWER = "no answer names a group"


# Requests.


def sampled_run(
    spec: ModelSpec, topic: Topic, evidence: Evidence, templates: TemplateSet, samples: Samples
) -> RunSpec:
    """Make the record of a sampled run of a model that can write; nothing is asked.

    Raises TopicError for a topic about people, and TemplateError for a template with text behind ``[Y]``.
    """
    if topic.decides:
        raise TopicError(
            f"The topic {topic.name} is about decisions on people, and samples count words of groups: give "
            "its rates to `risk --matrix`, or score a model that gives probabilities."
        )
    for template in templates.templates:
        if split_prompt(template.text)[1]:
            raise TemplateError(
                f"The template {template.text!r} has text behind [Y], which a sampled run cannot use, "
                "because the model writes what comes next: choose templates that end with [Y]."
            )
    key = GenerationKey.of(spec, _decoding(samples.temperature))
    scoring = ScoringKey(
        **key.model_dump(include=WHAT_WRITES),
        sampled=Sampled(
            count=samples.samples or 0, temperature=samples.temperature, chat_template=key.chat_template
        ),
    )
    return RunSpec(scoring=scoring, topic=topic, evidence=evidence, templates=templates)


def writing_key(run: RunSpec) -> GenerationKey:
    """Return the key of the texts that a sampled run counts."""
    sampled = _how(run)
    return GenerationKey(
        **run.scoring.model_dump(include=WHAT_WRITES),
        chat_template=sampled.chat_template,
        decoding=_decoding(sampled.temperature),
        system=GO_ON if sampled.chat_template else "",
    )


def _decoding(temperature: float) -> Decoding:
    return Decoding(temperature=temperature, top_p=1.0, length=LENGTH)


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
    key, group_of, count = writing_key(run), group_reader(run.topic), _how(run).count
    groups = len(run.topic.groups)
    counts = np.zeros((run.cells, groups + 1))
    for row, prompt in enumerate(map(opening_of, run.prompts)):
        texts = store.texts(key, prompt, count)
        if texts is None:
            raise RunError(
                f"The run {run.key} is not finished, because answers are missing: finish it on the page 'Run "
                "an audit', or with `python -m pcf_core score --samples`."
            )
        for text in texts.texts:
            group = group_of(text)
            counts[row, groups if group is None else group] += 1
    cells = counts.reshape(len(run.evidence.terms), len(run.templates.templates), -1)
    return Answered(cells[..., :groups], cells[..., groups])


def sampled_result(store: Store, run: RunSpec, *, again: bool = False) -> Result:
    """Load or, also ``again``, count the answers of a run; preferences are without the noise of few answers.

    Raises RunError if answers are missing, and CriterionError if too few name a group.
    """
    shape = len(run.evidence.terms), len(run.templates.templates)
    stored = None if again else store.load_result(run.kept_as, STORED)
    if stored is None:
        answers = counted(store, run)
        columns = np.dstack([answers.counts, answers.none]).reshape(run.cells, -1)
        if store.is_finished(run):
            store.save_result(run.kept_as, STORED, {str(i): one for i, one in enumerate(columns.T)}, {})
    else:
        cells = np.stack(list(stored[0].values()), axis=-1).reshape(*shape, -1)
        answers = Answered(cells[..., :-1], cells[..., -1])
    some = answers.counts.any(axis=(1, 2))
    _refuse_too_few(answers.counts)
    unit = TemplateUnit.templates(run.templates.counts, run.templates.families)
    values = np.full(answers.counts.shape, np.nan)
    values[some] = Answers(
        answers.counts[some], unit, np.full(some.sum(), 1 / some.sum()), Criterion()
    ).values
    preferences = Preferences(run.topic.group_names, run.evidence.terms, run.templates.texts, values)
    return Result(preferences, run.topic.words, (), (), (), answers=answers)


def _refuse_too_few(counts: FloatArray) -> None:
    if not (counts.sum(axis=2) > 1).any():
        raise CriterionError(
            "Risk cannot be estimated from so few answers: in no test sentence do two or more name a group; "
            "ask more often, or use sentences that lead to the topic's words."
        )


def answers_report(matrix: Matrix, others: FloatArray | None, resamples: int = 2000) -> RiskReport:
    """Estimate risk from answers (:mod:`pcf_core.measure.answers`).

    ``matrix.values`` [occupation, template, group]: numbers of answers; ``others`` [occupation, template]:
    answers that name no group, ``None`` if unknown.  Raises CriterionError if too few name one.
    """
    counts, whole = matrix.values, matrix.unit or matrix.whole
    answered = (counts.sum(axis=2) * (whole.weights > 0)).any(axis=1)
    shares = np.where(answered, normalised(matrix.occupation_weights, len(counts), "occupation_weights"), 0.0)
    several = (counts.sum(axis=2) > 1) & (whole.weights > 0) & (shares > 0)[:, np.newaxis]
    if not several.any():
        raise CriterionError(
            "Risk cannot be estimated from `counts`: no occupation with a weight has a template with two or "
            "more answers that name a group; ask more often, or use words that the model answers with."
        )
    answers = Answers(counts[answered], whole, shares[answered] / shares.sum(), matrix.criterion)
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
    cells = answers.totals > 0
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
    warnings = (*sampled_notes(sampled), *rough_means(estimated))
    return replace(written_report(estimated, totals, intervals, warnings), sampled=sampled)


def sampled_notes(sampled: SampledRisk) -> Iterator[str]:
    """Say how the figures were corrected, how many answers name no group, and which cells have none."""
    raw = sampled.uncorrected
    yield (
        f"Sampled, n = {sampled.answers:.3g}: the risks are corrected for so few answers in each of "
        f"{sampled.cells:,} test sentences. As counted, risk would be {raw['overall_risk']:.2f} and caprice "
        f"{raw['caprice_risk']:.2f}; by chance alone, a model without any preference would show a risk of "
        f"{sampled.noise_floor['overall_risk']:.2f}."
    )
    if sampled.coverage is not None and sampled.coverage < FULL:
        yield f"{100 * sampled.coverage:.0f} % of the answers name one of the groups; only these count."
    if sampled.left_out:
        cells = sampled.cells + sampled.left_out
        yield (
            f"Left out: {sampled.left_out:,} of {cells:,} test sentences, because no answer names one of the "
            "groups."
        )
