"""A run in the format of Every Eval Ever: what its public schema requires, and the figures of the audit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.report.documents import RISKS
from pcf_core.store.files import sha256
from pcf_core.store.store import Store
from tests.command_line import run_here

# What version 0.2.1 requires and how it nests, as far as these files use it.
NUMBER, TEXT = {"type": "number"}, {"type": "string"}
EVALUATION = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        *("schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata"),
        *("model_info", "eval_library", "evaluation_results"),
    ],
    "properties": {
        **dict.fromkeys(("schema_version", "evaluation_id", "evaluation_timestamp"), TEXT),
        "retrieved_timestamp": TEXT,
        "source_metadata": {
            "required": ["source_type", "source_organization_name", "evaluator_relationship"],
            "properties": {"source_type": {"enum": ["documentation", "evaluation_run"]}},
        },
        "model_info": {"required": ["name", "id"]},
        "eval_library": {"required": ["name", "version"]},
        "evaluation_results": {
            "type": "array",
            "items": {
                "required": ["evaluation_name", "source_data", "metric_config", "score_details"],
                "properties": {
                    "source_data": {"required": ["dataset_name", "source_type"]},
                    "metric_config": {
                        "required": ["lower_is_better", "min_score", "max_score"],
                        "properties": {"min_score": NUMBER, "max_score": NUMBER},
                    },
                    "score_details": {"required": ["score"], "properties": {"score": NUMBER}},
                },
            },
        },
        "detailed_evaluation_results": {"properties": {"format": {"enum": ["jsonl", "json"]}}},
    },
}
ROW = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        *("schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id"),
        *("interaction_type", "input", "output", "answer_attribution", "evaluation"),
    ],
    "properties": {
        **dict.fromkeys(
            ("schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id"), TEXT
        ),
        "interaction_type": {"const": "single_turn"},
        "input": {"required": ["raw", "reference"]},
        "output": {"required": ["raw"]},
        "answer_attribution": {"type": "array"},
        "evaluation": {"properties": {"score": NUMBER, "is_correct": {"type": "boolean"}}},
        "metadata": {"additionalProperties": TEXT},
    },
}


@pytest.fixture
def schemas(tmp_path: Path) -> Path:
    folder = tmp_path / "schemas"
    folder.mkdir()
    (folder / "eval.schema.json").write_text(json.dumps(EVALUATION))
    (folder / "instance_level_eval.schema.json").write_text(json.dumps(ROW))
    return folder


def test_a_run_has_its_figures_ranges_and_rows(full_store: Store, tmp_path: Path, schemas: Path) -> None:
    run = full_store.runs()[0].run
    out = tmp_path / "run.json"
    done = run_here(
        *("export", run.key, "--format", "every-eval", "--out", str(out)),
        *("--schema", str(schemas), "--by", "Ann Lee", "--relationship", "first_party"),
    )
    assert done.returncode == 0, done.stderr
    record: dict[str, Any] = json.loads(out.read_bytes())
    expected = report(load_result(full_store, run), run, ViewOptions())
    for quantity, result in zip(RISKS, record["evaluation_results"], strict=True):
        interval = expected.interval(quantity)
        assert interval is not None
        details = result["score_details"]
        assert details["score"] == getattr(expected, quantity)
        ends = details["uncertainty"]["confidence_interval"]
        assert (ends["lower"], ends["upper"]) == (interval.low, interval.high)
        assert result["metric_config"]["lower_is_better"]
    assert record["source_metadata"]["source_organization_name"] == "Ann Lee"
    lines = out.with_suffix(".jsonl").read_bytes()
    detailed = record["detailed_evaluation_results"]
    assert detailed["checksum"] == sha256(lines)
    rows = [json.loads(line) for line in lines.splitlines()]
    assert detailed["total_rows"] == len(rows) == len(expected.occupations) * len(expected.templates)
    weight = dict(zip(expected.templates, expected.template_weights, strict=True))
    share = {row.occupation: row.weight for row in expected.occupations}
    mean = 0.0
    for row in rows:
        occupation, template = row["sample_id"].split(" | ", 1)
        mean += share[occupation] * weight[template] * row["evaluation"]["score"]
    assert mean == pytest.approx(expected.overall_risk)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--relationship", "friend"), "first_party, third_party, collaborative, other; got 'friend'"),
        (("--sections", "all"), "writes one run, and no sections"),
        (("--schema", "nowhere"), "cannot be read as a JSON schema"),
        (("--licence", "CC0"), "are for --format pack"),
    ],
)
def test_what_cannot_be_written_is_one_sentence(
    full_store: Store, tmp_path: Path, options: tuple[str, str], said: str
) -> None:
    key, out = full_store.runs()[0].run.key, tmp_path / "run.json"
    done = run_here("export", key, "--format", "every-eval", "--out", str(out), *options)
    assert done.returncode == 2
    assert said in done.stderr
    assert not out.exists()


def test_a_schema_that_refuses_the_record_names_the_place(full_store: Store, tmp_path: Path) -> None:
    key, out, schema = full_store.runs()[0].run.key, tmp_path / "run.json", tmp_path / "strict.json"
    schema.write_text(json.dumps({"properties": {"model_info": {"properties": {"name": {"const": "x"}}}}}))
    done = run_here("export", key, "--format", "every-eval", "--out", str(out), "--schema", str(schema))
    assert done.returncode == 2
    assert "strict.json refuses model_info/name" in done.stderr
    assert not out.exists()
