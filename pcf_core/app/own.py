"""What users keep, on the pages: brought in from files, and deleted after a second question.

Uploads are offered to auditors alone, and no larger than field and operator allow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.inside import UploadedFile
from pcf_core.app.links import select_called
from pcf_core.app.roles import may_audit, recorded
from pcf_core.app.widgets import plain, refusals_said
from pcf_core.core.errors import AuditError
from pcf_core.core.records import Record
from pcf_core.core.settings import settings
from pcf_core.material.base import Kind
from pcf_core.material.safety.text import MAX_NAME
from pcf_core.material.shelves import Shelf

MEGABYTE = 1_000_000  # as Streamlit's own field counts them
WRITTEN = "own_written"  # the topic and the set of templates that this session kept last, by kind
LARGEST_UPLOAD = 32  # MB, of a million bytes as Streamlit counts them
T = TypeVar("T", bound=Record)


def upload_file(
    label: str, endings: Sequence[str], largest: int, key: str, help_text: str,
    taken: Callable[[], None] | None = None,
) -> UploadedFile | None:  # fmt: skip
    """Draw the upload of one file; return it, or nothing yet; see :func:`upload_files`."""
    files = upload_files(label, endings, largest, key, help_text, taken, several=False)
    return files[0] if files else None


def upload_files(
    label: str, endings: Sequence[str], largest: int, key: str, help_text: str,
    taken: Callable[[], None] | None = None, *, several: bool = True,
) -> list[UploadedFile]:  # fmt: skip
    """Draw an upload; return the files that were chosen.  For a viewer there is no field.

    A file that is too large is named in a sentence and none is returned, whatever the browser let through.
    ``endings``: of the files that may be chosen, with or without their dot.  ``largest``: megabytes that this
    field takes; ``PCF_LARGEST_UPLOAD`` may be less.  ``taken``: called when another file was chosen.
    """
    if not may_audit():
        return []
    most = _most_of(largest)
    chosen: Any = st.file_uploader(
        label,
        type=[ending.removeprefix(".") for ending in endings],
        accept_multiple_files=several,
        max_upload_size=most,
        key=key,
        on_change=taken,
        help=help_text,
    )
    files: list[UploadedFile] = chosen if several else [chosen] if chosen is not None else []
    for file in files:
        if too_large(file, largest):
            st.error(
                f"The file {plain(file.name)} has {file.size / MEGABYTE:,.1f} megabytes, and {most:,} are "
                "taken here: choose a smaller one.",
                icon=":material/error:",
            )
            return []
    return files


def too_large(file: UploadedFile, largest: int) -> bool:
    """Tell whether a file exceeds a field's megabytes: a browser alone looked before."""
    return file.size > _most_of(largest) * MEGABYTE


def _most_of(largest: int) -> int:
    return min(largest, settings().largest_upload, int(st.get_option("server.maxUploadSize")))


@dataclass(frozen=True)
class OwnPanel(Generic[T]):
    """What can be done with one's own of a kind: taken out, deleted, another brought in.

    ``what``: what they are, for the heading.  ``key``: of the widgets.  ``shown``: key of the page's choice,
    which becomes ``first`` once the chosen one is deleted; ``besides``: what else a new choice sets.
    ``forms`` and ``examples``: how a file looks, by its form.  ``said``: what one is, in a sentence.
    ``use``: what the TOML file is good for that can be downloaded.
    """

    what: str
    own: Kind[T]
    key: str
    shown: str
    first: Callable[[], str]
    forms: str
    examples: Mapping[str, str]
    said: Callable[[T], str]
    use: str
    besides: Mapping[str, object] = field(default_factory=dict)

    def draw(self, name: str, item: T | None) -> None:
        """Draw it for what is shown by ``name``; ``item`` is ``None`` where that is damaged."""
        with expander(self.what):
            with st.container(horizontal=True):
                if item is not None:
                    st.download_button(
                        f"Download {plain(name)}",
                        lambda: self.own.text(item),
                        f"{name}.toml",
                        "application/toml",
                        key=f"download_{self.key}",
                        on_click="ignore",
                        icon=":material/download:",
                        help=f"As a TOML file: a beginning for one of yours, and {self.use}.",
                    )
                draw_delete(
                    name,
                    self.own.names(),
                    self.own.delete,
                    lambda: self.go_to(self.first()),
                    f"delete_{self.key}",
                    self.own.shelf.kind,
                )
                if self.examples:
                    with st.popover("Example of a file", icon=":material/description:"):
                        for form, example in self.examples.items():
                            st.markdown(form)
                            st.code(example, language=None, wrap_lines=True)
            st.caption(self.forms)
            draw_upload(self.own, self.said, self.go_to, "One file.")

    def go_to(self, name: str) -> None:
        """Show another one from now on."""
        st.session_state[f"{self.shown}_next"] = name
        st.rerun()

    def adopt_next(self) -> None:
        """Take over what :meth:`go_to` said, before the page's widgets are drawn."""
        state = st.session_state
        if (name := state.pop(f"{self.shown}_next", None)) is not None:
            state.update({self.shown: name, **self.besides})


def note_written(kind: Literal["topic", "templates"], name: str) -> None:
    """Remember what was kept last: who writes a topic and sentences means to score the one on the other."""
    st.session_state.setdefault(WRITTEN, {})[kind] = name


def last_written(kind: Literal["topic", "templates"]) -> str:
    """Return the name of what this session kept last; empty where it kept none."""
    return str(st.session_state.get(WRITTEN, {}).get(kind, ""))


def draw_upload(
    own: Kind[T], describe: Callable[[T], str], saved: Callable[[str], None], help_text: str
) -> None:
    """Choose files, see what they say, and save it under a name; a refusal is one sentence.

    A viewer gets no field.  ``describe``: what one is, in a sentence.  ``saved``: called with the name.
    """
    kind, folder = own.shelf.kind, own.shelf.folder
    files = upload_files("Files", own.shelf.accepts, LARGEST_UPLOAD, f"upload_{folder}", help_text)
    if not files:
        return
    try:
        item: Any = own.read_upload([(file.name, file.getvalue()) for file in files])
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.markdown(plain(describe(item)))
    name = st.text_input(
        f"Name of the {kind}",
        value=own.free_name(item.name) if item.name in own.shelf.names() else item.name,
        max_chars=MAX_NAME,
        key=f"upload_name_{folder}_{'_'.join(file.file_id for file in files)}",
        help="Small letters, digits and hyphens.",
    ).strip()
    if st.button("Save", key=f"keep_{folder}", type="primary", icon=":material/save:"):
        with refusals_said():
            item = item.model_copy(update={"name": name})
            recorded("uploaded", kind, name, own.save, item)
            saved(name)


def draw_views(
    views: Mapping[str, str], called: Mapping[str, str], for_auditors: Collection[str], key: str, first: str
) -> str:
    """Draw the views of a page that this person has; return the name of the open one.

    ``views``: what each is for, by name.  ``called``: their labels.  ``first``: the view that is open where
    the address names none.
    """
    offered = {name: called[name] for name in views if name not in for_auditors or may_audit()}
    return select_called(
        "What to do",
        offered,
        key=key,
        row=True,
        default=called[first],
        wrap=True,  # their labels are wider than a telephone
        help=" ".join(f"{label}: {views[name]}" for name, label in offered.items()),
    )


def expander(what: str) -> DeltaGenerator:
    """Open a folded box of actions on one's own of a kind; a viewer can take it out alone."""
    if may_audit():
        return st.expander(f"{what} of your own: upload, download, delete", icon=":material/upload:")
    return st.expander(f"{what} as a file", icon=":material/download:")


def draw_hidden(shelf: Shelf) -> None:
    """Say which of the user's own cannot be reached, since the app ships one of the name by now."""
    for item in shelf.hidden():
        st.warning(f"**{plain(item.name)}:** {plain(item.reason)}", icon=":material/visibility_off:")


def draw_delete(
    name: str,
    own: Collection[str],
    delete: Callable[[str], None],
    deleted: Callable[[], None],
    key: str,
    kind: str,
) -> None:
    """Delete one of the user's ``own`` after a second question; nothing is drawn for others or for a viewer.

    ``deleted``: called when it is gone.  ``key``: of the button.  ``kind``: its name in the journal.
    """
    if name not in own or not may_audit():
        return
    ask_to_delete(
        f"Delete {plain(name)} …",
        f"**{plain(name)}** is deleted. Results scored with it stay in the cache.",
        key,
        lambda: recorded("deleted", kind, name, delete, name),
        deleted,
    )


def ask_to_delete(
    label: str, consequence: str, key: str, carry_out: Callable[[], object], deleted: Callable[[], None]
) -> None:
    """Draw a button that says what would be deleted, and the second one behind it; both as Markdown."""
    with st.popover(label, icon=":material/delete_forever:"):
        st.markdown(consequence)
        if st.button("Delete", key=key, type="primary"):
            with refusals_said():
                carry_out()
                deleted()
