"""The view options of pages, links and the command line, each a declared field."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticKnownError

from pcf_core.core.errors import EvidenceError
from pcf_core.core.options import OptionSpec, declared, option
from pcf_core.core.records import FloatArray, LeftOut, Record
from pcf_core.core.risk import Aggregation, Over, Scale, Unit
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.core.topics import Evidence, Topic
from pcf_core.material.evidence import labour_reference, occupation_weights
from pcf_core.material.templates import as_it_is_now, labelled
from pcf_core.measure.resampling import TemplateUnit

# Earlier names of units in links, commands and stored requests.
OLD_UNITS: Mapping[str, Unit] = {"usual": "counts-only", "mention": "counts-only-mentions"}


def checked_margin(text: str) -> str:
    """Check a margin and return it unchanged."""
    try:
        value = float(text)
    except ValueError as error:
        raise PydanticKnownError("float_parsing") from error
    if not value >= 0:
        raise PydanticKnownError("greater_than_equal", {"ge": 0})
    if value > 1:
        raise PydanticKnownError("less_than_equal", {"le": 1})
    return text


class ViewOptions(Record):
    """How scores are read: options that need no new scoring and are part of the URL.

    ``occupation_weights``: ``uniform``, ``employment``, ``list`` or a file.  ``reference``: the neutral
    p*, ``uniform`` (1/|Y|) or ``labour`` (the labour force's shares, two groups of gender).  ``aggregation``:
    ``sum`` (PCF Eq. 11) or ``mean`` of the probabilities of a group's words.  ``unit``: resampled for
    intervals over templates, see :mod:`pcf_core.measure.bootstrap`: whole templates, or only their counts,
    with fixed sentences.
    """

    template_weighting: Literal["counts", "equal"] = option(
        "counts",
        title="Weight sentences by",
        help="How common they are: a sentence counts as often as the corpus has it. Nothing: every sentence "
        "counts the same.",
        usage="counts or equal",
        url="template_weights",
        words={"counts": "their counts", "equal": "all alike"},
        listed={"counts": "how common they are", "equal": "nothing: all count the same"},
        old={"their counts": "counts", "all alike": "equal"},
        varied_as="template weights",
        place=2,
    )
    occupation_weights: str = option(
        "uniform",
        title="Weight occupations by",
        help="All alike: every occupation counts the same. Employment: an occupation counts as many times "
        "as people work in it in the US. The list's own: as the list says, if its source has weights, for "
        "example education.",
        usage="uniform, employment, list (the list's own) or a file",
        url="weights",
        offered=("uniform", "employment", "list"),
        words={"uniform": "all alike", "employment": "employment", "list": "the list's own"},
        varied_as="occupation weights",
        place=1,
    )
    criterion: str = option(
        "max",
        title="How several groups become one score",
        help="A stereotype for each group has to become one number. The largest: only the most preferred "
        "group counts (as in the papers). Large ones weigh more: all preferred groups count, strong "
        "preferences most. The sum: all preferred groups count. With two groups all three agree.",
        usage="max, or l<k> with k ≥ 1",
        offered=("max", "l2", "l1"),
        words={
            "max": "the largest difference in favour of a group",
            "l1": "the sum of the differences in favour of a group",
            "l2": "all differences in favour of a group, with more weight on large ones",
        },
        listed={"max": "the largest", "l2": "large ones weigh more", "l1": "the sum"},
        varied_as="criterion",
        place=3,
    )
    scale: Scale = option(
        "pcf",
        title="Scale",
        help="The first paper's scale ends at 1, where one group gets everything. The second paper's scale "
        "is p/p* − 1. With two groups and an even split both agree.",
        usage="pcf (largest value 1) or bvf (p/p* − 1)",
        words={"pcf": "1 where one group gets all", "bvf": "p/p* − 1"},
        place=4,
    )
    reference: Literal["uniform", "labour"] = option(
        "uniform",
        title="What counts as even",
        help="An even split: every group has the same probability. The labour force's shares: the shares of "
        "women and men who work in the occupation in the US.",
        usage="what counts as even (the neutral point p*): uniform or labour",
        words={"uniform": "an even split", "labour": "the labour force's shares"},
        varied_as="neutral point",
        place=5,
    )
    protocol: Protocol = option(
        "exact",
        title="Word scoring",
        help="Whole words: all words of the topic. Words that fit: only words that are grammatical at [Y] "
        "and can refer to the person at [X]. Words of equal tokens: only words with as many tokens as some "
        "word of every other group. Words of one token: the papers' choice. Whole words that end: the word "
        "must also end there; this is scored separately, for causal models.",
        usage="which words count: the run's own protocol, single-token, equal-tokens or fitting",
        offered=("exact", "fitting", "equal-tokens", "single-token", "exact-boundary"),
        words={
            "exact": "whole words",
            "exact-boundary": "whole words that end",
            "equal-tokens": "words of equal tokens",
            "single-token": "words of one token",
            "fitting": "words that fit",
        },
        of_run=True,
        place=6,
    )
    aggregation: Aggregation = option(
        "sum",
        title="A group's words",
        help="The sum: a group gets the total probability of its words (the papers' formula). The mean: a "
        "group gets the average probability of its words, so that a group with more words has no advantage.",
        usage="how the words of a group are combined: their sum or their mean",
        words={"sum": "the sum of their probabilities", "mean": "the mean of their probabilities"},
        place=7,
    )
    unit: Annotated[
        Unit,
        BeforeValidator(lambda value: OLD_UNITS.get(value, value) if isinstance(value, str) else value),
        OptionSpec(
            title="Resample",
            help="What the range is about. Whole templates: all sentences of this kind. Counts only, "
            "documents: the same sentences, counted in all documents of this kind (if documents are not "
            "known, whole templates are used). Counts only, mentions: the same sentences, with every mention "
            "counted as if it were independent; this gives the narrowest range. Ranges over both sentences "
            "and occupations always use whole templates.",
            usage="what intervals over templates resample: template (whole ones), counts-only (documents) "
            "or counts-only-mentions",
            words={
                "template": "whole templates",
                "counts-only": "counts only: documents where they are known",
                "counts-only-mentions": "counts only: mentions",
            },
            listed={"counts-only": "counts only: documents"},
            old=OLD_UNITS,
            place=9,
        ),
    ] = "template"

    margin: Annotated[
        str,
        AfterValidator(checked_margin),
        OptionSpec(
            title="Smallest difference that matters",
            help="If the range of a difference between two models lies inside ± this value, the difference "
            "is called too small to matter, however small its p-value is. This applies to risk, prejudice "
            "and caprice; at 0 every difference matters.",
            usage="the smallest difference of two risks that matters, from 0 to 1",
            offered=("0.02", "0", "0.01", "0.05", "0.1"),
            place=10,
        ),
    ] = "0.02"

    @property
    def of_figures(self) -> dict[str, str]:
        """The options that decide the figures: all but those of intervals and verdicts."""
        return self.model_dump(exclude={"unit", "margin"})


class PageOptions(ViewOptions):
    """The view options of pages and reports, including which intervals are shown."""

    over: Over = option(
        "templates",
        title="Ranges over",
        help="templates: other sentences, with the same occupations. occupations: other occupations, in the "
        "same sentences. both: other sentences and other occupations.",
        usage="the intervals of a report: over templates, occupations or both",
        place=8,
    )


def in_words(options: ViewOptions, name: str) -> str:
    """Return the name of an option's value in reports."""
    value: str = getattr(options, name)
    return declared(type(options))[name].spec.words.get(value, value)


def word_scoring(protocol: str) -> str:
    """Return the name of a protocol on pages and in reports."""
    return declared(ViewOptions)["protocol"].spec.words.get(protocol, protocol)


# The unit that intervals over templates resample.


def with_families(run: RunSpec) -> RunSpec:
    """Return the run with the families of today's set of that name, if it has the same texts.

    A run that does not say what fits at ``[Y]`` has also the slots of that set.
    """
    templates, now = run.templates, as_it_is_now(run.templates)
    if now.families != templates.families:
        templates = labelled(templates, [one.family for one in now.templates])
    if now.slots and not any(template.fits for template in templates.templates):
        several = zip(templates.templates, now.templates, strict=True)
        both = tuple(one.model_copy(update={"fits": other.fits}) for one, other in several)
        templates = templates.model_copy(update={"templates": both})
    return run if templates is run.templates else run.model_copy(update={"templates": templates})


def slots_of(run: RunSpec) -> tuple[str, ...]:
    """Return the slots [template] that keep their numbers; none if a plan drew templates of any slot."""
    return () if _is_estimated(run) else run.drawn.slots


def _is_estimated(run: RunSpec) -> bool:
    return run.plan is not None and len(run.drawn.templates) < (run.templates.counts > 0).sum()


def unit_of(run: RunSpec, weights: FloatArray, options: ViewOptions) -> TemplateUnit:
    """Return the unit of a run's templates, by their [template] weights: whole templates or families.

    If only counts are resampled and are the weights, it is a mention, or a document if every template with a
    count has its number of documents.  ``run``: :func:`with_families`.  Raises CriterionError for a count
    that is not a whole number.
    """
    templates, labels = run.drawn.templates, (run.drawn.families, slots_of(run))
    counts = np.where(weights > 0, run.drawn.counts, 0.0)
    if _is_estimated(run) or options.template_weighting != "counts" or options.unit == "template":
        return TemplateUnit.templates(weights, *labels)
    if options.unit == "counts-only-mentions":
        return TemplateUnit.mentions(counts, *labels)
    if all(template.documents for template, count in zip(templates, counts, strict=True) if count > 0):
        return TemplateUnit.documents(counts, [template.documents for template in templates], *labels)
    return TemplateUnit.templates(weights, *labels)


def unit_of_matrix(weights: FloatArray, families: Sequence[str], options: ViewOptions) -> TemplateUnit:
    """Return the unit of [template] weights and families: whole ones, or mentions if requested."""
    if options.unit == "counts-only-mentions":
        return TemplateUnit.mentions(weights, families)
    return TemplateUnit.templates(weights, families)


# Occupations that count, with weights and neutral point.


@dataclass(frozen=True)
class Counted:
    """The occupations that count.

    ``weights``: by occupation, in the order of the list, >= 0 with a positive sum.  ``reference``
    [occupation, group]: p* in that order, ``None`` for an even split.  ``left_out``: those without a figure.
    """

    weights: Mapping[str, float]
    reference: FloatArray | None
    left_out: tuple[LeftOut, ...]

    def without(self, names: Collection[str], reason: str) -> Counted:
        """Leave out occupations for a reason; raise EvidenceError if none with a weight remains."""
        weights = {name: weight for name, weight in self.weights.items() if name not in names}
        if not any(weights.values()):
            raise EvidenceError(f"No occupation with a weight can be counted: {reason}.")
        kept = [name in weights for name in self.weights]
        lost = [LeftOut(name=name, reason=reason) for name in self.weights if name in names]
        reference = None if self.reference is None else self.reference[kept]
        return Counted(weights, reference, (*self.left_out, *lost))


def counted_occupations(evidence: Evidence, topic: Topic, options: ViewOptions) -> Counted:
    """Resolve the options for weights and neutral point for a list of occupations.

    Raises EvidenceError for weights that cannot be used, or if no occupation has the figures, and TopicError
    for a reference that this topic does not have.
    """
    resolved = occupation_weights(evidence, options.occupation_weights)
    weights = dict(zip(resolved.terms, resolved.values, strict=True))
    left_out, reference = list(resolved.left_out), None
    if options.reference == "labour":
        shares = labour_reference(evidence, topic)
        left_out += [
            LeftOut(name=term, reason="the share of women and men is not published")
            for term in weights
            if term not in shares
        ]
        weights = {term: value for term, value in weights.items() if term in shares}
        reference = np.array([shares[term] for term in weights])
    if not any(weights.values()):
        raise EvidenceError(
            f"None of the occupations of {evidence.name!r} has the figures that these weights and this "
            "neutral point need: choose uniform weights or the uniform reference."
        )
    return Counted(weights, reference, tuple(left_out))
