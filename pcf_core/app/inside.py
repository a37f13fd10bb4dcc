"""Streamlit's inner workings: the one file that knows them, as they are in Streamlit 1.67.

What is no part of its documented interface has a name here, and says no more than the app needs: how a link
and its widgets stand to each other, what a widget takes, which of its own parts a server replaces, and types
that it hands out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from starlette.staticfiles import StaticFiles
from streamlit import delta_generator
from streamlit.elements.lib.js_number import JSNumber
from streamlit.elements.lib.streamlit_plotly_theme import BG_COLOR as BG_COLOR
from streamlit.elements.lib.streamlit_plotly_theme import GRAY_90 as GRAY_90
from streamlit.elements.widgets.number_input import NumberInputSerde
from streamlit.navigation.page import StreamlitPage as StreamlitPage
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import StopException as StopException
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.uploaded_file_manager import UploadedFile as UploadedFile
from streamlit.web.server.starlette import starlette_static_routes

ENDLESS = JSNumber.MAX_SAFE_INTEGER  # what Streamlit has for a whole number without a bound


class Handler(Protocol):
    """Makes what serves the files of a folder below a path."""

    def __call__(self, directory: str, base_url: str | None) -> StaticFiles:
        """Make it."""
        ...


static_handler: Handler = starlette_static_routes.create_streamlit_static_handler


@dataclass(frozen=True)
class Field:
    """What a widget takes that is bound to the address."""

    options: Sequence[str] | None  # as they stand in an address; None where any text or number will do
    is_switch: bool
    takes_several: bool
    bounds: tuple[float, float] | None  # of a number


class Script:
    """The run of a page's script that asks, with its session."""

    def __init__(self, context: ScriptRunContext) -> None:
        self._context = context

    @property
    def page(self) -> str:
        """What stands for the page that is open."""
        return self._context.page_script_hash

    @property
    def page_name(self) -> str:
        """The name of the page in its address; the first page has none."""
        pages = self._context.pages_manager.get_pages()
        return str(pages[self.page]["url_pathname"]) if pages else ""

    @property
    def goes_back(self) -> bool:
        """Whether the browser goes back or forward, so that the address goes before what widgets said."""
        return self._context.is_history_navigation

    @goes_back.setter
    def goes_back(self, goes_back: bool) -> None:
        self._context.is_history_navigation = goes_back

    def bound(self) -> dict[str, bool]:
        """Return the parameters that widgets are bound to, and whether these are on all pages."""
        frame = self._context.pages_manager.main_script_hash
        with self._context.session_state.query_params() as link:
            return {name: at.script_hash == frame for name, at in link._bindings_by_param.items()}

    def field(self, name: str) -> Field | None:
        """Return what the widget of a parameter takes; ``None`` where it was not drawn."""
        state = self._context.session_state._state
        at = state.query_params.get_binding_for_param(name)
        metadata = state.get_widget_metadata(at.widget_id) if at else None
        if metadata is None:
            return None
        number = getattr(metadata.deserializer, "__self__", None)
        return Field(
            options=metadata.formatted_options,
            is_switch=metadata.value_type == "bool_value",
            takes_several=metadata.value_type.endswith("array_value"),
            bounds=(number.min_value, number.max_value) if isinstance(number, NumberInputSerde) else None,
        )

    def take(self, values_by_name: Mapping[str, list[str]]) -> None:
        """Let the address have these values, here and in the browser."""
        with self._context.session_state.query_params() as link:
            for name, values in values_by_name.items():
                link.set_corrected_value(name, values, "string_array_value")
            link.set_initial_query_params_from_current()

    def as_if_said(self, name: str, values: Sequence[str]) -> None:
        """Let a widget take its first value as if the address said it; the browser is not told."""
        with self._context.session_state.query_params() as link:
            link._initial_query_params[name] = list(values)

    def drop(self, names: Iterable[str]) -> None:
        """Take parameters out of the address before widgets take their first value from it.

        They have a copy of it that ``st.query_params`` does not reach.
        """
        with self._context.session_state.query_params() as link:
            for name in names:
                link.remove_param(name)
            link.set_initial_query_params_from_current()

    def let_go(self, names: Iterable[str]) -> None:
        """Let the widgets of these parameters go of the address, which Streamlit else refuses to replace."""
        with self._context.session_state.query_params() as link:
            for at in [link.get_binding_for_param(name) for name in names]:
                if at is not None:
                    link.unbind_widget(at.widget_id)

    @contextmanager
    def told_once(self) -> Iterator[None]:
        """Tell the browser the address once, not after each of its parts: each is a step of its way back."""
        send, told = self._context._enqueue, list[ForwardMsg]()

        def hold(message: ForwardMsg) -> None:
            if message.WhichOneof("type") == "page_info_changed":
                told[:] = [message]
            else:
                send(message)

        self._context._enqueue = hold
        try:
            yield
        finally:
            self._context._enqueue = send
            for message in told:
                send(message)


def script() -> Script | None:
    """Return the run that asks; ``None`` where no script runs."""
    context = get_script_run_ctx()
    return None if context is None else Script(context)


def takes_folder_for_pages() -> bool:
    """Tell whether the server still takes ``pages/`` for the old kind of multipage app."""
    return bool(PagesManager.uses_pages_directory)


def serve(handler: Handler, warm_up: Callable[[], None]) -> None:
    """Run Streamlit's own command; files are served by ``handler``, and ``app.py`` alone registers pages.

    ``warm_up`` is called before the server listens, as if in a script, but draws nothing.
    """
    from streamlit.web.cli import main

    PagesManager.uses_pages_directory = False
    starlette_static_routes.create_streamlit_static_handler = handler
    # Before its first element Streamlit looks through all loaded modules, for longer than a page takes, to
    # tell somebody who typed it into a console that a server is needed.
    delta_generator._use_warning_has_been_displayed = True
    with _no_word_of_scripts():
        warm_up()
    main(prog_name="streamlit")


@contextmanager
def _no_word_of_scripts() -> Iterator[None]:
    """Keep Streamlit from warning that no script runs, where none is meant to."""
    log = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)
