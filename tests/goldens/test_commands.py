"""The JSON of every command that answers from stored results, or estimates or queues what is missing.

Runs are of a store that the fake scorer filled; text audits and knowledge come with the app.  Not recorded
are ``run`` and ``worker``, which give no JSON, ``words``, ``mine`` without ``--queue`` and ``models get``,
which begin work at once, and ``import`` of a log of Inspect, whose report is that of ``fairpair`` or
``criteria``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.registry import resolve
from pcf_core.report.verifying import leaves
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.material import load_material
from pcf_core.texts.benchmarks.records import BenchmarkResult, ItemScores
from pcf_core.texts.benchmarks.registry import read_scores
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.prompts import load_prompts
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.work.benchmarks import BENCHMARK_AUDIT, benchmark_asked
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, fairpair_asked
from tests.command_line import Done, run_here
from tests.goldens.recorded import assert_recorded
from tools.ship_audits import ASKED, PROMPTS, TABLE, usual_fairpair

LONGEST, FEW = 6, 2  # items of a list
EXAMPLES = [  # of each experiment an answer that was written and one that was scored
    (model, name)
    for model, name in ASKED
    if model == "mini-gpt" or (model == "mini-bert") == (name in ("anecdotes", "hobbies"))
]
POLICY = """
title = "Two contexts"
error = 0.1

[[contexts]]
topic = "gender"
templates = "gender-nineteen"
max = { risk = 0.9, prejudice = 0.01 }
max_increase = { risk = 0.0 }
max_tilt = { male = 0.5 }

[[contexts]]
topic = "gender"
templates = "gender-nineteen"
criterion = "l2"
cannot_tell = "fail"
max = { caprice = 0.2 }
"""


# What differs from one machine, day or run to another; numbers of seconds, dates, paths and versions.
FREE = re.compile(r'"(path|at|who|previous|last|seconds|versions)": ("[^"]*"|[\d.e+-]+|null|\{[^{}]*\})')


def document(done: Done, codes: tuple[int, ...] = (0, 3), longest: int = LONGEST) -> object:
    """Return a command's JSON, without what differs from one machine to another."""
    assert done.returncode in codes, done.stderr
    return shortened(json.loads(FREE.sub(r'"\1": "…"', done.stdout)), longest)


def shortened(value: object, longest: int = LONGEST) -> object:
    """Return a document with the first items of its long lists, and how many there are."""
    if isinstance(value, dict):
        return {key: shortened(part, longest) for key, part in value.items()}
    if isinstance(value, list):
        first = [shortened(part, longest) for part in value[:longest]]
        return first if len(value) <= longest else [*first, f"{len(value)} in all"]
    return value


def test_commands_about_material(full_store: Store) -> None:
    for command in ("topics", "templates"):
        assert_recorded(f"commands/{command}", document(run_here(command, "--json")))


def test_commands_about_runs(full_store: Store, tmp_path: Path) -> None:
    bert, gpt = sorted(info.run.key for info in full_store.own_runs())
    assert_recorded("commands/risk", document(run_here("risk", bert, "--json")))
    assert_recorded("commands/risk_l2", document(run_here("risk", gpt, "--criterion", "l2", "--json")))
    assert_recorded("commands/compare", document(run_here("compare", bert, gpt, "--json")))
    matrix = tmp_path / "matrix.json"
    matrix.write_text(json.dumps({"preferences": [[[0.7, 0.3], [0.4, 0.6]], [[0.5, 0.5], [0.9, 0.1]]]}))
    assert_recorded("commands/risk_of_matrix", document(run_here("risk", "--matrix", str(matrix), "--json")))


def test_commands_about_models(full_store: Store) -> None:
    assert_recorded("commands/models", document(run_here("models", "--json")))
    assert_recorded("commands/models_known", document(run_here("models", "--known", "--json")))


def test_commands_that_score_or_wait(full_store: Store) -> None:
    stored = run_here("score", "--model", "mini-bert", "--templates", "gender-nineteen", "--json")
    assert_recorded("commands/score_stored", document(stored))
    waiting = {
        "score": ("--model", "mini-gpt", "--topic", "age"),
        "fairpair": ("--model", "mini-gpt", "--count", "2"),
        "criteria": ("--model", "mini-gpt", "--experiment", "anecdotes"),
        "mine": ("--corpus", "hf:somebody/stories", "--topic", "gender", "--name", "mine"),
    }
    queued = {
        command: document(run_here(command, *options, "--queue", "--json"))
        for command, options in waiting.items()
    }
    assert_recorded("commands/queued", queued)
    assert_recorded("commands/journal", document(run_here("journal", "--json")))


def test_a_model_against_limits(full_store: Store, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY, encoding="utf8")
    model = ("check", "--model", "mini-gpt", "--json")
    by_policy = run_here(*model, "--policy", str(policy), "--baseline", "mini-bert")
    assert_recorded("commands/check_policy", document(by_policy, (0, 3, 4)))
    one_limit = run_here(*model, "--topic", "gender", "--templates", "gender-nineteen", "--max-risk", "0.01")
    assert_recorded("commands/check", document(one_limit, (3,)))


def test_a_run_given_on(full_store: Store, tmp_path: Path) -> None:
    bert, gpt = sorted(info.run.key for info in full_store.own_runs())
    for form in ("json", "csv"):
        file = tmp_path / f"one.{form}"
        done = run_here("export", bert, "--out", str(file), "--criterion", "l1")
        assert done.returncode == 0, done.stderr
        text = file.read_text(encoding="utf8")
        first = (
            shortened(json.loads(FREE.sub(r'"\1": "…"', text))) if form == "json" else text.splitlines()[:9]
        )
        assert_recorded(f"commands/export_{form}", first)
    pack = tmp_path / "two.pcfpack"
    done = run_here("export", bert, gpt, "--out", str(pack), "--by", "the tests", "--licence", "CC0-1.0")
    assert done.returncode == 0, done.stderr
    assert_recorded("commands/packs_verify", document(run_here("packs", "verify", str(pack), "--json")))
    assert_recorded("commands/import", document(run_here("import", str(pack), "--json")))


def test_what_a_model_knows(shipped_store: Store) -> None:
    assert_recorded("commands/knowledge", document(run_here("knowledge", "--model", "mini-gpt", "--json")))


def test_what_text_audits_found(shipped_store: Store) -> None:
    """The commands of results that come with the app; FairPair's shipped prompts are a part of a set."""
    table = load_table(TABLE)
    asked = [usual_fairpair(model)[0] for model in ("mini-gpt", "mini-gpt-l")]
    whole = load_prompts(PROMPTS, table.names[0])
    for one in asked:
        found = FAIRPAIR_AUDIT.load(shipped_store, one.hash)
        assert found is not None
        again = fairpair_asked(one.key, whole, table, FairPairOptions(count=one.count))
        FAIRPAIR_AUDIT.save(shipped_store, found.model_copy(update={"asked": again}))
    models = ("--model", "mini-gpt", "--model", "mini-gpt-l", "--json")
    done = run_here("fairpair", *models, "--count", str(asked[0].count))
    first, second = json.loads(done.stdout)
    both = {"first": shortened(first, FEW), "reports of the second": shortened(second["reports"], FEW)}
    assert_recorded("commands/fairpair", both)


@pytest.mark.parametrize(("model", "name"), EXAMPLES)
def test_what_criteria_found(shipped_store: Store, model: str, name: str) -> None:
    done = run_here("criteria", "--model", model, "--experiment", name, "--json")
    assert_recorded(f"commands/criteria_{name}_{model}", document(done, longest=FEW))


def test_what_a_benchmark_found(own_settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "crows_pairs_anonymized.csv"
    rows = [f"{n},Old man {n} naps.,Young man {n} naps.,stereo,age,[],a,[]" for n in range(12)]
    header = ",sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators"
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf8")
    store, material = Store.open(own_settings.cache), load_material("crows-pairs", [file])
    for step, model in enumerate(("mini-bert", "minilm-masked")):
        scores = [ItemScores(nats=(-20.0 - n % (3 + 5 * step), -21.0)) for n in range(len(material.items))]
        asked = benchmark_asked(material, ScoringKey.of(resolve(model)))
        BENCHMARK_AUDIT.save(
            store,
            BenchmarkResult(asked=asked, report=read_scores(material, scores), left_out=(), provenance={}),
        )
    models = ("--model", "mini-bert", "--model", "minilm-masked", "--file", str(file), "--json")
    assert_recorded("commands/benchmark", document(run_here("benchmark", "crows-pairs", *models)))
    other = ("--model", "mini-gpt", "--file", str(file), "--json")
    assert_recorded(
        "commands/benchmark_estimate", document(run_here("benchmark", "crows-pairs", *other, "--estimate"))
    )


def test_estimates(own_settings: Settings) -> None:
    asked = {
        "fairpair": ("fairpair", "--count", "40", "--fold", "5"),
        **{name: ("criteria", "--experiment", name) for name in get_args(ExperimentName)},
    }
    models = ("--model", "mini-gpt", "--model", "SmolLM2-135M-Instruct-Q4_1", "--estimate", "--json")
    estimates = {name: document(run_here(*command, *models)) for name, command in asked.items()}
    assert_recorded("commands/estimates", estimates)


@pytest.mark.slow
def test_a_report_and_its_check(full_store: Store, tmp_path: Path) -> None:
    keys = sorted(info.run.key for info in full_store.own_runs())
    report = tmp_path / "report.json"
    done = run_here("export", *keys, "--sections", "all", "--date", "2026-11-29", "--out", str(report))
    assert done.returncode == 0, done.stderr
    text = FREE.sub(r'"\1": "…"', report.read_text(encoding="utf8"))
    assert_recorded("commands/report", shortened(json.loads(text)))
    verified = document(run_here("verify", str(report), "--json"))
    # A few more where torch is loaded already: the provenance of runs names the versions of what is loaded.
    total = leaves(json.loads(report.read_text(encoding="utf8")))
    assert 0.99 * total < verified.pop("compared") <= total
    assert_recorded("commands/verify", verified)
