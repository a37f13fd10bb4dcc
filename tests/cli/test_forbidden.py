"""A real model that forbids one word, in all commands: no NaN, a reason, and a report that holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import torch
from transformers import GPTJConfig, GPTJForCausalLM

from pcf_core.core.settings import Settings, settings
from pcf_core.store.store import Store
from tests.command_line import SCHEMAS, run_here
from tests.conftest import chance, fill
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer
from tests.pages.opened import score_with, usual_run

TOPIC = """
name = "tiny"
title = "Tiny"
aligned = true
source = "test"
groups = [{name = "male", words = ["he", "man"]}, {name = "female", words = ["she", "woman"]}]
"""
SIZES = {"n_positions": 128, "n_embd": 16, "n_layer": 1, "n_head": 2, "rotary_dim": 8}


def write_model(folder: Path, forbidden: str = "") -> None:
    """Logits of −∞ for the first token of a word, whatever the text."""
    own = gpt2_tokenizer()
    torch.manual_seed(7)
    config = GPTJConfig(vocab_size=len(own), initializer_range=0.4, bos_token_id=0, eos_token_id=0, **SIZES)
    model = GPTJForCausalLM(config)
    if forbidden:
        with torch.no_grad():
            model.lm_head.bias[own(forbidden, add_special_tokens=False)["input_ids"][0]] = -torch.inf
    model.save_pretrained(folder)
    own.save_pretrained(folder)


@pytest.fixture
def asked(own_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options for a topic, four occupations and two templates; models ``open`` and ``closed``."""
    write_model(tmp_path / "models" / "open")
    write_model(tmp_path / "models" / "closed", " she")
    monkeypatch.setenv("PCF_MODELS", str(tmp_path / "models"))
    settings.cache_clear()
    (tmp_path / "tiny.toml").write_text(TOPIC)
    (tmp_path / "jobs.csv").write_text("term\nnurse\ndoctor\ncaptain\nengineer\n")
    (tmp_path / "texts.csv").write_text("template,count\nThe [X] said that [Y],5\nThe [X] met [Y],3\n")
    files = {"topic": "tiny.toml", "evidence": "jobs.csv", "templates": "texts.csv"}
    return [part for name, file in files.items() for part in (f"--{name}", str(tmp_path / file))]


def document(text: str) -> Any:
    """Read JSON as the standard has it, without NaN and Infinity."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))


def answer(schema: str, *arguments: str) -> Any:
    done = run_here(*arguments)
    assert done.returncode == 0, done.stderr
    found = document(done.stdout)
    jsonschema.validate(found, SCHEMAS[schema])
    return found


def test_one_sentence_with_a_forbidden_word_has_no_preferences(asked: list[str]) -> None:
    found = answer("words", "words", "--model", "closed", *asked[:2], "--text", "The nurse said that [Y]")
    by_word = {one["word"]: one["log_probability"] for one in found["words"]}
    assert by_word["she"] is None
    assert by_word["he"] < 0
    assert found["preferences"] == {"male": None, "female": None}
    assert any("no probability at all to 'she'" in note for note in found["notes"])


def test_a_run_with_a_forbidden_word_has_a_reason_and_no_number(asked: list[str], tmp_path: Path) -> None:
    runs = {name: answer("score", "score", "--model", name, *asked)["run"] for name in ("closed", "open")}
    found = answer("risk", "risk", runs["closed"], "--json")
    assert (found["overall_risk"], found["reliable"]) == (None, False)
    assert (found["forbidden"]["words"], found["forbidden"]["cells"]) == (["she"], 8)
    assert answer("risk", "risk", runs["open"], "--json")["overall_risk"] > 0
    on_screen = run_here("risk", runs["closed"], terminal=True).stdout
    assert on_screen.startswith(
        "No reliable answer: in 8 of 8 test sentences closed gave no probability at all to “she”."
    )
    refused = run_here("compare", runs["closed"], runs["open"], "--json")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"The run {runs['closed']} of closed has no risk. In 8 of 8 test sentences" in refused.stderr
    for form in ("csv", "json", "parquet"):
        out = tmp_path / f"cells.{form}"
        assert run_here("export", runs["closed"], "--out", str(out)).returncode == 0
        for written in (out, out.with_name("cells.risk.json")):
            if written.suffix == ".json" and written.is_file():
                document(written.read_text(encoding="utf8"))
    assert "nurse,The [X] said that [Y],male,," in (tmp_path / "cells.csv").read_text(encoding="utf8")


@pytest.mark.parametrize("others", [(), pytest.param(("open",), marks=pytest.mark.slow)])
def test_a_report_with_a_forbidden_word_holds(
    others: tuple[str, ...], asked: list[str], tmp_path: Path
) -> None:
    keys = [answer("score", "score", "--model", name, *asked)["run"] for name in ("closed", *others)]
    out = tmp_path / "report.json"
    assert run_here("export", *keys, "--sections", "all", "--out", str(out)).returncode == 0
    report = document(out.read_text(encoding="utf8"))
    assert "closed gave no probability at all to “she”" in report["headline"][0]
    assert [facts["reliable"] for facts in report["runs"]] == [False, *(True for _ in others)]
    assert report["runs"][0]["risks"] == {}
    assert document(run_here("verify", str(out)).stdout)["holds"]
    card = tmp_path / "card.md"
    assert run_here("export", *keys, "--out", str(card)).returncode == 0
    assert "nan" not in card.read_text(encoding="utf8").casefold().split()


def test_a_gate_has_no_verdict_on_such_a_run(asked: list[str]) -> None:
    done = run_here("check", "--model", "closed", *asked, "--max-risk", "0.5")
    assert done.returncode not in (0, 3)
    assert "no probability at all to 'she'" in done.stderr


@pytest.mark.slow
def test_a_few_forbidden_cells_leave_numbers_that_hold(own_settings: Settings, tmp_path: Path) -> None:
    """A whole occupation, and a template of a dozen: every command has numbers of the others."""
    run, store = usual_run("mini-gpt"), Store.open(own_settings.cache)
    texts, terms = run.templates.texts, [term for term in run.evidence.terms if term != "nurse"][:12]
    blocked = {(text.replace("[X]", "nurse"), "she") for text in texts}
    blocked |= {(texts[3].replace("[X]", term), "he") for term in terms}

    def some(prompt: str, word: str) -> float:
        return 0.0 if (prompt, word) in blocked else chance("mini-gpt", prompt, word)

    score_with(run, some, store)
    other = fill(store, "mini-bert")
    found = answer("risk", "risk", run.key, "--json")
    assert (found["reliable"], found["forbidden"]["cells"]) == (True, len(blocked))
    assert (found["forbidden"]["occupations"], len(found["forbidden"]["templates"])) == (["nurse"], 1)
    assert len(found["occupations"]) == len(run.evidence.terms) - 1
    compared = answer("compare", "compare", run.key, other.key, "--json")
    assert compared["templates"] == len(texts) - 1
    assert compared["differences"]["overall_risk"]["first"] == pytest.approx(found["overall_risk"])
    out = tmp_path / "report.json"
    assert run_here("export", run.key, other.key, "--sections", "all", "--out", str(out)).returncode == 0
    report = document(out.read_text(encoding="utf8"))
    assert report["runs"][0]["risks"]["overall_risk"]["value"] == pytest.approx(found["overall_risk"])
    assert document(run_here("verify", str(out)).stdout)["holds"]
    packed = tmp_path / "results.pcfpack"
    assert run_here("export", run.key, "--out", str(packed)).returncode == 0
    assert run_here("import", str(packed)).returncode == 0
