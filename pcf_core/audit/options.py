"""How scores are read: the view options of pages, links and the command line.

Each field of :class:`ViewOptions` says in its :class:`Shown` how it appears.  The widgets of pages, the
parameters of links, the options of commands and the command lines that pages show are made from these
(:func:`shown_fields`), so that a new option is one new field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args

import numpy as np
from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticKnownError

from pcf_core.core.errors import EvidenceError
from pcf_core.core.records import FloatArray, LeftOut, Record
from pcf_core.core.risk import Aggregation, Over, Scale, Unit
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.core.topics import Evidence, Topic
from pcf_core.material.evidence import labour_reference, occupation_weights
from pcf_core.measure.resampling import TemplateUnit

LAST = 100
# What links, commands and kept requests say of units that have another name today.
OLD_UNITS: Mapping[str, Unit] = {"usual": "counts-only", "mention": "counts-only-mentions"}


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a view option is called where people meet it.

    ``title``, ``help``: of the widget.  ``usage``: the help of the command line's option.  ``url``: the
    parameter of links, the widget's key, and with dashes the command line's option.  ``offered``: the values
    that pages offer; empty for all that the field's type allows.  ``words``: what pages and reports call
    these values; ``listed``: what the lists of pages call those whose words are too long there.
    ``varied_as``: what the choice is called where sensitivity tries its other values; empty where it does
    not.  ``old``: values that links and commands had before, and what they are called today.  ``of_run``:
    the command line's default is what a run says itself, not that of pages.  ``place``: the order on pages,
    in links and in commands; that of the fields is the order in which they are stored.
    """

    title: str
    help: str
    usage: str
    url: str
    offered: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    listed: Mapping[str, str] = field(default_factory=dict)
    varied_as: str = ""
    old: Mapping[str, str] = field(default_factory=dict)
    of_run: bool = False
    place: int = LAST


def checked_margin(text: str) -> str:
    """Return a margin as it was written.

    Raises
    ------
    PydanticKnownError
        It is no number from 0 to 1.
    """
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
    """How scores are read: nothing here costs a score, everything here is in the URL.

    ``occupation_weights``: ``uniform``, ``employment``, ``list`` or a CSV file.  ``reference``: the neutral
    p*, ``uniform`` (1/|Y|) or ``labour`` (the labour force's shares, two groups of gender).
    ``aggregation``: what a group gets of its words' probabilities, their ``sum`` (PCF Eq. 11) or their
    ``mean``.  ``unit``: what intervals over templates draw again, see :mod:`pcf_core.measure.bootstrap`:
    whole templates, or the counts only, which holds the sentences fixed.
    """

    template_weighting: Annotated[
        Literal["counts", "equal"],
        Shown(
            title="Template weights",
            help="Their counts: as often as the corpus has the context. All alike: every template counts the "
            "same.",
            usage="counts or equal",
            url="template_weights",
            words={"counts": "their counts", "equal": "all alike"},
            varied_as="template weights",
            place=2,
        ),
    ] = "counts"
    occupation_weights: Annotated[
        str,
        Shown(
            title="Occupation weights",
            help="All alike: every occupation counts the same. Employment: as many times as people work in "
            "it in the US. The list's own: as the list itself says, where its source has figures, such as "
            "education.",
            usage="uniform, employment, list (the list's own) or a CSV file",
            url="weights",
            offered=("uniform", "employment", "list"),
            words={"uniform": "all alike", "employment": "employment", "list": "the list's own"},
            varied_as="occupation weights",
            place=1,
        ),
    ] = "uniform"
    criterion: Annotated[
        str,
        Shown(
            title="Criterion J",
            help="How one stereotype a group becomes one number: the largest positive one (the papers' l∞), "
            "the sum of the positive ones (l1), or all of them with more weight on large ones (l2). With two "
            "groups all agree.",
            usage="max, or l<k> with k ≥ 1",
            url="criterion",
            offered=("max", "l2", "l1"),
            words={
                "max": "the largest difference in favour of a group",
                "l1": "the sum of the differences in favour of a group",
                "l2": "all differences in favour of a group, with more weight on large ones",
            },
            listed={"max": "the largest", "l2": "large ones weigh more", "l1": "the sum"},
            varied_as="criterion",
            place=3,
        ),
    ] = "max"
    scale: Annotated[
        Scale,
        Shown(
            title="Scale",
            help="The first paper's scale ends at 1, where one group gets all; the second's is p/p* − 1. "
            "With two groups and an even split both agree.",
            usage="pcf (largest value 1) or bvf (p/p* − 1)",
            url="scale",
            words={"pcf": "1 where one group gets all", "bvf": "p/p* − 1"},
            place=4,
        ),
    ] = "pcf"
    reference: Annotated[
        Literal["uniform", "labour"],
        Shown(
            title="Neutral point p*",
            help="An even split: every group alike. The labour force's shares: women's and men's shares of "
            "the occupation in the US.",
            usage="neutral p*: uniform or labour",
            url="reference",
            words={"uniform": "an even split", "labour": "the labour force's shares"},
            varied_as="neutral point",
            place=5,
        ),
    ] = "uniform"
    protocol: Annotated[
        Protocol,
        Shown(
            title="Word scoring",
            help="Whole words: all of the topic's. Words of one token: the papers' choice, a selection from "
            "the same scores. Words of equal tokens: a selection, too, of words of as many tokens as words "
            "of every other group have. Words that fit: one more, of those that fit at [Y] and can mean who "
            "stands at [X], as the templates say. Whole words that end: that also end there, for causal "
            "models.",
            usage="how to read the run: its own protocol, single-token, equal-tokens or fitting",
            url="protocol",
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
        ),
    ] = "exact"
    aggregation: Annotated[
        Aggregation,
        Shown(
            title="A group's words",
            help="The sum: a group gets what its words get together (the papers' formula). The mean: what "
            "its words get on average, so that a group with more words is not favoured.",
            usage="what a group gets of its words: their sum or their mean",
            url="aggregation",
            words={"sum": "the sum of their probabilities", "mean": "the mean of their probabilities"},
            place=7,
        ),
    ] = "sum"
    unit: Annotated[
        Unit,
        BeforeValidator(lambda value: OLD_UNITS.get(value, value) if isinstance(value, str) else value),
        Shown(
            title="Resample",
            help="What the range draws again. Whole templates: it allows for other sentences of this kind. "
            "Counts only, documents: these sentences stay, and only their counts change as in other "
            "documents (whole templates where documents are not known). Counts only, mentions: the same with "
            "every count as if it were independent, which is narrower still. Intervals over both always draw "
            "whole templates.",
            usage="what intervals over templates draw again: template (whole ones), counts-only (documents) "
            "or counts-only-mentions",
            url="unit",
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
        Shown(
            title="Smallest difference that matters",
            help="A difference of two models whose range lies inside ± this is called too small to matter, "
            "however small its p is. Of R, prejudice and caprice alike; 0 lets every difference matter.",
            usage="the smallest difference of two risks that matters, from 0 to 1",
            url="margin",
            offered=("0.02", "0", "0.01", "0.05", "0.1"),
            place=10,
        ),
    ] = "0.02"

    @property
    def of_figures(self) -> dict[str, str]:
        """The options that decide the figures, by their names: all but those of intervals and verdicts."""
        return self.model_dump(exclude={"unit", "margin"})


class PageOptions(ViewOptions):
    """The view options of pages and reports: also which of the intervals are shown."""

    over: Annotated[
        Over,
        Shown(
            title="Intervals over",
            help="templates: if other contexts had been taken, for these occupations. occupations: if other "
            "occupations had been taken, in these contexts. both: if all had been other.",
            usage="the intervals of a report: templates, occupations or both",
            url="over",
            place=8,
        ),
    ] = "templates"


@dataclass(frozen=True)
class ShownField:
    """A field of view options with what it is called.

    ``offered``: the values that pages offer.  ``default``: that of pages and links.
    """

    name: str
    shown: Shown
    offered: tuple[str, ...]
    default: str

    @property
    def called(self) -> dict[str, str]:
        """What pages and their addresses call each value that they offer, no two alike."""
        return {
            value: self.shown.listed.get(value, self.shown.words.get(value, value)) for value in self.offered
        }

    def named(self, said: str) -> str:
        """Return the value that an address or a list of a page says, by its name or as it is called."""
        return next((value for value, called in self.called.items() if called == said), said)

    @property
    def flag(self) -> str:
        """The command line's option: "template_weights" -> "--template-weights"."""
        return f"--{self.shown.url.replace('_', '-')}"


@cache
def shown_fields(kind: type[ViewOptions] = ViewOptions) -> Mapping[str, ShownField]:
    """Return the options of a record by its fields' names, in the order of pages, links and commands."""
    found = [
        ShownField(name, shown, shown.offered or get_args(info.annotation), info.default)
        for name, info in kind.model_fields.items()
        for shown in info.metadata
        if isinstance(shown, Shown)
    ]
    return {one.name: one for one in sorted(found, key=lambda one: one.shown.place)}


def link_parameters(options: ViewOptions) -> dict[str, str]:
    """Return view options by the links' names, each value by its own name."""
    return {one.shown.url: getattr(options, name) for name, one in shown_fields(type(options)).items()}


def page_parameters(options: ViewOptions) -> dict[str, str]:
    """Return view options as addresses of pages have them: each value is called what its list calls it."""
    found = {one.shown.url: one.called for one in shown_fields(type(options)).values()}
    return {url: found[url].get(value, value) for url, value in link_parameters(options).items()}


Kind = TypeVar("Kind", bound=ViewOptions)


def from_link(kind: type[Kind], said: Mapping[str, Any]) -> Kind:
    """Return the view options that a link says, or the widgets that are bound to it, by the links' names.

    A value may be said by its name, as links of earlier versions do, or as pages call it.
    """
    fields = shown_fields(kind)
    return kind.model_validate({name: one.named(said[one.shown.url]) for name, one in fields.items()})


def in_words(options: ViewOptions, name: str) -> str:
    """Return what reports call the value of an option; a value without words is called what it is."""
    value: str = getattr(options, name)
    return shown_fields(type(options))[name].shown.words.get(value, value)


def word_scoring(protocol: str) -> str:
    """Return what pages and reports call a protocol: which words count."""
    return shown_fields()["protocol"].shown.words.get(protocol, protocol)


# What intervals over templates draw again, by the view options and what a template set knows.


def unit_of(run: RunSpec, weights: FloatArray, options: ViewOptions) -> TemplateUnit:
    """Return the unit of a run's templates.

    The template, unless the counts only are asked for and are the weights: then the document where every
    template with a count knows its documents, else the template; or the mention.
    With a sampling plan that has not drawn every template, the draw is the unit, whatever is asked for.

    Parameters
    ----------
    run
        Whose templates are read, those that a plan has drawn.
    weights
        [template] their weights.
    options
        ``unit`` and ``template_weighting``.

    Raises
    ------
    CriterionError
        Mentions are asked for, and a count is no whole number.
    """
    templates = run.drawn.templates
    counts = run.drawn.counts
    estimated = run.plan is not None and len(templates) < (run.templates.counts > 0).sum()
    if estimated or options.template_weighting != "counts" or options.unit == "template":
        return TemplateUnit.templates(weights)
    if options.unit == "counts-only-mentions":
        return TemplateUnit.mentions(counts)
    if all(template.documents for template in templates if template.count > 0):
        return TemplateUnit.documents(counts, [template.documents for template in templates])
    return TemplateUnit.templates(weights)


def unit_of_matrix(weights: FloatArray, options: ViewOptions) -> TemplateUnit:
    """Return the unit of [template] weights: the template, or mentions where weights are whole numbers.

    Raises
    ------
    CriterionError
        Mentions are asked for, and a weight is no whole number.
    """
    if options.unit == "counts-only-mentions":
        return TemplateUnit.mentions(weights)
    return TemplateUnit.templates(weights)


# Which occupations count, with what weights, and against what neutral point, under view options.


@dataclass(frozen=True)
class Counted:
    """The occupations that count.

    ``weights``: by occupation, in the order of the list, >= 0 with a positive sum.  ``reference``:
    [occupation, group] p* in that order, ``None`` for an even split.  ``left_out``: those without a figure.
    """

    weights: Mapping[str, float]
    reference: FloatArray | None
    left_out: tuple[LeftOut, ...]


def counted_occupations(evidence: Evidence, topic: Topic, options: ViewOptions) -> Counted:
    """Resolve the options for weights and neutral point for a list of occupations.

    Raises
    ------
    EvidenceError
        Weights that cannot be used, or no occupation has what is asked for.
    TopicError
        A reference that this topic does not have.
    """
    found = occupation_weights(evidence, options.occupation_weights)
    weights = dict(zip(found.terms, found.values, strict=True))
    left_out, reference = list(found.left_out), None
    if options.reference == "labour":
        shares = labour_reference(evidence, topic)
        left_out += [
            LeftOut(name=term, reason="no published share of women and men, so no p*")
            for term in weights
            if term not in shares
        ]
        weights = {term: value for term, value in weights.items() if term in shares}
        reference = np.array([shares[term] for term in weights])
    if not any(weights.values()):
        raise EvidenceError(
            f"None of the occupations of {evidence.name!r} has a figure for both the weights and the neutral "
            "point; choose uniform weights or the uniform reference."
        )
    return Counted(weights, reference, tuple(left_out))
