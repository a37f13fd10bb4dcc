"""A report as files: an HTML page, JSON that can be verified, an archive of tables, a model card.

The page opens without a network and prints.  Its Content-Security-Policy allows only its own scripts and
style by hash, so that text of a model, topic or template can neither run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import jinja2
import pandas as pd
import plotly.offline
import yaml
from markupsafe import Markup, escape
from pydantic import ValidationError

from pcf_core.core.errors import InputError
from pcf_core.core.families import facts_of
from pcf_core.core.records import LeftOut, first_problem
from pcf_core.core.risk import Interval, Over
from pcf_core.core.settings import settings
from pcf_core.report.documents import RISKS, json_bytes
from pcf_core.report.files import csv_text, plain, zip_entry
from pcf_core.report.panels import cell_text
from pcf_core.report.provenance import reading_of
from pcf_core.report.records import FORMAT, VERSION, Cell, ReportDocument, ReportTable, RiskNumber, RunFacts
from pcf_core.report.reproducing import export_command
from pcf_core.show.answer import AGAINST, ELSEWHERE, SURE
from pcf_core.show.findings.models import drawn_again, interval_sentence, unseen_words
from pcf_core.show.findings.numbers import NO_FIGURE, called, two_decimals, with_interval
from pcf_core.show.names import with_titles

FOLDER = "report"  # of the assets
FILE = "report.json"  # in the commands of the appendix
EMPHASIS = re.compile(r"(?<![\w*])\*(\*?)(\S[^*]*?)\*\1(?!\w)")
LARGEST_REPORT = 256 * 1024 * 1024  # bytes of a JSON file that is read
LARGEST_INTEGER = 2**63  # larger integers are written as texts
TEXT_AUDITS = ("fairpair", "criteria")  # sections
FACTS = ("what", "value")  # columns of a table of facts, with exact names
LEAST = 0.0005  # what three decimals can show
MOST_NAMED = 10  # items left out of a run; the report names all


def html_bytes(document: ReportDocument, signed: Mapping[str, str] | None = None) -> bytes:
    """Write the HTML file, the same bytes for the same document.

    ``signed``: lines of a sign-off by label, which become the first page.
    """
    folder = settings().assets / FOLDER
    plotly_script, script = plotly.offline.get_plotlyjs(), _read(folder / "report.js")
    style = _read(folder / "plotly.css") + _read(folder / "report.css")
    page = _environment().from_string(_read(folder / "report.html.j2"))
    text = page.render(
        document=document,
        signed=signed or {},
        hash=document.request.hash,
        checking=[export_command(document.request, "json", FILE), f"python -m pcf_core verify {FILE}"],
        policy=_policy([plotly_script, script], style),
        style=style,
        plotly=plotly_script,
        script=script,
    )
    return text.encode()


def _policy(scripts: list[str], style: str) -> str:
    """Return the Content-Security-Policy that allows only these scripts and this style."""
    allowed = " ".join(_source_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_source_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _source_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _environment() -> jinja2.Environment:
    """Return a Jinja environment that escapes all values."""
    made = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    made.filters |= {
        "called": called,
        "emphasised": emphasised,
        "in_column": _in_column,
        "is_number": _is_number,
        "labelled": _labelled,
        "paragraphs": _paragraphs,
        "script_json": script_json,
        "titled": with_titles,
        "unbroken": _unbroken,
    }
    return made


@cache
def _read(path: Path) -> str:
    """Read a shipped file with line ends as in a browser, so that hashes match."""
    return path.read_text(encoding="utf8")


def emphasised(text: str) -> Markup:
    """Mark up the app's own prose: ``**strong**`` and ``*emphasis*``; escape the rest."""
    return Markup(
        EMPHASIS.sub(
            lambda match: f"<strong>{match[2]}</strong>" if match[1] else f"<em>{match[2]}</em>",
            str(escape(_unbroken(text))),
        )
    )


def _labelled(sentence: str) -> Markup:
    """Mark up the label of a line of the answer block; escape the rest."""
    label, separator, line = sentence.partition(": ")
    if label not in (AGAINST, SURE, ELSEWHERE):
        return escape(sentence)
    return Markup("<strong>{}{}</strong>{}").format(label, separator, line)


def _paragraphs(text: str) -> list[str]:
    return [" ".join(block.split()) for block in text.strip().split("\n\n")]


def _unbroken(text: str) -> str:
    """Prevent line breaks before a per cent sign."""
    return text.replace(" %", "\u00a0%")


def script_json(value: Mapping[str, Any]) -> Markup:
    """Write JSON for a script element, without characters that could end it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _in_column(value: Cell, table: ReportTable, column: int) -> str:
    """Write a cell: three decimals in columns of numbers below 10, else three significant digits."""
    if isinstance(value, str):
        name = called(value) if table.columns[column] == "occupation" else value
        return name if table.columns == FACTS else with_titles(name)
    numbers = [cell for row in table.rows if isinstance(cell := row[column], float)]
    if isinstance(value, float) and all(one == 0 or LEAST <= abs(one) < 10 for one in numbers):
        return f"{value:z.3f}".replace("-", "−")
    return cell_text(value)


def _is_number(table: ReportTable, column: int) -> bool:
    values = [row[column] for row in table.rows if row[column] is not None]
    return bool(values) and all(isinstance(value, int | float) for value in values)


# JSON, and tables.


def report_bytes(document: ReportDocument) -> bytes:
    """Write a report as JSON (schema in docs/report.schema.json), the same bytes for the same document."""
    return json_bytes(document.model_dump(mode="json")) + b"\n"


def read_report(data: bytes) -> ReportDocument:
    """Read a report that :func:`report_bytes` wrote; raise InputError for anything else."""
    if len(data) > LARGEST_REPORT:
        raise InputError(
            f"A report has at most {LARGEST_REPORT // 2**20} MiB, and this file has more: it is no report."
        )
    try:
        value = json.loads(data, object_pairs_hook=_each_once)
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise InputError(
                "This file is not a report of PCF Audit as JSON: give one that `export … --sections all "
                "--format json` or the page Report has written."
            )
        if value.get("version") != VERSION:
            raise InputError(
                f"This report has the version {str(value.get('version'))[:20]!r}, and {VERSION} is the one "
                "that is known here: write it again with this version of PCF Audit."
            )
        return ReportDocument.model_validate_json(data, strict=True)
    except (ValueError, RecursionError) as error:
        if isinstance(error, ValidationError):
            problem = first_problem(error)  # without what came, which may be anybody's text
            what = f"{problem.where.replace('.', '/')[:100] or 'the document'}: {problem.said}"
        else:
            what = str(error) if isinstance(error, _NamedTwice) else "it is not JSON"
        raise InputError(f"This file is not a report that can be read: {what}.") from error


class _NamedTwice(ValueError):
    """A JSON object has a name twice, which readers resolve differently."""


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        name = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise _NamedTwice(f"it has the name {name[:40]!r} twice in one object")
    return unique


def tables_archive(document: ReportDocument, form: Literal["csv", "parquet"]) -> bytes:
    """Put every table into one ZIP, a file each, with a list of contents; always the same bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        lines = [f"{document.title}\n"]
        for section, table in document.tables:
            name = f"{table.name}.{form}"
            data = csv_bytes(table) if form == "csv" else parquet_bytes(table)
            archive.writestr(zip_entry(name, zipfile.ZIP_DEFLATED), data)
            lines.append(f"{name}: {section}, {table.title}")
        archive.writestr(zip_entry("CONTENTS.txt", zipfile.ZIP_DEFLATED), "\n".join([*lines, ""]).encode())
    return target.getvalue()


def _frame_of(table: ReportTable) -> pd.DataFrame:
    """Return a table with the types it was computed in, also if values are missing."""
    columns = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    frame = pd.DataFrame({index: _series_of(values) for index, values in enumerate(columns)})
    return frame.set_axis(list(table.columns), axis=1)


def _series_of(values: Sequence[Cell]) -> pd.Series[Any]:
    """Return a column of one type: booleans, integers, floats, else texts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean")
    if kinds == {int} and all(value is None or abs(int(value)) < LARGEST_INTEGER for value in values):
        return pd.Series(values, dtype="Int64")
    if kinds and kinds <= {int, float}:
        return pd.Series([math.nan if value is None else float(value) for value in values])
    return pd.Series([None if value is None else str(value) for value in values], dtype="object")


def csv_bytes(table: ReportTable) -> bytes:
    """Write CSV without formulas."""
    return csv_text(_frame_of(table)).encode()


def parquet_bytes(table: ReportTable) -> bytes:
    """Write Parquet, each column of one type."""
    target = io.BytesIO()
    _frame_of(table).to_parquet(target, index=False)
    return target.getvalue()


def model_card(document: ReportDocument) -> str:
    """Write a snippet for a model's README on the hub: metadata (``model-index``), then Markdown.

    Every reliable run has R, prejudice and caprice, with intervals in the metric's name, as the hub has no
    field for them.  Text audits are only in the Markdown.
    """
    index = [
        {"name": model, "results": [_result_of(run, document.request.over) for run in runs]}
        for model, runs in _by_model(document).items()
    ]
    if not index:
        return _markdown_of(document)
    metadata = yaml.safe_dump({"model-index": index}, allow_unicode=True, sort_keys=False, width=110)
    return f"---\n{metadata}---\n\n{_markdown_of(document)}"


def _result_of(run: RunFacts, over: Over) -> dict[str, Any]:
    """Return a run as a result of the hub; another reading of the same scores is another entry."""
    kind, name = facts_of(run.scoring["family"]).task
    topic = next((name.partition(" ")[2] for name in run.hashes if name.startswith("topic ")), "")
    return {
        "task": {"type": kind, "name": name},
        "dataset": {
            "type": f"pcf-audit-{topic}",
            "name": run.measured,
            "config": _read_text(run),
            "revision": run.run,
            "args": dict(run.options),
        },
        "metrics": [
            {
                "type": f"pcf_{quantity}",
                "value": run.risks[quantity].value,
                "name": f"{label}{_interval_text(run.risks[quantity], _intervals_of(run, quantity, over))}",
            }
            for quantity, label in RISKS.items()
        ],
    }


def _intervals_of(run: RunFacts, quantity: str, over: Over) -> tuple[Interval, ...]:
    """Return the intervals of a card: all over ``over``, else the first known one."""
    several = run.risks[quantity].intervals
    return tuple(one for one in several if one.over == over) or several[:1]


def _read_text(run: RunFacts) -> str:
    return "; ".join(f"{name}: {value}" for name, value in reading_of(run.facts).items())


def _interval_text(number: RiskNumber, intervals: Sequence[Interval]) -> str:
    """Write intervals for a metric's name, with the resampled units."""
    if number.unseen is not None:
        return f" ({unseen_words(number.unseen)})"
    if not intervals:
        return ""
    parts = [f"over {drawn_again(one)}: {one.low:.2f} to {one.high:.2f}" for one in intervals]
    plural = "s" if len(parts) > 1 else ""
    return f" ({100 * intervals[0].level:.0f} % interval{plural} {'; '.join(parts)})"


def _markdown_of(document: ReportDocument) -> str:
    lines = ["## Discrimination audit", "", *(f"{plain(sentence)}\n" for sentence in document.headline)]
    lines += _table_lines(document) if document.runs else []
    lines += _text_lines(document)
    lines += _listed_lines(_known_lines(document))
    limits = next((section for section in document.sections if section.name == "limits"), None)
    lines += _listed_lines([sentence for part in limits.parts for sentence in part.prose] if limits else [])
    lines += [f"{document.made}.", ""] if document.made else []
    lines += [f"Measured with PCF Audit {plain(document.versions['pcf_core'])}; made again by:", "", "```"]
    lines += [command for facts in (*document.runs, *document.texts) for command in facts.commands]
    return "\n".join([*lines, "```", ""])


def _table_lines(document: ReportDocument) -> list[str]:
    drawn_head = "drawn again for the intervals"
    heads = ["model", "measured", "read with", "R", "prejudice", "caprice", drawn_head, "run"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for run in document.runs:
        names = [plain(run.label), plain(run.measured), plain(_read_text(run))]
        if not run.reliable:
            none = [NO_FIGURE] * len(RISKS)
            lines.append(f"| {' | '.join([*names, *none, 'no reliable answer', f'`{run.run}`'])} |")
            continue
        several = {quantity: _intervals_of(run, quantity, document.request.over) for quantity in RISKS}
        for index in range(max(1, *map(len, several.values()))):
            row_of = {name: intervals[index] if intervals else None for name, intervals in several.items()}
            drawn = row_of["overall_risk"]
            cells = [plain(_with_bounds(run.risks[name], one)) for name, one in row_of.items()]
            unit = drawn_again(drawn) if drawn else "no interval"
            lines.append(f"| {' | '.join([*names, *cells, unit, f'`{run.run}`'])} |")
    return [*lines, "", *(f"{plain(note)}\n" for note in _interval_notes_of(document))]


def _with_bounds(number: RiskNumber, interval: Interval | None) -> str:
    """Write a risk with its interval, or a caprice of 0 with what may be unseen."""
    if number.unseen is not None:
        return f"{two_decimals(number.value)} ({unseen_words(number.unseen)})"
    return with_interval(number.value, interval)


def _text_lines(document: ReportDocument) -> list[str]:
    lines = []
    for section in document.sections:
        if section.name in TEXT_AUDITS:
            sentences = [line for part in section.parts for line in (*part.findings, *part.notes)]
            lines += [f"### {plain(section.title)}", "", *_listed_lines(list(map(plain, sentences)))]
    audits = [f"{plain(facts.label)}: `{facts.run}`" for facts in document.texts]
    return [*lines, *_listed_lines(audits)]


def _known_lines(document: ReportDocument) -> list[str]:
    """Write warnings, caveats, and what was left out of each run."""
    several = {section.name: section.parts for section in document.sections}
    notes = [note for name in ("sure", "limits") for part in several.get(name, ()) for note in part.notes]
    notes += [
        f"{run.label}: {warning}"
        for run in document.runs
        for warning in run.warnings
        if not any(warning in note for note in notes)
    ]
    beside_table = set(_interval_notes_of(document)) if document.runs else set()
    for facts in (*document.runs, *document.texts):
        if facts.left_out:
            notes.append(f"{facts.label} left out {_left_out_text(facts.left_out)}")
    return [plain(note) for note in dict.fromkeys(notes) if note not in beside_table]


def _left_out_text(several: Sequence[LeftOut]) -> str:
    by_reason: dict[str, list[str]] = {}
    for item in several[:MOST_NAMED]:
        by_reason.setdefault(item.reason, []).append(item.name)
    more = len(several) - MOST_NAMED
    parts = [f"{', '.join(names)} ({reason})" for reason, names in by_reason.items()]
    return "; ".join(parts) + (f"; and {more:,} more" if more > 0 else "")


def _listed_lines(sentences: Sequence[str]) -> list[str]:
    return [*(f"- {sentence}" for sentence in sentences), ""] if sentences else []


def _interval_notes_of(document: ReportDocument) -> list[str]:
    shown_ones = (
        _intervals_of(run, "overall_risk", document.request.over) for run in document.runs if run.reliable
    )
    return list(dict.fromkeys(interval_sentence(interval) for several in shown_ones for interval in several))


def _by_model(document: ReportDocument) -> Mapping[str, list[RunFacts]]:
    models: dict[str, list[RunFacts]] = {}
    for run in document.runs:
        if run.reliable:
            models.setdefault(run.scoring["model"], []).append(run)
    return models
