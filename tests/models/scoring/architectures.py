"""Every text architecture of the installed transformers, tiny: architectures.csv and docs/architectures.md.

``python -m tests.models.scoring.architectures`` writes both, in about eight minutes of one core; with names
behind it (``causal:llama``, or ``missing``), their rows alone. A row says what the scorer does with a model
of the type, built from its default configuration with every size cut down and weights drawn so wide that
texts and words differ by nats: its scores are those of transformers' own class, given one text at a time
without padding, batch or mask, and of a causal model each token read at the end of a text that stops before
it; or it is refused, in a sentence; or a tiny one cannot be built.
"""

from __future__ import annotations

import csv
import math
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from pcf_core.core.errors import AuditError
from pcf_core.core.records import FloatArray
from pcf_core.models.family import TWO_WAY
from pcf_core.models.loading import Loaded
from pcf_core.models.names import in_precision
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import open_scorer
from tests.models.scoring.conftest import brute_force, brute_permutation, brute_seq2seq
from tests.models.scoring.tiny_tokenizers import (
    bart_tokenizer,
    bert_tokenizer,
    mbart_tokenizer,
    opt_tokenizer,
    roberta_tokenizer,
    t5_tokenizer,
    xlnet_tokenizer,
)

TABLE = Path(__file__).with_suffix(".csv")
PAGE = Path(__file__).parents[3] / "docs" / "architectures.md"
WORDS = ("he", "man", "woman")  # of one to four tokens
PROMPTS = (
    "The nurse said that [Y]",
    "The engineer met [Y] and was old.",
    "The nurse " + "met the man and the captain " * 4 + "and said that [Y]",  # longer than any window here
)
MAPPINGS = {
    "causal": (modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, transformers.AutoModelForCausalLM),
    "masked": (modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES, transformers.AutoModelForMaskedLM),
    "seq2seq": (
        modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
        transformers.AutoModelForSeq2SeqLM,
    ),
    "multimodal": (
        modeling_auto.MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES,
        transformers.AutoModelForMultimodalLM,
    ),
}
RIGHT = "right"
FIRST_SEED, LAST_SEED = 7, 10
MOST_WEIGHTS = 20_000_000  # of which towers have nearly all, in sizes that no configuration names

# The greatest value of a field, by its name: the first that fits.
LAYERS = 4
CAPS = tuple(
    (re.compile(pattern), most)
    for pattern, most in (
        (r"(entity|pronunciation|shape|t2u|encoder_hash_byte_group)_.*", 20),
        (r".*dense_(layers|replace)|num_mtp.*|num_nextn.*|num_kv_shared_layers", 1),
        (r"num_(encoder|decoder)_layers|(encoder|decoder)_layers|num_layers|n_layers?|num_blocks", 2),
        (r"num_hidden_layers|.*_layers|depth", LAYERS),
        (r"mamba_(d_head|head_?dim)", 16),
        (r"mamba_d_ssm", 64),
        (r".*head_(dim|size)|d_kv|d_head|kv_channels|attention_head_dim|rotary_dim", 8),
        (r".*(kv|key_value)_heads.*|linear_num_key_heads|num_query_groups", 2),
        (r".*heads?|n_head|.*num_attention_heads", 4),
        (r".*lora_rank|q_rank|kv_rank|.*_rank", 8),
        (r"index_topk|indexer_budget|keep_window_size", 512),  # of fewer, ties decide
        (r".*(experts_per_tok(en)?|_k|topk|top_k)", 2),
        (r"n_groups?|num_expert_group|topk_group|mamba_n_?groups|o_groups", 1),
        (r".*experts?|zero_expert_num", 4),
        (r"moe_.*intermediate.*|.*expert.*(intermediate|ffn).*", 24),
        (
            r".*(intermediate_size|intermediate_dim|ffn_dim|d_ff|dff|d_inner|hidden_dim|dim_ff|ffn_hidden).*",
            48,
        ),
        (r".*feed_forward_size", 48),
        (r".*(window|window_size|attention_chunk_size|local_attention)", 64),
        (r".*chunk_(size|length)|.*block_size", 8),
        (r".*(state_size|d_state|latents|num_buckets|per_layer_input)", 8),
        (r".*(max_distance)", 20),
        (r".*(position.*|n_ctx|max_seq_len|seq_length|model_max_length|context_length)", 512),
        (r".*(hidden_size|d_model|n_embd|embedding_size|embedding_dim|emb_dim|embed_dim|lru_width).*", 32),
        (r"dim|.*_proj_dim|embed_dim|intra_bottleneck_size|.*_embedding_size", 32),
    )
)
VOCABULARY = 512
TOKENS = re.compile(r".*_token_(id|index)")
Overrides = dict[str, Any]
HALF = ["sliding_attention", "full_attention"] * 2
ROPE = {"rope_type": "default", "rope_theta": 10000.0}
# What the rules above do not get right, by type or family:type; "before": in the default configuration.
OVERRIDES: dict[str, Overrides] = {
    "chameleon": {
        "before": {"vq_config": {"base_channels": 32, "channel_multiplier": [1, 1]}},
        "vocabulary_map": {"<image>": 5, "IMGIMGA": 6},
    },
    "cohere_compass_text": {"layer_types": HALF, "rope_parameters": dict.fromkeys(HALF, ROPE)},
    "dbrx": {
        "attn_config": {"kv_n_heads": 2, "rope_theta": 10000.0, "clip_qkv": 8},
        "ffn_config": {"ffn_hidden_size": 48, "moe_num_experts": 4, "moe_top_k": 2},
    },
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense", "sparse"] * 2, "num_experts_per_tok": 2},
    "deepseek_v2": {"num_experts_per_tok": 2, "n_group": 1, "topk_group": 1},
    "dots1": {"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2}
    | {"first_k_dense_replace": 1, "layer_types": HALF},
    "dots3_note_text": {"num_key_value_heads": 4, "head_dim": 16},
    "emu3": {
        "before": {"vq_config": {"base_channels": 32, "channel_multiplier": [1, 1]}},
        "vocabulary_map": {"<|extra_200|>": 5, "<image>": 6, "<|visual token 000000|>": 7},
    },
    "ernie4_5_vl_moe_text": {"rope_parameters": ROPE | {"mrope_section": [1, 1, 2]}},
    "esm": {"vocab_size": VOCABULARY, "mask_token_id": 4},
    "esmc": {"num_key_value_heads": 4},
    "falcon_h1": {"mamba_d_head": 16},
    "gemma4": {"before": {"vision_config": {}, "audio_config": {}}},
    "gemma4_assistant": {
        "before": {"text_config": {"hidden_size_per_layer_input": 0, "vocab_size_per_layer_input": 0}}
    },
    "gpt_neo": {"attention_types": [[["global", "local"], 1]], "attention_layers": ["global", "local"]},
    "granite4_vision": {"deepstack_layer_map": [[0, 1]]},
    "hrm_text": {"num_hidden_layers": 2},
    "hunyuan_v1_dense": {"head_dim": 8},
    "hunyuan_v1_moe": {"head_dim": 8},
    "hunyuan_vl_text": {"head_dim": 8},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 2},
    "mamba2": {"num_heads": 4, "head_dim": 16},
    "ministral": {"head_dim": 8},
    "nemotron": {"num_key_value_heads": 2},
    "neomme": {"head_dim": 16},
    "qwen2_5_omni_thinker": {"vision_start_token_id": 9},
    "qwen3_omni_moe_thinker": {"vision_start_token_id": 9},
    "qwen4_exp_text": {"indexer_n_heads": 2, "indexer_kv_heads": 1, "indexer_head_dim": 8}
    | {"indexer_compress_ratio": 4},
    "reformer": {"axial_pos_shape": [16, 32], "axial_pos_embds_dim": [16, 16], "is_decoder": False}
    | {"local_attn_chunk_length": 8, "lsh_attn_chunk_length": 8},
    "causal:reformer": {"is_decoder": True},
    "step3p5": {"sliding_window": 64},
}


def types() -> list[tuple[str, str]]:
    """List (family, model type) of every class with a head for text; multimodal ones only as such."""
    multimodal = MAPPINGS["multimodal"][0]
    return [
        (family, kind)
        for family, (names, _) in MAPPINGS.items()
        for kind, name in names.items()
        if family == "multimodal" or multimodal.get(kind) != name
    ]


def shrunk(fields: Overrides) -> Overrides:
    """Cut down every size in the fields of a configuration and those inside it."""
    layers = next((fields[name] for name in ("num_hidden_layers", "n_layer") if fields.get(name)), None)
    small = {name: _small(str(name), value, layers) for name, value in fields.items()}
    if small.get("kv_lora_rank"):  # keys and values come out of one vector: there are no groups
        small["num_key_value_heads"] = small["num_attention_heads"]
    if small.get("qk_head_dim"):
        small["qk_head_dim"] = small["qk_nope_head_dim"] + small["qk_rope_head_dim"]
    return small


def _small(name: str, value: Any, layers: int | None) -> Any:
    if name == "per_layer_config":  # exceptions, by the numbers of layers
        return {}
    if isinstance(value, dict):
        return value if name.startswith("rope") or name.endswith(("2label", "2id")) else shrunk(value)
    if isinstance(value, list) and value and len(value) == layers:  # an entry a layer
        kinds = list(dict.fromkeys(map(str, value)))
        chosen = kinds * LAYERS if isinstance(value[0], str) else value
        return [_small(name, one, None) for one in chosen[:LAYERS]]
    if type(value) is not int or value <= 0:
        return value
    if TOKENS.fullmatch(name):
        return min(value, 3)
    if "vocab_size" in name and not CAPS[0][0].fullmatch(name):
        return VOCABULARY
    return next((min(value, most) for pattern, most in CAPS if pattern.fullmatch(name)), value)


def tokenizer_of(family: str, kind: str) -> Any:
    """Choose a tokenizer of the usual manner of a type."""
    if kind == "xlnet":
        return xlnet_tokenizer()
    if family != "causal" and kind in ("mbart", "plbart"):
        return mbart_tokenizer()
    if family == "seq2seq":
        return t5_tokenizer() if "t5" in kind or kind == "switch_transformers" else bart_tokenizer()
    if family in ("causal", "multimodal"):
        return opt_tokenizer()
    return (
        bert_tokenizer()
        if getattr(CONFIG_MAPPING[kind](), "pad_token_id", None) in (0, None)
        else roberta_tokenizer()
    )


def config_of(family: str, kind: str, tokenizer: Any) -> Any:
    """Make a small configuration."""
    own = OVERRIDES.get(kind, {}) | OVERRIDES.get(f"{family}:{kind}", {})
    fields = shrunk(CONFIG_MAPPING[kind](**own.get("before", {})).to_dict())
    for name in ("transformers_version", "model_type", "architectures", "dtype", "_name_or_path"):
        fields.pop(name, None)
    fields |= {name: value for name, value in own.items() if name != "before"}
    if family == "multimodal":
        text = fields.get("text_config") or fields
        _share_positions(text)
        text |= OVERRIDES.get(text.get("model_type", ""), {})
    config = CONFIG_MAPPING[kind](**fields)
    for part in (config, config.get_text_config(decoder=True)):
        for role in ("pad", "bos", "eos"):
            if hasattr(part, f"{role}_token_id"):
                setattr(part, f"{role}_token_id", getattr(tokenizer, f"{role}_token_id"))
    if config.is_encoder_decoder:
        config.decoder_start_token_id = (
            tokenizer.pad_token_id if isinstance(tokenizer, type(t5_tokenizer())) else tokenizer.eos_token_id
        )
    if family == "causal" and kind in TWO_WAY:
        config.is_decoder = True
    return config


def _share_positions(text: Overrides) -> None:
    """Divide half a head into parts for time, height and width, which are one number for a text."""
    rope = text.get("rope_parameters")
    if isinstance(rope, dict) and "rope_type" in rope and text.get("num_attention_heads"):
        size = text.get("head_dim") or text["hidden_size"] // text["num_attention_heads"]
        half = int(size * rope.get("partial_rotary_factor", 1)) // 2
        rope["mrope_section"] = [half - half // 4 * 2, half // 4, half // 4]


def built(family: str, kind: str, tokenizer: Any, seed: int) -> Any:
    """Build a tiny model with weights drawn wide."""
    config, auto = config_of(family, kind, tokenizer), MAPPINGS[family][1]
    with torch.device("meta"):
        size = sum(part.numel() for part in auto.from_config(config).parameters())
    if size > MOST_WEIGHTS:
        raise ValueError(f"{size:,} weights: some size is not cut down")
    torch.manual_seed(seed)
    model = auto.from_config(config).float().eval()
    draw(model, seed)
    return model


@torch.no_grad()
def draw(model: Any, seed: int) -> None:
    """Draw matrices so that every layer passes its input on, and vectors near what they are."""
    head = model.get_output_embeddings()
    generator = torch.Generator().manual_seed(seed)
    for name, part in model.named_parameters():
        noise = torch.randn(part.shape, generator=generator)
        if part.dim() < 2 or "A_log" in name or "time_" in name:
            part += 0.1 * noise
        elif "embed" in name or "wte" in name or "wpe" in name:
            part.copy_(0.6 * noise)
        else:
            width = 2.0 if head is not None and part is head.weight else 1.0
            part.copy_(width * noise / math.sqrt(part.shape[-1]))


@torch.no_grad()
def expected(model: Any, tokenizer: Any, family: str) -> FloatArray:
    """Return [prompt, word] nats by transformers' own class, one text at a time."""
    if family == "causal":
        return _read_at_the_end(model, tokenizer)
    loaded = Loaded(model, tokenizer, "cpu")
    if family == "masked":
        return _table(lambda prompt, word: brute_force(loaded, "masked", prompt, word))
    brute = brute_seq2seq if family == "seq2seq" else brute_permutation
    usual = torch.get_default_dtype()
    torch.set_default_dtype(model.dtype)  # of the masks that XLNet is given
    try:
        return _table(lambda prompt, word: brute(loaded, prompt, word))
    finally:
        torch.set_default_dtype(usual)


def _table(score: Any) -> FloatArray:
    return np.array([[score(prompt, word) for word in WORDS] for prompt in PROMPTS])


def _read_at_the_end(model: Any, tokenizer: Any) -> FloatArray:
    """What stands behind a token is not in the text that it is read in."""
    known: dict[tuple[int, ...], torch.Tensor] = {}

    def nats(prompt: str, word: str) -> float:
        left = len(tokenizer(prompt.split("[Y]")[0].rstrip())["input_ids"])
        ids = tokenizer(prompt.replace("[Y]", word))["input_ids"]
        total = 0.0
        for length in range(left, len(ids)):
            before = tuple(ids[:length])
            if before not in known:
                logits = model(input_ids=torch.tensor([before]), use_cache=False).logits[0, -1]
                known[before] = logits.double().log_softmax(-1)
            total += float(known[before][ids[length]])
        return total

    return _table(nats)


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str  # family:type
    model: str  # transformers' class
    read_as: str
    float32: str  # right, how far off, or why it is refused
    bfloat16: str
    shared: (
        str  # the largest tree, its most levels, or whether a row holds all words; in float32 and bfloat16
    )


def row_of(family: str, kind: str, folder: Path, seed: int = FIRST_SEED) -> Row:
    """Build, score and compare a tiny model of a type in both precisions.

    The trainer of a tokenizer orders equal pieces by chance, so the same seed does not always give a model in
    which the text matters; then the next seed is tried.
    """
    name, place = f"{family}:{kind}", folder / kind
    tokenizer = tokenizer_of(family, kind)
    try:
        model = built(family, kind, tokenizer, seed)
        model.save_pretrained(place)
        tokenizer.save_pretrained(place)
    except Exception as error:  # noqa: BLE001
        return Row(name, "", "", f"not built: {_line(f'{type(error).__name__}: {error}', place)}", "", "")
    given = str(place)
    try:
        spec = resolve(given)
    except AuditError as error:
        if "name it" not in str(error):
            return Row(name, type(model).__name__, "", _refusal(error, place), "", "")
        given = f"{family}:{place}"
    results: list[tuple[str, str, str]] = []
    want: FloatArray | None = None
    for dtype in ("float32", "bfloat16"):
        try:
            spec = in_precision(resolve(given), dtype)
            if spec.family == "causal":  # random weights may make another opening likelier
                usual = tokenizer.convert_ids_to_tokens(tokenizer("")["input_ids"])
                spec = spec.model_copy(update={"opening": tuple(usual)})
            scorer: Any = open_scorer(spec)
            scores = scorer.score(PROMPTS, WORDS).astype(float)
        except AuditError as error:
            results.append((_refusal(error, place), "", ""))
            continue
        # Loaded as well: transformers sets the padding token's embedding of some types to 0 then (Youtu).
        own = type(model).from_pretrained(place, dtype=getattr(torch, dtype)).eval()
        try:
            reference = expected(own, tokenizer, spec.family)
        except Exception as error:  # noqa: BLE001
            results.append((f"no reference: {_line(f'{type(error).__name__}: {error}', place)}", "", ""))
            continue
        if dtype == "float32":
            want = reference
            bound = 1e-4 + 1e-6 * np.abs(want)
            if np.ptp(want, axis=0).min() < 0.1:
                assert seed < LAST_SEED, f"{name}: texts do not matter: {want}"
                return row_of(family, kind, folder, seed + 1)
        else:  # as near to transformers' own bfloat16 as that is to float32
            assert want is not None
            bound = 0.1 + 2 * np.abs(reference - want).max()
        off = float(np.abs(scores - reference).max())
        outcome = RIGHT if (np.abs(scores - reference) <= bound).all() else f"off by {off:.2g} nats"
        results.append((outcome, spec.family, _shared(scorer)))
    wide, narrow = results
    shared = ", ".join(dict.fromkeys(filter(None, (wide[2], narrow[2]))))
    return Row(name, type(model).__name__, wide[1], wide[0], narrow[0], shared)


def _shared(scorer: Any) -> str:
    if hasattr(scorer, "largest_tree"):
        levels = f"{scorer.deepest} levels" if scorer.deepest else "–"
        return f"{scorer.largest_tree} tokens" if scorer.largest_tree else levels
    return "a row" if getattr(scorer, "packs", False) else "–"


def _refusal(error: AuditError, place: Path) -> str:
    return f"refused: {_line(str(error), place)}"


def _line(text: str, place: Path) -> str:
    text = re.sub(r"0x[0-9a-f]+", "0x…", text.replace(str(place), "MODEL").replace(place.name, "TYPE"))
    return " ".join(text.replace("|", "/").split())[:400].strip()


HEADER = """# Architectures

What the scorer does with a tiny model of every text architecture of transformers {version}, with random
weights. *Right*: the scores agree with those of transformers' own class, which gets one text at a time, in
float32 (within 0.0001 nats and a millionth of the score) and in bfloat16 (within 0.1 nats and twice the
largest difference between transformers' own scores in the two). A multimodal model's reference has all its
parts, but gets no picture and no sound. All other models are refused with a sentence when they are opened.
`tests/models/scoring/architectures.csv` names every architecture that is right, with its class, and the full
sentence of each refusal; `python -m tests.models.scoring.architectures` writes it and this page, and a slow
test compares every row. Gemma 3n is compared in a test of its own, because a part of it needs timm.
"""
TITLES = {
    "causal": "Causal models",
    "masked": "Masked models",
    "seq2seq": "Encoder–decoders",
    "multimodal": "The text parts of models for pictures or sound",
}
UNBUILT = "no tiny model could be built"
SHORT = (
    (r"has the architecture \S+, which cannot be scored", "the class cannot be scored"),
    (r"cannot load as a causal language model", "transformers loads no causal language model of the type"),
    (r"cannot be scored from left to right", "the model looks ahead"),
    (r"uses random numbers", "the model uses random numbers"),
    (r"cannot compute a forward pass|A forward pass of", "the tiny model cannot compute a forward pass"),
    (r"^not built", UNBUILT),
)


def read_table() -> dict[str, Row]:
    """Read the recorded rows."""
    if not TABLE.is_file():
        return {}
    with TABLE.open(encoding="utf8", newline="") as file:
        return {row["name"]: Row(**row) for row in csv.DictReader(file)}


def write_table(rows: dict[str, Row]) -> None:
    """Write the rows in the order of the types, and the page about them."""
    order = [rows[name] for family, kind in types() if (name := f"{family}:{kind}") in rows]
    with TABLE.open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Row)])
        writer.writerows(astuple(row) for row in order)
    PAGE.write_text(page(order), encoding="utf8")


def page(rows: Iterable[Row]) -> str:
    """Write the page: of each family how many types are right, and the others by their reason."""
    parts = [HEADER.format(version=transformers.__version__)]
    for family, title in TITLES.items():
        several = [row for row in rows if row.name.startswith(f"{family}:")]
        right = [row for row in several if row.float32 == RIGHT]
        half = [row for row in right if row.bfloat16 != RIGHT]
        lines = [f"**Right: {len(right)} of {len(several)}.**"]
        if half:
            lines.append(f"**Right in float32, refused in bfloat16 ({len(half)})**: {_types(half)}.")
        reasons: dict[str, list[Row]] = {}
        for row in several:
            if row.float32 != RIGHT:
                reasons.setdefault(_reason(row.float32), []).append(row)
        for reason, same in reasons.items():
            outcome = "Not tried" if reason == UNBUILT else "Refused"
            lines.append(f"**{outcome}: {reason} ({len(same)})**: {_types(same)}.")
        parts.append(
            f"## {title}\n\n"
            + "\n\n".join(textwrap.fill(line, 128, break_on_hyphens=False) for line in lines)
            + "\n"
        )
    return "\n".join(parts)


def _types(rows: Sequence[Row]) -> str:
    return ", ".join(row.name.partition(":")[2] for row in rows)


def _reason(text: str) -> str:
    if match := re.search("cannot be scored, because (it .*): choose another model", text):
        return match[1]
    return next(
        (short for pattern, short in SHORT if re.search(pattern, text)), text.removeprefix("refused: ")
    )


def main(names: Sequence[str]) -> None:
    """Write the rows of the named types, or all; ``missing`` stands for those that have no row yet."""
    for family, kind in types():
        name = f"{family}:{kind}"
        if names and name not in names and not ("missing" in names and name not in read_table()):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = row_of(family, kind, Path(folder))
            except Exception as error:  # noqa: BLE001
                row = Row(
                    name, "", "", f"fails: {type(error).__name__}: {_line(str(error), Path(kind))}", "", ""
                )
        sys.stdout.write(f"{row}\n")
        write_table(read_table() | {name: row})


if __name__ == "__main__":
    main(sys.argv[1:])
