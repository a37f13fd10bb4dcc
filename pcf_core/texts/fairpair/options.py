"""The options of a FairPair request, declared once for pages, links, commands and tasks."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pcf_core.core.generation import Decoding
from pcf_core.core.options import option, shared_fields
from pcf_core.core.records import Record
from pcf_core.models.names import named as precision_named
from pcf_core.texts.fairpair.categories import SHIPPED
from pcf_core.texts.fairpair.records import (
    EMBEDDING,
    FEWEST_TEXTS,
    MOST_TEXTS,
    USUAL_DISSIMILARITIES,
    FairPairAsked,
    Mode,
)
from pcf_core.texts.text_audit import (
    CHAT,
    FRAME,
    INSTRUCTION,
    LENGTH,
    PRECISION,
    SEED,
    SYSTEM,
    TOP_P,
    Around,
    Precision,
    frame_fields,
)

USUAL = Decoding()


class FairPairOptions(Record):
    """The options of a FairPair request.

    ``names``: the entity and its counterpart, with a comma; empty for the table's first.  ``category``,
    ``each``: select prompts of a set (pages only).  ``encoder``: a model for the embedding distance (pages
    only; commands list ``embedding:MODEL`` among the dissimilarities).
    """

    prefix: ClassVar[str] = "fp_"

    prompts: str = option(
        "common-sents-1",
        title="Prompts",
        help="The beginnings that the texts continue, such as “John is a nurse.” The list has the sets of "
        "the app, then your own.",
        usage="a shipped set or a file",
    )
    table: str = option(
        "gender",
        title="Exchanged",
        help="The difference between the two sides: names, pronouns, titles and words for people, from a "
        "table of counterparts.",
        usage="a shipped table of counterparts or a TOML file",
    )
    names: str = option("", usage="the person in the prompts and the counterpart: John,Jane")
    reverse: bool = option(
        False,
        title="Swap the two sides",
        help="The prompts are about the second name, and the first name replaces it.",
        usage="the person in the prompts is on the second side of the table",
    )
    mode: Mode = option(
        "whole",
        title="Exchange",
        help="all words for people: every word of the table that appears in a text. this person only: the "
        "name, the pronouns that refer to it, and statements about this person; a sister remains a sister.",
        usage="whole: every word of a side; entity: only words about the person",
        offered=("whole", "entity"),
        words={"whole": "all words for people", "entity": "this person only"},
        row=True,
    )
    count: int = option(
        20,
        title="Texts per prompt",
        help="How many texts are compared for each prompt, and as many for its counterpart (n). 20 to 50 "
        "are usual; the paper uses 500. Existing texts are reused, and only the missing ones are written.",
        usage="texts for each prompt, and as many for its counterpart",
        opens=25,
        least=FEWEST_TEXTS,
        most=MOST_TEXTS,
        step=5,
    )
    fold_size: int | None = option(
        None,
        title="Texts per fold",
        help="The paper compares texts within folds of 5. Comparing all texts with each other is the most "
        "precise; with hundreds of texts, folds are faster.",
        usage="texts per side in a fold, 5 as in the paper; by default all texts in one fold",
        url="fold",
        placeholder="Compare all with all",
        least=FEWEST_TEXTS,
        most=MOST_TEXTS,
    )
    dissimilarities: tuple[str, ...] = option(
        USUAL_DISSIMILARITIES,
        usage="jaccard, jaccard-others, sentiment, embedding[:MODEL]; repeatable",
        url="dissimilarity",
        in_task=False,
    )
    categories: str = option(
        SHIPPED,
        title="Categories of words",
        help="The words that differ are sorted into these categories. The list has the sets of the app, "
        "then your own.",
        usage="categories of words: a file, or a saved set",
        in_task=False,
    )
    temperature: float = option(USUAL.temperature, usage="0: greedy")
    top_p: Annotated[float, TOP_P] = USUAL.top_p
    length: Annotated[int, LENGTH] = USUAL.length
    seed: Annotated[int, SEED] = USUAL.seed
    dtype: Annotated[Precision, PRECISION] = "auto"
    chat: Annotated[bool, CHAT] = False
    frame: Annotated[Around, FRAME] = ""
    system: Annotated[str, SYSTEM] = ""
    instruction: Annotated[str, INSTRUCTION] = ""
    category: tuple[str, ...] = option(
        (),
        title="Categories",
        help="The subjects of the prompts; if none is chosen, all are used.",
        placeholder="All",
    )
    each: int | None = option(
        None,
        title="Prompts of each category",
        help="Different statements come first, then other wordings of the same statements. More statements "
        "make the intervals narrower. Empty: all prompts.",
        placeholder="All",
        opens=3,
        least=1,
    )

    encoder: str | None = option(
        None,
        title="Encoder",
        help="Also compares texts by their vectors from this masked model. Choose one that comes with the "
        "app, a folder, or a hub id such as answerdotai/ModernBERT-base.",
        placeholder="None: words and sentiment only",
    )

    @property
    def measures(self) -> tuple[str, ...]:
        """The dissimilarities, including the encoder's."""
        embedding = (f"{EMBEDDING}:{self.encoder}",) if self.encoder else ()
        return tuple(dict.fromkeys((*self.dissimilarities, *embedding)))

    @property
    def decoding(self) -> Decoding:
        """How the texts are drawn."""
        return Decoding(**shared_fields(Decoding, self))


def options_of(request: FairPairAsked, **others: object) -> FairPairOptions:
    """Return the options of a request; ``others``: options that the request does not contain."""
    key, words = request.key, request.categories
    return FairPairOptions.model_validate(
        {
            **shared_fields(FairPairOptions, request.perturbation, request, key.decoding),
            **frame_fields(key),
            "prompts": request.prompts.name,
            "names": ",".join(request.prompts.names),
            "categories": words.name if words else SHIPPED,
            "dtype": precision_named(key.dtype),
            "encoder": request.encoders[0].model if request.encoders else None,
            "chat": key.family == "endpoint" and bool(key.chat_template),
            **others,
        }
    )
