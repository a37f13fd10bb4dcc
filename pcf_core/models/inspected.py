"""Models whose texts came in logs of Inspect: they have results here, and nobody here can ask them.

A name says all that is known: the provider's name of the model, and the day on which it was asked.
``inspect:openai/gpt-4o@2026-11-23``.  Texts of one model, day and decoding are one request, whichever log
they came in; the weights behind a provider's name may change from day to day.
"""

from __future__ import annotations

import re

from pcf_core.core.errors import ModelError
from pcf_core.core.generation import INSPECTED
from pcf_core.core.run import ModelSpec
from pcf_core.material.safety.text import shown
from pcf_core.models.endpoint import CHAT, UNPINNED

# A provider and its name of a model; no sign that could be taken for markup.
PROVIDED = re.compile(r"[\w.:+~-]+(/[\w.@:+~-]+){1,8}", re.ASCII)
LONGEST = 200
NAMED = re.compile(r"(.+)@(\d{4}-\d\d-\d\d)", re.ASCII)


def is_provided(model: str) -> bool:
    """Tell whether a text may be Inspect's name of a model."""
    return len(model) <= LONGEST and PROVIDED.fullmatch(model) is not None


def inspected_name(model: str, day: str) -> str:
    """Return the name of a model of Inspect's as it was on a day, such as 2026-11-23."""
    return f"{INSPECTED}{model}@{day}"


def resolve_inspected(name: str) -> ModelSpec:
    """Return the specification of a model by such a name; whether there are texts of it, the store knows.

    Raises
    ------
    ModelError
        It is no such name.
    """
    found = NAMED.fullmatch(name.removeprefix(INSPECTED))
    if found is None or not is_provided(found[1]):
        raise ModelError(
            f"{shown(name)} names no model of a log of Inspect: write {INSPECTED}provider/model@day, as "
            "import gives it."
        )
    return ModelSpec(
        name=name,
        family="endpoint",
        path="",
        identity=f"{UNPINNED}:inspect",
        tokenizer=UNPINNED,
        dtype="server",
        chat_template=CHAT,
        kind="imported",
        title=f"{found[1]}, asked by Inspect on {found[2]}",
        notes="Unpinned: nothing proves which weights the provider ran.",
    )


def refuse_asking(name: str) -> None:
    """Refuse to ask a model whose texts came in a log.

    Raises
    ------
    ModelError
        It is one.
    """
    if name.startswith(INSPECTED):
        raise ModelError(
            f"The texts of {shown(name)} came in a log of Inspect, and these are not in it: run the task "
            "with these settings, and import its log."
        )
