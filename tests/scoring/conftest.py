"""Tiny models with random weights from their configs, tokenizers trained on the spot, and a brute force."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AddedToken, PreTrainedTokenizerFast

from pcf_core.models.loading import Loaded
from pcf_core.records import ScoringKey
from pcf_core.scoring.base import Scorer
from pcf_core.scoring.causal import CausalScorer
from pcf_core.scoring.masked import MaskedScorer

CONTEXT = 160
# Few merges: "he" becomes one token, "man" two, "son" three, "woman" four.
CORPUS = [
    *["the nurse said that he was old. The engineer told us that she was here, and he knew it."] * 40,
    *["According to the captain, she was aware that the man met a woman and her son."] * 20,
    *["The doctor's mother and father asked if they could go; the princess smiled."] * 4,
    "The stepmother of a businesswoman, a granddaughter, a widower and the priestess.",
]
PROMPTS = (
    "The nurse said that [Y]",
    "According to the captain, [Y]",
    "The flight attendant, who was old and knew it well, told us that [Y]",
    "The doctor [Y]",
    "The engineer said that [Y] was old.",
    "The captain met a [Y].",
)
WORDS = ("he", "she", "man", "son", "woman", "father", "stepmother")


def byte_bpe(specials: list[str | AddedToken], merges: int = 43) -> Tokenizer:
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=len(specials) + len(alphabet) + merges,
        special_tokens=specials,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    raw.train_from_iterator(CORPUS, trainer)
    return raw


@functools.cache
def gpt2_tokenizer() -> PreTrainedTokenizerFast:
    """No BOS of its own, no padding token at all; BOS, EOS and unk are one token, as in GPT-2."""
    end = "<|endoftext|>"
    return PreTrainedTokenizerFast(
        tokenizer_object=byte_bpe([end]), bos_token=end, eos_token=end, unk_token=end
    )


@functools.cache
def opt_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE that puts ``</s>`` before a text by default; padding is the end-of-sequence token."""
    raw = byte_bpe(["</s>", "<unk>"])
    raw.post_processor = processors.TemplateProcessing(single="</s> $A", special_tokens=[("</s>", 0)])
    return PreTrainedTokenizerFast(
        tokenizer_object=raw, bos_token="</s>", eos_token="</s>", pad_token="</s>", unk_token="<unk>"
    )


@functools.cache
def roberta_tokenizer(lstrip: bool = True) -> PreTrainedTokenizerFast:
    mask = AddedToken("<mask>", lstrip=lstrip, special=True)
    raw = byte_bpe(["<s>", "<pad>", "</s>", "<unk>", mask])
    raw.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token=mask,
    )


@functools.cache
def bert_tokenizer() -> PreTrainedTokenizerFast:
    raw = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer(lowercase=True)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    raw.train_from_iterator(
        CORPUS, trainers.WordPieceTrainer(vocab_size=75, special_tokens=specials, show_progress=False)
    )
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        unk_token="[UNK]",
        mask_token="[MASK]",
    )


@functools.cache
def llama_tokenizer() -> PreTrainedTokenizerFast:
    """SentencePiece's manner: the space is ``▁`` at the beginning of a piece, and a text gets one too."""
    raw = Tokenizer(models.BPE(unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    raw.decoder = decoders.Metaspace(prepend_scheme="first")
    specials = ["<unk>", "<s>", "</s>"]
    raw.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=75, special_tokens=specials, show_progress=False)
    )
    raw.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


@dataclass(frozen=True)
class Tiny:
    """A tiny model: how to make it, and what its tokenizer is."""

    model: str
    config: str
    tokenizer: Callable[[], PreTrainedTokenizerFast]
    options: dict[str, Any]


SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
POSITIONS = {"max_position_embeddings": CONTEXT}
CAUSAL = {
    "gpt2": Tiny("GPT2LMHeadModel", "GPT2Config", gpt2_tokenizer, {"n_embd": 32, "n_layer": 2, "n_head": 2}),
    "opt": Tiny(
        "OPTForCausalLM", "OPTConfig", opt_tokenizer, {**SMALL, "ffn_dim": 64, "word_embed_proj_dim": 32}
    ),
    "llama": Tiny("LlamaForCausalLM", "LlamaConfig", llama_tokenizer, {**SMALL, "num_key_value_heads": 1}),
    "mistral": Tiny(  # a window shorter than the prompts: keys and values may not be shared
        "MistralForCausalLM",
        "MistralConfig",
        llama_tokenizer,
        {**SMALL, "num_key_value_heads": 1, "sliding_window": 6},
    ),
    "gpt-neox": Tiny("GPTNeoXForCausalLM", "GPTNeoXConfig", gpt2_tokenizer, SMALL),
    "bloom": Tiny(
        "BloomForCausalLM", "BloomConfig", gpt2_tokenizer, {"hidden_size": 32, "n_layer": 2, "n_head": 2}
    ),
}
MASKED = {
    "bert": Tiny("BertForMaskedLM", "BertConfig", bert_tokenizer, SMALL),
    "roberta": Tiny("RobertaForMaskedLM", "RobertaConfig", roberta_tokenizer, SMALL),
    "mini-bert": Tiny(  # a mask token that leaves the space before it alone
        "BertForMaskedLM", "BertConfig", functools.partial(roberta_tokenizer, lstrip=False), SMALL
    ),
    "albert": Tiny("AlbertForMaskedLM", "AlbertConfig", bert_tokenizer, {**SMALL, "embedding_size": 16}),
    "distilbert": Tiny(
        "DistilBertForMaskedLM",
        "DistilBertConfig",
        bert_tokenizer,
        {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64},
    ),
}


@functools.cache
def load_tiny(name: str) -> Loaded:
    tiny = (CAUSAL | MASKED)[name]
    tokenizer = tiny.tokenizer()
    positions = {"n_positions": CONTEXT} if name == "gpt2" else POSITIONS
    config = getattr(transformers, tiny.config)(
        vocab_size=len(tokenizer),
        initializer_range=0.4,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **positions,
        **tiny.options,
    )
    torch.manual_seed(7)
    model = getattr(transformers, tiny.model)(config).eval()
    return Loaded(model, tokenizer, "cpu")


def key_of(name: str, protocol: str = "exact") -> ScoringKey:
    family = "causal" if name in CAUSAL else "masked"
    return ScoringKey(model=name, identity=name, tokenizer=name, family=family, rules="1", protocol=protocol)


def open_loaded(loaded: Loaded, name: str, protocol: str = "exact", **options: Any) -> Scorer:
    kind = CausalScorer if name in CAUSAL else MaskedScorer
    return kind(loaded, key_of(name, protocol), **options)


def brute_force(loaded: Loaded, name: str, prompt: str, word: str) -> float:
    """Nats of one word in one prompt: no batch, full softmax, tokens counted by the tokenizer's own call."""
    left, right = prompt.split("[Y]")
    closing = 0 if name in CAUSAL else 1
    texts = (left.rstrip(), left + word, left + word + right)
    count = [len(loaded.tokenizer(text)["input_ids"]) - closing for text in texts]
    ids = loaded.tokenizer(left + word + right)["input_ids"]
    if name in CAUSAL:
        logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].double()
        targets = range(count[0], count[2])
        return float(sum(torch.softmax(logits[i - 1], -1)[ids[i]].log() for i in targets))
    total = 0.0
    for position in range(count[0], count[1]):
        masked = list(ids)
        masked[position : count[1]] = [loaded.tokenizer.mask_token_id] * (count[1] - position)
        logits = loaded.model(input_ids=torch.tensor([masked])).logits[0, position].double()
        total += float(torch.softmax(logits, -1)[ids[position]].log())
    return total


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=sorted(CAUSAL))
def causal_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=sorted(MASKED))
def masked_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=sorted(CAUSAL | MASKED))
def any_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def tiny() -> Callable[[str], Loaded]:
    return load_tiny


@pytest.fixture(scope="session")
def open_tiny() -> Callable[..., Scorer]:
    def opened(name: str, protocol: str = "exact", **options: Any) -> Scorer:
        return open_loaded(load_tiny(name), name, protocol, **options)

    return opened


@pytest.fixture(scope="session")
def open_with() -> Callable[..., Scorer]:
    return open_loaded


@pytest.fixture(scope="session")
def brute() -> Callable[[str, str, str], float]:
    def scored(name: str, prompt: str, word: str) -> float:
        with torch.inference_mode():
            return brute_force(load_tiny(name), name, prompt, word)

    return scored


@pytest.fixture(scope="session")
def brute_table(brute: Callable[[str, str, str], float]) -> Callable[..., np.ndarray]:
    def table(name: str, prompts: Any = PROMPTS, words: Any = WORDS) -> np.ndarray:
        return np.array([[brute(name, prompt, word) for word in words] for prompt in prompts])

    return table


@pytest.fixture(scope="session")
def prompts() -> tuple[str, ...]:
    return PROMPTS


@pytest.fixture(scope="session")
def words() -> tuple[str, ...]:
    return WORDS
