"""Tiny encoder–decoder models and a tiny XLNet with random weights, each with a brute force of its own.

Their SentencePiece vocabularies are written by hand: "he" has one token, "she" and "man" two, "son" and
"woman" three, "father" four, "stepmother" more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast, T5Tokenizer, XLNetTokenizer

from pcf_core.models.loading import Loaded

CONTEXT = 160
WHOLE = "▁the ▁The ▁nurse ▁said ▁that ▁was ▁old ▁met ▁a ▁to ▁doctor ▁captain ▁he ▁s ▁m ▁w ▁engineer"
PARTS = "he an om er fat step mot , . '"
LETTERS = "▁" + "abcdefghijklmnopqrstuvwxyzATE"
TEXTS = [
    "The nurse said that he was old, and the engineer told us that she knew it.",
    "According to the captain, the man met a woman and her son.",
]


def pieces(specials: list[str], behind: list[str]) -> list[tuple[str, float]]:
    """A unigram vocabulary: long pieces first, then letters; sentinels stand behind the text's pieces."""
    words = [*((piece, -2.0) for piece in WHOLE.split()), *((piece, -3.0) for piece in PARTS.split())]
    letters = [(letter, -6.0) for letter in LETTERS if letter not in dict(words)]
    return [(name, 0.0) for name in specials] + words + letters + [(name, 0.0) for name in behind]


@functools.cache
def t5_tokenizer() -> T5Tokenizer:
    sentinels = [f"<extra_id_{n}>" for n in reversed(range(4))]
    return T5Tokenizer(vocab=pieces(["<pad>", "</s>", "<unk>"], sentinels), extra_ids=4)


@functools.cache
def xlnet_tokenizer() -> XLNetTokenizer:
    specials = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
    return XLNetTokenizer(vocab=pieces(specials, []))


@functools.cache
def bart_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE with few merges; the mask takes the space before it, as BART's does."""
    mask = AddedToken("<mask>", lstrip=True, special=True)
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    specials = ["<s>", "<pad>", "</s>", "<unk>", mask]
    trainer = trainers.BpeTrainer(
        vocab_size=len(specials) + len(alphabet) + 25,
        special_tokens=specials,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    raw.train_from_iterator(TEXTS * 20, trainer)
    raw.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token=mask,
    )


T5 = {"d_model": 32, "d_kv": 16, "d_ff": 48, "num_layers": 2, "num_heads": 2, "decoder_start_token_id": 0} | {
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 12,
}
BART = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": CONTEXT,
    "init_std": 0.4,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": None,
}


@dataclass(frozen=True)
class Tiny:
    """A tiny model: its class in transformers, and what makes it (with other options of its config)."""

    model: str
    load: Callable[..., Loaded]


def build(
    model: str,
    tokenizer: Callable[[], PreTrainedTokenizerBase],
    *,
    spare: int = 0,
    own_head: bool = False,
    **options: Any,
) -> Loaded:
    """``spare`` entries of the vocabulary have no token, as in T5; ``own_head``: as T5 1.1 and mT5 have."""
    kind, own = getattr(transformers, model), tokenizer()
    torch.manual_seed(7)
    made = kind(kind.config_class(vocab_size=len(own) + spare, **options)).eval()
    if own_head:
        made.lm_head.weight = torch.nn.Parameter(torch.randn_like(made.lm_head.weight) * 0.3)
    return Loaded(made, own, "cpu")


def twin(model: str, tokenizer: Callable[[], PreTrainedTokenizerBase], **options: Any) -> Tiny:
    return Tiny(model, functools.partial(build, model, tokenizer, **options))


LED = {
    ("max_encoder_position_embeddings" if key == "max_position_embeddings" else key): BART[key]
    for key in BART
}
SENTINEL = {
    # T5 1.0: relu, tied and scaled head; T5 1.1: gated gelu, a head of its own, not scaled.
    "t5": twin("T5ForConditionalGeneration", t5_tokenizer, spare=28, **T5),
    "t5-gated": twin(
        "T5ForConditionalGeneration",
        t5_tokenizer,
        spare=28,
        own_head=True,
        **T5,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
    ),
    "mt5": twin("MT5ForConditionalGeneration", t5_tokenizer, spare=12, own_head=True, **T5),
    # Every layer has a table of distances of its own.
    "umt5": twin("UMT5ForConditionalGeneration", t5_tokenizer, **T5),
}
MASK = {
    "bart": twin("BartForConditionalGeneration", bart_tokenizer, **BART),
    # Normalises before each block; positions and start token as here, not as in mBART's checkpoints.
    "mbart": twin("MBartForConditionalGeneration", bart_tokenizer, **BART),
    # BART whose decoder lets nobody choose the positions: words cannot share a row.
    "led": twin(
        "LEDForConditionalGeneration",
        bart_tokenizer,
        **LED,
        attention_window=4,
        max_decoder_position_embeddings=CONTEXT,
    ),
}
SEQ2SEQ = SENTINEL | MASK
XLNET = {"d_model": 32, "n_layer": 2, "n_head": 2, "d_inner": 48, "initializer_range": 0.4}
PERMUTATION = {"xlnet": twin("XLNetLMHeadModel", xlnet_tokenizer, **XLNET)}


def split_text(tokenizer: Any, prompt: str, word: str) -> tuple[list[int], list[int], list[int]]:
    """Token ids left of the word, of the word and right of it, cut out of the whole text's tokens."""
    left, right = prompt.split("[Y]")
    texts = (left.rstrip(), left + word, left + word + right)
    first, second, whole = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts)
    assert whole[: len(second)] == second
    assert second[: len(first)] == first
    return first, second[len(first) :], whole[len(second) :]


@functools.cache
@torch.inference_mode()
def log_chances(loaded: Loaded, source: tuple[int, ...], decoder: tuple[int, ...]) -> torch.Tensor:
    """Nats [token] of what comes next: the plain forward of one row, which several tests ask for."""
    answer = loaded.model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([decoder]))
    return torch.softmax(answer.logits[0, -1].double(), -1).log()


def brute_seq2seq(loaded: Loaded, prompt: str, word: str, *, closing: bool = False) -> float:
    """Nats of one word: the model's plain forward with the whole softmax, nothing shared or batched."""
    tokenizer = loaded.tokenizer
    left, middle, right = split_text(tokenizer, prompt, word)
    names = tokenizer.get_vocab()
    if "<extra_id_0>" in names:
        source = [*left, names["<extra_id_0>"], *right, names["</s>"]]
        decoder = [loaded.model.config.decoder_start_token_id, names["<extra_id_0>"]]
    else:
        source = [names["<s>"], *left, names["<mask>"], *right, names["</s>"]]
        decoder = [names["</s>"], names["<s>"], *left]
    total = 0.0
    for token in middle + ([names["<extra_id_1>"]] if closing else []):
        total += float(log_chances(loaded, tuple(source), tuple(decoder))[token])
        decoder.append(token)
    return total


@torch.inference_mode()
def brute_permutation(loaded: Loaded, prompt: str, word: str) -> float:
    """Nats of one word: one open place after the other, hidden cell by cell."""
    left, middle, right = split_text(loaded.tokenizer, prompt, word)
    names = loaded.tokenizer.get_vocab()
    ids = [*left, *middle, *right, names["<sep>"], names["<cls>"]]
    total = 0.0
    for place in range(len(left), len(left) + len(middle)):
        hidden, target = torch.zeros(1, len(ids), len(ids)), torch.zeros(1, 1, len(ids))
        for open_place in range(place, len(left) + len(middle)):
            hidden[0, :, open_place] = 1
        target[0, 0, place] = 1
        # The ids of the open places are left in: whether they are hidden shows in the answer.
        answer = loaded.model(input_ids=torch.tensor([ids]), perm_mask=hidden, target_mapping=target)
        total += float(torch.softmax(answer.logits[0, 0].double(), -1)[ids[place]].log())
    return total
