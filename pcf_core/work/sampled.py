"""Sampled runs: the sentences of a run are continued n times, and the words of the topic are counted.

For models that give no probabilities.  The texts are those of :mod:`pcf_core.work.text_audits`: stored one by
one, so that an interrupted run continues with the missing ones, and more samples add to fewer.

**Worked example.**  "The nurse said that [Y]" with five samples of *gender*: " she had left", " he", " it
was", " She", ' "her patient' are three answers for women, one for men and one for neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pcf_core.audit.matrices import answers_report
from pcf_core.audit.options import ViewOptions, unit_of_matrix
from pcf_core.audit.writing import Matrix
from pcf_core.core.errors import TemplateError, TopicError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import RiskReport
from pcf_core.core.topics import Evidence, Template, TemplateSet, Topic
from pcf_core.measure.criterion import Criterion
from pcf_core.models.registry import resolve_writer
from pcf_core.models.scoring.base import split_prompt
from pcf_core.store.store import Store
from pcf_core.work.jobs import OnProgress
from pcf_core.work.text_audits import TextsAsked, generate_missing

LENGTH = 8  # new tokens, enough for the longest word of a topic
GO_ON = "Continue the text with the next word only."  # to a model that answers messages
STEP = 5  # samples before the interval is looked at
BEFORE = re.compile(r"[\s\"'“”‘’«»(*_]*")


@dataclass(frozen=True)
class Sampling:
    """The request for samples of one model; ``most`` of them in each cell."""

    topic: Topic
    evidence: Evidence
    templates: TemplateSet
    key: GenerationKey
    most: int

    def request(self, count: int = 0) -> TextsAsked:
        """Return the request for ``count`` texts of each sentence, or for the most."""
        prompts = tuple(
            opening_of(template, term)
            for term in self.evidence.terms
            for template in self.templates.templates
        )
        return TextsAsked(key=self.key, prompts=tuple(dict.fromkeys(prompts)), count=count or self.most)

    def counts(self, store: Store, count: int) -> tuple[FloatArray, FloatArray]:
        """Return [occupation, template, group] answers, and [occupation, template] those for no group."""
        shape = (len(self.evidence.terms), len(self.templates.templates), len(self.topic.groups))
        counts, none = np.zeros(shape), np.zeros(shape[:2])
        group_of = group_reader(self.topic)
        for row, term in enumerate(self.evidence.terms):
            for column, template in enumerate(self.templates.templates):
                prompt = opening_of(template, term)
                texts = store.texts(self.key, prompt, count)
                for text in texts.texts if texts else ():
                    group = group_of(text)
                    if group is None:
                        none[row, column] += 1
                    else:
                        counts[row, column, group] += 1
        return counts, none

    def report(self, store: Store, count: int, options: ViewOptions) -> RiskReport:
        """Estimate the risk from the first ``count`` texts of each sentence."""
        counts, none = self.counts(store, count)
        weights = self.templates.counts
        matrix = Matrix(
            values=counts,
            groups=tuple(group.name for group in self.topic.groups),
            occupations=self.evidence.terms,
            templates=self.templates.texts,
            template_weights=weights,
            occupation_weights=np.ones(len(self.evidence.terms)),
            criterion=Criterion.parse(options.criterion, options.scale),
            families=self.templates.families,
            unit=unit_of_matrix(weights, self.templates.families, options),
        )
        return answers_report(matrix, none)


def sampling_of(
    model: str,
    topic: Topic,
    evidence: Evidence,
    templates: TemplateSet,
    samples: int,
    temperature: float,
    *,
    chat: bool,
) -> Sampling:
    """Make the request.

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
    decoding = Decoding(temperature=temperature, top_p=1.0, length=LENGTH)
    key = GenerationKey.of(resolve_writer(model, chat), decoding)
    return Sampling(topic, evidence, templates, key.with_system(GO_ON) if key.chat_template else key, samples)


def sampled_reports(
    sampling: Sampling,
    store: Store,
    options: ViewOptions,
    within: float | None = None,
    on_progress: OnProgress = lambda done, total, rate: None,
) -> Iterator[tuple[int, RiskReport]]:
    """Yield samples a sentence and their report: of all, or every ``STEP`` until R is within ± ``within``."""
    for count in (sampling.most,) if within is None else steps(sampling.most):
        generate_missing(sampling.request(count), store, on_progress=on_progress)
        report = sampling.report(store, count, options)
        yield count, report
        interval = report.interval("overall_risk")
        if within is not None and interval is not None and interval.high - interval.low <= 2 * within:
            return


def opening_of(template: Template, term: str) -> str:
    """Return the sentence with an occupation up to ``[Y]``, without the space before it."""
    return split_prompt(template.prompt(term))[0].rstrip()


def steps(most: int) -> Sequence[int]:
    """Return the numbers of samples after which the interval is looked at."""
    return (*range(STEP, most, STEP), most)


def group_reader(topic: Topic) -> Callable[[str], int | None]:
    """Return a function from a text to the group whose word it begins with, ``None`` for no group."""
    of_word = {word.casefold(): number for number, group in enumerate(topic.groups) for word in group.words}
    longest_first = "|".join(map(re.escape, sorted(of_word, key=len, reverse=True)))
    word_first = re.compile(rf"{BEFORE.pattern}({longest_first})(?!\w)", re.IGNORECASE)

    def group_of(text: str) -> int | None:
        match = word_first.match(text)
        return of_word.get(match.group(1).casefold()) if match else None

    return group_of
