"""The shared choice in the sidebar (results and reading options), and the pinned baseline of Compare.

Widgets are bound to the URL and have fixed defaults, so that a link without a parameter always means the
same.  The URL has names of models, topics, sets and lists, and labels of view options and precisions; names
of the latter, from earlier links, are accepted too.

The baseline, which Compare opens against, is stored per person.  It becomes part of the address, so that a
copied link opens the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.addresses import AUTOMATIC, PRECISIONS_CALLED, Choice, choice_of
from pcf_core.app.caching import open_store
from pcf_core.app.data import (
    draw_lookable,
    listed_models,
    load,
    lookable,
    models_by_topic,
    results_mark,
    scored_models,
)
from pcf_core.app.links import follow, select_called, several_called
from pcf_core.app.lists import (
    ANSWERED_BY,
    all_topics,
    evidence_lists,
    fitting_first,
    lists_of_runs,
    topics,
    usual_lists,
)
from pcf_core.app.roles import may_audit, person, write
from pcf_core.app.titles import group_titles, list_titles, model_titles, set_titles, topic_titles
from pcf_core.app.widgets import plain, plain_titled
from pcf_core.audit.options import PageOptions
from pcf_core.core.errors import AuditError
from pcf_core.core.options import Option, declared
from pcf_core.core.records import digest
from pcf_core.core.topics import Topic
from pcf_core.models.names import AUTO, PRECISIONS
from pcf_core.models.public import public_models
from pcf_core.show.findings.numbers import called
from pcf_core.show.names import Titles, unique_titles, worded
from pcf_core.texts.text_audit import PRECISION

AUTO_HELP = "the model's own on a GPU that has it, float32 on a CPU."
BEST_KNOWN = ("minilm-masked", "mini-gpt")  # teaching models, masked and causal
DEFAULT_MODELS = ("mini-bert", "mini-gpt")  # small and quick to score
MOST_OPENED = 2
MOST_ASKED = 20
LONGEST_NAME = 300
NO_TITLES = Titles()
KEY = "pins"  # kind of the stored document
PINNED_NOW = "baseline_pinned"  # Compare shall open against a model pinned since its last visit
FIRST, SECOND, VIEW = "compare_first", "compare_second", "compare_view"  # parameters of Compare
OCCUPATION = "occupation"  # parameter of several pages, like the group
GROUP = "group"


def draw_choice() -> None:
    """Draw the block; pages read it with :func:`current_choice`."""
    known_topics = all_topics()
    names = [*(spec.name for spec in listed_models()), *scored_models()]
    with st.sidebar:
        st.caption("Shown on the pages under *Results*")
        called_models = model_titles(names)
        models = st.multiselect(
            "Models",
            with_asked("model", names, called_models),
            format_func=called_models,
            default=opening_models(names, next(iter(known_topics.values()))),
            key="model",
            bind="query-params",
            select_all=False,
            help="The models whose results are shown. The page *Run an audit* runs others.",
        )
        draw_lookable(models)
        topic = st.selectbox(
            "Topic",
            with_asked("topic", known_topics, topic_titles()),
            format_func=topic_titles(),
            key="topic",
            bind="query-params",
            on_change=take_usual,
            help="The groups that are compared. A name with @ belongs to earlier results, whose words "
            "are no longer those of a topic here.",
        )
        st.caption(f"Results on this topic: {results_mark(models_by_topic().get(topic, 0))}")
        draw_answering(topic, "topic", choose_topic)
        draw_texts(known_topics.get(topic) or next(iter(known_topics.values())))
        with st.expander("Reading options"):
            for one in declared(PageOptions).values():
                draw_option(one)
            several_called(
                "Precision",
                PRECISIONS_CALLED,
                default=[AUTOMATIC],
                key="precision",
                help=f"The number type that the model calculates with. {AUTOMATIC.capitalize()}: the one "
                f"that has results; without results, {AUTO_HELP} Choose two to compare a model with itself.",
            )


def draw_option(
    option: Option,
    container: DeltaGenerator | None = None,
    *,
    offered: Iterable[str] | None = None,
    **more: Any,
) -> Any:
    """Draw a declared option and return its value; ``offered``: its list, if the option declares none."""
    spec, drawn = option.spec, st if container is None else container
    named: dict[str, Any] = {"label": spec.title, "key": option.url, "help": spec.help} | more
    if offered is None and option.called and option.type is not tuple:
        if spec.row:
            named["row"] = True
        else:
            named["index"] = option.offered.index(option.opens)
        with nullcontext() if container is None else container:
            return select_called(called=option.called, old=spec.old, **named)
    named |= {"bind": "query-params"}
    if option.type is bool:
        return drawn.toggle(value=option.opens, **named)
    if spec.placeholder is not None:
        named = {"placeholder": spec.placeholder} | named
    if option.type in (int, float):
        value = drawn.number_input(
            min_value=spec.least, max_value=spec.most, value=option.opens, step=spec.step, **named
        )
        return value if option.optional or value is not None else option.opens
    names = with_asked(option.url, offered or (), more.get("format_func", NO_TITLES))
    if option.type is tuple and spec.row:
        return tuple(drawn.pills(options=names, selection_mode="multi", wrap=True, **named))
    if option.type is tuple:
        return tuple(drawn.multiselect(options=names, **named))
    if offered is None:
        return drawn.text_input(value=option.opens, **named)
    opens = None if option.opens is None else names.index(option.opens)
    return drawn.selectbox(options=names, index=opens, **named)


def draw_precision(key: str) -> str:
    """Draw the precision of a form's models."""
    return draw_option(Option("dtype", PRECISION, str, False, PRECISIONS, AUTO, key))  # type: ignore[no-any-return]


def opening_models(names: Collection[str], topic: Topic) -> list[str]:
    """Return the models shown at first: public ones with results on the topic, else two teaching models."""
    scored = scored_models(topic)
    public = [model.name for model in public_models() if model.name in scored]
    taught = BEST_KNOWN if set(BEST_KNOWN) <= set(scored) else DEFAULT_MODELS
    return public[:MOST_OPENED] or [name for name in taught if name in names]


def with_asked(key: str, names: Iterable[str], titles: Titles = NO_TITLES) -> list[str]:
    """Add the link's names (or titles) to the known names, so that pages can say what they lack."""
    texts = st.query_params.get_all(key)
    request = [titles.name(text) for text in texts if 0 < len(text) <= LONGEST_NAME]
    return list(dict.fromkeys([*names, *request[:MOST_ASKED]]))


def draw_answering(topic: str, key: str, choose: Callable[[str], None]) -> None:
    """Say why a topic rarely gets an answer, with a button that calls ``choose`` with a better topic."""
    answering, reason = ANSWERED_BY.get(topic, ("", ""))
    if (other := topics().get(answering)) is None:
        return
    st.caption(f":material/info: This topic {reason}.")
    st.button(
        f"Open {plain(other.title)}",
        key=f"answering_{key}",
        icon=":material/arrow_forward:",
        type="tertiary",
        on_click=choose,
        args=(other.name,),
    )


def choose_topic(name: str) -> None:
    """Choose a topic for the result pages, with its default sentences and occupations."""
    st.session_state["topic"] = name
    take_usual()


def take_usual() -> None:
    """Select the default templates and occupations of the chosen topic."""
    state = st.session_state
    topic = all_topics().get(state["topic"])
    if topic is not None:
        usual = usual_lists(topic, lists_of_runs())
        state["templates"], state["evidence"] = usual.templates, usual.evidence


def draw_texts(topic: Topic) -> None:
    """Draw the menus of templates and occupations."""
    others = lists_of_runs()
    usual = usual_lists(topic, others)
    choose_shown(
        "Sentences",
        [*fitting_first(topic), *others.templates],
        usual.templates,
        titles=set_titles(),
        key="templates",
        help_text="The set of sentences. The page *Templates* shows them.",
    )
    choose_shown(
        "Occupations",
        [*evidence_lists(), *others.evidence],
        usual.evidence,
        titles=list_titles(),
        key="evidence",
        help_text="The people that the sentences are about.",
    )


def choose_shown(
    label: str,
    existing: Iterable[str],
    usual: str,
    titles: Titles,
    key: str,
    help_text: str,
    **more: Any,
) -> str:
    """Draw a menu that also has the link's name; it opens on ``usual``, else on the first.  Return a name."""
    names = with_asked(key, existing, titles)
    index = names.index(usual) if usual in names else 0
    return str(
        st.selectbox(
            label,
            names,
            index=index,
            format_func=titles,
            key=key,
            bind="query-params",
            help=help_text,
            **more,
        )
    )


def current_choice() -> Choice:
    """Return the choice of the sidebar."""
    choice = choice_of(st.session_state.to_dict())
    return replace(choice, models=tuple(lookable(choice.models)))


def choose_occupation(
    occupations: Sequence[str], help_text: str, *, default: str | None = None, placeholder: str = "Choose one"
) -> str | None:
    """Draw the field for one occupation; return the chosen one, or the default."""
    return select_on_pages(
        worded("Occupation"),
        occupations,
        unique_titles({name: called(name) for name in occupations}),
        key=OCCUPATION,
        default=default,
        help_text=worded(help_text),
        placeholder=placeholder,
    )


def choose_group(groups: Sequence[str], help_text: str) -> str:
    """Draw the field for one group; return the chosen one, or the first of ``groups``."""
    titles = group_titles(groups)
    chosen = select_on_pages("Group", groups, titles, key=GROUP, default=groups[0], help_text=help_text)
    return chosen or groups[0]


def select_on_pages(
    label: str,
    options: Sequence[str],
    titles: Titles,
    *,
    key: str,
    default: str | None,
    help_text: str,
    placeholder: str | None = None,
) -> str | None:
    """Draw a field that several pages share in the address, each with its own default.

    Only a choice carries over to the next page; a default is replaced by that of the open page.
    """
    state, memory = st.session_state, f"{key}_default"
    if memory in state and state.get(key) == state[memory]:
        state[key] = default
    state[memory] = default
    return st.selectbox(
        label,
        options,
        index=None if default is None else options.index(default),
        format_func=titles,
        placeholder=placeholder,
        key=key,
        bind="query-params",
        help=help_text,
    )


def _pinned() -> str:
    document = open_store().load_document(KEY, _name())
    model = (document or {}).get("model", "")
    return model if isinstance(model, str) else ""


def draw_pin(model: str) -> None:
    """Draw the button that pins or unpins a model; a viewer gets none."""
    if not may_audit():
        return
    is_pinned = _pinned() == model
    st.button(
        "Unpin" if is_pinned else "Pin",
        key=f"pin_{digest(model)}",
        icon=":material/keep_off:" if is_pinned else ":material/keep:",
        help=f"Compare opens against {plain_titled(model)} as long as it is pinned.",
        on_click=_pin,
        args=("" if is_pinned else model,),
    )


def _pin(model: str) -> None:
    try:
        write(open_store().save_document, KEY, _name(), {"model": model})
    except AuditError as error:
        st.toast(plain(str(error)), icon=":material/error:")
    else:
        st.session_state[PINNED_NOW] = bool(model)


def _name() -> str:
    return f"baseline-{digest(person().name)}"


def follow_pinned() -> None:
    """Open Compare against the pinned model if it has results and nothing else was chosen."""
    state, model = st.session_state, _pinned()
    earlier = SECOND in state and not state.get(PINNED_NOW)
    if not model or earlier or {FIRST, SECOND, VIEW} & set(st.query_params):
        return
    state.pop(PINNED_NOW, None)
    choice = current_choice()
    models = tuple(dict.fromkeys([*choice.models, model]))
    runs = load(replace(choice, models=models)).runs
    pinned_runs = [label for label, item in runs.items() if item.run.scoring.name == model]
    others = [label for label in runs if label not in pinned_runs]
    if pinned_runs and others:
        pair = {FIRST: others[0], SECOND: pinned_runs[0]}
        follow("compare", {**choice.parameters, "model": list(models), **pair})
