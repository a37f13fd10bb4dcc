"""minicons as a second opinion, in an environment of its own: other code and another transformers.

Where the two do not ask the same, the test says so:

- minicons writes a space before the text on the right, so prompts with a full stop right behind the word are
  left out, and it counts the tokens of a word without the space before it, which byte-level BPE (RoBERTa)
  tokenises otherwise: text on the right is compared for word pieces and causal models.
- Its end of a word (``bow_correction``) is a token that begins with a space.  Ours is also any punctuation
  or special token: with our set of tokens narrowed to its own the numbers agree.
- It takes a padding token in a prefix for padding, which is wrong for OPT, whose texts begin with one: its
  tokenizer gets another.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pcf_core.core.settings import ROOT
from tests.models.scoring.conftest import CAUSAL, changed, load_tiny, scorer_of
from tests.models.scoring.tiny_tokenizers import WORDS

PYTHON = ROOT / ".venv-minicons" / "bin" / "python"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not PYTHON.exists(), reason="there is no .venv-minicons; make it with: make .venv-minicons/ready"
    ),
]
NAMES = [
    *("gpt2", "gpt-neo", "gpt-neo-wide", "gpt-neox", "opt", "llama", "mistral", "mistral-wide", "qwen2"),
    *("bloom", "bert", "roberta", "mini-bert", "albert", "distilbert"),
]
LEFT = [
    "The nurse said that [Y]",
    "According to the captain, [Y]",
    "The flight attendant, who was old and knew it well, told us that [Y]",
    "The doctor [Y]",
]
RIGHT = ["The engineer said that [Y] was old.", "The captain met [Y] and told us so."]
WORD_PIECES = ("bert", "albert", "distilbert")
Answers = dict[tuple[str, str], np.ndarray]


def tasks(name: str, folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """What to ask of a twin, saved to ``folder``: text on the left alone, on both sides, with word ends."""
    loaded = load_tiny(name)
    loaded.model.save_pretrained(folder)
    loaded.tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    specials = dict(loaded.tokenizer.special_tokens_map)
    causal = name in CAUSAL
    if specials.get("pad_token") == specials.get("bos_token"):
        specials["pad_token"] = specials["unk_token"]
    common = {"folder": str(folder), "family": "causal" if causal else "masked", "specials": specials} | {
        "boundary": False,
        "batch": 8,
        "rounds": 1,
        "threads": 1,
    }
    requests = [("left", common | {"prompts": LEFT})]
    if causal or name in WORD_PIECES:
        requests.append(("right", common | {"prompts": RIGHT}))
    if causal:
        requests.append(("ends", common | {"prompts": LEFT, "boundary": True}))
    return requests


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """All answers of one process of minicons."""
    requests = []
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name)
        requests += [((name, what), task | {"words": WORDS}) for what, task in tasks(name, folder)]
    request = json.dumps([task for _, task in requests])
    script = ROOT / "tests" / "models" / "scoring" / "minicons_scores.py"
    done = subprocess.run([PYTHON, script], input=request, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads(done.stdout)
    return {key: np.array(one["nats"]) for (key, _), one in zip(requests, results, strict=True)}


@pytest.mark.parametrize("name", NAMES)
def test_words_have_the_scores_of_minicons(name: str, answers: Answers) -> None:
    for what, prompts in (("left", LEFT), ("right", RIGHT)):
        if (name, what) in answers:
            values = scorer_of(name).score(prompts, WORDS)
            np.testing.assert_allclose(values, answers[name, what], atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", [name for name in NAMES if name in CAUSAL])
def test_word_ends_have_the_chance_of_minicons_with_its_set_of_ends(name: str, answers: Answers) -> None:
    scorer = changed(name, "exact-boundary")
    tokenizer = scorer.seam.tokenizer
    ours = scorer.score(LEFT, WORDS)
    marks = [
        n
        for n, piece in enumerate(tokenizer.convert_ids_to_tokens(range(len(tokenizer))))
        if piece[0] in "Ġ▁"
    ]
    assert set(marks) < set(scorer.ends.tolist())
    scorer.ends = torch.tensor(marks)
    np.testing.assert_allclose(scorer.score(LEFT, WORDS), answers[name, "ends"], atol=1e-4, rtol=0)
    assert np.all(ours > answers[name, "ends"])
