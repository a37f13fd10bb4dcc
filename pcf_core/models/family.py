"""Which family a configuration belongs to, and how many tokens it takes: stated or asked, never guessed.

The model types of the installed transformers are read from the source of its tables, as importing it takes
seconds.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pcf_core.core.errors import ModelError
from pcf_core.core.families import Family

# Model types of the installed transformers.


def native_types() -> frozenset[str]:
    """List the values of ``model_type`` that need no code from a model's repository."""
    return _auto_types("auto_mappings.py", "CONFIG_MAPPING_NAMES") | {"gpt-sw3"}


def masked_types() -> frozenset[str]:
    """List the types with a class for masked language modelling."""
    return _auto_types("modeling_auto.py", "MODEL_FOR_MASKED_LM_MAPPING_NAMES")


def causal_types() -> frozenset[str]:
    """List the types with a class for causal language modelling."""
    return _auto_types("modeling_auto.py", "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES")


def encoder_decoder_types() -> frozenset[str]:
    """List the types of encoder–decoders."""
    return _auto_types("modeling_auto.py", "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES")


def multimodal_classes() -> Mapping[str, str]:
    """Map the types that read text beside pictures or sound to their classes."""
    tables = ("MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES", "MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES")
    return {kind: name for table in tables for kind, name in _auto_classes("modeling_auto.py", table).items()}


def _auto_types(file: str, table: str) -> frozenset[str]:
    return frozenset(_auto_classes(file, table))


@lru_cache(maxsize=8)
def _auto_classes(file: str, table: str) -> Mapping[str, str]:
    """Read ``table = OrderedDict([(key, class), …])`` in transformers' ``models/auto``, without other tables.

    The list may take in the entries of another table (``*list(…)``).
    """
    call = library_table(f"models/auto/{file}", table)
    assert isinstance(call, ast.Call)
    entries = call.args[0]
    assert isinstance(entries, ast.List)
    return dict(ast.literal_eval(entry) for entry in entries.elts if isinstance(entry, ast.Tuple))


def library_source(file: str) -> ast.Module:
    """Parse a file of transformers, without importing it."""
    package = find_spec("transformers")
    assert package is not None
    assert package.origin is not None
    return ast.parse((Path(package.origin).parent / file).read_text(encoding="utf8"))


def library_table(file: str, table: str) -> ast.expr:
    """Find the value of a name in a file of transformers."""
    for node in library_source(file).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == table:
            return node.value
    raise AssertionError(f"transformers has no {table} in {file}")


# Encoder–decoders trained to fill a gap, as the family scores.
SEQ2SEQ_TYPES = (
    *("t5", "mt5", "umt5", "longt5", "switch_transformers"),  # with sentinels
    *("bart", "mbart", "plbart", "led"),  # with a mask
)
SEQ2SEQ = (
    "T5ForConditionalGeneration",
    "T5WithLMHeadModel",  # its name of 2019
    "MT5ForConditionalGeneration",
    "UMT5ForConditionalGeneration",
    "LongT5ForConditionalGeneration",
    "SwitchTransformersForConditionalGeneration",
    "BartForConditionalGeneration",
    "MBartForConditionalGeneration",
    "PLBartForConditionalGeneration",
    "LEDForConditionalGeneration",
)
# Types with two-way attention unless ``is_decoder`` is set.  Other models that look ahead are refused when
# they are opened (``scoring/local.py``).
TWO_WAY = (
    "bert",
    "bert-generation",
    "big_bird",
    "camembert",
    "data2vec-text",
    "electra",
    "ernie",
    "megatron-bert",
    "rembert",
    "roberta",
    "roberta-prelayernorm",
    "roc_bert",
    "roformer",
    "xlm-roberta",
    "xlm-roberta-xl",
    "xmod",
)
SUPPORTED = (
    "supported are …ForMaskedLM (masked), …ForCausalLM and …LMHeadModel (causal), T5, mT5, UMT5, LongT5, "
    "Switch Transformers, BART, mBART, PLBart and LED with …ForConditionalGeneration (seq2seq), "
    "XLNetLMHeadModel (permutation), and the text parts of models for pictures or sound (causal)"
)
# Types whose probability of a word would answer another question: why, after "because it".
OTHER_QUESTIONS = {
    **dict.fromkeys(
        ("blip", "blip-2", "idefics", "instructblip", "instructblipvideo", "kosmos-2"),
        "writes about a picture, and computes nothing without one",
    ),
    **dict.fromkeys(
        ("florence2", "pix2struct", "pp_formulanet", "udop", "vision-encoder-decoder"),
        "was trained to write what a picture shows, and not to continue a text",
    ),
    **dict.fromkeys(
        ("kyutai_speech_to_text", "voxtral_realtime"),
        "was trained to write down speech, and computes nothing without sound",
    ),
    **dict.fromkeys(
        ("qwen2_5_omni", "qwen3_omni_moe"),
        "also speaks, and only its part for text (its thinker), saved by itself, gives words a probability",
    ),
    **dict.fromkeys(
        ("fsmt", "m2m_100", "marian", "nllb-moe", "seamless_m4t", "seamless_m4t_v2"),
        "was trained to translate, and not to continue a text or to fill a gap in it",
    ),
    **dict.fromkeys(
        ("bigbird_pegasus", "pegasus", "pegasus_x"),
        "was trained to write whole sentences that sum up or complete a text, and not words of a sentence",
    ),
    **dict.fromkeys(
        ("blenderbot", "blenderbot-small"),
        "was trained to answer a partner in a chat, and not to continue a text or to fill a gap in it",
    ),
    **dict.fromkeys(
        ("t5gemma", "t5gemma2"),
        "was trained to fill gaps and to continue texts, but neither its config.json nor its tokenizer says "
        "by which tokens it tells them apart",
    ),
    "encoder-decoder": "was joined from two models and trained for a task that its config.json does not name",
    "mvp": "was trained on tasks such as summaries and dialogues that an instruction names, and not on gaps",
    "prophetnet": "was trained to write masked pieces of many words, with several tokens predicted at once",
    "diffusion_gemma": "writes the words of a block in any order, and not one after the other",
    "evolla": "writes about a protein, and computes nothing without one",
    "paligemma": "reads a text in both directions, so the score of a word would depend on the word itself",
    "pi0": "moves a robot, and gives words no probability",
}
# Heads that detect replaced words; their bodies are those of masked models.
DISCRIMINATORS = ("ElectraForPreTraining", "FunnelForPreTraining")
AUTO_CLASSES: Mapping[str, Family] = {"AutoModelForMaskedLM": "masked", "AutoModelForCausalLM": "causal"}
LONGEST_CONTEXT = 2**31  # tokens; larger numbers mean no limit
CONTEXT_FIELDS = (
    "n_positions",
    "max_position_embeddings",
    "n_ctx",
    "max_seq_len",
    "seq_length",
    "max_target_positions",  # Whisper's decoder
    "max_decoder_position_embeddings",  # LED, whose encoder takes more
)
# Relative positions: a length in the config is that of training, not a limit.
RELATIVE_POSITIONS = ("t5", "mt5", "umt5", "longt5", "switch_transformers", "xlnet")
# Position ids begin at pad_token_id + 1; the rows of the position table before are unused.
SHIFTED_POSITIONS = (
    "roberta",
    "roberta-prelayernorm",
    "xlm-roberta",
    "xlm-roberta-xl",
    "camembert",
    "data2vec-text",
    "esm",
    "ibert",
    "longformer",
    "luke",
    "mpnet",
    "xmod",
)
PADDING_OF_MPNET = 1  # whatever its config.json says


MOST_NAMED, MOST_LETTERS = 5, 60  # architectures in a message, and letters of each


@dataclass(frozen=True)
class FamilyOptions:
    """The families that a configuration allows.

    ``doubt``: why the user has to choose, or empty.  ``without_words``: what a model does that gives words no
    probability (only its body is of use), or empty.
    """

    families: tuple[Family, ...]
    doubt: str = ""
    without_words: str = ""


def choose_family(options: FamilyOptions, name: str, requested: Family | None) -> Family:
    """Return the only family of the options, or the requested one; ModelError if neither is possible."""
    if options.without_words and requested is None:
        raise ModelError(
            f"The model {name} cannot be scored, because it {options.without_words} and gives words no "
            "probability: use the generator that was trained with it, or another model."
        )
    if requested is not None and requested not in options.families:
        listed = " or ".join(options.families)
        raise ModelError(
            f"The model {name} cannot be read as {requested}, because its config.json says that it is "
            f"{listed}."
        )
    if options.doubt and requested is None:
        ways = " or ".join(f"{family}:{name}" for family in options.families)
        raise ModelError(
            f"The kind of the model {name} is not clear, because it {options.doubt}: write {ways}."
        )
    return requested or options.families[0]


def text_part_of(config: Mapping[str, Any]) -> str:
    """Return the class of a multimodal model, whose text part is a causal model; empty for other models."""
    kind = str(config.get("model_type"))
    name = multimodal_classes().get(kind, "")
    whole = config.get("architectures") == [name] and _family(name) is None
    return name if whole and kind not in OTHER_QUESTIONS else ""


def text_fields(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the configuration with the fields of its text part, if only that is read."""
    text = config.get("text_config")
    return {**config, **text} if text_part_of(config) and isinstance(text, dict) else config


def read_family(config: Mapping[str, Any], name: str) -> FamilyOptions:
    """Return the families that ``architectures`` and the switches of a configuration allow."""
    named = config.get("architectures")
    architectures = [str(entry) for entry in named] if isinstance(named, list) else []
    if text_part_of(config):
        return FamilyOptions(("causal",))
    headless = [entry for entry in architectures if _is_headless(entry)]
    if headless and set(architectures) <= set(DISCRIMINATORS):
        task = f"is a discriminator ({_in_words(headless)}), which detects words that another model inserted,"
        return FamilyOptions(("masked",), without_words=task)
    if headless == architectures:
        return _without_head(config, name, _in_words(headless))
    families = dict.fromkeys(_family(entry) for entry in architectures)
    supported = tuple(family for family in families if family is not None)
    listed = _in_words(architectures)
    if not supported:
        raise _unsupported(config, name, listed)
    if len(families) > 1:
        return FamilyOptions(
            _possible(config, supported) or supported, f"names several architectures ({listed})"
        )
    _require_class(config, supported[0], f"The model {name} has the architecture {listed}")
    return _checked(config, supported[0], listed)


def _unsupported(config: Mapping[str, Any], name: str, listed: str) -> ModelError:
    if reason := OTHER_QUESTIONS.get(str(config.get("model_type"))):
        return ModelError(f"The model {name} cannot be scored, because it {reason}: choose another model.")
    return ModelError(f"The model {name} has the architecture {listed}, which cannot be scored: {SUPPORTED}.")


def _require_class(config: Mapping[str, Any], family: Family, named: str) -> None:
    kind = str(config.get("model_type"))
    types = {"masked": masked_types, "causal": causal_types}.get(family)
    if types and kind in native_types() and kind not in types():
        raise ModelError(
            f"{named} and the type {kind!r}, which the installed transformers cannot load as a {family} "
            "language model: serve it and connect it as an endpoint."
        )


def _in_words(architectures: Sequence[str]) -> str:
    shown = [f"{name[:MOST_LETTERS]}…" if len(name) > MOST_LETTERS else name for name in architectures]
    more = [f"{len(shown) - MOST_NAMED:,} more"] if len(shown) > MOST_NAMED else []
    return ", ".join([*shown[:MOST_NAMED], *more])


def _family(architecture: str) -> Family | None:
    if architecture in SEQ2SEQ:
        return "seq2seq"
    if architecture == "XLNetLMHeadModel":
        return "permutation"
    if architecture.startswith(("XLNet", "XLM", "Flaubert")) and not architecture.startswith("XLMRoberta"):
        return None
    if architecture.endswith("ForMaskedLM"):
        return "masked"
    return "causal" if architecture.endswith(("ForCausalLM", "LMHeadModel")) else None


def _is_headless(architecture: str) -> bool:
    """Tell whether this is the bare model, or one for pretraining with an unnamed head."""
    return architecture.endswith(("Model", "ForPreTraining")) and not architecture.endswith("LMHeadModel")


def _without_head(config: Mapping[str, Any], name: str, listed: str) -> FamilyOptions:
    """Return the families that ``auto_map`` or ``model_type`` allow if ``architectures`` names no head."""
    doubt = (
        f"names only {listed}, without a language-model head, and can be scored only if its weights have one"
        if listed
        else "names no architecture"
    )
    mapped = config.get("auto_map")
    own = tuple(family for key, family in AUTO_CLASSES.items() if isinstance(mapped, dict) and key in mapped)
    if own:
        return FamilyOptions(own, "" if len(own) == 1 else f"{doubt}, and its own code offers several")
    families = _possible(config, _families_of_type(str(config.get("model_type"))))
    if _writes_another_text(config):
        families = tuple(family for family in families if family == "seq2seq")
    switch = _two_way_switch(config)
    if switch and "causal" in families:
        families = tuple(family for family in families if family != "causal")
        if not families:
            raise ModelError(
                f"The model {name} names only {listed or 'no architecture'} and sets {switch} in its "
                "config.json, so each position sees the text after it, but it has no head for masks: it "
                "cannot be scored, so choose another model."
            )
    if not families and listed:
        raise _unsupported(config, name, listed)
    if not families:
        raise ModelError(f"The config.json of the model {name} {doubt} in 'architectures'; {SUPPORTED}.")
    return FamilyOptions(families, doubt)


def _writes_another_text(config: Mapping[str, Any]) -> bool:
    """Tell whether this is an encoder–decoder."""
    flag = config.get("is_encoder_decoder")
    return flag if isinstance(flag, bool) else str(config.get("model_type")) in encoder_decoder_types()


def _two_way_switch(config: Mapping[str, Any]) -> str:
    """Return the setting by which positions of a causal type see the whole text, or nothing."""
    for part in (config, config.get("text_config")):
        if isinstance(part, Mapping):
            if part.get("use_bidirectional_attention") in (True, "all"):
                return "use_bidirectional_attention"
            if part.get("is_causal") is False:
                return "is_causal to false"
    return ""


def _families_of_type(kind: str) -> tuple[Family, ...]:
    if kind in SEQ2SEQ_TYPES:
        return ("seq2seq",)
    if kind == "xlnet":
        return ("permutation",)
    if kind in ("xlm", "flaubert"):
        return ()
    tables: Mapping[Family, frozenset[str]] = {"masked": masked_types(), "causal": causal_types()}
    return tuple(family for family, types in tables.items() if kind in types)


def _possible(config: Mapping[str, Any], families: tuple[Family, ...]) -> tuple[Family, ...]:
    if config.get("is_decoder"):
        return tuple(family for family in families if family != "masked")
    if config.get("model_type") in TWO_WAY:
        return tuple(family for family in families if family != "causal")
    return families


def _checked(config: Mapping[str, Any], family: Family, listed: str) -> FamilyOptions:
    encoder_decoder = config.get("is_encoder_decoder")
    if family == "seq2seq" and encoder_decoder is False:
        return FamilyOptions((family,), f"names {listed} but sets is_encoder_decoder to false")
    if family in ("masked", "causal") and encoder_decoder:
        return FamilyOptions((family, "seq2seq"), f"names {listed} but sets is_encoder_decoder to true")
    if _possible(config, (family,)):
        return FamilyOptions((family,))
    if family == "masked":
        return FamilyOptions(
            ("causal",),
            f"names {listed} but sets is_decoder to true, so it does not see the text on the right",
        )
    return FamilyOptions(
        ("masked",),
        f"names {listed} but sees the text on both sides (a causal one sets is_decoder in its config.json)",
    )


def needs_remote_code(config: Mapping[str, Any]) -> bool:
    """Tell whether a model needs code of its own for a type that transformers does not know."""
    return bool(config.get("auto_map")) and str(config.get("model_type")) not in native_types()


def context_of(config: Mapping[str, Any]) -> int:
    """Return how many tokens the model can take, special tokens included; 0 without a stated limit."""
    kind = config.get("model_type")
    lengths = [
        config[field]
        for field in CONTEXT_FIELDS
        if type(config.get(field)) is int and config[field] < LONGEST_CONTEXT
    ]
    if kind in RELATIVE_POSITIONS or not lengths or lengths[0] <= 0:
        return 0
    if kind in SHIFTED_POSITIONS:
        padding = PADDING_OF_MPNET if kind == "mpnet" else config.get("pad_token_id")
        first = padding if type(padding) is int and 0 <= padding < lengths[0] else 1
        return max(int(lengths[0]) - first - 1, 0)
    return int(lengths[0])
