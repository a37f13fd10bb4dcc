"""Links set the state: what an address says goes before what the session held, wherever the link stands.

Streamlit 1.67 asks the address when a session begins and when the browser goes back or forward.  After a
link from page to page it lets widgets keep what they said before, beside an address that says otherwise.
Here such a link is followed as the browser's own way back is (:func:`link_first`).  The menu is such a link
too; its address says of the shared choice what is chosen, and nothing of the page, which then stays as it was
left.  A link must lead to another page than the one it stands on: Streamlit leaves the address else.

One way back is not followed.  Where the old address and a link's name the same choice, the browser makes one
address of both, such as "model=old&model=new".  It is mended, but Streamlit's browser side adds the mended
one as a step and does not replace the mixed one; what the link meant is known in its session alone.  Who
reloads the page and then goes back finds a new session, which takes the mixed address as it reads: the models
of both.

All that needs Streamlit's inner workings in order to read or write an address is in this file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.js_number import JSNumber
from streamlit.elements.widgets.number_input import NumberInputSerde
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state.common import WidgetMetadata

from pcf_core.app.addresses import Place
from pcf_core.app.widgets import plain
from pcf_core.core.records import digest
from pcf_core.show.findings.numbers import listed

TAKEN = "address_taken"  # the page whose address was taken over, and what that said: newest, oldest
ASKED = "address_asked"  # what the address said when the page was opened
NEAR = 0.75  # how much a parameter has in common with the choice that may be meant
ALIKE = {  # names of pages' own choices that have as much in common with one that all pages share
    "cf_model", "cr_model", "fp_model", "references", "score_templates", "template", "toy_criterion"
}  # fmt: skip
MOST_NAMED = 12
LONGEST_QUOTE = 80  # characters of a link that a sentence repeats
FOLLOWED = "link_followed"  # what the pressed button of draw_link leads to: a page and what is said of it
ENDLESS = JSNumber.MAX_SAFE_INTEGER  # what Streamlit has for a whole number without a bound
MIXED = (
    "mixed_addresses"  # what links said, by page and the address that the browser made; it may go back there
)
MOST_MIXED = 50  # steps of its way back that a browser keeps


@contextmanager
def link_first() -> Iterator[None]:
    """Draw the shared choice inside, before any other widget: an address that opens another page decides.

    The page's own widgets then follow the address too, if it says anything of them; else they stay as they
    were left, on the browser's way back as well: Streamlit takes what belongs to a page out of its address
    when the page is left, as a step of that way.
    """
    context, state = get_script_run_ctx(), st.session_state
    if context is None:
        yield
        return
    page, *before = state.get(TAKEN, (context.page_script_hash, {}, {}))
    if page == context.page_script_hash and _is_still_mixed(context):
        context.is_history_navigation = True
    if context.is_history_navigation or page != context.page_script_hash:
        of_link = _known_mix(context).of_link if context.is_history_navigation else _said_by_link(before)
        if of_link and not context.is_history_navigation:
            mix = Mix(
                context.page_script_hash, {name: st.query_params.get_all(name) for name in of_link}, of_link
            )
            state[MIXED] = [*state.get(MIXED, []), mix][-MOST_MIXED:]
        unsaid = {} if context.is_history_navigation else _left_out(before[-1])
        context.is_history_navigation = True
        with _told_once(context):
            _take(context, unsaid | of_link)
            state[ASKED] = _address()
            # Another run may end this one here, and be asked from the address as it was or as it is told now.
            state[TAKEN] = page, state[ASKED], before[-1]
            yield
        context.is_history_navigation = _shared(context) != _address()
    else:
        if TAKEN not in state:
            state[ASKED] = _address()
        yield
    _forget_what_is_chosen(context)
    shared = _shared(context)
    state[TAKEN] = context.page_script_hash, shared, shared


@dataclass(frozen=True)
class Mix:
    """What the browser made of an old address and a link's one on a page, and what the link alone had said.

    ``mixed`` and ``of_link`` are of the choices that both addresses name.  All else that the address says may
    be another when the browser goes back: what belonged to the page that was left is gone from it.
    """

    page: str
    mixed: dict[str, list[str]]
    of_link: dict[str, list[str]]


def _known_mix(context: ScriptRunContext) -> Mix:
    """Return the newest mix that the address is; one of nothing where it is none."""
    for mix in reversed(st.session_state.get(MIXED, [])):
        here = {name: st.query_params.get_all(name) for name in mix.mixed}
        if mix.page == context.page_script_hash and here == mix.mixed:
            return mix  # type: ignore[no-any-return]
    return Mix(context.page_script_hash, {}, {})


def _is_still_mixed(context: ScriptRunContext) -> bool:
    """Tell whether the run that mended the browser's mixed address was ended before it could say so.

    The field then says what the link meant; where somebody has chosen what the mixed address says, it says
    that.
    """
    of_link = _known_mix(context).of_link
    return any(st.session_state.get(name) not in (None, st.query_params.get_all(name)) for name in of_link)


def _forget_what_is_chosen(context: ScriptRunContext) -> None:
    """Forget a link's address once the widgets say the same themselves."""
    state, mix = st.session_state, _known_mix(context)
    if any(state.get(name) == st.query_params.get_all(name) for name in mix.of_link):
        state[MIXED].remove(mix)


def _address() -> dict[str, list[str]]:
    """Return all that the address says."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _shared(context: ScriptRunContext) -> dict[str, list[str]]:
    """Return what the address says of the shared choice, once that is drawn."""
    with context.session_state.query_params() as link:
        bound = {name: link.get_binding_for_param(name) for name in link}
    shared = context.pages_manager.main_script_hash
    return {
        name: said
        for name, said in _address().items()
        if (at := bound[name]) is not None and at.script_hash == shared
    }


def _said_by_link(before: Sequence[Mapping[str, list[str]]]) -> dict[str, list[str]]:
    """Return what a link says of choices the address had before: one of these, the first that fits.

    The browser puts the old values and the link's one behind the other into the new address:
    "model=old&model=new".
    """
    found = {}
    for name, said in _address().items():
        old = [held[name] for held in before if name in held and said[: len(held[name])] == held[name]]
        if old and len(said) > len(old[0]):
            found[name] = said[len(old[0]) :]
    return found


def _left_out(before: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return what was chosen of choices that the new address should name and does not.

    The browser carries them over from widgets that are drawn: who is quicker than the sidebar loses none.
    """
    held = {name: st.session_state[name] for name in before if name not in st.query_params}
    return {
        name: (value or [""]) if isinstance(value, list) else [str(value)] for name, value in held.items()
    }


def _take(context: ScriptRunContext, said: Mapping[str, list[str]]) -> None:
    """Let the address have these values, here and in the browser."""
    if not said:
        return
    with context.session_state.query_params() as link:
        for name, values in said.items():
            link.set_corrected_value(name, values, "string_array_value")
        link.set_initial_query_params_from_current()


@contextmanager
def _told_once(context: ScriptRunContext) -> Iterator[None]:
    """Tell the browser the address once, not after each of its parts: each time is a step of its way back."""
    send, told = context._enqueue, list[ForwardMsg]()

    def hold(message: ForwardMsg) -> None:
        if message.WhichOneof("type") == "page_info_changed":
            told[:] = [message]
        else:
            send(message)

    context._enqueue = hold
    try:
        yield
    finally:
        context._enqueue = send
        for message in told:
            send(message)


def say_mistakes(place: DeltaGenerator) -> None:
    """Say what is wrong in the link that opened this page, a sentence for each part; the rest of it is used.

    Of the widgets that are drawn; the sentences stay until another page is opened.  A name that no list
    has is left to the pages, which say so where they look for it.
    """
    context, state = get_script_run_ctx(), st.session_state
    if context is None:
        return
    with context.session_state.query_params() as link:
        bound = {name: link.get_binding_for_param(name) for name in state.get(ASKED, {})}
        shared = [
            name
            for name, at in link._bindings_by_param.items()
            if at.script_hash == context.pages_manager.main_script_hash
        ]
    for name, said in state.get(ASKED, {}).items():
        at = bound[name]
        if at is None:
            near = [] if name in ALIKE else get_close_matches(name, shared, 1, cutoff=NEAR)
            wrong = f"no choice is called so; is {near[0]} meant?" if near else ""
        else:
            metadata = context.session_state._state.get_widget_metadata(at.widget_id)
            wrong = _wrong(metadata, said) if metadata else ""
        if wrong:
            place.warning(
                f"The link has {_quoted(name)} = {_quoted(listed(said))}: {plain(wrong)} "
                "The rest of it is used.",
                icon=":material/link_off:",
            )


def _quoted(said: str) -> str:
    """Quote a part of a link within a sentence: in one line, without headings, and shortened."""
    line = " ".join(said.split())
    return plain(line if len(line) <= LONGEST_QUOTE else f"{line[: LONGEST_QUOTE - 1]}…")


def _wrong(metadata: WidgetMetadata[Any], said: Sequence[str]) -> str:
    """Say what a field allows, where it does not take what was said; nothing where it does."""
    options, kind = metadata.formatted_options, metadata.value_type
    asked = [text for text in (said if kind.endswith("array_value") else said[-1:]) if text]
    if options is not None:
        if all(text in options for text in asked):
            return ""
        more = f", … ({len(options):,} in all)" if len(options) > MOST_NAMED else ""
        return f"allowed is {', '.join(options[:MOST_NAMED])}{more}."
    if kind == "bool_value":
        return "" if all(text.lower() in ("true", "false") for text in asked) else "allowed is true or false."
    field = getattr(metadata.deserializer, "__self__", None)
    if not isinstance(field, NumberInputSerde) or all(_is_within(text, field) for text in asked):
        return ""
    most = f" to {field.max_value:,g}" if field.max_value < ENDLESS else " or more"
    return f"allowed is a number, {field.min_value:g}{most}."


def _is_within(text: str, field: NumberInputSerde) -> bool:
    try:
        return field.min_value <= float(text) <= field.max_value
    except ValueError:
        return False


def follow(page: str, parameters: Mapping[str, str | list[str]]) -> None:
    """Go where a link to ``pages/PAGE.py`` with these parameters goes, and end the script.

    Streamlit refuses to switch pages with an address that has a widget's value in it; the widgets of the page
    that is left are therefore let go of it first.
    """
    context = get_script_run_ctx()
    if context is not None:
        with context.session_state.query_params() as link:
            for at in [link.get_binding_for_param(name) for name in parameters]:
                if at is not None:
                    link.unbind_widget(at.widget_id)
    st.session_state[TAKEN] = "", {}, {}
    st.switch_page(f"pages/{page}.py", query_params=parameters)


def is_new_page() -> bool:
    """Tell whether a link or an address has just opened this page, and not the browser's way back."""
    context = get_script_run_ctx()
    if context is None or context.is_history_navigation:
        return False
    page, *_ = st.session_state.get(TAKEN, ("",))
    return bool(page != context.page_script_hash)


def draw_link(place: Place, label: str, parameters: Mapping[str, str | list[str]], icon: str = "") -> None:
    """Draw a link to a page or to a tab of one, with what its address is to say besides the tab.

    Streamlit follows no link to the page that is open: to another of its tabs a button leads the same way.
    """
    said = {**parameters, **place.parameters}
    if place.page != open_page_name():
        st.page_link(place.file, label=label, query_params=said, icon=icon or None, width="content")
        return
    st.button(
        label,
        key=f"link_{digest([place.page, said, label])}",
        icon=icon or None,
        type="tertiary",
        on_click=st.session_state.update,
        args=({FOLLOWED: (place.page, said)},),
    )


def follow_pressed(shared: Mapping[str, str | list[str]]) -> None:
    """Go where the pressed button of :func:`draw_link` leads; ``shared``: the shared choice, which stays."""
    page, said = st.session_state.pop(FOLLOWED, ("", {}))
    if page:
        follow(page, {**shared, **said})


def open_page_name() -> str:
    """Return the name of the page that is open; the first page has none."""
    context = get_script_run_ctx()
    pages = context.pages_manager.get_pages() if context else {}
    return str(pages[context.page_script_hash]["url_pathname"]) if context and pages else ""


def drop_infinite() -> None:
    """Take numbers without end, such as ``seed=1e400``, out of the link, and say so.

    Streamlit 1.67 makes a whole number of what a link has for a number before it looks at the bounds, which
    fails for an infinite one and would show a traceback.  Widgets take their first value from a copy of the
    link that ``st.query_params`` does not reach, hence the way through the session's own state.
    """
    endless = {name: text for name in st.query_params if is_endless(text := st.query_params[name])}
    context = get_script_run_ctx()
    if not endless or context is None:
        return
    with context.session_state.query_params() as link:
        for name in endless:
            link.remove_param(name)
        link.set_initial_query_params_from_current()
    for name, text in endless.items():
        st.warning(
            f"The link has {_quoted(name)} = {_quoted(text)}, which is no finite number: it is left out.",
            icon=":material/link_off:",
        )


def is_endless(text: str) -> bool:
    """Tell whether a text reads as an infinite number: "1e400", "-inf"; other text does not."""
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
