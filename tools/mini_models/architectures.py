"""The mini models in their published architectures, and their tokenizers in the hub's layout."""

from __future__ import annotations

from collections.abc import Callable

import torch
from tokenizers import AddedToken, Tokenizer, processors
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
    XLNetConfig,
    XLNetLMHeadModel,
)
from transformers.models.t5.modeling_t5 import T5Attention

from tools.mini_models.text import BOS, EOS, LENGTH, PAD, SENTINELS, VOCABULARY

SENTINEL_NAMES = [f"<extra_id_{number}>" for number in range(SENTINELS)]


SLOPES = (1.0, 0.5, 0.2, 0.05)  # T5: what a head's attention loses a token of distance, in nats


def gpt(width: int, layers: int) -> PreTrainedModel:
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=VOCABULARY, n_positions=LENGTH, n_embd=width, n_layer=layers, n_head=4,
            activation_function="gelu_pytorch_tanh", resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
            bos_token_id=BOS, eos_token_id=EOS, pad_token_id=PAD,
        )
    )  # fmt: skip


def bert() -> PreTrainedModel:
    return BertForMaskedLM(
        BertConfig(
            vocab_size=VOCABULARY, hidden_size=256, num_hidden_layers=4, num_attention_heads=4,
            intermediate_size=1024, max_position_embeddings=LENGTH, type_vocab_size=1,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
            pad_token_id=PAD, bos_token_id=BOS, eos_token_id=EOS,
        )
    )  # fmt: skip


def t5() -> PreTrainedModel:
    """Make a T5 that a mini model can learn from; with T5's own weights it learns only word frequencies.

    Weights start like GPT-2's, with small embeddings to which the layers first add nothing.  Attention starts
    local, each head with a slope of its own (ALiBi; Press et al. 2022).
    """
    model = T5ForConditionalGeneration(
        T5Config(
            vocab_size=VOCABULARY + SENTINELS, d_model=160, d_kv=40, d_ff=640, num_heads=4,
            num_layers=2, num_decoder_layers=2, dropout_rate=0.0, tie_word_embeddings=True,
            pad_token_id=PAD, eos_token_id=EOS, decoder_start_token_id=PAD,
        )
    )  # fmt: skip
    with torch.no_grad():
        model.shared.weight.mul_(0.05)
        model.decoder.final_layer_norm.weight.mul_(
            model.config.d_model**0.5
        )  # what tied logits are divided by
        for name, weight in model.named_parameters():
            if name.endswith((".o.weight", ".wo.weight")):
                weight.zero_()
        for stack in (model.encoder, model.decoder):
            attention = stack.block[0].layer[0].SelfAttention
            attention.relative_attention_bias.weight.copy_(
                -distances(attention)[:, None] * torch.tensor(SLOPES)
            )
    return model


def distances(attention: T5Attention) -> torch.Tensor:
    """Return [bucket] the smallest distance in tokens of each bucket of T5's relative positions."""
    offsets = torch.arange(-LENGTH, LENGTH)
    buckets = attention._relative_position_bucket(
        offsets,
        bidirectional=not attention.is_decoder,
        num_buckets=attention.relative_attention_num_buckets,
        max_distance=attention.relative_attention_max_distance,
    )
    nearest = torch.zeros(attention.relative_attention_num_buckets)
    return nearest.scatter_reduce(0, buckets, offsets.abs().float(), "amin", include_self=False)


def xlnet() -> PreTrainedModel:
    return XLNetLMHeadModel(
        XLNetConfig(
            vocab_size=VOCABULARY, d_model=160, n_layer=3, n_head=4, d_inner=640, dropout=0.0,
            pad_token_id=PAD, bos_token_id=BOS, eos_token_id=EOS,
        )
    )  # fmt: skip


BUILDERS: dict[str, Callable[[], PreTrainedModel]] = {
    "mini-gpt-s": lambda: gpt(128, 2),
    "mini-gpt": lambda: gpt(256, 4),
    "mini-gpt-l": lambda: gpt(256, 6),
    "mini-bert": bert,
    "mini-t5": t5,
    "mini-xlnet": xlnet,
}


def build(name: str) -> PreTrainedModel:
    """Build a new model with random weights."""
    return BUILDERS[name]()


def hub_tokenizer(name: str, tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """Make a tokenizer for the hub; ``<mask>`` and the sentinels take the space before them.

    GPT: ``<s> text``.  BERT and XLNet: ``<s> text </s>``.  T5: ``text </s>``, and sentinels.  Raises
    ValueError if the vocabulary has another size than the models', so that sentinels would be other tokens.
    """
    if tokenizer.get_vocab_size() != VOCABULARY:
        raise ValueError(
            f"The tokenizer must have {VOCABULARY:,} pieces and has {tokenizer.get_vocab_size():,}; prepare "
            "it from a larger corpus."
        )
    kind = name.split("-")[1]
    form = {"gpt": "<s> $A", "t5": "$A </s>"}.get(kind, "<s> $A </s>")
    specials = [("<s>", BOS), ("</s>", EOS)]
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single=form, special_tokens=[entry for entry in specials if entry[0] in form]
            ),
        ]
    )
    extra = [AddedToken(sentinel, lstrip=True, special=True) for sentinel in SENTINEL_NAMES]
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=LENGTH,
        bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
        mask_token=AddedToken("<mask>", lstrip=True, special=True),
        cls_token="<s>", sep_token="</s>",
        clean_up_tokenization_spaces=False,
        **({"additional_special_tokens": extra} if kind == "t5" else {}),
    )  # fmt: skip
