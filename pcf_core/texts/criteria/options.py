"""The options of a criteria request, declared once for pages, links, commands and tasks."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from pcf_core.core.generation import HOTTEST, Decoding
from pcf_core.core.options import option, shared_fields
from pcf_core.core.records import Record
from pcf_core.models.names import named as precision_named
from pcf_core.texts.criteria.experiments import (
    LENGTHS,
    REPEATS,
    TEMPERATURE,
    TOP_P,
    USUAL_QUESTIONS,
    usual_decoding,
)
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName, Wording
from pcf_core.texts.criteria.records.runs import MOST_REPEATS, CriteriaAsked
from pcf_core.texts.text_audit import (
    CHAT,
    FRAME,
    INSTRUCTION,
    LENGTH,
    PRECISION,
    SEED,
    SYSTEM,
    Around,
    Precision,
    frame_fields,
)
from pcf_core.texts.text_audit import TOP_P as TOP_P_OPTION

_REPEATS = [f"{repeats:,} for {name}" for name, repeats in REPEATS.items()]
_USUAL_REPEATS = f"{', '.join(_REPEATS[:-1])} and {_REPEATS[-1]}"
_USUAL_LENGTHS = ", ".join(f"{length} for {name}" for name, length in LENGTHS.items())


SYSTEM_HELP = (
    "What the model is told before the conversation, such as a rule it has to keep. The experiment's own "
    "system text follows, if it has one."
)
INSTRUCTION_HELP = (
    "What the user says, such as Continue the text. The model's answer then begins as the text does: it is "
    "for the wording “given a beginning”. Empty: the user says the prompt."
)


class CriteriaOptions(Record):
    """The options of a criteria request; empty text or ``None`` is the default.

    ``material``: a saved file's name or a path; empty for the shipped material.
    """

    prefix: ClassVar[str] = "cr_"

    material: str = option(
        "",
        usage="professions, names, questions or tasks: a file, or the name of a saved one",
    )
    labeller: str = option("", usage="for hobbies: lexicon, or an NLI model as nli:NAME", in_task=False)
    answering: Literal["", Answering] = option(
        "",
        title="Answers",
        help="written: the model writes texts, which are then analysed. scored words: the probabilities of "
        "candidate words are compared; this also works for models that cannot follow instructions. The two "
        "measure different things, so their results are never combined.",
        usage="written or scored; by default, what the model can do",
        in_task=False,
        offered=("", "written", "scored"),
        words={"": "automatic", "scored": "scored words"},
        old={"usual": ""},
        row=True,
    )
    wording: Literal["", Wording] = option(
        "",
        title="Wording",
        help="told what to write: the prompt is an instruction. given a beginning: the model continues the "
        "beginning of a text. For scored words the wording is fixed.",
        usage="instruction or continuation; by default, what suits the model",
        offered=("", "instruction", "continuation"),
        words={
            "": "as suits the model",
            "instruction": "told what to write",
            "continuation": "given a beginning",
        },
        old={"usual": ""},
        row=True,
    )
    questions: int | None = option(
        None,
        usage=f"how many questions of the set; by default {USUAL_QUESTIONS} if written, all if scored",
    )
    repeats: int | None = option(
        None,
        title="Texts per prompt",
        help=f"How often each prompt is answered; usual: {_USUAL_REPEATS}. The paper uses 30 for anecdotes, "
        "10 for questions and 50 for tasks. More texts per prompt do not show how the model answers other "
        "prompts. Existing texts are reused, and only the missing ones are written. At temperature 0 all "
        "texts of a prompt are the same, so one is enough.",
        usage=f"texts per prompt; by default {_USUAL_REPEATS}",
        placeholder="usual",
        least=1,
        most=MOST_REPEATS,
        step=1,
    )
    temperature: float | None = option(
        None,
        title="Temperature",
        help="The paper uses 0.5; 1 keeps the model's own probabilities. At 0 all texts of a prompt are the "
        "same.",
        usage="0: greedy",
        opens=TEMPERATURE,
        least=0.0,
        most=HOTTEST,
        step=0.1,
    )
    top_p: Annotated[float | None, replace(TOP_P_OPTION, opens=TOP_P)] = None
    length: Annotated[
        int | None, replace(LENGTH, help=f"The largest number of new tokens. Empty: {_USUAL_LENGTHS}.")
    ] = None
    seed: Annotated[int, SEED] = 0
    dtype: Annotated[Precision, PRECISION] = "auto"
    chat: Annotated[bool, replace(CHAT, title="")] = False
    frame: Annotated[Around, FRAME] = ""
    system: Annotated[str, replace(SYSTEM, help=SYSTEM_HELP)] = ""
    instruction: Annotated[str, replace(INSTRUCTION, help=INSTRUCTION_HELP)] = ""

    def decoding(self, name: ExperimentName) -> Decoding:
        """Return the decoding of an experiment; GenerationError for a value outside its range."""
        given = {key: value for key, value in shared_fields(Decoding, self).items() if value is not None}
        return Decoding(**usual_decoding(name).model_dump() | given)

    def texts_of_each(self, name: ExperimentName) -> int:
        """Return the number of texts per prompt."""
        return REPEATS[name] if self.repeats is None else self.repeats


def options_of(request: CriteriaAsked) -> CriteriaOptions:
    """Return the options of a request, without its material."""
    drawn = [] if request.generation is None else [request.generation.decoding]
    framed = {} if request.generation is None else frame_fields(request.generation)
    given = (
        shared_fields(CriteriaOptions, request, *drawn)
        | framed
        | {
            "material": "",
            "wording": request.wording or "",
            "dtype": precision_named(request.key.dtype),
            "chat": request.key.family == "endpoint"
            and request.generation is not None
            and bool(request.generation.chat_template),
        }
    )
    return CriteriaOptions.model_validate(given)
