"""The tab Known benchmarks: nothing there, results of two models, and whether our quantities agree."""

from __future__ import annotations

from pathlib import Path

from pcf_core.app.texts.benchmarks import read_files
from pcf_core.core.run import ScoringKey
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.records import ItemScores
from pcf_core.work.benchmarking import run_benchmark
from pcf_core.work.benchmarks import BENCHMARK_AUDIT, BLOCK, BlockScores, benchmark_asked, block_name
from tests.pages.opened import open_address
from tests.texts.benchmarks.written_files import crows_file, stereoset_files

TAB = {"text_tab": "Known benchmarks", "templates": "gender-nineteen"}


def test_without_files_the_tab_says_what_to_bring() -> None:
    app = open_address("written_text", model=["mini-gpt"], **TAB)
    (said,) = [one.value.replace("\\", "") for one in app.info]
    assert said == "Bring in the files of CrowS-Pairs: none are shipped."


def test_the_summary_leads_to_the_benchmark_that_has_results(full_store: Store, tmp_path: Path) -> None:
    path = stereoset_files(tmp_path)["dev.json"]
    material = read_files("stereoset", [(path.name, path.read_bytes())])
    asked = benchmark_asked(material, ScoringKey.of(resolve("mini-bert")))
    BENCHMARK_AUDIT.keep(full_store, asked, material)
    body = BlockScores(items=(ItemScores(nats=(-1.0, -2.0, -3.0)),) * len(material.triples))
    full_store.save_document(
        asked.hash, block_name(range(len(material.triples))), body.model_dump(mode="json")
    )
    run_benchmark(asked, full_store)
    app = open_address("written_text", model=["mini-bert"], cf_model="mini-bert", templates=TAB["templates"])
    (button,) = [one for one in app.button if one.label == "Do they agree with us?"]
    button.click().run()
    assert app.session_state["bench"] == "stereoset"
    assert not app.warning or "The link" not in app.warnings


def test_two_models_are_compared_and_held_against_ours(full_store: Store, tmp_path: Path) -> None:
    path = crows_file(
        tmp_path, tuple(("age", f"The old man {n}.", f"The young man {n}.") for n in range(BLOCK))
    )
    material = read_files("crows-pairs", [(path.name, path.read_bytes())])
    for model, share in (("mini-bert", 1.0), ("mini-gpt", 0.5)):
        asked = benchmark_asked(material, ScoringKey.of(resolve(model)))
        BENCHMARK_AUDIT.keep(full_store, asked, material)
        nats = [(-1.0, -2.0) if place < share * BLOCK else (-2.0, -1.0) for place in range(BLOCK)]
        body = BlockScores(items=tuple(ItemScores(nats=one) for one in nats))
        full_store.save_document(asked.hash, block_name(range(BLOCK)), body.model_dump(mode="json"))
        run_benchmark(asked, full_store)
    app = open_address("written_text", model=["mini-bert", "mini-gpt"], **TAB)
    said = app.texts
    assert "CrowS-Pairs: mini-bert prefers the more stereotyping sentence in 100 % " in said
    assert "CrowS-Pairs finds mini-bert worse than mini-gpt, farther from even by 0.50 (" in said
    assert "CrowS-Pairs and prejudice" in said
    assert "Blodgett et al. 2021" in app.warnings
    assert not app.error
    summary = open_address(
        "written_text", model=["mini-bert"], cf_model="mini-bert", templates=TAB["templates"]
    )
    assert "CrowS-Pairs: mini-bert prefers the more stereotyping sentence in 100 %" in summary.texts
    assert "CrowS-Pairs: mini-gpt prefers" not in summary.texts
    assert "CrowS-Pairs and prejudice" not in summary.texts  # of one model nothing is worse
    both = open_address(
        "written_text",
        model=["mini-bert", "mini-gpt"],
        cf_model="mini-bert",
        templates=TAB["templates"],
    )
    assert "CrowS-Pairs and prejudice" in both.texts
