"""What may be chosen of a FairPair request: each option once, for pages, links, commands and tasks."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pcf_core.core.generation import Decoding
from pcf_core.core.options import option, shared_fields
from pcf_core.core.records import Record
from pcf_core.models.precision import named as precision_named
from pcf_core.texts.fairpair.categories import SHIPPED
from pcf_core.texts.fairpair.records import (
    EMBEDDING,
    FEWEST_TEXTS,
    MOST_TEXTS,
    USUAL_DISSIMILARITIES,
    FairPairAsked,
    Mode,
)
from pcf_core.texts.text_audit import CHAT, LENGTH, PRECISION, SEED, TOP_P, Precision

USUAL = Decoding()


class FairPairOptions(Record):
    """The options of a FairPair request; the request itself checks what can be measured.

    ``names``: the entity in the prompts and its counterpart with a comma between them; empty for the table's
    first.  ``dissimilarities``: an embedding's is ``embedding:MODEL``.  ``category``, ``each``: which prompts
    of a set are taken; a command takes whole sets.  ``encoder``: a model whose vectors texts are compared by
    too; a command names it among the dissimilarities.
    """

    prefix: ClassVar[str] = "fp_"

    prompts: str = option(
        "common-sents-1",
        title="Prompts",
        help="What the texts begin with, such as “John is a nurse.” Sets that come with the app, then your "
        "own.",
        usage="a shipped set or a TOML, CSV or text file",
    )
    table: str = option(
        "gender",
        title="Exchanged",
        help="What differs between the two sides: names, pronouns, titles and words for people, by a table "
        "of counterparts.",
        usage="a shipped table of counterparts or a TOML file",
    )
    names: str = option("", usage="the entity in the prompts and its counterpart: John,Jane")
    reverse: bool = option(
        False,
        title="The other way round",
        help="Prompts are about the second name, and the first is put in its place.",
        usage="the entity in the prompts is of the table's second side",
    )
    mode: Mode = option(
        "whole",
        title="Exchange",
        help="all words for people: every word of the table in a text. this person only: the name, pronouns "
        "that mean its bearer, and what is said that this person is; a sister stays a sister.",
        usage="whole: every word of a side; entity: what is said of the entity",
        offered=("whole", "entity"),
        words={"whole": "all words for people", "entity": "this person only"},
        row=True,
    )
    count: int = option(
        20,
        title="Texts a side and prompt",
        help="n: how many texts are compared for each prompt, and as many for its counterpart. 20 to 50 are "
        "usual, 500 are the paper's. Texts that are there are kept: asking for more writes the rest.",
        usage="texts a side for each prompt",
        opens=25,
        least=FEWEST_TEXTS,
        most=MOST_TEXTS,
        step=5,
    )
    fold_size: int | None = option(
        None,
        title="Texts a side and fold",
        help="The paper compares texts within folds of 5. All with all tells most; folds cost less with "
        "hundreds of texts.",
        usage="texts a side and fold, 5 as in the paper; else all in one",
        url="fold",
        placeholder="Empty: all with all",
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
        help="Into which the words that differ are sorted. Those that come with the app, then your own.",
        usage="categories of words: a TOML or CSV file, or one of yours",
        in_task=False,
    )
    temperature: float = option(USUAL.temperature, usage="0: greedy")
    top_p: Annotated[float, TOP_P] = USUAL.top_p
    length: Annotated[int, LENGTH] = USUAL.length
    seed: Annotated[int, SEED] = USUAL.seed
    dtype: Annotated[Precision, PRECISION] = "auto"
    chat: Annotated[bool, CHAT] = False
    category: tuple[str, ...] = option(
        (),
        title="Categories",
        help="What the prompts are about; none chosen means all of them.",
        placeholder="All",
    )
    each: int | None = option(
        None,
        title="Prompts of each category",
        help="Every statement comes once before any comes in other words. More statements narrow the "
        "intervals. Empty takes all.",
        placeholder="Empty: all",
        opens=3,
        least=1,
    )

    encoder: str | None = option(
        None,
        title="Encoder",
        help="Also compares texts by the distance of vectors that this masked model makes of them. One that "
        "comes with the app, a folder, or a hub id such as answerdotai/ModernBERT-base.",
        placeholder="None: words and sentiment alone",
    )

    @property
    def measures(self) -> tuple[str, ...]:
        """The dissimilarities, that of the encoder among them."""
        embedding = (f"{EMBEDDING}:{self.encoder}",) if self.encoder else ()
        return tuple(dict.fromkeys((*self.dissimilarities, *embedding)))

    @property
    def decoding(self) -> Decoding:
        """How the texts are drawn."""
        return Decoding(**shared_fields(Decoding, self))


def options_of(request: FairPairAsked, **others: object) -> FairPairOptions:
    """Return the options of a request; ``others``: options that the request does not hold."""
    key, words = request.key, request.categories
    return FairPairOptions.model_validate(
        {
            **shared_fields(FairPairOptions, request.perturbation, request, key.decoding),
            "prompts": request.prompts.name,
            "names": ",".join(request.prompts.names),
            "categories": words.name if words else SHIPPED,
            "dtype": precision_named(key.dtype),
            "encoder": request.encoders[0].model if request.encoders else None,
            "chat": key.family == "endpoint" and bool(key.chat_template),
            **others,
        }
    )
