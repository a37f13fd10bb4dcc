"""Which family a configuration belongs to: stated, asked for, or refused."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any, get_args

import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
)

from pcf_core.core.errors import ModelError
from pcf_core.core.families import FAMILIES as TABLE
from pcf_core.core.families import LOCAL_FAMILIES, Family
from pcf_core.models.family import (
    OTHER_QUESTIONS,
    SEQ2SEQ,
    SEQ2SEQ_TYPES,
    SHIFTED_POSITIONS,
    TWO_WAY,
    causal_types,
    choose_family,
    context_of,
    masked_types,
    multimodal_classes,
    native_types,
    needs_remote_code,
    read_family,
    text_fields,
    text_part_of,
)
from pcf_core.models.scoring.base import Scorer
from tests.models.scoring.conftest import load_tiny

FAMILIES: tuple[Family, ...] = ("masked", "causal", "seq2seq", "permutation")


def test_the_table_has_a_row_for_every_family() -> None:
    assert tuple(TABLE) == get_args(Family)
    assert LOCAL_FAMILIES == FAMILIES


@pytest.mark.parametrize("family", TABLE)
def test_what_a_family_names_as_text_is_there(family: str) -> None:
    facts = TABLE[family]
    assert issubclass(resolve_name(facts.scorer), Scorer)
    assert not facts.generator or callable(resolve_name(facts.generator).with_system)
    assert not facts.auto_class or callable(getattr(transformers, facts.auto_class).from_pretrained)
    assert facts.examples
    assert facts.quantity.endswith(".")


def family_of(config: dict[str, Any], requested: Family | None = None) -> str:
    return choose_family(read_family(config, "some-model"), "some-model", requested)


ARCHITECTURES: dict[Family, str] = {
    "masked": "BertForMaskedLM RobertaForMaskedLM XLMRobertaForMaskedLM ModernBertForMaskedLM",
    "causal": "GPT2LMHeadModel LlamaForCausalLM BartForCausalLM",
    "seq2seq": "T5ForConditionalGeneration T5WithLMHeadModel MT5ForConditionalGeneration "
    "BartForConditionalGeneration MBartForConditionalGeneration LEDForConditionalGeneration",
    "permutation": "XLNetLMHeadModel",
}


@pytest.mark.parametrize(
    ("architecture", "family"),
    [(name, family) for family, names in ARCHITECTURES.items() for name in names.split()],
)
def test_family_by_architecture(architecture: str, family: Family) -> None:
    assert family_of({"architectures": [architecture]}) == family
    assert family_of({"architectures": [architecture]}, family) == family
    for other in set(FAMILIES) - {family}:
        with pytest.raises(ModelError, match=f"some-model cannot be read as {other}.*it is {family}"):
            family_of({"architectures": [architecture]}, other)


UNSCORED = """
BertForSequenceClassification WhisperForConditionalGeneration LlavaForConditionalGeneration
T5GemmaForConditionalGeneration PegasusForConditionalGeneration MarianMTModel
XLMWithLMHeadModel FlaubertWithLMHeadModel XLMForMaskedLM ViTModel
"""


@pytest.mark.parametrize("architecture", UNSCORED.split())
@pytest.mark.parametrize("requested", [None, *FAMILIES])
def test_what_cannot_be_scored_is_refused_by_name(architecture: str, requested: Family | None) -> None:
    config = {"architectures": [architecture], "model_type": "vit"}
    with pytest.raises(ModelError, match="supported are") as caught:
        family_of(config, requested)
    assert "some-model" in str(caught.value)
    assert architecture in str(caught.value)


@pytest.mark.parametrize(
    ("config", "ways"),
    [
        ({"architectures": ["BertForMaskedLM", "BertLMHeadModel"]}, ["masked", "causal"]),
        ({"architectures": ["BertForMaskedLM", "BertForSequenceClassification"]}, ["masked"]),
        ({"architectures": ["BertForMaskedLM", "BertLMHeadModel"], "model_type": "bert"}, ["masked"]),
        ({"architectures": ["BertModel"], "model_type": "bert"}, ["masked"]),
        ({"architectures": ["BertModel"], "model_type": "bert", "is_decoder": True}, ["causal"]),
        ({"architectures": ["BertForPreTraining"], "model_type": "bert"}, ["masked"]),
        ({"architectures": ["ReformerModel"], "model_type": "reformer"}, ["masked", "causal"]),
        ({"architectures": ["GPT2Model"], "model_type": "gpt2"}, ["causal"]),
        ({"architectures": ["DistilBertModel"], "model_type": "distilbert"}, ["masked"]),
        ({"architectures": ["T5EncoderModel"], "model_type": "t5"}, ["seq2seq"]),
        ({"architectures": ["XLNetModel"], "model_type": "xlnet"}, ["permutation"]),
        ({"model_type": "roberta"}, ["masked"]),
        ({"architectures": None, "model_type": "bart"}, ["seq2seq"]),
        ({"architectures": ["BartForCausalLM"], "is_encoder_decoder": True}, ["causal", "seq2seq"]),
        ({"architectures": ["BertForMaskedLM"], "is_encoder_decoder": True}, ["masked", "seq2seq"]),
        ({"architectures": ["T5ForConditionalGeneration"], "is_encoder_decoder": False}, ["seq2seq"]),
        ({"architectures": ["BertLMHeadModel"], "model_type": "bert"}, ["masked"]),
        ({"architectures": ["RobertaForCausalLM"], "model_type": "roberta", "is_decoder": False}, ["masked"]),
        ({"architectures": ["BertForMaskedLM"], "model_type": "bert", "is_decoder": True}, ["causal"]),
        (
            {
                "architectures": ["OwnModel"],
                "model_type": "own",
                "auto_map": {"AutoModelForCausalLM": "m.C", "AutoModelForMaskedLM": "m.M"},
            },
            ["masked", "causal"],
        ),
    ],
)
def test_ambiguity_is_a_question_that_says_how_to_answer(config: dict[str, Any], ways: list[Family]) -> None:
    with pytest.raises(ModelError, match="The kind of the model some-model is not clear") as caught:
        family_of(config)
    assert str(caught.value).endswith("write " + " or ".join(f"{way}:some-model" for way in ways) + ".")
    assert len(str(caught.value).splitlines()) == 1
    for way in ways:
        assert family_of(config, way) == way
    for other in set(FAMILIES) - set(ways):
        with pytest.raises(ModelError, match=f"cannot be read as {other}"):
            family_of(config, other)


@pytest.mark.parametrize("kind", ["Electra", "Funnel"])
def test_a_discriminator_gives_no_word_a_probability(kind: str) -> None:
    """Nothing is advised that would be refused next; its body can still be an encoder, by its family."""
    config = {"architectures": [f"{kind}ForPreTraining"], "model_type": kind.lower()}
    with pytest.raises(ModelError, match="cannot be scored, because it is a discriminator") as caught:
        family_of(config)
    assert "some-model" in str(caught.value)
    assert "masked:" not in str(caught.value)
    assert str(caught.value).endswith("use the generator that was trained with it, or another model.")
    assert family_of(config, "masked") == "masked"


@pytest.mark.parametrize(
    "config", [{}, {"architectures": []}, {"architectures": "x"}, {"model_type": 5}, {"model_type": "xlm"}]
)
def test_config_without_architecture_or_type_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="names no architecture"):
        family_of(config)


def test_a_body_without_a_head_is_said_to_need_one() -> None:
    """Its name alone is no promise that naming a family helps."""
    with pytest.raises(ModelError, match="can be scored only if its weights have one: write causal:"):
        family_of({"architectures": ["LlamaModel"], "model_type": "llama"})


@pytest.mark.parametrize("architecture", ["MarianMT", "Marian", "Mvp", "Pegasus", "ProphetNet"])
@pytest.mark.parametrize("flag", [{}, {"is_encoder_decoder": True}])
def test_the_body_of_an_encoder_decoder_is_neither_masked_nor_causal(
    architecture: str, flag: dict[str, Any]
) -> None:
    """transformers has such classes of these types, which would read it as what it was not trained for."""
    kind = architecture.removesuffix("MT").lower()
    for requested in (None, "masked", "causal"):
        with pytest.raises(ModelError, match="some-model cannot be scored, because it was trained") as caught:
            family_of({"architectures": [f"{architecture}Model"], "model_type": kind} | flag, requested)
        assert "write masked:" not in str(caught.value)
    decoder = {"architectures": ["MarianForCausalLM"], "model_type": "marian", "is_encoder_decoder": False}
    assert family_of(decoder) == "causal"


@pytest.mark.parametrize(
    ("switch", "reason"),
    [
        ({"use_bidirectional_attention": True}, "sets use_bidirectional_attention in"),
        ({"use_bidirectional_attention": "all"}, "sets use_bidirectional_attention in"),
        ({"text_config": {"use_bidirectional_attention": True}}, "sets use_bidirectional_attention in"),
        ({"is_causal": False}, "sets is_causal to false in"),
    ],
)
def test_the_body_of_an_embedder_is_not_advised_to_be_causal(switch: dict[str, Any], reason: str) -> None:
    """EmbeddingGemma's config.json."""
    config = {"architectures": ["Gemma3TextModel"], "model_type": "gemma3_text"}
    for requested in (None, "causal"):
        with pytest.raises(ModelError, match=reason) as caught:
            family_of(config | switch, requested)  # type: ignore[arg-type]
        assert "write masked:" not in str(caught.value)
    for causal in ({"use_bidirectional_attention": "vision"}, {"use_bidirectional_attention": None}):
        assert family_of(config | causal, "causal") == "causal"


@pytest.mark.parametrize(
    ("architecture", "kind"),
    [
        ("Mistral4ForCausalLM", "mistral4"),
        ("MllamaForCausalLM", "mllama_text_model"),
        ("Emu3ForCausalLM", "emu3_text_model"),
    ],
)
def test_a_type_that_the_library_does_not_load_is_refused_by_its_name(architecture: str, kind: str) -> None:
    with pytest.raises(
        ModelError, match=f"{architecture} and the type '{kind}', which the installed.*as an endpoint"
    ):
        family_of({"architectures": [architecture], "model_type": kind})
    mapping = AutoModelForCausalLM._model_mapping
    assert type(AutoConfig.for_model(kind)) not in mapping, "transformers loads it now: it can be scored"


def test_the_text_part_of_a_multimodal_model_is_causal() -> None:
    for kind, name in multimodal_classes().items():
        config = {"architectures": [name], "model_type": kind}
        if kind in OTHER_QUESTIONS:
            assert text_part_of(config) == ""
        elif not name.endswith("ForCausalLM"):
            assert (family_of(config), text_part_of(config)) == ("causal", name)
            with pytest.raises(ModelError, match=r"cannot be read as masked.*it is causal"):
                family_of(config, "masked")
    for other in (["Gemma3ForSequenceClassification"], ["Gemma3ForConditionalGeneration", "X"], [], None):
        assert text_part_of({"architectures": other, "model_type": "gemma3"}) == ""


def test_only_the_fields_of_a_text_part_are_taken_from_inside() -> None:
    inside = {"text_config": {"max_position_embeddings": 7}}
    part = {"architectures": ["LlavaForConditionalGeneration"], "model_type": "llava"}
    other = {"architectures": ["Qwen3_5ForCausalLM"], "model_type": "qwen3_5"}
    assert [context_of(text_fields(config | inside)) for config in (part, other)] == [7, 0]
    flat = {"architectures": ["Qwen2VLForConditionalGeneration"], "model_type": "qwen2_vl"}
    assert context_of(text_fields(flat | {"max_position_embeddings": 9, "text_config": 3})) == 9


@pytest.mark.parametrize("kind", OTHER_QUESTIONS)
def test_what_would_answer_another_question_is_refused_with_its_reason(kind: str) -> None:
    name = (multimodal_classes() | MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES)[kind]
    for requested in (None, "causal", "seq2seq"):
        with pytest.raises(ModelError, match="some-model cannot be scored, because it ") as caught:
            family_of({"architectures": [name], "model_type": kind}, requested)  # type: ignore[arg-type]
        assert OTHER_QUESTIONS[kind] in str(caught.value)
        assert str(caught.value).endswith(": choose another model.")


def test_a_switch_and_own_code_that_offers_one_class_state_the_family() -> None:
    decoder = {"architectures": ["BertLMHeadModel"], "model_type": "bert", "is_decoder": True}
    assert family_of(decoder) == "causal"
    mapped = {"AutoModel": "m.C", "AutoModelForCausalLM": "m.C", "AutoModelForSeq2SeqLM": "m.C"}
    config = {"architectures": ["ChatGLMModel"], "model_type": "chatglm", "auto_map": mapped}
    assert family_of(config) == "causal"
    assert needs_remote_code(config)


@given(
    st.dictionaries(
        st.sampled_from(
            ["architectures", "model_type", "auto_map", "is_decoder", "is_encoder_decoder", "n_positions"]
        ),
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.sampled_from(["bert", "t5", "gpt2", "own"]),
            st.lists(st.sampled_from(["BertForMaskedLM", "BertModel", "GPT2LMHeadModel", "ViTModel", 3])),
            st.dictionaries(st.sampled_from(["AutoModelForCausalLM", "AutoModel"]), st.text()),
        ),
    ),
    st.sampled_from([None, *FAMILIES]),
)
def test_any_configuration_has_a_family_or_a_sentence(
    config: dict[str, Any], requested: Family | None
) -> None:
    assert context_of(config) >= 0
    needs_remote_code(config)
    try:
        answer = family_of(config, requested)
    except ModelError as error:
        answer = str(error)
    assert answer in FAMILIES or ("some-model" in answer and len(answer.splitlines()) == 1)


def test_the_classes_are_those_that_the_library_loads() -> None:
    """Second opinion: transformers' own tables give the same classes for the types named here."""
    for kind in SEQ2SEQ_TYPES:
        loads = AutoModelForSeq2SeqLM._model_mapping[type(AutoConfig.for_model(kind))]
        assert loads.__name__ in SEQ2SEQ
    assert (
        AutoModelForCausalLM._model_mapping[type(AutoConfig.for_model("xlnet"))].__name__
        == "XLNetLMHeadModel"
    )
    for kind in TWO_WAY:
        config = AutoConfig.for_model(kind)
        assert config.is_decoder is False
        assert type(config) in AutoModelForCausalLM._model_mapping
        assert kind == "bert-generation" or type(config) in AutoModelForMaskedLM._model_mapping


@pytest.mark.parametrize(
    ("config", "context"),
    [
        ({"n_positions": 1024}, 1024),
        ({"max_position_embeddings": 512, "model_type": "bert"}, 512),
        ({"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1}, 512),
        ({"max_position_embeddings": 514, "model_type": "camembert"}, 512),
        ({"max_position_embeddings": 514, "model_type": "luke", "pad_token_id": 1}, 512),
        ({"max_position_embeddings": 1026, "model_type": "esm", "pad_token_id": 1}, 1024),
        ({"max_position_embeddings": 514, "model_type": "ibert", "pad_token_id": 1}, 512),
        ({"max_position_embeddings": 514, "model_type": "mpnet", "pad_token_id": 0}, 512),
        ({"max_target_positions": 448, "max_source_positions": 1500, "model_type": "whisper"}, 448),
        ({"max_position_embeddings": 1024, "model_type": "bart"}, 1024),
        ({"max_encoder_position_embeddings": 16384, "max_decoder_position_embeddings": 1024}, 1024),
        ({"max_position_embeddings": 32768, "sliding_window": 4096, "model_type": "mistral"}, 32768),
        ({"max_position_embeddings": 2048, "model_type": "gpt_neox", "rope_theta": 10000}, 2048),
        ({"n_positions": 512, "model_type": "t5"}, 0),
        ({"n_positions": 512, "model_type": "mt5"}, 0),
        ({"max_position_embeddings": 512, "model_type": "xlnet"}, 0),
        ({"model_type": "bloom"}, 0),
        ({"max_position_embeddings": -1}, 0),
    ],
)
def test_context(config: dict[str, Any], context: int) -> None:
    assert context_of(config) == context


@pytest.mark.parametrize("name", ["t5", "xlnet"])
def test_relative_positions_have_no_limit(name: str) -> None:
    """Many times as many tokens as the distances that the model tells apart run through it."""
    loaded = load_tiny(name)
    ids = torch.arange(200).remainder(16).unsqueeze(0)
    more = {"decoder_input_ids": ids} if name == "t5" else {}
    with torch.inference_mode():
        assert loaded.model(input_ids=ids, **more).logits.isfinite().all()
    assert context_of(loaded.model.config.to_dict()) == 0


SIZES = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16} | {
    "vocab_size": 16,
    "pad_token_id": 1,
    "max_position_embeddings": 24,
}
OWN_SIZES: dict[str, dict[str, Any]] = {
    "longformer": {"attention_window": [4]},
    "luke": {"entity_vocab_size": 4, "entity_emb_size": 8},
    "xmod": {"languages": ["en_XX"], "default_language": "en_XX"},
    "mpnet": {"pad_token_id": 0},
}


@pytest.mark.parametrize("kind", SHIFTED_POSITIONS)
def test_a_text_as_long_as_the_context_fits(kind: str) -> None:
    """And no longer one: rows of the table of positions before the first position are lost."""
    config = AutoConfig.for_model(kind, **SIZES | OWN_SIZES.get(kind, {}))
    model, context = AutoModelForMaskedLM.from_config(config).eval(), context_of(config.to_dict())
    assert context == 22
    ids = torch.arange(context + 1).remainder(10).unsqueeze(0) + 5
    with torch.inference_mode():
        assert model(input_ids=ids[:, :-1]).logits.shape[1] == context
        if kind != "longformer":  # pads a text to its window
            with pytest.raises((IndexError, RuntimeError)):
                model(input_ids=ids)


@pytest.mark.parametrize("architectures", [["9" * 5000], [f"Model{number}" for number in range(5000)]])
def test_names_of_any_length_are_one_short_sentence(architectures: list[str]) -> None:
    with pytest.raises(ModelError) as refusal:
        read_family({"architectures": architectures}, "m")
    assert len(str(refusal.value)) < 1500
    assert "…" in str(refusal.value) or "4,995 more" in str(refusal.value)


# The types that the library has classes for, read without importing it.


def test_they_are_the_librarys_own_tables() -> None:
    assert native_types() <= set(CONFIG_MAPPING_NAMES)
    assert native_types() >= {*MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, *MODEL_FOR_MASKED_LM_MAPPING_NAMES}
    assert native_types() >= {*MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES}
    assert masked_types() == set(MODEL_FOR_MASKED_LM_MAPPING_NAMES)
    assert causal_types() == set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
