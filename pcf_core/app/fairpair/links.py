"""Ways back to what FairPair has found before, as a link and as a button; and the Φ that it measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from pcf_core.app.caching import open_store
from pcf_core.app.data import answered
from pcf_core.app.fairpair.material import categories_of, kept_prompts, prompts_of, selection, table_of
from pcf_core.app.texts.imported import way_back
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.core.generation import GenerationKey
from pcf_core.core.options import number_text, page_values
from pcf_core.core.records import digest
from pcf_core.core.run import model_label
from pcf_core.models.registry import resolve_writer
from pcf_core.show.findings.fairpair import decoding_text
from pcf_core.show.findings.numbers import count
from pcf_core.texts.fairpair.options import options_of
from pcf_core.texts.fairpair.records import EMBEDDING, USUAL_DISSIMILARITIES, FairPairAsked, FairPairResult
from pcf_core.work.fairpair import FAIRPAIR, FAIRPAIR_AUDIT, fairpair_asked

NEXT, SEEN = "fairpair_next", "fairpair_before"
MOST = 12
Choices = dict[str, Any]  # by key of a widget
CALLED: Mapping[str, str] = {"jaccard": "all words", "jaccard-others": "unexchanged words"}
WHAT: Mapping[str, str] = {
    "jaccard": "words that two texts do not share, of all that they have",
    "jaccard-others": "the same without the words that the exchange itself touches, such as he and she",
    "sentiment": "how far two texts are apart in VADER's score",
}


def choices_of(request: FairPairAsked) -> Choices | None:
    """Return the form's choices that ask for the same; ``None`` where it cannot ask for it.

    As where the prompts were changed since, where the command asked for what the form does not offer, or
    where it was asked elsewhere.
    """
    if request.imported:
        return None
    try:
        whole, taken = prompts_of(request.prompts.name, request.prompts.names), kept_prompts(request)
        each = max(Counter(prompt.category for prompt in taken.prompts).values())
        options = options_of(
            request,
            dissimilarities=USUAL_DISSIMILARITIES,
            category=() if set(taken.categories) == set(whole.categories) else taken.categories,
            each=each,
        )
        again = fairpair_asked(
            GenerationKey.of(
                resolve_writer(request.key.model, options.chat).with_dtype(request.key.dtype),
                request.key.decoding,
            ),
            selection(whole, options.category, each),
            table_of(options.table),
            options,
            request.categories and categories_of(options.categories),
        )
    except AuditError:
        return None
    if again.hash != request.hash:
        return None
    first, second = request.perturbation.entity
    return {
        **page_values(options),
        "fp_model": [request.key.model],
        "fp_name_1": first,
        "fp_name_2": second,
        "fp_temperature": [number_text(request.key.decoding.temperature)],
    }


def parameters_of(key: str) -> Mapping[str, str | list[str]] | None:
    """Return the query parameters that open a request of this hash on the page, where it can."""
    return way_back(FAIRPAIR_AUDIT, key, choices_of)


def draw_kept() -> None:
    """Draw earlier results, the newest first, each with a button that asks for it again, at no cost.

    Nothing of it is read while it is shut.
    """
    if not open_store().documents(FAIRPAIR):
        return
    before = st.expander("Found before", icon=":material/history:", key=SEEN, on_change="rerun")
    if not before.open:
        return
    with before:
        earlier = found_before()
        if not earlier:
            st.caption("Nothing that this form can ask for again.")
        for request, choices in earlier:
            left, right = st.columns([5, 1], vertical_alignment="center")
            models = [model_label(model, request.key.dtype) for model in choices["fp_model"]]
            left.markdown(
                f"**{plain(', '.join(models))}** · {plain(' → '.join(request.prompts.names))} · "
                f"{plain(request.prompts.title)}, {count(request.prompts.count, 'prompt')}, "
                f"{count(request.count, 'text')} a side · {plain(decoding_text(request.key.decoding))}"
            )
            if right.button("Open", key=f"fairpair_open_{request.hash}", help="Show what was found then."):
                st.session_state[NEXT] = choices
                st.rerun()


def found_before() -> list[tuple[FairPairAsked, Choices]]:
    """List the newest requests that the form can make again; equal settings stand together."""
    together: dict[str, tuple[FairPairAsked, Choices]] = {}
    for request in answered(FAIRPAIR_AUDIT):
        choices = choices_of(request)
        if choices is None:
            continue
        settings = digest({name: value for name, value in choices.items() if name != "fp_model"})
        first, earlier = together.setdefault(settings, (request, choices))
        if earlier is not choices:
            models = [*earlier["fp_model"], *choices["fp_model"]]
            together[settings] = first, {**earlier, "fp_model": models}
        if len(together) == MOST:
            break
    return list(together.values())


def adopt_kept() -> None:
    """Take over what :func:`draw_kept` was told, before the page's widgets are drawn."""
    st.session_state.update(st.session_state.pop(NEXT, {}))


def measures_of(results: Iterable[FairPairResult]) -> dict[str, tuple[str, str]]:
    """Return the Φ that all of these results have, each with what people call it and a sentence on it."""
    first, *others = [result.reports for result in results]
    shared = [name for name in first if all(name in other for other in others)]
    return {name: (_called(name), f"{_called(name)}: {_what(name)}.") for name in shared}


def _called(name: str) -> str:
    if name.startswith(f"{EMBEDDING}:"):
        return f"meaning, by {name.partition(':')[2]}"
    return CALLED.get(name, name)


def _what(name: str) -> str:
    if name.startswith(f"{EMBEDDING}:"):
        return "half the distance of vectors that this model makes of two texts"
    return WHAT.get(name, "another dissimilarity, from 0, alike, to 1")
