"""``import`` of logs of Inspect: what they say, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pcf_core.core.settings import Settings
from tests.command_line import SCHEMAS, run_here
from tests.texts.inspected.small_logs import CRITERIA, FAIRPAIR, PROFESSIONS, PROMPTS


def answer_of(*arguments: str) -> Any:
    done = run_here("import", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert "came in a log of Inspect" in done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMAS["import_log"])
    return document


@pytest.mark.parametrize(
    ("log", "material", "texts", "schema", "further"),
    [
        (FAIRPAIR, PROMPTS, 16, "fairpair", {"written": 0}),
        (CRITERIA, PROFESSIONS, 9, "criteria", {"reason": "", "made": 0, "embedding_of_all": None}),
    ],
    ids=["fairpair", "criteria"],
)
def test_a_log_is_imported_and_read_as_its_audit_is(
    own_settings: Settings, log: Path, material: Path, texts: int, schema: str, further: dict[str, Any]
) -> None:
    found = answer_of(str(log), "--material", str(material))
    assert (found["texts"], found["new_texts"]) == (texts, texts)
    assert found["log"]["model"] == "mockllm/model"
    assert found["model"] == f"inspect:mockllm/model@{found['log']['created'][:10]}"
    assert found["report"]["model"] == found["model"]
    jsonschema.validate(found["report"] | further, SCHEMAS[schema])
    again = answer_of(str(log), "--material", str(material))
    assert again == found | {"new_texts": 0}
    (line,) = json.loads(run_here("journal", "--json").stdout)["entries"][:1]
    assert (line["did"], line["what"]) == ("imported", "texts")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([str(FAIRPAIR)], "--material"),
        ([str(PROMPTS)], "no pack"),
        (["pyproject.toml"], "no pack"),
        (["assets/presets.toml", "--material", str(PROMPTS)], "leave --material out"),
    ],
)
def test_bad_input_is_one_sentence(own_settings: Settings, arguments: list[str], said: str) -> None:
    done = run_here("import", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
