"""Results of other tools: named in one sentence wherever a file can be given, and nothing else is."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from pcf_core.cli.packs import pack_data
from pcf_core.core.errors import AuditError, InputError
from pcf_core.core.settings import Settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.safety.other_tools import FORMATS, refuse_results
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import OWN, load_topic
from pcf_core.report.packs import read_pack
from pcf_core.texts.benchmarks.material import load_material
from pcf_core.texts.criteria.questions import load_questions
from pcf_core.texts.inspected.log import read_log
from tests.command_line import run_here
from tests.material.other_results import RESULTS, damaged, without

Read = Callable[[Path], object]
DOORS: dict[str, Read] = {
    "topic": load_topic,
    "upload": lambda path: OWN.read_upload([(path.name, path.read_bytes())]),
    "templates": load_templates,
    "evidence": load_evidence,
    "questions": load_questions,
    "crows-pairs": lambda path: load_material("crows-pairs", [path]),
    "stereoset": lambda path: load_material("stereoset", [path]),
    "winobias": lambda path: load_material("winobias", [path]),
    "pack": lambda path: read_pack(pack_data(path)),
    "log": lambda path: read_log(pack_data(path)),
}


@pytest.fixture(params=RESULTS)
def result(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / str(request.param)
    path.write_text(RESULTS[path.name][0])
    return path


@pytest.mark.parametrize("door", DOORS)
def test_a_result_is_named_wherever_a_file_can_be_given(result: Path, door: str) -> None:
    with pytest.raises(InputError) as refused:
        DOORS[door](result)
    sentence = str(refused.value)
    assert f" is {RESULTS[result.name][1]}: it holds " in sentence
    assert "no probabilities of words, so there is nothing to import; " in sentence
    assert ". " not in sentence
    assert sentence.startswith("This file" if door in ("pack", "log") else result.name)


@pytest.mark.parametrize(
    "command",
    [
        ("import",),
        ("score", "--model", "mini-gpt", "--topic"),
        ("score", "--model", "mini-gpt", "--topic", "gender", "--templates"),
        ("score", "--model", "mini-gpt", "--topic", "gender", "--evidence"),
        ("benchmark", "stereoset", "--model", "mini-gpt", "--file"),
        ("risk", "--matrix"),
    ],
)
def test_the_command_line_says_the_sentence(
    own_settings: Settings, result: Path, command: tuple[str, ...]
) -> None:
    done = run_here(*command, str(result))
    assert (done.returncode, done.stdout) == (2, "")
    assert RESULTS[result.name][1] in done.stderr


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_encoding_does_not_matter(result: Path, encoding: str) -> None:
    with pytest.raises(InputError, match=RESULTS[result.name][1]):
        refuse_results(result.read_text().encode(encoding), "x", InputError)


def test_a_file_without_one_of_the_keys_is_not_named() -> None:
    for name, keys in {
        "results.json": ("results", "versions", "config"),
        "samples_bread.json": ("doc_id", "doc", "resps", "filtered_resps"),
        "stats.json": ("name", "count", "sum", "sum_squared"),
        "per_instance_stats.json": ("instance_id", "train_trial_index", "stats"),
        "scenario_state.json": ("adapter_spec", "request_states"),
    }.items():
        for key in keys:
            refuse_results(without(key, RESULTS[name][0]).encode(), name, InputError)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "{",
        "[[groups]]\nname = 'doc_id'",
        '{"groups": {"women": ["she"], "men": ["he"]}}',
        json.dumps({"notes": '"results" "versions" "config" "model_args"', "a": "he"}),
        json.dumps({"results": 1, "versions": 2, "config": "model_args"}),
        '["doc_id", "doc", "resps", "filtered_resps"]',
        '{"adapter_spec": 1, "request_states": ' + "[" * 100_000,
    ],
)
def test_other_files_are_left_to_their_readers(text: str) -> None:
    refuse_results(text.encode(), "x", InputError)


def test_every_format_has_an_example() -> None:
    for each in FORMATS:
        assert each.what in {what for _, what in RESULTS.values()}


@pytest.mark.slow
def test_damaged_results_are_named_or_refused_in_a_sentence(
    result: Path, refusal: Callable[[AuditError], str]
) -> None:
    """Two hundred damages of each file: if its first object is whole, it is still named."""
    whole, kind = result.read_bytes(), RESULTS[result.name][1]
    draw = random.Random(result.name)
    for _ in range(200):
        data = damaged(whole, draw)
        result.write_bytes(data)
        named = set()
        for door in ("topic", "crows-pairs", "stereoset", "pack", "log"):
            with pytest.raises(InputError) as refused:
                DOORS[door](result)
            named.add(kind in refusal(refused.value))
        assert len(named) == 1, data
