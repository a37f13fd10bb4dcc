"""The only file that uses undocumented parts of Streamlit, as of version 1.67."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.staticfiles import StaticFiles
from streamlit import delta_generator
from streamlit.elements.lib import streamlit_plotly_theme
from streamlit.elements.lib.js_number import JSNumber
from streamlit.elements.lib.streamlit_plotly_theme import BG_COLOR as BG_COLOR
from streamlit.elements.lib.streamlit_plotly_theme import GRAY_90 as GRAY_90
from streamlit.elements.widgets import multiselect, selectbox
from streamlit.elements.widgets.number_input import NumberInputSerde
from streamlit.navigation.page import StreamlitPage as StreamlitPage
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import StopException as StopException
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import register_widget
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.uploaded_file_manager import UploadedFile as UploadedFile
from streamlit.web.server.starlette import starlette_static_routes

from pcf_core.show.names import Titles

DIVERGING = tuple(getattr(streamlit_plotly_theme, f"DIVERGING_{number}") for number in range(10))
NAMES = "names_by_title"  # session key: names of options by title, for each parameter
ENDLESS = JSNumber.MAX_SAFE_INTEGER  # Streamlit's bound of an unbounded whole number


class Handler(Protocol):
    """A function that makes the server of a folder's files."""

    def __call__(self, directory: str, base_url: str | None) -> StaticFiles:
        """Make it."""
        ...


static_handler: Handler = starlette_static_routes.create_streamlit_static_handler


@dataclass(frozen=True)
class Field:
    """What a widget that is bound to the address accepts."""

    options: Sequence[str] | None  # as in an address; None if any text or number is valid
    is_switch: bool
    takes_several: bool
    bounds: tuple[float, float] | None  # of a number
    titles: Titles  # shown by its menu, valid in an address too


class Script:
    """The current run of a page's script, with its session."""

    def __init__(self, context: ScriptRunContext) -> None:
        self._context = context

    @property
    def page(self) -> str:
        """Streamlit's hash of the open page."""
        return self._context.page_script_hash

    @property
    def page_name(self) -> str:
        """The name of the page in its address; the first page has none."""
        pages = self._context.pages_manager.get_pages()
        return str(pages[self.page]["url_pathname"]) if pages else ""

    @property
    def goes_back(self) -> bool:
        """Whether the browser goes back or forward; the address then overrides the widgets."""
        return self._context.is_history_navigation

    @goes_back.setter
    def goes_back(self, goes_back: bool) -> None:
        self._context.is_history_navigation = goes_back

    def bound(self) -> dict[str, bool]:
        """Return the parameters that have a widget, and whether it is on all pages."""
        frame = self._context.pages_manager.main_script_hash
        with self._context.session_state.query_params() as link:
            return {name: at.script_hash == frame for name, at in link._bindings_by_param.items()}

    def field(self, name: str) -> Field | None:
        """Return what the widget of a parameter accepts; ``None`` if it was not drawn."""
        state = self._context.session_state._state
        at = state.query_params.get_binding_for_param(name)
        metadata = state.get_widget_metadata(at.widget_id) if at else None
        if metadata is None:
            return None
        serde = getattr(metadata.deserializer, "__self__", None)
        titles = _titles_of(serde)
        return Field(
            options=metadata.formatted_options if serde is None or titles is None else serde.options,
            is_switch=metadata.value_type == "bool_value",
            takes_several=metadata.value_type.endswith("array_value"),
            bounds=(serde.min_value, serde.max_value) if isinstance(serde, NumberInputSerde) else None,
            titles=titles or Titles(),
        )

    def take(self, values_by_name: Mapping[str, list[str]]) -> None:
        """Set parameters of the address, here and in the browser."""
        with self._context.session_state.query_params() as link:
            for name, values in values_by_name.items():
                link.set_corrected_value(name, values, "string_array_value")
            link.set_initial_query_params_from_current()

    def tell(self) -> None:
        """Send the browser the current address; it does nothing if it has that already."""
        with self._context.session_state.query_params() as link:
            link._send_query_param_msg()

    def as_if_said(self, name: str, values: Sequence[str]) -> None:
        """Give a widget its first value as if the address had it, without telling the browser."""
        with self._context.session_state.query_params() as link:
            link._initial_query_params[name] = list(values)

    def drop(self, names: Iterable[str]) -> None:
        """Remove parameters before widgets read them from a copy that ``st.query_params`` does not reach."""
        with self._context.session_state.query_params() as link:
            for name in names:
                link.remove_param(name)
            link.set_initial_query_params_from_current()

    def let_go(self, names: Iterable[str]) -> None:
        """Unbind the widgets of these parameters; otherwise Streamlit refuses to replace the address."""
        with self._context.session_state.query_params() as link:
            for at in [link.get_binding_for_param(name) for name in names]:
                if at is not None:
                    link.unbind_widget(at.widget_id)

    @contextmanager
    def told_once(self) -> Iterator[None]:
        """Send the browser one address, not one for each parameter: each is a step in its history."""
        send, last = self._context._enqueue, list[ForwardMsg]()

        def hold(message: ForwardMsg) -> None:
            if message.WhichOneof("type") == "page_info_changed":
                last[:] = [message]
            else:
                send(message)

        self._context._enqueue = hold
        try:
            yield
        finally:
            self._context._enqueue = send
            for message in last:
                send(message)


def _titles_of(serde: Any) -> Titles | None:
    """Return the titles that a menu shows, given its converter; ``None`` for other widgets."""
    titles = getattr(serde, "format_func", None)
    return titles if isinstance(titles, Titles) else None


def _register_by_name(
    element_id: str,
    *,
    deserializer: Callable[..., Any],
    serializer: Callable[..., Any],
    formatted_options: list[str] | None = None,
    **more: Any,
) -> Any:
    """Register a menu so that the address has the names of options, although the menu shows titles.

    Both are read.  The browser, which writes choices itself, gets the names from :data:`NAMES`.
    """
    serde: Any = getattr(deserializer, "__self__", None)
    titles, key, context = _titles_of(serde), user_key_from_element_id(element_id), get_script_run_ctx()
    if titles is not None and key is not None and context is not None:
        options: Sequence[str] = serde.options
        shown = {titles(name): name for name in options if titles(name) != name}
        state = context.session_state
        before = state[NAMES] if NAMES in state else {}  # noqa: SIM401 - it has no get
        state[NAMES] = {**before, key: shown}
        serializer = _unchanged
        if formatted_options is not None:
            formatted_options = [*options, *shown]
    return register_widget(
        element_id,
        deserializer=deserializer,
        serializer=serializer,
        formatted_options=formatted_options,
        **more,
    )


def _unchanged(value: Any) -> Any:
    return value


selectbox.register_widget = _register_by_name  # type: ignore[attr-defined]
multiselect.register_widget = _register_by_name  # type: ignore[attr-defined]


_populate = QueryParams.populate_from_query_string


def _populate_silently(
    link: QueryParams, query_string: str, valid_script_hashes: set[str] | None = None
) -> None:
    """Read a new address without telling the browser at once to drop the previous page's parameters.

    Streamlit sends that message before it says that another page begins.  The browser then added the new
    parameters to the old page's path as a step in its history, so going back showed the old page with the new
    choice.  :func:`~pcf_core.app.links.link_first` sends the message once the page has begun.
    """
    vars(link)["_send_query_param_msg"] = lambda: None
    try:
        _populate(link, query_string, valid_script_hashes)
    finally:
        del vars(link)["_send_query_param_msg"]


QueryParams.populate_from_query_string = _populate_silently  # type: ignore[method-assign, assignment]


def script() -> Script | None:
    """Return the current run; ``None`` outside a script."""
    context = get_script_run_ctx()
    return None if context is None else Script(context)


def takes_folder_for_pages() -> bool:
    """Return whether the server still treats ``pages/`` as an old-style multipage app."""
    return bool(PagesManager.uses_pages_directory)


def serve(handler: Handler, warm_up: Callable[[], None]) -> None:
    """Run Streamlit's command with ``handler`` serving files, and only ``app.py`` registering pages.

    ``warm_up`` is called before the server listens, as if in a script, but draws nothing.
    """
    from streamlit.web.cli import main

    PagesManager.uses_pages_directory = False
    starlette_static_routes.create_streamlit_static_handler = handler
    # Otherwise Streamlit searches all loaded modules, which takes longer than a page, to warn those who type
    # its calls into a console.
    delta_generator._use_warning_has_been_displayed = True
    with _no_word_of_scripts():
        warm_up()
    main(prog_name="streamlit")


@contextmanager
def _no_word_of_scripts() -> Iterator[None]:
    log = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)
