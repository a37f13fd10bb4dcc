"""The families of models: how an architecture gives a word its probability.

Classes that need torch are named as text and imported when a model is opened; ``pcf_core/models/family.py``
assigns configurations to families.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Family = Literal["masked", "causal", "seq2seq", "permutation", "endpoint"]


@dataclass(frozen=True)
class FamilyFacts:
    """Properties of a family.

    ``scorer``, ``generator``: ``module:class``; without a generator it fills gaps and cannot continue a text.
    ``auto_class``: of transformers; such a family may be the prefix of a name.  ``rules``, ``writing_rules``:
    versions in keys, to be raised when the same model and prompt would give another number or text.
    ``without_boundary``: why exact-boundary is refused, with ``{name}`` and ``{family}``.  ``by_tokens``:
    scores are conditional on a word's number of tokens.  ``sees_right``: they are conditional on the text
    right of [Y], which others score together with the word.  ``chats``: chat templates are used for texts.
    ``answers``: a scored sentence may begin an answer in a chat.  ``task``: on the hub.  ``examples``,
    ``quantity``: for the tab About.
    """

    scorer: str = ""
    auto_class: str = ""
    generator: str = ""
    rules: str = "1"
    writing_rules: str = "1"
    without_boundary: str = ""
    by_tokens: bool = False
    sees_right: bool = False
    chats: bool = True
    answers: bool = False
    task: tuple[str, str] = ("text-generation", "Text Generation")
    examples: str = ""
    quantity: str = ""


FAMILIES: Mapping[str, FamilyFacts] = {
    "masked": FamilyFacts(
        scorer="pcf_core.models.scoring.masked:MaskedScorer",
        auto_class="AutoModelForMaskedLM",
        without_boundary="is for causal models and models with sentinels (T5), and {name} is a {family} "
        "model",
        by_tokens=True,
        sees_right=True,
        task=("fill-mask", "Fill-Mask"),
        examples="BERT, RoBERTa, ALBERT, DistilBERT",
        quantity="As many masks as the word has tokens are put at [Y] and filled from left to right (Kauf & "
        "Ivanova 2023), given the text on both sides. Probabilities of words with different numbers of "
        "tokens are not directly comparable, so coverage is given for each number.",
    ),
    "causal": FamilyFacts(
        scorer="pcf_core.models.scoring.causal:CausalScorer",
        auto_class="AutoModelForCausalLM",
        generator="pcf_core.models.generation.local:CausalGenerator",
        answers=True,
        examples="GPT-2, GPT-Neo, OPT, LLaMA, Mistral, Qwen",
        quantity="The product of the probabilities of the word's tokens after the text on the left; text on "
        "the right of [Y] is scored together with the word.",
    ),
    "seq2seq": FamilyFacts(
        scorer="pcf_core.models.scoring.seq2seq:Seq2SeqScorer",
        auto_class="AutoModelForSeq2SeqLM",
        generator="pcf_core.models.generation.seq2seq:Seq2SeqGenerator",
        sees_right=True,
        chats=False,
        task=("text2text-generation", "Text2Text Generation"),
        examples="T5, BART",
        quantity="T5: there is a sentinel at [Y], and the decoder scores the word's tokens; the closing "
        "sentinel counts with exact-boundary only. BART: there is a mask at [Y]; the decoder is given the "
        "text on the left and then scores the word.",
    ),
    "permutation": FamilyFacts(
        scorer="pcf_core.models.scoring.permutation:PermutationScorer",
        auto_class="AutoModelForCausalLM",  # XLNet's class with a head
        without_boundary="is for causal models and models with sentinels (T5), and {name} is a {family} "
        "model",
        by_tokens=True,
        sees_right=True,
        examples="XLNet",
        quantity="The word's tokens are predicted from left to right, given the text on both sides. As with "
        "masked models, probabilities of words with different numbers of tokens are not directly "
        "comparable.",
    ),
    "endpoint": FamilyFacts(
        scorer="pcf_core.models.scoring.endpoint:EndpointScorer",
        generator="pcf_core.models.generation.endpoint:EndpointGenerator",
        without_boundary="needs whole distributions, which the server of {name} does not give",
        examples="a causal model behind a completions server",
        quantity="As for causal models, from the log-probabilities that the server gives for the tokens of "
        "a prompt; a server without them is refused. The model behind an address may change, so its scores "
        "are not reproducible for certain.",
    ),
}
LOCAL_FAMILIES = tuple(name for name, facts in FAMILIES.items() if facts.auto_class)


def facts_of(family: str) -> FamilyFacts:
    """Return the facts of a family; empty ones for made-up scorers and texts."""
    return FAMILIES.get(family, FamilyFacts())
