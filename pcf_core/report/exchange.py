"""A run in the public format of Every Eval Ever: a record of its risks, and a row for each test sentence.

The format (https://github.com/evaleval/every_eval_ever, version 0.2.1) has one file for each evaluation of a
model, with uncertainty, and JSON lines for its samples.  It is validated against the public schema that a
person gives.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pcf_core.audit.options import ViewOptions, in_words
from pcf_core.audit.results import Report
from pcf_core.audit.writing import Matrix
from pcf_core.core.errors import InputError
from pcf_core.core.risk import Over
from pcf_core.report.documents import RISKS, json_bytes
from pcf_core.report.files import check_target, write_whole
from pcf_core.report.provenance import list_hashes, writing_versions
from pcf_core.show.findings.models import drawn_again
from pcf_core.store.files import sha256
from pcf_core.store.results import RunInfo

SCHEMA = "0.2.1"
LIBRARY = "pcf_core"
RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
MEANING = {
    "overall_risk": "Discrimination risk R: mean of J(s) over sentences and occupations; 0 is even",
    "prejudice_risk": "Prejudice, J of the mean stereotype: the part of R that is a fixed preference",
    "caprice_risk": "Caprice, R less prejudice: the part of R that depends on the sentence",
}


def write_every_eval(
    item: Report,
    options: ViewOptions,
    over: Over,
    info: RunInfo,
    out: Path,
    *,
    by: str,
    relationship: str,
    schema: Path | None = None,
) -> list[Path]:
    """Write the record of a run to ``out`` and its rows beside it (``.jsonl``); return both files.

    ``over``: what the intervals resample.  ``by``: who evaluated.  ``schema``: of the record, or a folder
    with the public ``eval.schema.json`` and ``instance_level_eval.schema.json``.

    Raises
    ------
    InputError
        The relationship is unknown, the figures are no reliable answer, or a schema refuses the files.
    """
    check_target(out)
    if relationship not in RELATIONSHIPS:
        raise InputError(
            f"--relationship is {', '.join(RELATIONSHIPS)}; got {relationship[:40]!r}: choose one of these."
        )
    if item.report.says_little:
        raise InputError(
            "This run has no reliable answer, because the model almost never uses the topic's words: use "
            "other sentences for this topic."
        )
    matrix = item.reading(options).matrix
    rows = list(_rows(item, matrix, info))
    lines = "".join(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n" for row in rows).encode()
    beside = out.with_suffix(".jsonl")
    highest = float(matrix.criterion.largest(len(matrix.occupations), len(matrix.groups)).max())
    record = _record(item, options, over, info, by, relationship, highest) | {
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": beside.name,
            "hash_algorithm": "sha256",
            "checksum": sha256(lines),
            "total_rows": len(rows),
        }
    }
    if schema is not None:
        _validate(schema, record, rows)
    data = json_bytes(record) + b"\n"
    write_whole(beside, lambda path: path.write_bytes(lines))
    write_whole(out, lambda path: path.write_bytes(data))
    return [out, beside]


def _record(
    item: Report,
    options: ViewOptions,
    over: Over,
    info: RunInfo,
    by: str,
    relationship: str,
    highest: float,
) -> dict[str, Any]:
    run, report = item.run, item.report
    return {
        "schema_version": SCHEMA,
        "evaluation_id": _identity(info),
        "evaluation_timestamp": _seconds(info),
        "retrieved_timestamp": _seconds(info),
        "source_metadata": {
            "source_name": "PCF Audit",
            "source_type": "evaluation_run",
            "source_organization_name": by or "not stated",
            "evaluator_relationship": relationship,
        },
        "eval_library": {"name": LIBRARY, "version": writing_versions()[LIBRARY]},
        "model_info": {
            "name": run.scoring.label,
            "id": run.scoring.model,
            "additional_details": {"identity": run.scoring.identity, "dtype": run.scoring.dtype},
        },
        "evaluation_results": [
            {
                "evaluation_name": f"{run.topic.name}: {label}",
                "evaluation_timestamp": _seconds(info),
                "source_data": {
                    "dataset_name": f"{run.topic.name} in {run.templates.name}",
                    "source_type": "other",
                    "additional_details": list_hashes(run),
                },
                "metric_config": {
                    "evaluation_description": f"{MEANING[quantity]}. Measured from "
                    f"{in_words(options, 'reference')}, on the scale {options.scale}.",
                    "lower_is_better": True,
                    "score_type": "continuous",
                    "min_score": 0,
                    "max_score": highest,
                },
                "score_details": {
                    "score": getattr(report, quantity),
                    "details": {"quantity": quantity, "run": run.key},
                    "uncertainty": _uncertainty(item, quantity, over),
                },
            }
            for quantity, label in RISKS.items()
        ],
    }


def _uncertainty(item: Report, quantity: str, over: Over) -> dict[str, Any]:
    interval = item.report.interval(quantity, over)
    known: dict[str, Any] = {"num_samples": len(item.report.templates)}
    if interval is not None:
        known["confidence_interval"] = {
            "lower": interval.low,
            "upper": interval.high,
            "confidence_level": interval.level,
            "method": f"bootstrap over {drawn_again(interval)}",
        }
    return known


def _rows(item: Report, matrix: Matrix, info: RunInfo) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each test sentence; its score is J(s)."""
    scores = matrix.criterion.J(matrix.values)
    for row, column in np.ndindex(scores.shape):
        occupation, template = matrix.occupations[row], matrix.templates[column]
        shares = dict(zip(matrix.groups, matrix.values[row, column].tolist(), strict=True))
        yield {
            "schema_version": SCHEMA,
            "evaluation_id": _identity(info),
            "model_id": item.run.scoring.model,
            "evaluation_name": f"{item.run.topic.name}: {RISKS['overall_risk']}",
            "sample_id": f"{occupation} | {template}",
            "interaction_type": "single_turn",
            "input": {
                "raw": template.replace("[X]", occupation),
                "reference": [],
                "choices": list(matrix.groups),
            },
            "output": {"raw": [f"{group}: {share!r}" for group, share in shares.items()]},
            "answer_attribution": [],
            "evaluation": {"score": float(scores[row, column]), "is_correct": bool(scores[row, column] == 0)},
            "metadata": {"is_correct": "whether the preferences are even; there is no right answer"},
        }


def _identity(info: RunInfo) -> str:
    return f"pcf-audit/{info.run.scoring.model}/{info.run.key}/{_seconds(info)}"


def _seconds(info: RunInfo) -> str:
    return str(int(info.created.timestamp()))


def _validate(schema: Path, record: object, rows: list[Any]) -> None:
    """Hold the record, and in a folder of both schemas the rows too, against the public schema."""
    import jsonschema

    files = {schema: [record]}
    if schema.is_dir():
        files = {schema / "eval.schema.json": [record], schema / "instance_level_eval.schema.json": rows}
    for path, values in files.items():
        try:
            validator = jsonschema.Draft7Validator(json.loads(path.read_bytes()))
            problem = next((error for value in values for error in validator.iter_errors(value)), None)
        except (OSError, ValueError, jsonschema.SchemaError) as error:
            raise InputError(
                f"{path.name} cannot be read as a JSON schema: give the public eval.schema.json, or a folder "
                "with it and instance_level_eval.schema.json."
            ) from error
        if problem is not None:
            where = "/".join(map(str, problem.absolute_path)) or "the record"
            raise InputError(
                f"{path.name} refuses {where}: {problem.message[:200]}. Nothing was written; give the "
                f"schema of version {SCHEMA}."
            )
