"""Known benchmarks in a chat: a worker renders it, and its result stands shown by that name."""

from __future__ import annotations

from pathlib import Path

from pcf_core.core.frame import Frame
from pcf_core.core.settings import Settings
from pcf_core.models.frames import framed
from pcf_core.models.registry import resolve
from pcf_core.texts.benchmarks.records import ItemScores
from pcf_core.work.benchmarking import run_benchmark
from pcf_core.work.benchmarks import BENCHMARK, BENCHMARK_AUDIT, BlockScores, block_name
from pcf_core.work.requests import FRAME
from pcf_core.work.worker import Worker
from tests.models.scoring.conftest import save
from tests.models.scoring.test_frames import load_style
from tests.pages.opened import App, open_app, own_queue, own_store
from tests.texts.benchmarks.written_files import crows_file

FAIR = "Be fair."


def opened(tmp_path: Path, *models: str, **address: object) -> App:
    app = open_app("written_text", model=[*models], text_tab="Known benchmarks", **address)
    path = crows_file(tmp_path)
    app.upload("bench_files_crows-pairs", path.name, path.read_bytes())
    return app


def test_a_chat_is_run_and_shown_with_its_texts(own_settings: Settings, tmp_path: Path) -> None:
    model = save(load_style("chatml"), tmp_path / "chatty")
    app = opened(tmp_path, model, "mini-bert", bench_frame="chat", bench_system=[FAIR])
    assert "mini-bert is of the family masked" in app.errors
    (question,) = own_queue().list(kind=FRAME)
    assert question.payload["frame"]["system"] == FAIR
    Worker(own_store(), own_queue(), own_settings).run(until_idle=True)
    app.run()
    assert app.button(key="bench_score").label == "Run 3 items with 1 models"
    assert "each sentence begins the model's answer" in app.texts
    app.press("bench_score")
    (job,) = own_queue().list(kind=BENCHMARK)
    request = BENCHMARK_AUDIT.load_asked(own_store(), job.key)
    assert request.scoring.frame == framed(resolve(model), Frame(kind="chat", system=FAIR)).frame
    assert (app.query_params["bench_frame"], app.query_params["bench_system"]) == ("a chat", FAIR)
    body = BlockScores(items=(ItemScores(nats=(-1.0, -2.0)),) * 3).model_dump(mode="json")
    own_store().save_document(request.hash, block_name(range(3)), body)
    run_benchmark(request, own_store())
    shown = open_app("written_text", model=[model], text_tab="Known benchmarks").texts
    assert f"(chat, “{FAIR}”) prefers the more stereotyping sentence in 100 %" in shown
