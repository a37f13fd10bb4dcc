"""``risk`` and ``compare`` with other counts and weights than those that a run key stands for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pcf_core.core.run import RunSpec
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.store.store import Store
from pcf_core.work.queue import Queue
from tests.command_line import run_here


def answer_of(*arguments: str) -> dict[str, Any]:
    done = run_here(*arguments)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


NINETEEN = "“19 sentence beginnings from the papers”"


@pytest.fixture
def run(full_store: Store) -> RunSpec:
    return next(info.run for info in full_store.runs() if info.run.scoring.model == "mini-gpt")


@pytest.fixture
def mine(run: RunSpec, tmp_path: Path) -> Path:
    """The templates of the run in another order and with other counts."""
    path = tmp_path / "mine.csv"
    rows = [f'"{text}",{1 + 7 * at}' for at, text in enumerate(run.templates.texts)]
    path.write_text("\n".join(["template,count", *reversed(rows)]) + "\n", encoding="utf8")
    return path


def test_the_same_sentences_with_other_counts_change_no_run(run: RunSpec, mine: Path) -> None:
    before = answer_of("risk", run.key)
    done = run_here("score", "--model", "mini-gpt", "--templates", str(mine))
    # in another order it is another set, and another key
    assert json.loads(done.stdout)["run"] != run.key
    text = mine.read_text(encoding="utf8").splitlines()
    mine.write_text("\n".join([text[0], *reversed(text[1:])]) + "\n", encoding="utf8")
    for way in ([], ["--queue"]):
        done = run_here("score", "--model", "mini-gpt", "--templates", str(mine), *way)
        assert json.loads(done.stdout)["run"] == run.key
        assert (
            f"The run {run.key} uses the counts of {NINETEEN}, not those of mine. It keeps using them; "
            f"`risk {run.key} --templates mine` reads it with yours."
        ) in done.stderr
        assert answer_of("risk", run.key) == before
    assert [job.key for job in Queue.open(settings().catalogue).list()] == [run.key]


def test_a_run_is_read_with_other_counts_where_they_are_named(
    run: RunSpec, mine: Path, tmp_path: Path
) -> None:
    """A second opinion: R from the exported cells, E over occupations of Σ_t w_t max_g (p_g − ½) / ½."""
    usual, own = answer_of("risk", run.key), answer_of("risk", run.key, "--templates", str(mine))
    out = tmp_path / "cells.json"
    assert run_here("export", run.key, "--out", str(out)).returncode == 0
    cells = json.loads(out.read_text(encoding="utf8"))["cells"]
    j: dict[tuple[str, str], float] = {}
    for cell in cells:
        place = cell["occupation"], cell["template"]
        j[place] = max(j.get(place, 0.0), (cell["probability"] - 0.5) / 0.5)
    counts = {template.text: template.count for template in load_templates(mine).templates}
    total = sum(counts.values())
    risks = [
        sum(counts[text] / total * j[term, text] for text in run.templates.texts)
        for term in run.evidence.terms
    ]
    assert own["overall_risk"] == pytest.approx(np.mean(risks), abs=1e-9)
    assert own["overall_risk"] != pytest.approx(usual["overall_risk"], abs=1e-3)
    note = (
        f"The run {run.key} uses the counts of {NINETEEN}, not those of mine. The figures here use yours; "
        f"`risk {run.key} --templates mine` gives the same."
    )
    assert note in own["warnings"]
    assert note not in usual["warnings"]
    assert answer_of("risk", run.key) == usual


def test_two_runs_are_compared_with_other_counts(full_store: Store, mine: Path) -> None:
    keys = [info.run.key for info in full_store.runs()]
    usual, own = answer_of("compare", *keys), answer_of("compare", *keys, "--templates", str(mine))
    assert own["differences"] != usual["differences"]
    assert sum(f"uses the counts of {NINETEEN}" in said for said in own["warnings"]) == 2


def test_weights_of_another_list_are_read_where_it_is_named(run: RunSpec, tmp_path: Path) -> None:
    path = tmp_path / "heavy.csv"
    rows = [f"{term},{1 + at}" for at, term in enumerate(run.evidence.terms)]
    path.write_text("\n".join(["term,weight", *rows]) + "\n", encoding="utf8")
    assert load_evidence(path).weights, "the list brings weights of its own"
    found = answer_of("risk", run.key, "--evidence", str(path), "--weights", "list")
    weight = {row["occupation"]: row["weight"] for row in found["occupations"]}
    assert weight[run.evidence.terms[-1]] == pytest.approx(weight[run.evidence.terms[0]] * len(rows))
    assert any("uses the weights of" in said for said in found["warnings"])


@pytest.mark.parametrize("option", ["--templates", "--evidence"])
def test_another_set_or_list_is_refused(run: RunSpec, tmp_path: Path, option: str) -> None:
    path = tmp_path / "few.csv"
    path.write_text(
        "template,count\nThe [X] said that [Y],3\n" if option == "--templates" else "term\nnurse\n"
    )
    done = run_here("risk", run.key, option, str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"The run {run.key} was scored with other texts than few has" in done.stderr
    assert "Traceback" not in done.stderr
