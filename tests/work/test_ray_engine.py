"""A run on a Ray cluster of two nodes on this machine: the same bytes as here, whatever dies on the way.

In this one file, because all of them share one cluster, which takes its time to start.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from pcf_core.audit.preferences import build_run
from pcf_core.core.errors import ModelError, PipelineError, ScoringError
from pcf_core.core.run import Progress, RunSpec
from pcf_core.core.settings import ROOT, Settings, settings
from pcf_core.core.topics import Evidence
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.mining.miner import Progress as MiningProgress
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer
from pcf_core.store.store import Store
from pcf_core.work.blocks import Block, cluster_of, environment, scorers_of
from pcf_core.work.jobs import Stopped
from pcf_core.work.scoring import score_run
from tests.mining.fakes import Here, corpus_of, fake_counter, mine_fake, unopened
from tests.mining.test_miner import without_time
from tests.work.toy import stop_if

ray = pytest.importorskip("ray", reason="Ray is not installed here: make test-ray")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("default::FutureWarning:ray", "default::ResourceWarning"),
]

TERMS = ("nurse", "engineer", "clerk", "judge")


@pytest.fixture(scope="module")
def quiet() -> Iterator[None]:
    """No telemetry; a token keeps others out, the test's own: Ray would put one into the home directory."""
    from ray._raylet import Config

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        Config.initialize("")  # reads the mode again, which was read when ray was imported
        patch.delenv("RAY_ADDRESS", raising=False)
        yield
    Config.initialize("")


@pytest.fixture
def cluster(quiet: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Two nodes with one CPU each; no dashboard."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)
    yield nodes
    ray.shutdown()
    nodes.shutdown()


@pytest.fixture
def one_thread(own_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Shards of eight prompts in a shared folder, one thread."""
    for name, value in {
        "THREADS": "1",
        "SHARD_PROMPTS": "8",
        "DEVICE": "cpu",
        "SCORES": f"{tmp_path}/shared",
    }.items():
        monkeypatch.setenv(f"PCF_{name}", value)
    settings.cache_clear()
    return settings()


@pytest.fixture
def run(one_thread: Settings) -> RunSpec:
    topic = load_topic("gender")
    terms = load_evidence(topic.evidence).terms[:16]
    evidence = Evidence(name="sixteen", title="Sixteen", terms=terms)
    return build_run(resolve("mini-gpt"), topic, evidence, load_templates("gender-nineteen"))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.parquet")}


def sealed(folder: Path) -> dict[str, bytes]:
    """The shards that count: an interrupt may come between the data of some and their manifests."""
    manifests = {path.stem for path in folder.rglob("*.json")}
    return {name: data for name, data in bytes_of(folder).items() if Path(name).stem in manifests}


def local_bytes(run: RunSpec, folder: Path) -> dict[str, bytes]:
    """The same run by a process of its own, as a worker on one thread scores it."""
    code = (
        "import sys; from pathlib import Path; from pcf_core.core.run import RunSpec\n"
        "from pcf_core.work.scoring import score_run\n"
        "from pcf_core.models.scoring.base import open_scorer\n"
        "from pcf_core.store.store import Store\n"
        "run = RunSpec.model_validate_json(sys.stdin.read())\n"
        f"score_run(run, Store.open(Path({str(folder)!r})), open_scorer)"
    )
    subprocess.run([sys.executable, "-c", code], input=run.model_dump_json(), text=True, cwd=ROOT, check=True)
    return bytes_of(folder / "scores")  # beside them are the cells of its result


def kill(cluster: Any, node: Any) -> None:
    """A power cut in the middle of a block."""
    raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
    for process in [raylet, *raylet.children(recursive=True)]:
        process.kill()
    cluster.remove_node(node, allow_graceful=False)


def scores_now(node: Any) -> bool:
    """Whether a process of the node is at a block: Ray writes the method into its title."""
    raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
    return any("RayWorker.score" in "".join(child.cmdline()) for child in raylet.children(recursive=True))


def test_a_node_killed_mid_run_loses_nothing_and_repeats_nothing(
    cluster: Any, run: RunSpec, one_thread: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """304 prompts in shards of eight; the second node is killed while it is at one of them."""
    from pcf_core.work.ray_engine import Pool

    store = Store.open(one_thread.cache, (), one_thread.scores)
    written: Counter[tuple[str, ...]] = Counter()
    real = store.write_all

    def write_all(key: Any, table: Any, blocks: Any) -> list[str]:
        written.update(block.prompts for block in blocks)
        return real(key, table, blocks)

    monkeypatch.setattr(store, "write_all", write_all)
    lost: list[str] = []
    monkeypatch.setattr(Pool, "_drop", lambda self, actor, error, is_last: lost.append(str(error)))
    second = cluster.list_all_nodes()[-1]
    done, killed_after = [0], list[int]()

    def progress(at: Progress) -> None:
        done.append(at.done + at.unsaved)

    def kill_once_both_score() -> None:
        if not killed_after and done[-1] and scores_now(second):
            kill(cluster, second)
            killed_after.append(done[-1])
        if not killed_after:
            time.sleep(0.5)  # the second node is given time to open the model before all is scored

    with scorers_of("ray", one_thread) as open_ray:
        scored = score_run(run, store, open_ray, progress, kill_once_both_score)
    assert scored == 304
    assert 0 < killed_after[0] < 304
    assert len(lost) == 1
    assert set(written.values()) == {1}
    assert {prompt for prompts in written for prompt in prompts} == set(run.prompts)
    found = bytes_of(Path(one_thread.scores))
    assert len(found) == 38
    assert found == local_bytes(run, tmp_path / "local")
    assert store.run_info(run.key).provenance["threads"] == 1
    assert score_run(run, store, open_scorer) == 0


def test_cancel_keeps_what_came_and_refusals_are_the_same_sentences(
    cluster: Any, run: RunSpec, one_thread: Settings
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    store = Store.open(one_thread.cache, (), one_thread.scores)
    done: list[int] = []
    with scorers_of("ray", one_thread) as open_ray:
        with pytest.raises(Stopped):
            score_run(
                run, store, open_ray, lambda at: done.append(at.done), stop_if(lambda: done[-1:] >= [16])
            )
        assert 2 <= len(bytes_of(Path(one_thread.scores))) < 38
        spec = resolve("mini-bert")
        with pytest.raises(ModelError) as here:
            open_scorer(spec, "exact-boundary")
        with pytest.raises(ModelError) as there:
            open_ray(spec, "exact-boundary")
        assert str(there.value) == str(here.value)
        with pytest.raises(ModelError, match="differs from the one requested"):
            open_ray(spec.model_copy(update={"identity": "yesterday's"}), "exact")
        scorer = open_ray(resolve("mini-gpt"), "exact")
        assert environment(scorer)["threads"] == 1
        local = open_scorer(resolve("mini-gpt"), "exact")
        assert (scorer.traits, scorer.parameters) == (local.traits, local.parameters)
        assert scorer.check(("he", "she")) == local.check(("he", "she"))
        assert scorer.alone("They are [Y]", "he") == pytest.approx(
            local.alone("They are [Y]", "he"), abs=1e-5
        )
        assert scorer.score(["They are [Y]"], ["he"])[0, 0] == pytest.approx(
            local.score(["They are [Y]"], ["he"])[0, 0], abs=1e-5
        )
    assert signal.getsignal(signal.SIGTERM) is before
    assert not ray.is_initialized()


def test_a_mining_counts_the_same_and_makes_up_for_a_node_that_is_killed(
    cluster: Any, own_settings: Settings, tmp_path: Path
) -> None:
    """Some fifty blocks by two nodes, one of which goes after the tenth."""
    second = cluster.list_all_nodes()[-1]
    blocks: list[MiningProgress] = []

    def kill_after_ten(progress: MiningProgress) -> None:
        blocks.append(progress)
        if len(blocks) == 10:
            kill(cluster, second)

    corpus = corpus_of(150)
    with cluster_of(own_settings) as engine:
        counters = engine.counters(partial(fake_counter, 0.01))
        mined = mine_fake(tmp_path / "ray", corpus, counters, on_progress=kill_after_ten)
    assert (len(blocks) > 40, blocks[-1].documents) == (True, 150)
    alone = mine_fake(tmp_path / "here", corpus, Here(fake_counter()))
    assert without_time(mined) == without_time(alone)


def test_a_parser_that_is_not_there_is_said_from_the_cluster(
    cluster: Any, own_settings: Settings, tmp_path: Path
) -> None:
    with cluster_of(own_settings) as engine, pytest.raises(PipelineError, match="no such parser"):
        mine_fake(tmp_path, corpus_of(5), engine.counters(unopened))


def test_a_process_that_dies_is_replaced_and_a_deadly_block_ends_the_run(
    cluster: Any, tmp_path: Path
) -> None:
    from pcf_core.work.ray_engine import DEATHS, Pool

    class Fragile:
        """Dies over the block ``once`` the first time, over ``always`` each time."""

        def open(self) -> str:
            return "opened"

        def score(self, block: Block) -> str:
            mark = tmp_path / f"{block.prompts[0]}-{time.monotonic_ns()}"
            known = len(list(tmp_path.glob(f"{block.prompts[0]}-*")))
            mark.touch()
            if block.prompts[0] == "always" or (block.prompts[0] == "once" and not known):
                os._exit(1)
            return block.prompts[0]

    def start() -> tuple[Any, Any]:
        actor = ray.remote(Fragile).options(num_cpus=1).remote()
        return actor, actor.open.remote()

    def blocks(*names: str) -> Iterator[Block]:
        return iter([Block((name,), ("he",), 1) for name in names])

    ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
    pool = Pool(start, lambda: 2)
    found = [answer for _, answer in pool.score(blocks("a", "once", "b", "c"), lambda: None)]
    assert sorted(found) == ["a", "b", "c", "once"]
    assert len(list(tmp_path.glob("once-*"))) == 2
    assert [len(list(tmp_path.glob(f"{name}-*"))) for name in "abc"] == [1, 1, 1]
    with pytest.raises(ScoringError, match="One process of the Ray cluster after another ended"):
        list(pool.score(blocks("d", "always"), lambda: None))
    assert len(list(tmp_path.glob("always-*"))) == DEATHS
    pool.close()
    assert pool.open() == "opened"
    pool.close()


def test_processes_that_cannot_start_end_the_run(cluster: Any) -> None:
    from pcf_core.work.ray_engine import Pool

    class Unborn:
        def __init__(self) -> None:
            raise ModuleNotFoundError("No module named 'pcf_core'")

        def open(self) -> str:
            return "opened"

    def start() -> tuple[Any, Any]:
        actor = ray.remote(Unborn).options(num_cpus=1).remote()
        return actor, actor.open.remote()

    ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
    with pytest.raises(ScoringError, match=r"ended without a result .*No module named 'pcf_core'"):
        Pool(start, lambda: 2).open()


def test_a_cluster_that_does_not_answer_is_a_sentence_within_seconds(
    quiet: None, run: RunSpec, one_thread: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    began = time.monotonic()
    with (
        scorers_of("ray", one_thread) as open_ray,
        pytest.raises(ScoringError, match=r"No Ray cluster can be used \(ConnectionRefused.*RAY_ADDRESS"),
    ):
        open_ray(resolve("mini-gpt"), "exact")
    assert time.monotonic() - began < 10


def test_an_interrupt_exits_130_and_the_same_command_goes_on(
    quiet: None, one_thread: Settings, tmp_path: Path
) -> None:
    """The command line, on a cluster of its own."""
    (tmp_path / "terms.txt").write_text("\n".join(TERMS))
    command = [sys.executable, "-m", "pcf_core", "score", "--model", "mini-gpt", "--engine", "ray"]
    command += ["--evidence", str(tmp_path / "terms.txt")]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 200
    while len(sealed(Path(one_thread.scores))) < 2 and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=100)
    assert process.returncode == 130, errors
    assert "interrupted; what is finished is kept" in errors
    kept = sealed(Path(one_thread.scores))
    cells = len(TERMS) * len(load_templates(load_topic("gender").templates).texts)
    assert cells % 8 == 0, "every shard is full"
    assert 2 <= len(kept) < cells / 8
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["scored"] == cells - 8 * len(kept)
    assert kept.items() <= bytes_of(Path(one_thread.scores)).items()
