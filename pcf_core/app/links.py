"""Let links set the state: what an address says overrides what the session held.

Streamlit 1.67 reads the address only when a session begins and when the browser goes back or forward; after a
link between pages, widgets keep their values although the address says otherwise.  :func:`link_first`
therefore treats such a link like going back.  A link must lead to another page, else Streamlit ignores it.

Known limit: the browser merges an old address and a link that name the same choice ("model=old&model=new").
``front/tools.js`` replaces the merged address, unless somebody clicks before that.  Then only the session
knows what was meant; after a reload and a step back, a new session shows both models.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.addresses import Place
from pcf_core.app.inside import ENDLESS, Field, Script, script
from pcf_core.app.widgets import choose_one, plain, plain_titled
from pcf_core.core.records import digest
from pcf_core.show.findings.numbers import listed

TAKEN = "address_taken"  # the page whose address was applied, and its newest and oldest content
ASKED = "address_asked"  # the address when the page was opened
NEAR = 0.75  # similarity from which on another parameter is suggested
ALIKE = {  # pages' own parameters that resemble a shared one
    "cf_model", "cr_model", "fp_model", "references", "score_templates", "template", "toy_criterion"
}  # fmt: skip
MOST_NAMED = 12
MOST_INSTEAD = 3  # models that a link shows
Named = TypeVar("Named", bound=str)  # the name of an option
LONGEST_QUOTE = 80  # characters of a link that a sentence repeats
FOLLOWED = "link_followed"  # page and parameters of the pressed draw_link button
MIXED = "mixed_addresses"  # records of merged addresses, to which the browser may go back
MOST_MIXED = 50  # steps in a browser's history


@contextmanager
def link_first() -> Iterator[None]:
    """Let the address decide over the shared choice drawn in this block, if it opens another page.

    The page's own widgets follow the address if it mentions one of them; else they stay as they were left,
    also when the browser goes back.
    """
    run, state = script(), st.session_state
    if run is None:
        yield
        return
    page, *before = state.get(TAKEN, (run.page, {}, {}))
    if page == run.page and _is_still_mixed(run):
        run.goes_back = True
    if run.goes_back or page != run.page:
        of_link = _known_mix(run).of_link if run.goes_back else _said_by_link(before)
        if of_link and not run.goes_back:
            mix = Mix(run.page, {name: st.query_params.get_all(name) for name in of_link}, of_link)
            state[MIXED] = [*state.get(MIXED, []), mix][-MOST_MIXED:]
        unsaid = {} if run.goes_back else _left_out(before[-1])
        run.goes_back = True
        with run.told_once():
            run.tell()  # the browser, which drops the parameters of the page before
            if address := unsaid | of_link:
                run.take(address)
            state[ASKED] = _address()
            # Another run may end this one here, and read the address before or after the browser was told.
            state[TAKEN] = page, state[ASKED], before[-1]
            yield
        run.goes_back = _shared(run) != _address()
    else:
        if TAKEN not in state:
            state[ASKED] = _address()
        yield
    _forget_what_is_chosen(run)
    shared = _shared(run)
    state[TAKEN] = run.page, shared, shared


@dataclass(frozen=True)
class Mix:
    """An address that the browser merged from an old one and a link, and what the link alone said.

    Both have only the choices that the old address and the link name.
    """

    page: str
    mixed: dict[str, list[str]]
    of_link: dict[str, list[str]]


def _known_mix(run: Script) -> Mix:
    """Return the newest mix that equals the current address, or an empty one."""
    for mix in reversed(st.session_state.get(MIXED, [])):
        here = {name: st.query_params.get_all(name) for name in mix.mixed}
        if mix.page == run.page and here == mix.mixed:
            return mix  # type: ignore[no-any-return]
    return Mix(run.page, {}, {})


def _is_still_mixed(run: Script) -> bool:
    """Return whether the run that repaired a merged address ended before it could tell the browser."""
    of_link = _known_mix(run).of_link
    return any(st.session_state.get(name) not in (None, st.query_params.get_all(name)) for name in of_link)


def _forget_what_is_chosen(run: Script) -> None:
    """Forget a mix once the widgets say the same themselves."""
    state, mix = st.session_state, _known_mix(run)
    if any(state.get(name) == st.query_params.get_all(name) for name in mix.of_link):
        state[MIXED].remove(mix)


def _address() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _shared(run: Script) -> dict[str, list[str]]:
    """Return the parameters of the shared choice, once it is drawn."""
    bound = run.bound()
    return {name: values for name, values in _address().items() if bound.get(name)}


def _said_by_link(before: Sequence[Mapping[str, list[str]]]) -> dict[str, list[str]]:
    """Return what the link says of earlier choices, from merged values such as "model=old&model=new"."""
    by_name = {}
    for name, values in _address().items():
        old = [held[name] for held in before if name in held and values[: len(held[name])] == held[name]]
        if old and len(values) > len(old[0]):
            by_name[name] = values[len(old[0]) :]
    return by_name


def _left_out(before: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return earlier choices that the new address lacks: the link was followed before widgets were drawn."""
    held = {name: st.session_state[name] for name in before if name not in st.query_params}
    return {
        name: (value or [""]) if isinstance(value, list) else [str(value)] for name, value in held.items()
    }


def say_mistakes(container: DeltaGenerator) -> None:
    """Warn of each invalid parameter of the link; names that no list has are left to the pages."""
    run, state = script(), st.session_state
    if run is None:
        return
    bound = run.bound()
    shared = [name for name, is_shared in bound.items() if is_shared]
    for name, values in state.get(ASKED, {}).items():
        if name not in bound:
            near = [] if name in ALIKE else get_close_matches(name, shared, 1, cutoff=NEAR)
            wrong = f"there is no such parameter; did you mean {near[0]}?" if near else ""
        else:
            field = run.field(name)
            wrong = _wrong(field, values) if field else ""
        if wrong:
            container.warning(
                f"The link has {_quoted(name)} = {_quoted(listed(values))}: {plain(wrong)} "
                "The rest of the link is used.",
                icon=":material/link_off:",
            )


def say_instead(run: Script, name: str, *values: str) -> None:
    """Replace a parameter's value by its current name before the widget is drawn, without a warning."""
    run.take({name: [*values]})
    st.session_state[ASKED] = {**st.session_state.get(ASKED, {}), name: [*values]}


def select_called(
    label: str,
    called: Mapping[Named, str],
    *,
    key: str,
    old: Mapping[str, Named] = MappingProxyType({}),
    row: bool = False,
    **more: Any,
) -> Named:
    """Draw a select box, or a ``row``, of options by their labels; return the name of the option.

    ``called``: unique labels by name.  ``old``: earlier names and today's.  The address has labels; names are
    understood too.  ``more``: further settings of ``st.selectbox`` or :func:`choose_one`.
    """
    names = _names_by_label(called, key, old)
    if row:
        return names[choose_one(label, list(names), key=key, **more)]
    return names[st.selectbox(label, list(names), key=key, bind="query-params", **more)]


def several_called(label: str, called: Mapping[Named, str], *, key: str, **more: Any) -> list[Named]:
    """Draw a multiselect of options by their labels; return the names of the options."""
    names = _names_by_label(called, key)
    return [names[one] for one in st.multiselect(label, list(names), key=key, bind="query-params", **more)]


def _names_by_label(
    called: Mapping[Named, str], key: str, old: Mapping[str, Named] = MappingProxyType({})
) -> dict[str, Named]:
    """Return the names of options by label, and replace names in the address by their labels."""
    run, from_address = script(), st.query_params.get_all(key)
    names = {shown: name for name, shown in called.items()}
    labels = {str(name): shown for name, shown in called.items()}
    now = [one if one in names else labels.get(old.get(one, one), one) for one in from_address]
    if run is not None and now != from_address:
        say_instead(run, key, *now)
    return names


def _quoted(text: str) -> str:
    """Quote a part of a link in a sentence: escaped, on one line and shortened."""
    line = " ".join(text.split())
    return plain(line if len(line) <= LONGEST_QUOTE else f"{line[: LONGEST_QUOTE - 1]}…")


def _wrong(field: Field, given: Sequence[str]) -> str:
    """Say what a widget allows if it does not accept these values, else return ""."""
    texts = given if field.takes_several else given[-1:]
    values = [field.titles.name(text) for text in texts if text]
    if field.options is not None:
        if all(text in field.options for text in values):
            return ""
        more = f", … ({len(field.options):,} in all)" if len(field.options) > MOST_NAMED else ""
        return f"allowed are {', '.join(field.options[:MOST_NAMED])}{more}."
    if field.is_switch:
        return (
            "" if all(text.lower() in ("true", "false") for text in values) else "allowed are true and false."
        )
    if field.bounds is None:
        return ""
    least, most = field.bounds
    if all(_is_within(text, least, most) for text in values):
        return ""
    numbers = f"from {least:g} to {most:,g}" if most < ENDLESS else f"of {least:g} or more"
    return f"allowed are numbers {numbers}."


def _is_within(text: str, least: float, most: float) -> bool:
    try:
        return least <= float(text) <= most
    except ValueError:
        return False


def follow(page: str, parameters: Mapping[str, str | list[str]]) -> None:
    """Open another page with these parameters, unbinding their widgets first, and end the script."""
    run = script()
    if run is not None:
        run.let_go(parameters)
    st.session_state[TAKEN] = "", {}, {}
    st.switch_page(f"pages/{page}.py", query_params=parameters)


def is_new_page() -> bool:
    """Return whether a link or an address, not the back button, has just opened this page."""
    run = script()
    if run is None or run.goes_back:
        return False
    page, *_ = st.session_state.get(TAKEN, ("",))
    return bool(page != run.page)


def draw_link(
    container: Place, label: str, parameters: Mapping[str, str | list[str]], icon: str = ""
) -> None:
    """Draw a link to a page or tab; tabs of the open page get a button, as Streamlit follows no such link."""
    address = {**parameters, **container.parameters}
    if container.page != open_page_name():
        st.page_link(container.file, label=label, query_params=address, icon=icon or None, width="content")
        return
    st.button(
        label,
        key=f"link_{digest([container.page, address, label])}",
        icon=icon or None,
        type="tertiary",
        on_click=st.session_state.update,
        args=({FOLLOWED: (container.page, address)},),
    )


def draw_instead(container: Place, names: Sequence[str], shared: Mapping[str, str | list[str]]) -> None:
    """Draw a link that shows other models under the same ``shared`` choice, if there are some."""
    if few := list(names[:MOST_INSTEAD]):
        label = f"Show {plain_titled(listed(few))} instead"
        draw_link(container, label, {**shared, "model": few}, ":material/swap_horiz:")


def follow_pressed(shared: Mapping[str, str | list[str]]) -> None:
    """Follow a pressed button of :func:`draw_link`, keeping the ``shared`` choice."""
    page, address = st.session_state.pop(FOLLOWED, ("", {}))
    if page:
        follow(page, {**shared, **address})


def open_page_name() -> str:
    """Return the name of the open page; the first page has none."""
    run = script()
    return run.page_name if run else ""


def drop_infinite() -> None:
    """Remove infinite numbers such as ``seed=1e400``, on which Streamlit 1.67 fails, with a warning."""
    endless = {name: text for name in st.query_params if is_endless(text := st.query_params[name])}
    run = script()
    if not endless or run is None:
        return
    run.drop(endless)
    for name, text in endless.items():
        st.warning(
            f"The link has {_quoted(name)} = {_quoted(text)}, which is not a finite number, so it is not "
            "used.",
            icon=":material/link_off:",
        )


def is_endless(text: str) -> bool:
    """Return whether a text is an infinite number, such as "1e400" or "-inf"."""
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
