"""The one path from a run key to a risk report, for pages, command line, worker and report.

    RunSpec -> word log-probabilities -> Preferences -> RiskReport

Layer: may import topics, store, risk, stats and models' torch-free registry; never torch, never streamlit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pcf_core.errors import CriterionError, EvidenceError, ModelError, RunError, TemplateError
from pcf_core.records import (
    Evidence,
    FloatArray,
    Interval,
    LeftOut,
    ModelSpec,
    OccupationRisk,
    Preferences,
    Protocol,
    Record,
    RiskReport,
    RunSpec,
    Scale,
    Scored,
    ScoringKey,
    TemplateSet,
    TokenTable,
    Topic,
)
from pcf_core.risk import Criterion, Decomposition, decompose, total
from pcf_core.stats import BootstrapResult, effective_number, template_bootstrap
from pcf_core.store import Store
from pcf_core.topics import labour_reference, occupation_weights, template_weights

LOW_COVERAGE = 1e-4
ROUGH_TEMPLATES = 10
RESULT_VERSION = 1  # raise it when kept preferences or their warnings would come out differently
RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")


class ViewOptions(Record):
    """How scores are read: nothing here costs a score, everything here is in the URL.

    ``occupation_weights``: ``uniform``, ``employment`` or a CSV file.  ``reference``: the neutral p*,
    ``uniform`` (1/|Y|) or ``labour`` (the labour force's shares, two groups of gender).
    """

    template_weighting: Literal["counts", "equal"] = "counts"
    occupation_weights: str = "uniform"
    criterion: str = "max"
    scale: Scale = "pcf"
    reference: Literal["uniform", "labour"] = "uniform"
    protocol: Protocol = "exact"


def build_run(
    spec: ModelSpec, topic: Topic, evidence: Evidence, templates: TemplateSet, protocol: Protocol = "exact"
) -> RunSpec:
    """Say what is asked for; nothing is scored."""
    return RunSpec(scoring=ScoringKey.of(spec, protocol), topic=topic, evidence=evidence, templates=templates)


# ------------------------------------------------------------------------- words -> preferences


def preferences_of(log_probabilities: FloatArray, topic: Topic, words: Sequence[str]) -> FloatArray:
    """Preferences over groups (PCF Eq. 10–11; BVF Eq. 8), computed in logs.

    Args:
        log_probabilities: [..., word] nats, the last axis in the order of ``words``.
        topic: its groups name the words that are added up.
        words: the words that were scored, a subset of the topic's.

    Returns:
        [..., group] probabilities that sum to 1 over groups.

    Raises:
        ModelError: a group has no word left.
    """
    groups = []
    for group in topic.groups:
        columns = [index for index, word in enumerate(words) if word in group.words]
        if not columns:
            raise ModelError(
                f"No word of the group {group.name!r} can be used with this model; "
                "add a word that its tokenizer can express, or choose another model."
            )
        groups.append(np.logaddexp.reduce(log_probabilities[..., columns].astype(np.float64), axis=-1))
    logs = np.stack(groups, axis=-1)
    logs -= logs.max(axis=-1, keepdims=True)
    odds = np.exp(logs)
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def select_words(
    topic: Topic, table: TokenTable, protocol: Protocol
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Choose the words that count, and name those that do not.

    Words the tokenizer cannot express are left out.  ``single-token`` keeps only words of one token (PCF
    Eq. 8 and 11), and in an aligned topic a word left out takes its counterparts with it.
    """
    left_out = {word: reason for word, reason in table.refused.items() if word in topic.words}
    if protocol == "single-token":
        for word in topic.words:
            if word not in left_out and table.tokens[word] != 1:
                left_out[word] = f"{table.tokens[word]} tokens, and the protocol takes words of one"
        if topic.aligned:
            for counterparts in zip(*(group.words for group in topic.groups), strict=True):
                out = [word for word in counterparts if word in left_out]
                for word in counterparts:
                    if out and word not in left_out:
                        left_out[word] = f"its counterpart {out[0]!r} is left out"
    words = tuple(word for word in topic.words if word not in left_out)
    named = tuple(LeftOut(name=word, reason=left_out[word]) for word in topic.words if word in left_out)
    return words, named


def coverage_of(
    log_probabilities: FloatArray, tokens: Sequence[int], family: str, right_text: bool
) -> dict[str, FloatArray] | None:
    """Probability the model gives to the topic's words together, per key.

    Args:
        log_probabilities: [..., word] nats.
        tokens: [word] tokens per word.
        family: masked scores are conditional on the number of tokens and do not share a sample space, so they
            are summed per number of tokens; others under the key ``all``.
        right_text: whether text stands right of ``[Y]``; a causal score then includes it: ``None``.
    """
    if family != "masked" and right_text:
        return None
    probabilities = np.exp(log_probabilities.astype(np.float64))
    if family != "masked":
        return {"all": probabilities.sum(axis=-1)}
    counts = np.asarray(tokens)
    return {str(k): probabilities[..., counts == k].sum(axis=-1) for k in sorted(set(tokens))}


def assemble(store: Store, run: RunSpec, protocol: Protocol = "exact") -> Scored:
    """Gather a run's word log-probabilities from the store.

    Tokens are counted behind a space.  Where a template has none before ``[Y]``, the counts do not hold, so a
    masked model's coverage is not given and ``single-token`` is refused.

    Raises:
        RunError: some of its cells are not scored yet.
        TemplateError: ``single-token`` and a template without a space before ``[Y]``.
    """
    table = store.known_words(run.scoring)
    unknown = [word for word in run.topic.words if word not in table.tokens and word not in table.refused]
    missing = 0 if unknown else sum(len(block.prompts) for block in missing_blocks(store, run))
    if unknown or missing:
        raise RunError(
            f"The run {run.key} is not finished: {missing or run.cells:,} of {run.cells:,} cells are not "
            "scored; score it first (the page Score, or `python -m pcf_core score`)."
        )
    words, left_out = select_words(run.topic, table, protocol)
    spaced = all(" [Y]" in text for text in run.templates.texts)
    if protocol == "single-token" and not spaced:
        raise TemplateError(
            "The protocol single-token counts a word's tokens behind a space, but a template has none before "
            "[Y]; read this run with the protocol exact."
        )
    shape = (len(run.evidence.terms), len(run.templates.templates), len(words))
    logs = store.gather(run.scoring, run.prompts, words).reshape(shape)
    if np.isnan(logs).any():
        raise RunError(f"A shard of the run {run.key} was damaged while it was read; score the run again.")
    tokens = [table.tokens[word] for word in words]
    right = any(not text.endswith("[Y]") for text in run.templates.texts)
    masked = run.scoring.family == "masked"
    return Scored(
        run=run,
        words=words,
        log_probabilities=logs,
        tokens=np.asarray(tokens, dtype=np.int_),
        coverage=coverage_of(logs, tokens, run.scoring.family, right) if spaced or not masked else None,
        left_out=left_out,
    )


def missing_blocks(store: Store, run: RunSpec) -> list[Any]:
    """What the store lacks of a run: a list of blocks of prompts × words."""
    return list(store.missing(run.scoring, run.prompts, run.topic.words))


def preferences_from(scored: Scored) -> Preferences:
    """Add the words up to groups; ``coverage`` is that of one-token words for masked models, else of all."""
    coverage = None
    if scored.coverage:
        coverage = scored.coverage.get("all", scored.coverage.get("1"))
    return Preferences(
        groups=scored.run.topic.group_names,
        occupations=scored.run.evidence.terms,
        templates=scored.run.templates.texts,
        values=preferences_of(scored.log_probabilities, scored.run.topic, scored.words),
        coverage=coverage,
    )


@dataclass(frozen=True)
class Result:
    """A run's preferences with what has to be said about them."""

    preferences: Preferences
    words: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    tokens: tuple[int, ...]
    warnings: tuple[str, ...]


def check_protocol(run: RunSpec, protocol: Protocol) -> None:
    """Refuse to read whole words as words that end, and the other way round: they are different scores.

    Raises:
        RunError: the run was scored under another protocol.
    """
    scored = run.scoring.protocol
    if scored != ("exact" if protocol == "single-token" else protocol):
        raise RunError(
            f"The run {run.key} was scored with the protocol {scored} and cannot be read as {protocol}; "
            f"score it with --protocol {protocol}, or read it as it is."
        )


def result_name(run: RunSpec, protocol: Protocol) -> str:
    """Name of the kept aggregates: all that decides them beside the run key."""
    aligned = "-aligned" if protocol == "single-token" and run.topic.aligned else ""
    return f"preferences-{RESULT_VERSION}-{protocol}{aligned}"


def load_result(store: Store, run: RunSpec, protocol: Protocol = "exact") -> Result:
    """A run's preferences: from the kept aggregates, else assembled from the words and kept.

    Raises:
        RunError: the run is not finished, or was scored under another protocol.
    """
    check_protocol(run, protocol)
    name = result_name(run, protocol)
    shape = (len(run.evidence.terms), len(run.templates.templates))
    kept = store.load_result(run.key, name)
    if kept is not None:
        columns, facts = kept
        coverage = columns.get("coverage")
        preferences = Preferences(
            groups=run.topic.group_names,
            occupations=run.evidence.terms,
            templates=run.templates.texts,
            values=np.stack([columns[f"group_{i}"] for i in range(len(run.topic.groups))], axis=-1).reshape(
                *shape, -1
            ),
            coverage=None if coverage is None else coverage.reshape(shape),
        )
        left_out = tuple(LeftOut(**item) for item in facts["left_out"])
        return Result(
            preferences,
            tuple(facts["words"]),
            left_out,
            tuple(facts["tokens"]),
            tuple(facts["warnings"]),
        )
    scored = assemble(store, run, protocol)
    preferences = preferences_from(scored)
    result = Result(
        preferences,
        scored.words,
        scored.left_out,
        tuple(int(count) for count in scored.tokens),
        warnings_of(scored),
    )
    columns = {f"group_{i}": preferences.values[..., i].ravel() for i in range(len(preferences.groups))}
    if preferences.coverage is not None:
        columns["coverage"] = preferences.coverage.ravel()
    store.save_result(
        run.key,
        name,
        columns,
        {
            "words": list(result.words),
            "left_out": [item.model_dump() for item in result.left_out],
            "tokens": list(result.tokens),
            "warnings": list(result.warnings),
        },
    )
    return result


def warnings_of(scored: Scored) -> tuple[str, ...]:
    """Sentences that belong beside every number of this run."""
    warnings = []
    if scored.coverage:
        largest = np.max(np.stack(list(scored.coverage.values())), axis=0)
        low = int((largest < LOW_COVERAGE).sum())
        if low:
            warnings.append(
                f"In {low:,} of {largest.size:,} cells the topic's words together get less than "
                f"{LOW_COVERAGE:g} of the probability: preferences there say little."
            )
    if scored.run.scoring.family == "masked" and len(set(scored.tokens.tolist())) > 1:
        warnings.append(
            "Words of several tokens are scored with as many masks; their probabilities are conditional on "
            "the number of tokens and are added up to preferences all the same."
        )
    return tuple(warnings)


# ------------------------------------------------------------------------- preferences -> report


def report(result: Result, run: RunSpec, options: ViewOptions, resamples: int = 2000) -> RiskReport:
    """Risk of a run under the given view options, with template-bootstrap intervals.

    Raises:
        EvidenceError: weights that cannot be used.
        CriterionError: a criterion or reference that cannot be used.
    """
    weights = occupation_weights(run.evidence, options.occupation_weights)
    left_out = [*run.topic.left_out, *result.left_out, *weights.left_out]
    occupation = dict(zip(weights.terms, weights.values, strict=True))
    reference = None
    if options.reference == "labour":
        shares = labour_reference(run.evidence, run.topic)
        left_out += [
            LeftOut(name=term, reason="no published share of women and men, so no p*")
            for term in weights.terms
            if term not in shares
        ]
        occupation = {term: value for term, value in occupation.items() if term in shares}
        if not occupation:
            raise EvidenceError(
                f"None of the occupations of {run.evidence.name!r} has a share of the labour force; "
                "choose the uniform reference."
            )
        reference = np.array([shares[term] for term in occupation])
    warnings = list(result.warnings)
    total, used = len(run.evidence.terms), len(occupation)
    if used < total:
        warnings.append(
            f"{total - used:,} of {total:,} occupations have no figure for the weights or the neutral point "
            f"and are left out; {used / total:.0%} of the list remains."
        )
    rows = [run.evidence.terms.index(term) for term in occupation]
    criterion = Criterion.parse(options.criterion, options.scale, reference)
    return risk_report(
        result.preferences.values[rows],
        groups=result.preferences.groups,
        occupations=tuple(occupation),
        templates=result.preferences.templates,
        template_weights=template_weights(run.templates, options.template_weighting),
        occupation_weights=np.array(list(occupation.values())),
        criterion=criterion,
        resamples=resamples,
        left_out=tuple(left_out),
        warnings=tuple(warnings),
    )


def risk_report(
    values: FloatArray,
    *,
    groups: tuple[str, ...],
    occupations: tuple[str, ...],
    templates: tuple[str, ...],
    template_weights: FloatArray,
    occupation_weights: FloatArray,
    criterion: Criterion,
    resamples: int = 2000,
    left_out: tuple[LeftOut, ...] = (),
    warnings: tuple[str, ...] = (),
) -> RiskReport:
    """Decompose [occupation, template, group] preferences into a report (PCF Eq. 4–9)."""
    parts = decompose(values, template_weights, criterion)
    totals = total(parts, occupation_weights)
    bootstrap = template_bootstrap(
        values, template_weights, occupation_weights, criterion, resamples=resamples
    )
    shares = occupation_weights / occupation_weights.sum()
    normalised = template_weights / template_weights.sum()
    effective = effective_number(normalised)
    if len(templates) == 1:
        warnings += ("There is one template: an interval over templates says nothing.",)
    elif effective < ROUGH_TEMPLATES:
        warnings += (
            f"{len(templates):,} templates count as {effective:.1f}, by their weights: means and intervals "
            "are rough.",
        )
    return RiskReport(
        overall_risk=totals.overall_risk,
        prejudice_risk=totals.prejudice_risk,
        caprice_risk=totals.caprice_risk,
        effective_templates=effective,
        groups=groups,
        templates=templates,
        template_weights=normalised,
        occupations=tuple(
            occupation_risk(index, name, shares, parts, groups, bootstrap)
            for index, name in enumerate(occupations)
        ),
        intervals={name: (bootstrap.intervals[name],) for name in RISKS},
        criterion=criterion.name,
        left_out=left_out,
        warnings=warnings,
    )


def occupation_risk(
    index: int,
    name: str,
    weights: FloatArray,
    parts: Decomposition,
    groups: tuple[str, ...],
    bootstrap: BootstrapResult,
) -> OccupationRisk:
    """One row of the report."""
    unit = bootstrap.intervals["overall_risk"]
    intervals = {
        risk: (
            Interval(
                over=unit.over, level=unit.level, unit=unit.unit, low=float(bounds[0]), high=float(bounds[1])
            ),
        )
        for risk in RISKS
        for bounds in [bootstrap.occupations[risk][index]]
    }
    return OccupationRisk(
        occupation=name,
        weight=float(weights[index]),
        overall_risk=float(parts.overall[index]),
        prejudice_risk=float(parts.prejudice[index]),
        caprice_risk=float(parts.caprice[index]),
        stereotype_sd=float(parts.stereotype_sd[index]),
        stereotype=dict(zip(groups, parts.stereotype[index].tolist(), strict=True)),
        preferences=dict(zip(groups, parts.mean_preferences[index].tolist(), strict=True)),
        intervals=intervals,
    )


def matrix_report(document: Mapping[str, Any], options: ViewOptions, resamples: int = 2000) -> RiskReport:
    """The same report from probabilities made elsewhere (``risk --matrix``).

    Args:
        document: ``preferences`` [occupation][template][group], rows that sum to 1 ± 1e-6; optional
            ``template_weights``, ``occupation_weights``, ``groups``, ``occupations``, ``templates``.

    Raises:
        CriterionError: a key that is missing or unknown, a shape or a value that is not allowed.
    """
    known = {"preferences", "template_weights", "occupation_weights", "groups", "occupations", "templates"}
    if not isinstance(document, Mapping) or "preferences" not in document or set(document) - known:
        raise CriterionError(
            "The matrix file must be one JSON object with `preferences` [occupation][template][group] "
            "and at most " + ", ".join(f"`{key}`" for key in sorted(known - {"preferences"})) + "."
        )
    values = number_array(document["preferences"], "preferences", 3)
    lengths = dict(zip(("occupations", "templates", "groups"), values.shape, strict=True))
    names = {
        axis: names_of(document.get(axis, [f"{axis[:-1]} {i + 1}" for i in range(length)]), axis, length)
        for axis, length in lengths.items()
    }
    weights = {
        axis: number_array(document.get(f"{axis}_weights", [1.0] * length), f"{axis}_weights", 1)
        for axis, length in (("template", lengths["templates"]), ("occupation", lengths["occupations"]))
    }
    if options.reference != "uniform" or options.occupation_weights != "uniform":
        raise CriterionError(
            "A matrix carries its own weights and is measured against the uniform reference; "
            "drop --weights and --reference."
        )
    return risk_report(
        values,
        groups=names["groups"],
        occupations=names["occupations"],
        templates=names["templates"],
        template_weights=weights["template"],
        occupation_weights=weights["occupation"],
        criterion=Criterion.parse(options.criterion, options.scale),
        resamples=resamples,
    )


def number_array(value: Any, name: str, dimensions: int) -> FloatArray:
    """A rectangular array of finite numbers with the given number of axes, else one clear sentence."""
    try:
        array = np.array(value)
    except ValueError as error:
        raise CriterionError(
            f"`{name}` must be a rectangular list of numbers with {dimensions} axes."
        ) from error
    numbers = array.dtype.kind in "iuf" and bool(np.isfinite(array).all())
    if array.ndim != dimensions or 0 in array.shape or not numbers:
        raise CriterionError(
            f"`{name}` must be a rectangular, non-empty list of finite numbers with {dimensions} axes; "
            f"got {'numbers' if numbers else 'something else'} of the shape {list(array.shape)}."
        )
    return array.astype(np.float64)


def names_of(value: Any, axis: str, length: int) -> tuple[str, ...]:
    """The names along an axis: as many distinct texts as the axis is long."""
    fits = isinstance(value, list) and all(
        isinstance(item, str) and item.strip() and item.isprintable() for item in value
    )
    if not fits or len(value) != length or len(set(value)) != length:
        raise CriterionError(f"`{axis}` must be a list of {length} distinct, printable names.")
    return tuple(value)
