"""``risk`` and ``compare``: what the runs say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from pcf_core.audit.baseline import Baseline, baseline_of, baseline_run
from pcf_core.audit.comparing import compared
from pcf_core.audit.reading import Reading, matrix_report, report
from pcf_core.audit.results import load_result
from pcf_core.cli.console import give, one_of, open_store, say
from pcf_core.cli.options import JsonOption, View, with_view
from pcf_core.core.errors import InputError
from pcf_core.core.risk import Comparison, CorrectedRisk, Interval, RiskReport
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.report.comparison import comparison_document
from pcf_core.report.documents import baseline_document, report_document
from pcf_core.report.reproducing import score_command
from pcf_core.show.findings.comparison import difference_finding, occupations_difference_finding
from pcf_core.show.findings.imported import imported_note
from pcf_core.show.findings.models import drawn_again, unseen_note
from pcf_core.show.findings.notes import coverage_facts, self_audit_facts
from pcf_core.store.store import Store


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
    lines: list[str] = []
    options = view.options()
    if matrix is not None:
        found = matrix_report(read_json(matrix), options)
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
        lines += baseline_lines(spec, held)
    give(facts | report_document(found), as_json, lambda: risk_lines(found) + lines)


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


def risk_lines(found: RiskReport) -> list[str]:
    """Write a risk report as lines."""
    lines = []
    for name in ("overall_risk", "prejudice_risk", "caprice_risk"):
        intervals = [f"{one.low:.4f}–{one.high:.4f}, {drawn_again(one)}" for one in found.intervals[name]]
        lines.append(f"{name:<16} {getattr(found, name):.4f}  ({'; '.join(intervals)})")
    if found.lean is not None:
        lines.append(
            f"of prejudice     {found.lean.common:.4f} is shared by all occupations, "
            f"{found.lean.specific:.4f} differs between them"
        )
    if found.corrected is not None:
        lines.append(corrected_line(found.corrected))
    if found.caprice_risk == 0:
        lines.append(unseen_note(found))
    lines.append(f"stereotype s.d.  {found.stereotype_sd:.4f}, averaged over occupations")
    lines.append(f"effective templates {found.effective_templates:.1f} of {len(found.templates)}")
    facts = coverage_facts(found.coverage) if found.coverage else {}
    facts |= self_audit_facts(found.self_audit) if found.self_audit else {}
    lines += [f"{name}: {sentence}" for name, sentence in facts.items()]
    lines += [f"left out: {item.name} ({item.reason})" for item in found.left_out]
    return lines + list(found.warnings)


def baseline_lines(run: RunSpec, found: Baseline | None) -> list[str]:
    """Write what the model expects of neutral subjects, or how to find out."""
    asked = baseline_run(run)
    if found is None:
        return [f"neutral subjects are not scored: {score_command(asked)}"] if asked else []
    expected = ", ".join(f"{group} {share:.4f}" for group, share in found.preferences.items())
    return [
        f"neutral subjects ({', '.join(found.subjects)}): {expected}; their lean is {found.lean:.4f}",
        "against that as the neutral point the overall risk is "
        + _with_range(found.overall_risk, found.intervals["overall_risk", ""]),
        *(
            f"{group}: occupations lie {_with_range(away, found.intervals['distance', group])} from that, "
            f"{_with_range(found.spread[group], found.intervals['spread', group])} from their mean"
            for group, away in found.distance.items()
        ),
    ]


def _with_range(value: float, several: Sequence[Interval]) -> str:
    """Write a number with its interval over templates, the first one."""
    return f"{value:.4f} ({several[0].low:.4f}–{several[0].high:.4f})"


def corrected_line(found: CorrectedRisk) -> str:
    """Write the parts that the report does not give first, and what sampling alone would show."""
    beside = "plug-in", found.plug_in_prejudice_risk, found.plug_in_caprice_risk
    if not found.headline:
        beside = "corrected", found.prejudice_risk, found.caprice_risk
    line = f"{beside[0]:<16} prejudice {beside[1]:.4f}, caprice {beside[2]:.4f}"
    if found.sampling_prejudice is None:
        return line
    return f"{line}; prejudice from the sampling of templates alone {found.sampling_prejudice:.4f}"


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
    one, other = (
        Reading(
            spec,
            load_result(store, spec, kind, options.aggregation),
            options.model_copy(update={"protocol": kind}),
        )
        for spec, kind in zip(specs, kinds, strict=True)
    )
    found = compared(one, other, options)
    give(comparison_document(found), as_json, lambda: comparison_lines(found))


def say_if_imported(store: Store, spec: RunSpec) -> None:
    """Say who scored a run that came in a pack."""
    if note := imported_note(spec.scoring.label, store.run_info(spec.key).provenance):
        say(note)


def spec_protocol(spec: RunSpec) -> Protocol:
    """Return the protocol that a run was scored with."""
    kind: Protocol = one_of(spec.scoring.protocol, "the run's protocol", get_args(Protocol))
    return kind


def comparison_lines(found: Comparison) -> list[str]:
    """Write a comparison as lines."""
    lines = [difference_finding(found, quantity) for quantity in found.differences]
    return [*lines, occupations_difference_finding(found), *found.warnings]
