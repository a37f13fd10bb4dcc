"""The points of an axis of Compare, and the results that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from pcf_core.app.caching import open_store
from pcf_core.app.data import Loaded, results
from pcf_core.app.lists import evidence_lists, template_sets, told_apart, topics, usual_lists
from pcf_core.audit.results import Report, Waiting
from pcf_core.core.frame import frame_label
from pcf_core.core.risk import AxisPoint, RiskReport
from pcf_core.core.run import RunSpec, ScoringKey, model_label
from pcf_core.material.published import PublishedRisk, published_of_topic, speaks_of
from pcf_core.models.names import all_series, known_model, split_name
from pcf_core.models.registry import resolve
from pcf_core.report.documents import RISKS

Axis = Literal["models", "size", "base and aligned", "text source", "topic", "instruction"]
BY_SOURCE = 4  # the number of the papers' table of text sources


@dataclass(frozen=True)
class Line:
    """The points of an axis with their runs, the papers' printed points, and why others are left out."""

    points: tuple[AxisPoint, ...]
    runs: tuple[Report, ...]
    left_out: tuple[str, ...] = ()
    printed: tuple[AxisPoint, ...] = ()


def _of_models(loaded: Loaded) -> Line:
    points = [_point_of(name, name, report, loaded) for name, report in loaded.reports.items()]
    return Line(tuple(points), tuple(loaded.runs.values()))


def _of_sizes(loaded: Loaded) -> Line:
    keys = {name: item.run.scoring for name, item in loaded.runs.items()}
    sizes = {name: 0 if key.imported else resolve(key.model).parameters for name, key in keys.items()}
    unknown = [name for name, size in sizes.items() if not size]
    sized = sorted((size, name) for name, size in sizes.items() if size)
    return Line(
        tuple(_point_of(name, float(size), loaded.reports[name], loaded) for size, name in sized),
        tuple(loaded.runs[name] for _, name in sized),
        (f"The number of parameters of {', '.join(unknown)} is not known.",) if unknown else (),
    )


def _of_pairs(loaded: Loaded) -> Line:
    """Return base and aligned checkpoints of declared series by size, a line each."""
    points: list[AxisPoint] = []
    runs: list[Report] = []
    sizes = sizes_of(loaded)
    for line in dict.fromkeys(size.line for size in sizes):
        for role in ("base", "aligned"):
            for size in sizes:
                item = size.base if role == "base" else size.aligned
                if size.line == line and item is not None:
                    points.append(_point_of(f"{line}, {role}", size.parameters, item.report, loaded))
                    runs.append(item)
    paired = {item.key for item in runs}
    unpaired = [name for name, item in loaded.runs.items() if item.key not in paired]
    apart = (f"Not part of a listed series: {', '.join(unpaired)}.",) if runs and unpaired else ()
    return Line(tuple(points), tuple(runs), apart)


@dataclass(frozen=True)
class Size:
    """A declared pair in one precision, as far as it is loaded; ``line``: series and unusual precision."""

    line: str
    parameters: float
    base: Report | None
    aligned: Report | None


def sizes_of(loaded: Loaded) -> list[Size]:
    """List the pairs with a loaded checkpoint, by series and size."""
    sizes: list[Size] = []

    def run_of(model: str, dtype: str) -> Report | None:  # at any revision
        keys = ((item, item.run.scoring) for item in loaded.runs.values() if not item.run.scoring.frame)
        return next(
            (item for item, key in keys if split_name(key.model).model == model and key.dtype == dtype), None
        )

    dtypes = dict.fromkeys(item.run.scoring.dtype for item in loaded.runs.values())
    for series in all_series():
        for dtype in dtypes:
            for pair in series.pair:
                base, aligned = (run_of(name, dtype) for name in (pair.base, pair.aligned))
                base_model = known_model(pair.base)
                if base_model and (base or aligned):
                    line = model_label(series.title, dtype)
                    sizes.append(Size(line, float(base_model.parameters), base, aligned))
    return sizes


def of_sources(loaded: Loaded) -> Line:
    """Return the chosen models' results on every template set, and what the papers print for them."""
    first = loaded.first.run

    def index(run: RunSpec) -> str:
        fits = run.topic.hash == first.topic.hash and run.evidence.hash == first.evidence.hash
        return run.templates.name if fits else ""

    rows = published_of_topic(first.topic)
    models = dict.fromkeys(item.run.scoring.model for item in loaded.runs.values())
    printed = [row for name in models for row in rows if row.table == BY_SOURCE and speaks_of(row, name)]
    return replace(_gathered(loaded, index), printed=tuple(printed_point(row) for row in printed))


def printed_point(row: PublishedRisk) -> AxisPoint:
    """Make the point of a printed row; it has no interval."""
    return AxisPoint(
        line=row.model,
        place=row.context_source,
        values={name: getattr(row, name) for name in RISKS},
        intervals={},
        published=f"{row.paper} Table {row.table}",
    )


def _of_topics(loaded: Loaded) -> Line:
    """Return the topics scored for the chosen models, unusual lists and other languages in the name."""
    existing, chosen = topics(), {item.key for item in loaded.runs.values()}
    first = loaded.first.run.topic

    def index(run: RunSpec) -> str:
        topic, usual = existing.get(run.topic.name), usual_lists(run.topic)
        unusual = []
        if run.templates.hash != template_sets()[usual.templates].hash:
            again = "another set named " if run.templates.name == usual.templates else ""
            unusual.append(f"with {again}{run.templates.name}")
        if run.evidence.hash != evidence_lists()[usual.evidence].hash:
            again = "another list named " if run.evidence.name == usual.evidence else ""
            unusual.append(f"with {again}{run.evidence.name}")
        present = topic is not None and topic.hash == run.topic.hash
        if run.key not in chosen and (not present or unusual or run.topic.name == first.name):
            return ""
        other = [f"language {run.topic.language}"] if run.topic.language != first.language else []
        beside = ", ".join([*other, *unusual])
        return f"{run.topic.name} ({beside})" if beside else run.topic.name

    return _gathered(loaded, index)


def _of_frames(loaded: Loaded) -> Line:
    """Return each chosen model with bare sentences, and in every chat with results on the same material."""
    first = loaded.first.run

    def index(run: RunSpec) -> str:
        own = run.topic.hash, run.templates.hash, run.evidence.hash
        same = own == (first.topic.hash, first.templates.hash, first.evidence.hash)
        return frame_label(run.scoring.frame) if same else ""

    return _gathered(loaded, index, named=_without_frame)


def _without_frame(key: ScoringKey) -> ScoringKey:
    return key.model_copy(update={"frame": None})


def _gathered(
    loaded: Loaded,
    index: Callable[[RunSpec], str],
    named: Callable[[ScoringKey], ScoringKey] = lambda key: key,
) -> Line:
    """Return the loaded models' finished runs that have an index on the axis.

    ``named``: the key by which runs belong to one line.
    """
    options = loaded.options
    names: dict[str, str] = {}
    for name, item in loaded.runs.items():
        key = named(item.run.scoring)
        line = name if key == item.run.scoring else key.label
        others = [other for other in names if other != key.hash and names[other] == line]
        names[key.hash] = f"{line} · {key.hash[:6]}" if others else line  # other weights under its name
    placed: dict[str, list[RunSpec]] = {}
    for info in open_store().runs():
        line = names.get(named(info.run.scoring).hash, "")
        if info.complete and line and index(info.run):
            placed.setdefault(line, []).append(info.run)
    opened_runs: dict[tuple[str, str], Report] = {}
    refused: list[str] = []
    runs_at = {
        (name, where): run for name, runs in placed.items() for where, run in told_apart(runs, index).items()
    }
    for (name, where), run in runs_at.items():
        opened = results().open(run, options)
        if isinstance(opened, Report):
            opened_runs[name, where] = opened
        elif isinstance(opened, Waiting):
            refused.append(f"{name} on {where} is large: open it once from the sidebar to see it here.")
        else:
            refused.append(f"{name} on {where}: {opened.reason}")
    order = sorted({where for _, where in opened_runs})
    keys = [(name, where) for name in names.values() for where in order if (name, where) in opened_runs]
    return reliable(
        Line(
            tuple(_point_of(name, where, opened_runs[name, where].report, loaded) for name, where in keys),
            tuple(opened_runs[key] for key in keys),
            tuple(refused),
        )
    )


def _point_of(line: str, index: str | float, report: RiskReport, loaded: Loaded) -> AxisPoint:
    """Make a run's point, with the intervals chosen in the sidebar."""
    intervals = {name: report.interval(name, loaded.over) for name in RISKS}
    return AxisPoint(
        line=line,
        place=index,
        values={name: getattr(report, name) for name in RISKS},
        intervals={name: interval for name, interval in intervals.items() if interval is not None},
    )


def reliable(line: Line) -> Line:
    """Return the points with a reliable answer, and name the others."""
    pairs = list(zip(line.points, line.runs, strict=True))
    shown = [(point, item) for point, item in pairs if not item.report.says_little]
    left_out = [item.run for _, item in pairs if item.report.says_little]
    little = tuple(
        f"{run.scoring.label}, {run.topic.title}, {run.templates.title}: no reliable answer, because the "
        "model almost never used these words."
        for run in left_out
    )
    return replace(
        line,
        points=tuple(point for point, _ in shown),
        runs=tuple(item for _, item in shown),
        left_out=(*line.left_out, *little),
    )


LINES: dict[Axis, Callable[[Loaded], Line]] = {
    "models": _of_models,
    "size": _of_sizes,
    "base and aligned": _of_pairs,
    "text source": of_sources,
    "topic": _of_topics,
    "instruction": _of_frames,
}
