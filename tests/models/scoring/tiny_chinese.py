"""Models of random weights that read Chinese, built on the spot: one token a character, and bytes joined."""

from __future__ import annotations

import functools

from transformers import PreTrainedTokenizerFast

from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.loading import Loaded
from tests.models.scoring.conftest import GPT2, SMALL, build
from tests.models.scoring.tiny_tokenizers import byte_bpe, word_pieces


@functools.cache
def corpus() -> tuple[str, ...]:
    """Every template with every occupation and word of the shipped topic: a few pieces grow over words."""
    topic = load_topic("gender-zh")
    terms, texts = load_evidence(topic.evidence).terms, load_templates(topic.templates).texts
    return tuple(
        text.replace("[X]", term).replace("[Y]", topic.words[(place + shift) % len(topic.words)])
        for shift, text in enumerate(texts)
        for place, term in enumerate(terms)
    )


@functools.cache
def characters() -> PreTrainedTokenizerFast:
    """As bert-base-chinese: each Chinese character is a token, whatever stands beside it."""
    return word_pieces(corpus(), 600)


def _bytes(texts: tuple[str, ...]) -> PreTrainedTokenizerFast:
    end = "<|endoftext|>"
    raw = byte_bpe([end], merges=200, corpus=texts)
    return PreTrainedTokenizerFast(tokenizer_object=raw, bos_token=end, eos_token=end, unk_token=end)


@functools.cache
def bytes_of_words() -> PreTrainedTokenizerFast:
    """Byte-level BPE of several tokens a word, and of the words apart from the text before them."""
    topic = load_topic("gender-zh")
    texts = [text.removesuffix("[Y]") for text in load_templates(topic.templates).texts]
    terms = load_evidence(topic.evidence).terms
    return _bytes((*(text.replace("[X]", term) for text in texts for term in terms), *topic.words * 50))


@functools.cache
def joined_bytes() -> PreTrainedTokenizerFast:
    """Byte-level BPE: no space ends a piece, so that pieces reach from the text into the word ("说他")."""
    return _bytes((*corpus(), *["说他"] * 300))


@functools.cache
def chinese(family: str) -> Loaded:
    """A masked or a causal model; "joined": a causal one whose tokens reach over the seam."""
    if family == "masked":
        return build("BertForMaskedLM", characters, **SMALL)
    return build("GPT2LMHeadModel", joined_bytes if family == "joined" else bytes_of_words, **GPT2)
