"""What the answer block of a study is written from: its models compared, in these sentences and in others.

A page brings what it has cached; a report and a command read the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from pcf_core.audit.baseline import OtherScales
from pcf_core.audit.comparing import answer_in, elsewhere, risk_difference
from pcf_core.audit.results import Read, load_result
from pcf_core.core.errors import AuditError, RunError
from pcf_core.core.risk import Difference
from pcf_core.core.run import ModelSpec, RunSpec, version_name
from pcf_core.core.topics import TemplateSet
from pcf_core.models.registry import list_models
from pcf_core.report.loaded import (
    Study,
    effective_text,
    instead_note,
    interval_notes,
    letter_runs,
    unequal_words,
    warnings_of,
)
from pcf_core.report.sections.comparison import scales_of
from pcf_core.report.seeds import seeds_notes
from pcf_core.show.answer import Answer, Measured, answer_on, sentences_called
from pcf_core.show.compare import Standing
from pcf_core.show.findings.models import whole_templates_finding
from pcf_core.show.findings.notes import noun_note, unequal_note, unequal_weights, weights_help
from pcf_core.show.findings.provenance import imported_note
from pcf_core.show.overview import copies_text
from pcf_core.store.store import Store

Pair = tuple[str, str]


def compared_models(study: Study) -> Pair | None:
    """Name the two models that an answer compares: of more than two, the lowest and the highest risk.

    ``None`` where the figures of fewer than two say enough.
    """
    names = list(study.reliable.runs)
    if len(names) < 2:
        return None
    if len(names) > 2:
        names.sort(key=lambda name: study.reports[name].overall_risk)
    return names[0], names[-1]


def tested(study: Study, pair: Pair) -> tuple[Difference | None, str]:
    """Test the risks of two models of a study; without a difference, why they cannot be compared."""
    first, second = (study.runs[name].reading(study.options) for name in pair)
    try:
        return risk_difference(first, second, study.options), ""
    except RunError as error:  # drawn by a sampling plan, where each run has its own sentences
        return None, str(error)


def letters_of(study: Study) -> dict[str, str]:
    """Return the letters of more than two models, of which two share one exactly if they tie; else empty."""
    items = study.reliable.runs
    if len(items) < 3:
        return {}
    try:
        letters = letter_runs(tuple(items.values()), study.options)
    except RunError:  # too few sentences, or too many models, for a test of all pairs
        return {}
    return dict(zip(items, letters, strict=True))


def answer_of(study: Study, store: Store, keys: Sequence[str] = (), read: Read = load_result) -> Answer:
    """Write the answer on a study; ``keys``: of runs in the other sentences that it is compared with.

    Raises RunError if such a run is unknown or not finished.
    """
    pair = compared_models(study)
    scales = OtherScales()
    if pair is not None and study.remember(tested, pair)[0] is not None:
        scales = scales_of(study, pair, store, read)
    others = standings_elsewhere(study, store, keys, read)
    return answer_from(study, caveats_of(study, store, list_models()), scales, others)


def standing_of(study: Study, scales: OtherScales) -> tuple[Standing | None, str]:
    """Return how the compared models of a study stand, or why they cannot be compared.

    ``scales``: how they stand by other measures.
    """
    pair = compared_models(study)
    difference, refused = study.remember(tested, pair) if pair is not None else (None, "")
    if pair is None or difference is None:
        return None, refused
    letters, ordered = study.remember(letters_of), difference.ordered
    if len(study.reliable.runs) > 2:  # corrected for all pairs
        ties = [set(letters.get(name, "").split()) for name in pair]
        ordered = ordered and bool(letters) and not ties[0] & ties[1]
    standing = replace(
        Standing.of_risk(pair, difference, (False, False)),
        ordered=ordered,
        scales=scales,
        against_even=study.options.reference == "uniform",
        to_one=study.options.scale == "pcf",
    )
    return standing, ""


def answer_from(
    study: Study, caveats: Iterable[str], scales: OtherScales, others: Mapping[str, Standing]
) -> Answer:
    """Write the answer on a study.

    ``scales``, ``others``: how the models that it compares stand by other measures, and in other sentences
    by their name.
    """
    standing, refused = standing_of(study, scales)
    measured = Measured(
        reports=study.reports,
        even=study.even,
        over=study.over,
        pair=standing,
        refused=refused,
        elsewhere=others,
        letters=study.remember(letters_of),
        against_even=study.options.reference == "uniform",
        to_one=study.options.scale == "pcf",
    )
    return answer_on(measured, caveats)


def caveats_of(study: Study, store: Store, models: Iterable[ModelSpec]) -> list[str]:
    """Return what has to be known before the figures of a study are believed; some may be empty.

    ``models``: all that are known here, which says whose weights are compressed copies.
    """
    run, report = study.first.run, study.first.report
    compressed = {spec.identity: spec.quantization for spec in models if spec.quantization}
    imported = {label: item for label, item in study.runs.items() if item.run.scoring.imported}
    return [
        noun_note(run),
        instead_note(study),
        copies_text(
            {
                item.run.scoring.name: compressed.get(item.run.scoring.identity, "")
                for item in study.runs.values()
            }
        ),
        *(imported_note(label, store.run_info(item.key).provenance) for label, item in imported.items()),
        *warnings_of(study.reports),
        unequal_note(*unequal_words(study)),
        weights_help(effective_text(report)) if unequal_weights(report) else "",
        *interval_notes(study.reports, study.over),
        whole_templates_finding(study.whole_templates),
        *seeds_notes(study),
    ]


# The models that are compared, in other sentences.


def keys_elsewhere(study: Study, runs: Iterable[RunSpec]) -> list[str]:
    """Return the keys of those runs that are of the compared models in other sentences."""
    pair = compared_models(study)
    if pair is None:
        return []
    first, second = (study.runs[name].run for name in pair)
    return [run.key for both in elsewhere(runs, first, second) for run in both]


def standings_elsewhere(
    study: Study, store: Store, keys: Sequence[str], read: Read = load_result
) -> dict[str, Standing]:
    """Test the compared models in the other sentences of runs by their keys, by the name of the sentences.

    Sentences that cannot be read under these options are left out.  Raises RunError if a run is unknown or
    not finished.
    """
    runs, pair = [_run_elsewhere(store, key) for key in keys], compared_models(study)
    standings: dict[str, Standing] = {}
    if pair is None:
        return standings
    first, second = (study.runs[name].run for name in pair)
    for both in elsewhere(runs, first, second):
        with suppress(AuditError):
            answer = answer_in(store, both, study.options, read)
            standings[name_beside(both[0].templates, standings)] = Standing.of_risk(
                pair, answer.risk, answer.little
            )
    return standings


def name_beside(templates: TemplateSet, others: Iterable[str]) -> str:
    """Name a template set in a sentence, unlike the others that stand there."""
    name = sentences_called(templates)
    return f"{name} ({version_name(templates)})" if name in set(others) else name


def _run_elsewhere(store: Store, key: str) -> RunSpec:
    try:
        info = store.run_info(key)
    except RunError:
        info = None
    if info is None or not info.complete:
        raise RunError(
            f"This report also compares its models in other sentences, by the run {key}, which is not in the "
            "cache: score or import it, or write the report without it (--elsewhere none)."
        )
    return info.run
