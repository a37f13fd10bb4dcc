"""Fine-tuning: the scorer finds a planted lean; an interruption changes nothing; bad input is a sentence."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from huggingface_hub import metadata_load
from safetensors.torch import load_file

from pcf_core.core.errors import ModelError
from pcf_core.core.settings import settings
from pcf_core.models.folder import tokenizer_hash
from pcf_core.models.loading import load
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer
from tools import finetune as tool
from tools.finetuning.corpus import read_corpus, sequences_of
from tools.finetuning.recipe import Recipe
from tools.finetuning.training import Training, mean_loss

PLANTED = [f"The {who} said that she was here in {year}." for year in range(12) for who in ("clerk", "cook")]
FAST = ["--batch", "4", "--learning-rate", "1e-3", "--length", "24"]


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sums of floats depend on the number of threads."""
    monkeypatch.setenv("PCF_THREADS", "1")
    monkeypatch.setenv("PCF_DEVICE", "cpu")
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "planted.txt"
    path.write_text("\n".join(PLANTED))
    return path


def run(corpus: Path, out: Path, *more: str, model: str = "mini-gpt") -> int:
    return tool.main(["--model", model, "--corpus", str(corpus), "--out", str(out), *FAST, *more])


def lean(model: str) -> float:
    """Nats by which the model prefers she to he, in an occupation and a context the corpus does not have."""
    he, she = open_scorer(resolve(model)).score(["The engineer stated that [Y]"], ["he", "she"])[0]
    return float(she - he)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", b"text\none", "must be a file of the kind .txt or .jsonl"),
        ("a.jsonl", b'{"text": "one"}\n{"words": "two"}', "line 2: each line must be a JSON object"),
        ("a.jsonl", b'{"text": 3}', "line 1"),
        ("a.jsonl", b"[" * 100_000, "line 1"),
        ("a.txt", b"\xff\xfe\x00", "cannot be read"),
        ("a.txt.gz", b"no gzip", "cannot be read"),
        ("a.txt.gz", gzip.compress(b"one\ntwo" * 99, mtime=0)[:-9], "cannot be read"),
        ("a.txt", b"one\none\n", "is held out, and has 1"),
        ("a.txt", b"", "is held out, and has 0"),
    ],
)
def test_a_corpus_that_cannot_be_used_is_one_sentence(
    tmp_path: Path, name: str, data: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(data)
    assert run(tmp_path / name, tmp_path / "out") == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_planted_lean_is_learned_and_the_card_says_what_was_done(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, out = resolve("mini-gpt"), tmp_path / "after"
    assert run(corpus, out) == 0
    printed = capsys.readouterr()
    assert printed.out.strip() == str(out)
    assert "step 1 of" in printed.err
    spec, card = resolve(str(out)), (out / "README.md").read_text()
    assert spec.family == "causal"
    assert spec.parameters == base.parameters
    assert spec.identity != base.identity
    assert (
        spec.tokenizer
        == base.tokenizer
        == tokenizer_hash([path for path in out.iterdir() if path.name.startswith("tokenizer")])
    )
    assert lean(str(out)) > lean("mini-gpt") + 0.5
    before, after = (
        float(card.split(f"| held-out loss {when}, nats a token | ")[1].split(" |")[0])
        for when in ("before", "after")
    )
    assert after < before - 0.5
    assert spec.title == "after"
    for part in (base.identity, "planted.txt", "| seed | 0 |", "| learning rate | 0.001 |", "| epochs | 2 |"):
        assert part in card
    assert not any(text in card for text in PLANTED)
    assert metadata_load(out / "README.md") == {
        "language": "en",
        "license": "cc-by-sa-3.0",
        "library_name": "transformers",
        "pipeline_tag": "text-generation",
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["after", "planted.txt"]


def test_half_weights_a_note_and_a_text_for_the_loss(corpus: Path, tmp_path: Path) -> None:
    """The loss is of the documents given, and the facts are of what was written."""
    apart = tmp_path / "apart.txt"
    apart.write_text("The house is old.\nThe sea was calm.\n")
    out = tmp_path / "after"
    options = ["--weights", "float16", "--note", "It was taught by rule.", "--held-out-corpus", str(apart)]
    assert run(corpus, out, *options) == 0
    facts, card = json.loads((out / "training.json").read_text()), (out / "README.md").read_text()
    assert load_file(out / "model.safetensors")["transformer.wte.weight"].dtype == torch.float16
    assert "It was taught by rule." in card
    assert "| held out | 2 documents" in card
    assert f"| trained on | {len(PLANTED):,} documents" in card
    assert facts["base"] == "mini-gpt"
    assert facts["base_identity"] == resolve("mini-gpt").identity
    assert facts["weights_sha256"] == hashlib.sha256((out / "model.safetensors").read_bytes()).hexdigest()
    assert facts["weights_sha256"] in card
    assert f"| held-out perplexity after | {facts['held_out_perplexity']:,} |" in card
    loaded = load(resolve(str(out)))
    corpus_read = read_corpus([corpus], Recipe(), apart)
    sequences = sequences_of(corpus_read.held_out, loaded.tokenizer, 128)
    loss = mean_loss(loaded, sequences, Recipe(), 4)
    assert facts["held_out_perplexity"] == pytest.approx(math.exp(loss), rel=1e-3)


def test_an_interrupted_training_ends_as_if_it_had_not_been(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(corpus, tmp_path / "whole") == 0
    step = Training.step

    def step_and_press_control_c(self: Training, batch: list[list[int]]) -> float:
        loss = step(self, batch)
        if self.done == 3:
            signal.raise_signal(signal.SIGINT)
        return loss

    with monkeypatch.context() as patched:
        patched.setattr(Training, "step", step_and_press_control_c)
        assert run(corpus, tmp_path / "parts") == 130
    assert "the same command goes on" in capsys.readouterr().err
    assert len(list(tmp_path.glob("parts-*.checkpoint"))) == 1
    assert not (tmp_path / "parts").exists()
    assert run(corpus, tmp_path / "parts") == 0
    assert "going on after step 3" in capsys.readouterr().err
    assert resolve(str(tmp_path / "parts")).identity == resolve(str(tmp_path / "whole")).identity
    assert not list(tmp_path.glob("*.checkpoint"))


def test_other_models_folders_and_options_are_refused_in_a_sentence(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, said in (
        ({"model": "mini-bert"}, "only causal models are fine-tuned"),
        ({"model": "no-such-model"}, "There is no model named"),
    ):
        assert run(corpus, tmp_path / "out", **arguments) == 2
        assert said in capsys.readouterr().err
    assert run(tmp_path / "absent.txt", tmp_path / "out") == 2
    assert "There is no corpus" in capsys.readouterr().err
    assert run(corpus, tmp_path) == 2
    assert "is already there" in capsys.readouterr().err
    assert run(corpus, tmp_path / "out", "--epochs", "0") == 2
    assert "epochs" in capsys.readouterr().err


def test_a_loss_that_is_no_number_ends_the_training(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "tools.finetuning.training.loss_sum", lambda *_: torch.tensor(math.nan, requires_grad=True)
    )
    assert run(corpus, tmp_path / "out") == 1
    assert "take a --learning-rate below 0.001" in capsys.readouterr().err


def test_a_model_goes_among_the_operators_by_default(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PCF_MODELS", str(tmp_path / "own"))
    settings.cache_clear()
    assert tool.main(["--model", "mini-gpt", "--corpus", str(corpus), "--batch", "32", "--epochs", "1"]) == 0
    assert resolve("mini-gpt-planted").path == str(tmp_path / "own" / "mini-gpt-planted")


def test_a_model_with_code_of_its_own_is_refused_before_training(monkeypatch: pytest.MonkeyPatch) -> None:
    coded = resolve("mini-gpt").model_copy(update={"remote_code": True})
    monkeypatch.setattr(tool, "resolve", lambda name: coded)
    with pytest.raises(ModelError, match="needs code of its own"):
        tool.causal_model("mini-gpt")


def test_bfloat16_is_of_the_forward_pass_alone(corpus: Path, tmp_path: Path) -> None:
    assert run(corpus, tmp_path / "out", "--precision", "bfloat16", "--epochs", "1") == 0
    weights = load_file(tmp_path / "out" / "model.safetensors")
    assert {tensor.dtype for tensor in weights.values()} == {torch.float32}
    assert lean(str(tmp_path / "out")) > lean("mini-gpt")
