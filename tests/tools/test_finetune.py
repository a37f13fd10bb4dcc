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

from pcf_core.errors import ModelError
from pcf_core.models import resolve
from pcf_core.models.identity import tokenizer_hash
from pcf_core.models.loading import load
from pcf_core.scoring.opening import open_scorer
from pcf_core.settings import settings
from tools import finetune as tool

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


# ---------------------------------------------------------------------------------------------- corpus


def write(path: Path, text: str) -> Path:
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lines.txt", "one\ntwo\n\n"),
        ("lines.txt.gz", "one \r\ntwo"),
        ("records.jsonl", '{"text": "one"}\n\n{"id": 2, "text": " two "}\n{"text": ""}\n'),
        ("records.jsonl.gz", '{"text": "one"}\n{"text": "two"}'),
        ("paragraphs.txt", "one\n \ntwo\n"),
    ],
)
def test_documents_are_lines_paragraphs_or_records(tmp_path: Path, name: str, text: str) -> None:
    assert tool.read_documents(write(tmp_path / name, text)) == ["one", "two"]


def test_a_paragraph_may_hold_several_lines(tmp_path: Path) -> None:
    assert tool.read_documents(write(tmp_path / "a.txt", "one\ngoes on\n\ntwo")) == ["one\ngoes on", "two"]


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


def test_equal_documents_are_held_out_together_and_the_seed_decides_which(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "\n".join(f"document {i % 20}" for i in range(100)))
    splits = [tool.read_corpus([path], tool.Recipe(held_out=0.1, seed=seed)) for seed in (0, 0, 1)]
    for split in splits:
        assert len(split.held_out) == 2
        assert len(split.train) == 90
        assert not set(split.train) & set(split.held_out)
    assert splits[0] == splits[1] != splits[2]
    assert splits[0].hash == splits[2].hash


class Letters:
    """A tokenizer of one letter a token, closed by 0."""

    eos_token_id = 0

    def __call__(self, text: str, verbose: bool) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) for letter in text]}


def test_long_documents_go_on_in_a_further_sequence() -> None:
    found = tool.sequences_of(["abcd", "ef"], Letters(), 3)
    assert found == [[97, 98, 99], [100, 0], [101, 102, 0]]
    assert tool.sequences_of(["abc"], Letters(), 3) == [[97, 98, 99]], "a last token alone has no target"


# -------------------------------------------------------------------------------------------- training


def test_every_epoch_goes_through_all_sequences_in_an_order_of_its_own() -> None:
    sequences = [[i, i] for i in range(10)]
    recipe = tool.Recipe(batch=4)
    batches = [tool.batch_at(step, sequences, recipe) for step in range(6)]
    assert [len(batch) for batch in batches] == [4, 4, 2] * 2
    epochs = [[row for batch in part for row in batch] for part in (batches[:3], batches[3:])]
    assert sorted(epochs[0]) == sorted(epochs[1]) == sequences
    assert epochs[0] != epochs[1]


def test_the_rate_rises_over_the_warm_up_and_falls_to_nearly_nothing() -> None:
    rates = [tool.rate(step, 10, 0.2) for step in range(10)]
    assert rates == pytest.approx([1 / 2, 1, *(n / 9 for n in range(8, 0, -1))])
    assert tool.rate(0, 1, 0.2) == 1.0


def test_the_loss_is_that_of_each_sequence_alone_whatever_stands_beside_it() -> None:
    loaded = tool.load(resolve("mini-gpt"))
    sequences = [[0, 50, 60, 70, 80], [0, 90, 100], [0, 7]]
    with torch.no_grad():
        together = tool.loss_sum(loaded, sequences, "float32").item()
        alone = 0.0
        for ids in sequences:
            logs = loaded.model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
            alone -= sum(logs[i, ids[i + 1]].item() for i in range(len(ids) - 1))
    assert together == pytest.approx(alone, rel=1e-6)


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


@pytest.mark.parametrize("card", [None, "# A model\n", "---\ntags:\n- small\n---\n"])
def test_a_base_that_names_no_licence_gives_none(tmp_path: Path, card: str | None) -> None:
    if card is not None:
        (tmp_path / "README.md").write_text(card)
    assert tool.front_matter(tmp_path) == "library_name: transformers\npipeline_tag: text-generation"


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
    corpus_read = tool.read_corpus([corpus], tool.Recipe(), apart)
    sequences = tool.sequences_of(corpus_read.held_out, loaded.tokenizer, 128)
    loss = tool.mean_loss(loaded, sequences, tool.Recipe(), 4)
    assert facts["held_out_perplexity"] == pytest.approx(math.exp(loss), rel=1e-3)


def test_an_interrupted_training_ends_as_if_it_had_not_been(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(corpus, tmp_path / "whole") == 0
    step = tool.Training.step

    def step_and_press_control_c(self: tool.Training, batch: list[list[int]]) -> float:
        loss = step(self, batch)
        if self.done == 3:
            signal.raise_signal(signal.SIGINT)
        return loss

    with monkeypatch.context() as patched:
        patched.setattr(tool.Training, "step", step_and_press_control_c)
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
    monkeypatch.setattr(tool, "loss_sum", lambda *_: torch.tensor(math.nan, requires_grad=True))
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
