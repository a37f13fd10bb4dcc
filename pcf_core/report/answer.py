"""The answer block of a study: its models compared, in its own and in other sentences.

A page brings cached results; a report and a command read the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from pcf_core.audit.baseline import OtherScales
from pcf_core.audit.comparing import alike, answer_in, rewordings, risk_difference, sampled_note
from pcf_core.audit.fitting import TOKENS_DIFFER
from pcf_core.audit.results import Read, Results, load_result
from pcf_core.core.errors import AuditError, RunError
from pcf_core.core.risk import Difference
from pcf_core.core.run import ModelSpec, RunSpec, version_name
from pcf_core.core.topics import TemplateSet
from pcf_core.material.suiting import names_all_groups
from pcf_core.models.registry import list_models
from pcf_core.report.loaded import (
    Study,
    instead_note,
    interval_notes,
    letter_runs,
    precision_text,
    unequal_words,
    warnings_of,
)
from pcf_core.report.sections.risk import scales_of
from pcf_core.report.seeds import seeds_notes
from pcf_core.show.answer import Alone, Answer, Measured, Reworded, answer_on, sentences_called
from pcf_core.show.compare import Standing
from pcf_core.show.findings.models import whole_templates_finding
from pcf_core.show.findings.notes import noun_note, unequal_note, unequal_weights, weights_help
from pcf_core.show.findings.provenance import imported_note
from pcf_core.show.overview import adapters_text, copies_text, tied_with, without_chat_text
from pcf_core.store.store import Store

Pair = tuple[str, str]


def compared_models(study: Study) -> Pair | None:
    """Name the two models to compare, of several the lowest and highest risk; ``None`` for fewer than two."""
    names = list(study.reliable.runs)
    if len(names) < 2:
        return None
    if len(names) > 2:
        names.sort(key=lambda name: study.reports[name].overall_risk)
    return names[0], names[-1]


def tested(study: Study, pair: Pair) -> tuple[Difference | None, str]:
    """Test the difference of two models' risks; without one, say why they cannot be compared."""
    first, second = (study.runs[name].reading(study.options) for name in pair)
    if note := sampled_note((first, second)):
        return None, note
    try:
        return risk_difference(first, second, study.options), ""
    except RunError as error:  # drawn by a sampling plan, where each run has its own sentences
        return None, str(error)


def letters_of(study: Study) -> dict[str, str]:
    """Return letters of three or more models, of which two share one exactly if they tie; else empty."""
    items = study.reliable.runs
    if len(items) < 3 or any(item.run.scoring.draws for item in items.values()):
        return {}
    try:
        letters = letter_runs(tuple(items.values()), study.options)
    except RunError:  # too few sentences, or too many models, for a test of all pairs
        return {}
    return dict(zip(items, letters, strict=True))


def answer_of(study: Study, store: Store, keys: Sequence[str] = (), read: Read = load_result) -> Answer:
    """Write the answer on a study; ``keys``: of runs in the other sentences to compare with.

    Raises RunError if such a run is unknown or not finished.
    """
    pair = compared_models(study)
    scales = OtherScales()
    if pair is not None and study.remember(tested, pair)[0] is not None:
        scales = scales_of(study, pair, store, read)
    runs = [_run_elsewhere(store, key) for key in keys]
    return answer_from(
        study,
        caveats_of(study, store, list_models()),
        scales,
        _standings_in(study, store, runs, read),
        alone_in(study, store, runs, read),
        reworded_in(study, store, runs, read),
    )


def all_named(study: Study) -> bool:
    """Return whether every sentence of a study has a word of every group."""
    run = study.first.run
    return names_all_groups(run.topic, run.templates.texts)


def standing_of(study: Study, scales: OtherScales) -> tuple[Standing | None, str]:
    """Return how the compared models stand, with other ``scales``, or why they cannot be compared."""
    pair = compared_models(study)
    difference, refused = study.remember(tested, pair) if pair is not None else (None, "")
    if pair is None or difference is None:
        return None, refused
    letters, ordered = study.remember(letters_of), difference.ordered
    if len(study.reliable.runs) > 2:  # corrected for all pairs
        ordered = ordered and bool(letters) and pair[1] not in tied_with(pair[0], letters)
    standing = replace(
        Standing.of_risk(pair, difference, (False, False)),
        ordered=ordered,
        scales=scales,
        against_even=study.options.reference == "uniform",
        to_one=study.options.scale == "pcf",
        all_named=study.remember(all_named),
    )
    return standing, ""


def answer_from(
    study: Study,
    caveats: Iterable[str],
    scales: OtherScales,
    others: Mapping[str, Standing],
    alone: Mapping[str, Alone],
    reworded: Reworded | None,
) -> Answer:
    """Write the answer on a study.

    Given are other measures, other sentences, a single model in them, and the same sentences reworded.
    """
    standing, refused = standing_of(study, scales)
    measured = Measured(
        reports=study.reports,
        even=study.even,
        over=study.over,
        pair=standing,
        refused=refused,
        elsewhere=others,
        alone=alone,
        letters=study.remember(letters_of),
        against_even=study.options.reference == "uniform",
        to_one=study.options.scale == "pcf",
        all_named=study.remember(all_named),
        tokens={name: item.result.token_shares for name, item in study.runs.items()},
        reworded=reworded,
    )
    return answer_on(measured, caveats)


def caveats_of(study: Study, store: Store, models: Iterable[ModelSpec]) -> list[str]:
    """Return the caveats of a study, some may be empty.

    ``models`` says which are compressed copies, and which have a chat.
    """
    run, report = study.first.run, study.first.report
    known = {spec.identity: spec for spec in models}
    specs = {item.run.scoring.name: known.get(item.run.scoring.identity) for item in study.runs.values()}
    bare = [item.run.scoring.name for item in study.runs.values() if item.run.scoring.frame is None]
    imported = {label: item for label, item in study.runs.items() if item.run.scoring.imported}
    tokens, sizes = unequal_words(study)
    warnings = warnings_of(study.reports)
    return [
        noun_note(run),
        instead_note(study),
        copies_text({name: spec.quantization if spec else "" for name, spec in specs.items()}),
        adapters_text({name: spec.base if spec else "" for name, spec in specs.items()}),
        without_chat_text([name for name in bare if (spec := specs[name]) and spec.chats]),
        *(imported_note(label, store.run_info(item.key).provenance) for label, item in imported.items()),
        *(sentence for sentence in warnings if not (tokens and TOKENS_DIFFER in sentence)),
        unequal_note(tokens, sizes),
        weights_help(precision_text(report)) if unequal_weights(report) else "",
        *interval_notes(study.reports, study.over),
        whole_templates_finding(study.whole_templates),
        *seeds_notes(study),
    ]


def answered_models(study: Study) -> tuple[str, ...]:
    """Name the models whose answer may differ in other sentences: those compared, or a single one."""
    return compared_models(study) or tuple(study.reliable.runs)


def keys_elsewhere(study: Study, runs: Iterable[RunSpec]) -> list[str]:
    """Return the keys of the runs of the same models in other sentences."""
    shown, runs = [study.runs[name].run for name in answered_models(study)], list(runs)
    several = [*alike(runs, shown), *rewordings(runs, shown)[:1]] if shown else []
    return [run.key for one in several for run in one]


def _standings_in(study: Study, store: Store, runs: Sequence[RunSpec], read: Read) -> dict[str, Standing]:
    """Compare the models in other sentences, by name; sentences that cannot be read are left out."""
    pair, standings = compared_models(study), dict[str, Standing]()
    if pair is None:
        return standings
    for one, other in alike(runs, [study.runs[name].run for name in pair]):
        with suppress(AuditError):
            answer = answer_in(store, (one, other), study.options, read)
            called = name_beside(one.templates, standings)
            standings[called] = Standing.of_other(pair, answer)
    return standings


def alone_in(
    study: Study, store: Store, runs: Sequence[RunSpec], read: Read = load_result
) -> dict[str, Alone]:
    """Read a single model in other sentences; nothing for several models."""
    names, others = list(study.reliable.runs), dict[str, Alone]()
    if len(names) != 1:
        return others
    for (run,) in alike(runs, [study.runs[names[0]].run]):
        with suppress(AuditError):
            item = Results(store, read).report(run, study.options, brief=True)
            others[name_beside(run.templates, others)] = Alone.of(names[0], item.report)
    return others


def reworded_in(
    study: Study, store: Store, runs: Sequence[RunSpec], read: Read = load_result
) -> Reworded | None:
    """Read the answered models in some of their sentences, said in several ways; ``None`` if not scored."""
    names = answered_models(study)
    for several in rewordings(runs, [study.runs[name].run for name in names])[:1] if names else ():
        with suppress(AuditError):
            opened = [Results(store, read).report(run, study.options, brief=True).report for run in several]
            return Reworded.of(several[0].templates, dict(zip(names, opened, strict=True)))
    return None


def name_beside(templates: TemplateSet, others: Iterable[str]) -> str:
    """Name a template set in a sentence, unlike the others there."""
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
