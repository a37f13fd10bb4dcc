"""Tokenizers trained on the spot, one in the manner of each family of models; prompts and words to try."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AddedToken,
    FunnelTokenizer,
    PreTrainedTokenizerFast,
    T5Tokenizer,
    XLNetTokenizer,
)

# Few merges: "he" becomes one token, "man" two, "son" three, "woman" four.
CORPUS = [
    *["the nurse said that he was old. The engineer told us that she was here, and he knew it."] * 40,
    *["According to the captain, she was aware that the man met a woman and her son."] * 20,
    *["The doctor's mother and father asked if they could go; the princess smiled."] * 4,
    "The stepmother of a businesswoman, a granddaughter, a widower and the priestess.",
]
FEW_TEXTS = [
    "The nurse said that he was old, and the engineer told us that she knew it.",
    "According to the captain, the man met a woman and her son.",
]
# A vocabulary by hand: "he" has one token, "she" and "man" two, "son" and "woman" three, "father" four.
WHOLE = "▁the ▁The ▁nurse ▁said ▁that ▁was ▁old ▁met ▁a ▁to ▁doctor ▁captain ▁he ▁s ▁m ▁w ▁engineer"
PARTS = "he an om er fat step mot , . '"
LETTERS = "▁" + "abcdefghijklmnopqrstuvwxyzATE"
PROMPTS = (
    "The nurse said that [Y]",
    "According to the captain, [Y]",
    "The flight attendant, who was old and knew it well, told us that [Y]",
    "The doctor [Y]",
    "The engineer said that [Y] was old.",
    "The captain met a [Y].",
)
WORDS = ("he", "she", "man", "son", "woman", "father", "stepmother")


def byte_bpe(specials: list[str | AddedToken], merges: int = 43, corpus: Sequence[str] = CORPUS) -> Tokenizer:
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
    raw.train_from_iterator(corpus, trainer)
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


def _with_a_mask(lstrip: bool, merges: int, corpus: Sequence[str]) -> PreTrainedTokenizerFast:
    """Byte-level BPE of RoBERTa and BART; ``lstrip``: whether the mask takes the space before it."""
    mask = AddedToken("<mask>", lstrip=lstrip, special=True)
    raw = byte_bpe(["<s>", "<pad>", "</s>", "<unk>", mask], merges, corpus)
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
def roberta_tokenizer(lstrip: bool = True) -> PreTrainedTokenizerFast:
    return _with_a_mask(lstrip, 43, CORPUS)


@functools.cache
def bart_tokenizer() -> PreTrainedTokenizerFast:
    return _with_a_mask(True, 25, FEW_TEXTS * 20)


@functools.cache
def mbart_tokenizer(first: bool = False) -> PreTrainedTokenizerFast:
    """BART's with a language beside a text: behind its end, or as its first token (mBART-50)."""
    tokenizer = _with_a_mask(True, 25, FEW_TEXTS * 20)
    tokenizer.add_special_tokens({"additional_special_tokens": ["en_XX", "ro_RO"]})
    language = ("en_XX", tokenizer.convert_tokens_to_ids("en_XX"))
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="en_XX $A </s>" if first else "$A </s> en_XX", special_tokens=[("</s>", 2), language]
    )
    return tokenizer


def word_pieces(corpus: Sequence[str], vocab_size: int) -> PreTrainedTokenizerFast:
    """As BERT's: each Chinese character is a word, whatever stands beside it."""
    raw = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer(lowercase=True)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    raw.train_from_iterator(
        corpus, trainers.WordPieceTrainer(vocab_size=vocab_size, special_tokens=specials, show_progress=False)
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
def bert_tokenizer() -> PreTrainedTokenizerFast:
    return word_pieces(CORPUS, 75)


@functools.cache
def funnel_tokenizer() -> PreTrainedTokenizerFast:
    """BERT's pieces; the token that opens a text has a type of its own."""
    return FunnelTokenizer(
        vocab=bert_tokenizer().get_vocab(),
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
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
