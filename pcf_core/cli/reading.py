"""``risk`` and ``compare``: what the runs say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from pcf_core.audit.baseline import Baseline, baseline_of, baseline_run
from pcf_core.audit.comparing import compared
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import Result
from pcf_core.audit.reading import Reading, matrix_report, report
from pcf_core.audit.results import load_result
from pcf_core.cli.console import give_panels, one_of, open_store, say
from pcf_core.cli.options import JsonOption, View, with_view
from pcf_core.core.errors import InputError
from pcf_core.core.risk import Comparison, RiskReport
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.report.comparison import comparison_document
from pcf_core.report.documents import baseline_document, report_document
from pcf_core.report.reproducing import score_command
from pcf_core.show.findings.imported import imported_note
from pcf_core.show.findings.notes import left_out_note
from pcf_core.store.store import Store

if TYPE_CHECKING:  # load what charts and tables are made with
    from pcf_core.report.loaded import Reports, Runs
    from pcf_core.report.panels import Panel


@with_view
def risk(
    run: Annotated[str, typer.Argument(help="run key, or its first six digits or more")] = "",
    matrix: Annotated[Path | None, typer.Option(help="a JSON file of probabilities made elsewhere")] = None,
    as_json: JsonOption = False,
    *,
    view: View,
) -> None:
    """Discrimination risk of a finished run, or of a matrix of probabilities."""
    if bool(run) == (matrix is not None):
        raise InputError(
            "Give either the key of a run or --matrix FILE.json; `score` prints the key of a run."
        )
    facts: dict[str, Any] = {}
    options = view.options()
    if matrix is not None:
        found = matrix_report(read_json(matrix), options)
        panels = partial(matrix_panels, matrix.name, found)
    else:
        store = open_store()
        spec = store.load_run(run)
        kind = view.protocol or spec.scoring.protocol
        options = options.model_copy(update={"protocol": kind})
        say_if_imported(store, spec)
        result = load_result(store, spec, options.protocol, options.aggregation)
        found = report(result, spec, options)
        facts = {"run": spec.key, "model": spec.scoring.name, "dtype": spec.scoring.dtype, "protocol": kind}
        held = baseline_of(store, spec, result, options)
        facts["baseline"] = held and baseline_document(held)
        panels = partial(run_panels, spec, result, found, options, held)
    give_panels(facts | report_document(found), as_json, panels)


def read_json(path: Path) -> Mapping[str, Any]:
    """Read one JSON object from a file.

    Raises
    ------
    InputError
        The file cannot be read or is not JSON.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; give the path of a JSON file.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON that can be read: {error}.") from error
    return document  # type: ignore[no-any-return]


def matrix_panels(name: str, found: RiskReport) -> list[Panel]:
    """Show the report of a matrix of probabilities, which has no run behind it."""
    from pcf_core.report.loaded import Reports
    from pcf_core.report.notes import interval_notes, warnings_of

    shown = Reports({name: found})
    notes = [*warnings_of(shown.reports), *interval_notes(shown.reports, shown.over)]
    return risk_panels(shown, {}, notes)


def run_panels(
    run: RunSpec, result: Result, found: RiskReport, options: ViewOptions, held: Baseline | None
) -> list[Panel]:
    """Show the report of a run, what its neutral subjects say or how to score them, where it comes from."""
    from pcf_core.report.loaded import LoadedRun, Study
    from pcf_core.report.notes import study_notes
    from pcf_core.report.panels import Panel
    from pcf_core.report.provenance import run_facts

    label, item = run.scoring.label, LoadedRun(run, run.key, run.key, result, found)
    study, notes = Study({label: item}, options, "templates"), list[str]()
    if held is None and (asked := baseline_run(run)):
        notes = [f"The neutral subjects are not scored: {score_command(asked)}"]
    facts = [f"{what}: {text}" for what, text in run_facts(item, options).items()]
    return [
        *risk_panels(study, {label: held} if held else {}, [*study_notes(study), *notes]),
        Panel(title="Method and provenance", notes=facts),
    ]


def risk_panels(
    shown: Runs | Reports, baselines: Mapping[str, Baseline], notes: Sequence[str]
) -> list[Panel]:
    """Show R, its corrected parts and what all occupations share, as far as the reports have them."""
    from pcf_core.report.sections.risk import corrected_panel, reports_panel
    from pcf_core.report.sections.shared import lean_panel

    risks, (report,) = reports_panel(shown), shown.reports.values()
    return [
        replace(risks, notes=[*risks.notes, *notes, left_out_note(report.left_out)]),
        *([corrected_panel(shown)] if report.corrected else []),
        *([lean_panel(shown, baselines)] if report.lean else []),
    ]


@with_view
def compare(
    first: Annotated[str, typer.Argument(help="run key, or its first six digits or more")],
    second: Annotated[str, typer.Argument(help="the run that it is compared with")],
    as_json: JsonOption = False,
    *,
    view: View,
) -> None:
    """Compare two finished runs on the templates and occupations that both have."""
    options = view.options()
    store = open_store()
    specs = [store.load_run(key) for key in (first, second)]
    for spec in specs:
        say_if_imported(store, spec)
    kinds: list[Protocol] = [options.protocol if view.protocol else spec_protocol(spec) for spec in specs]
    readings = [
        Reading(
            spec,
            load_result(store, spec, kind, options.aggregation),
            options.model_copy(update={"protocol": kind}),
        )
        for spec, kind in zip(specs, kinds, strict=True)
    ]
    found = compared(readings[0], readings[1], options)
    give_panels(
        comparison_document(found), as_json, partial(compared_panels, store, readings, options, found)
    )


def compared_panels(
    store: Store, readings: Sequence[Reading], options: ViewOptions, found: Comparison
) -> list[Panel]:
    """Show which of two runs discriminates less, how sure that is, and where they differ."""
    from pcf_core.report.loaded import LoadedRun, Study
    from pcf_core.report.panels import Panel
    from pcf_core.report.sections.comparison import whole_pair_panel
    from pcf_core.report.sections.summary import compared_sentences

    runs = {
        side.name: LoadedRun(
            read.run, side.run, side.run, read.result, report(read.result, read.run, read.options)
        )
        for side, read in zip((found.first, found.second), readings, strict=True)
    }
    study = Study(runs, options, "templates")
    return [Panel(findings=compared_sentences(study, store, found)), whole_pair_panel(study, found)]


def say_if_imported(store: Store, spec: RunSpec) -> None:
    """Say who scored a run that came in a pack."""
    if note := imported_note(spec.scoring.label, store.run_info(spec.key).provenance):
        say(note)


def spec_protocol(spec: RunSpec) -> Protocol:
    """Return the protocol that a run was scored with."""
    kind: Protocol = one_of(spec.scoring.protocol, "the run's protocol", get_args(Protocol))
    return kind
