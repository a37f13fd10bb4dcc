"""One flipped byte anywhere in a scored run, and a catalogue that is gone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from benchmarks.fakes import FakeScorer
from benchmarks.kills import content_of, differences, runs_of, submit
from benchmarks.mortal import probability
from pcf_core.app.caching import _queue, open_queue, open_store
from pcf_core.audit.results import load_result
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import settings
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.scoring import score_run
from pcf_core.work.worker import Worker

(RUN,) = runs_of(["mini-gpt"], 4)  # 76 prompts in five shards


def score(cache: Path) -> int:
    """Score what the cache lacks; return how many prompts that were."""
    opened: list[FakeScorer] = []

    def open_fake(spec: ModelSpec, protocol: str) -> Scorer:
        opened.append(FakeScorer(probability, key=ScoringKey.of(spec, protocol)))
        return opened[-1]

    store = Store.open(cache)
    score_run(RUN, store, open_fake)
    load_result(store, RUN)
    store._database.close()
    return sum(scorer.scored for scorer in opened)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A scored cache that nobody touches."""
    cache = tmp_path_factory.mktemp("scored") / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PCF_SHARD_PROMPTS", "16")
        settings.cache_clear()
        assert score(cache) == 76
    yield cache
    settings.cache_clear()


def files_of(cache: Path) -> list[Path]:
    """Data and manifests of the shards, relative to the cache, in order."""
    return sorted(path.relative_to(cache) for path in cache.glob("scores/*/*"))


def flip(path: Path, position: float, bit: int) -> None:
    """Flip one bit of a byte at ``position`` of the file, 0 to 1."""
    content = bytearray(path.read_bytes())
    content[int(position * (len(content) - 1))] ^= 1 << bit
    path.write_bytes(bytes(content))


def check_flipped(scored: Path, file: int, position: float, bit: int, rebuilt: bool) -> None:
    cache = scored.with_name("damaged")
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(scored, cache)
    path = cache / files_of(cache)[file % len(files_of(cache))]
    flip(path, position, bit)
    if rebuilt:
        (cache / "catalogue.sqlite").unlink()
    whole = Store.open(cache)
    lacking = whole.missing(RUN.scoring, RUN.prompts, RUN.topic.words)
    assert len(lacking) == 1, "one shard and no other is missing"
    assert any(path.stem in sentence for sentence in whole.warnings())
    whole._database.close()
    assert score(cache) == len(lacking[0].prompts)
    assert differences_but_damaged(cache, scored) == []
    assert score(cache) == 0
    assert Store.open(cache).warnings() == ()


def differences_but_damaged(cache: Path, other: Path) -> list[str]:
    for path in cache.rglob("*.damaged"):
        path.unlink()
    return differences(cache, other)


@given(st.integers(0, 9), st.floats(0, 1), st.integers(0, 7), st.booleans())
@examples(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_flipped_bit_is_found_and_only_its_shard_is_scored_again(
    scored: Path, file: int, position: float, bit: int, rebuilt: bool
) -> None:
    """Of data and manifests, at the first and last byte too, with and without its catalogue."""
    check_flipped(scored, file, position, bit, rebuilt)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("file", [0, 1])
def test_every_single_byte_of_a_shard_and_its_manifest(scored: Path, file: int) -> None:
    """Found by whoever looks; that its block is then scored again is tested above."""
    cache = scored.with_name("damaged")
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(scored, cache)
    path = cache / files_of(cache)[file]
    whole = path.read_bytes()
    store = Store.open(cache)
    for position in range(len(whole)):
        path.write_bytes(
            whole[:position] + bytes([whole[position] ^ (1 << position % 8)]) + whole[position + 1 :]
        )
        assert store._layers[0].read(RUN.scoring.hash, path.stem) is None, position
        for name in files_of(cache):
            if name.suffix == ".damaged":
                (cache / name).replace((cache / name).with_suffix(""))
    path.write_bytes(whole)
    assert store._layers[0].read(RUN.scoring.hash, path.stem) is not None


@pytest.mark.parametrize("kind", ["runs", "results"])
def test_a_flipped_bit_in_a_run_or_result_costs_no_score(scored: Path, kind: str) -> None:
    cache = scored.with_name("damaged")
    for path in sorted(scored.glob(f"{kind}/**/*.*")):
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(scored, cache)
        flip(cache / path.relative_to(scored), 0.5, 3)
        assert score(cache) == 0
        name = str(path.relative_to(scored))
        assert [line for line in differences(cache, scored) if "left over" in line or kind not in line] == []
        if kind == "results":
            assert content_of(cache)[name] == content_of(scored)[name]


@pytest.mark.parametrize("left", [b"", b"not a database", b"SQLite format 3\0 and then nothing"])
@pytest.mark.parametrize("gone", [True, False])
def test_a_catalogue_that_is_gone_or_ruined_is_made_again_from_the_shards(
    scored: Path, gone: bool, left: bytes
) -> None:
    cache = scored.with_name("damaged")
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(scored, cache)
    for path in cache.glob("catalogue.sqlite*"):
        path.unlink()
    if not gone:
        (cache / "catalogue.sqlite").write_bytes(left)
    assert score(cache) == 0
    assert differences(cache, scored) == []


def test_a_catalogue_deleted_under_a_worker_ends_it_and_under_an_app_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both would go on with a file that nobody else can find: jobs would wait there for ever."""
    monkeypatch.setenv("PCF_CACHE", str(tmp_path))
    settings.cache_clear()
    open_store.clear()
    _queue.clear()
    store, queue = open_store(), open_queue()
    submit(tmp_path, [RUN])
    assert [job.key for job in queue.list()] == [RUN.key]
    worker = Worker(store, queue, settings(), lambda spec, protocol: deleting(ScoringKey.of(spec, protocol)))

    def deleting(key: ScoringKey) -> Scorer:
        for path in tmp_path.glob("catalogue.sqlite*"):
            path.unlink()
        return FakeScorer(probability, key=key, batch_size=4)

    worker.run()
    assert (store.current, queue.current) == (False, False)
    assert (open_store() is store, open_queue().list()) == (False, ())
    assert (open_store().current, open_queue().current) == (True, True)
    assert open_store() is open_store()
    assert score(tmp_path) == 76
    open_store.clear()
    _queue.clear()
