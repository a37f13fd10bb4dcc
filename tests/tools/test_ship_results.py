"""The shipped results: carried over bit by bit, replaced whole, never there by half."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import typer

from benchmarks.fakes import FakeScorer
from pcf_core.audit.knowledge import missing_answers
from pcf_core.audit.results import load_result
from pcf_core.core.run import RunSpec
from pcf_core.material.knowledge import load_knowledge
from pcf_core.material.templates import load_templates
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from tests.conftest import fake_scorer
from tools import ship_results
from tools.ship_results import FOLDERS, Shipped, carry, know, main, replace_results


def files_of(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for part in FOLDERS:
        (tmp_path / "store" / part).mkdir(parents=True)
        (tmp_path / "store" / part / "file").write_text("new")
    (tmp_path / "store" / "catalogue.sqlite").write_text("rebuilt from the rest")
    return tmp_path / "store"


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    return tmp_path / "assets"


@pytest.mark.parametrize("before", [True, False])
def test_results_take_the_place_of_what_was_there(store: Path, assets: Path, before: bool) -> None:
    if before:
        (assets / "cache" / "scores").mkdir(parents=True)
        (assets / "cache" / "scores" / "stale").write_text("old")
    replace_results(store, assets / "cache")
    assert files_of(assets) == {f"cache/{part}/file": "new" for part in FOLDERS}


@pytest.mark.parametrize("copied", range(len(FOLDERS)))
def test_an_interruption_while_copying_changes_nothing(
    store: Path, assets: Path, copied: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (assets / "cache" / "scores").mkdir(parents=True)
    (assets / "cache" / "scores" / "kept").write_text("old")
    real, left = shutil.copytree, iter(range(copied))

    def interrupted(source: Path, target: Path) -> object:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return real(source, target)

    monkeypatch.setattr(shutil, "copytree", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_results(store, assets / "cache")
    assert files_of(assets) == {"cache/scores/kept": "old"}


# -------------------------------------------------------------------------------- carrying over


def run_of(store: Store) -> RunSpec:
    return next(info.run for info in store.runs() if info.run.scoring.model == "mini-gpt")


def test_a_run_is_carried_over_with_every_bit_and_its_audit(full_store: Store, tmp_path: Path) -> None:
    run, fresh = run_of(full_store), Store.open(tmp_path / "fresh")
    assert carry(run, full_store, fresh)
    before, after = (store.gather(run.scoring, run.prompts, run.topic.words) for store in (full_store, fresh))
    assert before.tobytes() == after.tobytes()
    assert not np.isnan(after).any()
    assert fresh.run_info(run.key).complete
    assert fresh.run_info(run.key).provenance == full_store.run_info(run.key).provenance
    assert [info.run.key for info in fresh.runs()] == [run.key]
    assert load_result(fresh, run).self_audit == load_result(full_store, run).self_audit is not None


def test_a_part_of_a_shipped_run_is_audited_for_itself(
    full_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, fresh = run_of(full_store), Store.open(tmp_path / "fresh")
    part = whole.model_copy(update={"templates": load_templates("gender-reporting")})

    def opened(spec: object, protocol: str) -> Scorer:
        return fake_scorer(part.scoring, part.topic)

    monkeypatch.setattr(ship_results, "open_scorer", opened)
    assert carry(part, full_store, fresh)
    found = load_result(fresh, part).self_audit
    assert found is not None
    assert found.noise_floor == pytest.approx(0, abs=1e-6)  # float32 in the store
    assert fresh.missing(part.scoring, part.prompts, part.topic.words) == []
    assert len(fresh.missing(whole.scoring, whole.prompts, whole.topic.words)) > 0


def test_what_lacks_a_score_is_not_carried_over(full_store: Store, tmp_path: Path) -> None:
    whole, fresh = run_of(full_store), Store.open(tmp_path / "fresh")
    more = whole.model_copy(update={"templates": load_templates("gender-nineteen-stop")})
    assert not carry(more, full_store, fresh)
    assert fresh.runs() == ()
    assert fresh.shards(more.scoring) == ()


def test_a_knowledge_set_is_carried_over_with_every_bit_or_scored(
    full_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, asked, fresh = run_of(full_store), load_knowledge("continents"), Store.open(tmp_path / "fresh")

    def opened(spec: object, protocol: str) -> Scorer:
        return FakeScorer(lambda prompt, word: (len(prompt) + len(word)) / 1000, key=run.scoring)

    monkeypatch.setattr(ship_results, "open_scorer", opened)
    assert know("mini-gpt", "continents", full_store, full_store, anew=False) == "600 prompts scored"
    assert know("mini-gpt", "continents", full_store, fresh, anew=False) == "carried over"
    before, after = (store.gather(run.scoring, asked.prompts, asked.words) for store in (full_store, fresh))
    assert before.tobytes() == after.tobytes()
    assert missing_answers(fresh, run.scoring, asked) == []
    other = Store.open(tmp_path / "other")
    assert know("mini-gpt", "continents", full_store, other, anew=True) == "600 prompts scored"
    assert know("no-such-model", "continents", full_store, other, anew=False) == "NOT SHIPPED"


def test_a_model_that_is_not_here_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ship_results, "RUNS", (Shipped("no-such-model", "gender", "gender-nineteen"),))
    with pytest.raises(typer.BadParameter, match=r"no model named 'no-such-model'.* --model chooses"):
        main()
    with pytest.raises(typer.BadParameter, match="no run of the table is of mini-x"):
        main(model=["mini-x"])
