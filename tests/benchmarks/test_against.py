"""The benchmark against what a user would pick instead: every side computes the same quantity."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from benchmarks.against import MODEL, PEERS, Peer, compare, lay_files, line, loop, peer_side
from benchmarks.peer import counted
from pcf_core.models.loading import load
from pcf_core.models.public import absent_among
from pcf_core.models.registry import resolve

SMALL = "mini-gpt-s"
WORDS = ("he", "she", "stepmother", "grandfather")  # of one token and of several
LOOP, OTHERS = PEERS[1], [peer for peer in PEERS if peer.python is not None]


def test_the_loop_computes_the_same_quantity_with_more_work() -> None:
    found, work = compare(SMALL, [replace(LOOP, cells=6)], cells=12, rounds=2, clock="processor", words=WORDS)
    (compared,) = found.values()
    assert compared.difference < 1e-4
    assert compared.tokens > work.tokens / 12
    assert compared.places == compared.tokens
    assert compared.ours > 0 < compared.theirs
    assert LOOP.title in line(LOOP, compared)


def test_a_wrong_side_would_be_seen() -> None:
    """Prompts and words differ by far more than the bound."""
    prompts = ("The nurse said that [Y]", "The old captain told us that [Y]", "The nurse knew [Y]")
    values = loop(load(resolve(SMALL)), prompts, WORDS, size=2)
    assert abs(values[0] - values[1:]).min() > 1e-3
    assert abs(values[:, :1] - values[:, 1:]).min() > 1e-3


def test_what_a_model_is_given_to_do_is_counted() -> None:
    model = load(resolve(SMALL)).model
    with counted(model) as work, torch.inference_mode():
        model(input_ids=torch.zeros(2, 5, dtype=torch.long))
        model(input_ids=torch.zeros(1, 3, dtype=torch.long), logits_to_keep=1)
    assert (work.tokens, work.places) == (13, 11)


def test_the_rotation_stands_where_transformers_4_looks(tmp_path: Path) -> None:
    """Its own default, 10,000, would give other scores."""
    config = {"model_type": "llama", "rope_parameters": {"rope_theta": 100_000.0, "rope_type": "default"}}
    source, folder = tmp_path / "model", tmp_path / "laid"
    source.mkdir()
    folder.mkdir()
    (source / "config.json").write_text(json.dumps(config))
    (source / "model.safetensors").write_text("weights")
    lay_files(source, folder)
    assert json.loads((folder / "config.json").read_text()) == config | {"rope_theta": 100_000.0}
    assert (folder / "model.safetensors").read_text() == "weights"


def test_a_peer_that_ends_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    gone = Peer("gone", "nobody", Path(sys.executable), 1, 1, goal=1)
    task = {"threads": 1, "clock": "wall"}
    with pytest.raises(RuntimeError, match="gone ended with the status 1"), peer_side(gone, task):
        pass
    assert "KeyError: 'nobody'" in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("peer", OTHERS, ids=lambda peer: peer.title)
def test_a_peer_computes_the_same_quantity(peer: Peer) -> None:
    assert peer.python is not None
    if not peer.python.exists():
        pytest.skip(f"there is no {peer.python.parent.parent.name}; make it with: make bench")
    if absent_among([MODEL]):
        pytest.skip(f"{MODEL} is not here; fetch it with: make .venv/ready-models")
    found, work = compare(MODEL, [replace(peer, cells=2)], cells=4, rounds=1, clock="processor", words=WORDS)
    assert found[peer.title].difference < 2e-4
    assert found[peer.title].tokens > work.tokens / 4
