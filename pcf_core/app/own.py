"""The user's own material on pages: typed, pasted or uploaded, and deleted; for auditors only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, get_args

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.inside import UploadedFile
from pcf_core.app.links import select_called
from pcf_core.app.roles import may_audit, recorded
from pcf_core.app.widgets import choose_next, plain, refusals_said
from pcf_core.core.errors import AuditError
from pcf_core.core.records import Record
from pcf_core.core.settings import settings
from pcf_core.material.base import Kind
from pcf_core.material.safety.entries import ending_of
from pcf_core.material.safety.reading import title_of
from pcf_core.material.safety.tables import Accepted
from pcf_core.material.safety.text import MAX_NAME
from pcf_core.material.safety.understood import Choice, Question, Reading, read_with
from pcf_core.material.shelves import Shelf

MEGABYTE = 1_000_000  # as Streamlit's own field counts them
WRITTEN = "own_written"  # the topic and the set of templates that this session saved last, by kind
LARGEST_UPLOAD = 32  # MB, of a million bytes as Streamlit counts them
LAST_READ = "own_last_read"  # the file that was read last: a large one is not read at every click
TYPED = "own_typed"  # how many texts were saved from a field, by its key: the next one begins empty
QUESTIONS: tuple[Question, ...] = get_args(Question)
ANSWERS: Mapping[str, str] = {  # what pages call an answer
    "pairs": "pairs: each line has a word of every group",
    "groups": "groups: each line is a group",
    "lines": "lines: each line is an entry",
    "columns": "columns: each column is a group, named in the first line",
    "heading": "a heading: each line below it is an entry",
    "table": "a table: I say which columns are meant",
}
T = TypeVar("T", bound=Record)
R = TypeVar("R")


def upload_file(
    label: str, endings: Sequence[str], largest: int, key: str, help_text: str,
    taken: Callable[[], None] | None = None,
) -> UploadedFile | None:  # fmt: skip
    """Draw the upload of one file; return it or ``None``, see :func:`upload_files`."""
    files = upload_files(label, endings, largest, key, help_text, taken, several=False)
    return files[0] if files else None


def upload_files(
    label: str, endings: Sequence[str], largest: int, key: str, help_text: str,
    taken: Callable[[], None] | None = None, *, several: bool = True,
) -> list[UploadedFile]:  # fmt: skip
    """Draw an upload; return the chosen files, none for viewers or if one is too large, with a message.

    ``endings``: with or without dot; none: any file is taken, also one without an ending, and its reader says
    what it can be.  ``largest``: megabytes, unless ``PCF_LARGEST_UPLOAD`` is less.
    ``taken``: called when another file was chosen.
    """
    if not may_audit():
        return []
    most = _most_of(largest)
    chosen: Any = st.file_uploader(
        label,
        type=[ending.removeprefix(".") for ending in endings] or None,
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
    """Return whether a file exceeds a field's megabytes, which only the browser has checked before."""
    return file.size > _most_of(largest) * MEGABYTE


def _most_of(largest: int) -> int:
    return min(largest, settings().largest_upload, int(st.get_option("server.maxUploadSize")))


@dataclass(frozen=True)
class Given:
    """Typed or uploaded files, names and contents; ``token`` differs between uploads and typed texts."""

    files: tuple[tuple[str, bytes], ...]
    token: str

    @property
    def is_typed(self) -> bool:
        """Whether it was typed or pasted."""
        return self.token == "typed"


def draw_given(
    accepted: Accepted, key: str, stem: str, help_text: str, *, several: bool = True
) -> Given | None:
    """Draw a field to type or paste into and an upload; return what was given, of both the upload.

    ``accepted``: what the files may be.  ``key``: of the upload.  ``stem``: the name of a typed file before
    its ending.
    """
    if not may_audit():
        return None
    saved_before = st.session_state.setdefault(TYPED, {}).get(key, 0)
    st.caption(accepted.forms)
    text = st.text_area(
        "Type or paste",
        key=f"typed_{key}_{saved_before}",
        height=120,
        placeholder="One a line" if accepted.line else ",".join(accepted.needed),
        help="One entry a line. The text of a file of another form is understood too.",
    )
    files = upload_files("Or upload", (), LARGEST_UPLOAD, key, help_text, several=several)
    if files:
        token = "_".join(file.file_id for file in files)
        return Given(tuple((file.name, file.getvalue()) for file in files), token)
    if not text.strip():
        return None
    return Given(((f"{stem}{ending_of(text, accepted)}", text.encode()),), "typed")


def empty_typed(key: str) -> None:
    """Empty the text field of :func:`draw_given` after saving."""
    saved_before = st.session_state.setdefault(TYPED, {})
    saved_before[key] = saved_before.get(key, 0) + 1


@dataclass(frozen=True)
class OwnPanel(Generic[T]):
    """The user's own items of one kind: download, delete, add.

    ``shown``: key of the page's choice, which becomes ``first`` when the chosen item is deleted.
    ``besides``: what a new choice sets as well.  ``forms``, ``examples``: how files look.  ``said``:
    describes an item.  ``use``: of the TOML file that can be downloaded.
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
        """Draw it for the item called ``name``; ``item``: ``None`` if damaged."""
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
                        help=f"As a TOML file, from which you can make your own. It is also {self.use}.",
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
        """Choose another item in the next run of the script."""
        choose_next({self.shown: name, **self.besides})


def note_written(kind: Literal["topic", "templates"], name: str) -> None:
    """Remember what was saved last, so that a new topic and new sentences can be run together."""
    st.session_state.setdefault(WRITTEN, {})[kind] = name


def last_written(kind: Literal["topic", "templates"]) -> str:
    """Return the name of what this session saved last, or ""."""
    return str(st.session_state.get(WRITTEN, {}).get(kind, ""))


def draw_upload(
    own: Kind[T], describe: Callable[[T], str], saved: Callable[[str], None], help_text: str
) -> None:
    """Type, paste or upload an item, describe it, and save it under a name; nothing for viewers."""
    kind, folder = own.shelf.kind, own.shelf.folder
    key, stem = f"upload_{folder}", f"my-{kind.split()[-1]}"
    given = draw_given(own.material.accepted, key, stem, help_text)
    if given is None:
        return
    read = read_shown(lambda: own.read_upload(given.files), f"{folder}_{given.token}", given.files)
    if read is None:
        return
    item: Any = read.item
    st.markdown(plain(describe(item)))
    name = st.text_input(
        f"Name of the {kind}",
        value=own.free_name(item.name) if item.name in own.shelf.names() else item.name,
        max_chars=MAX_NAME,
        key=f"upload_name_{folder}_{given.token}_{item.name}",
        help="Small letters, digits and hyphens.",
    ).strip()
    if st.button(
        "Save", key=f"keep_{folder}", type="primary", icon=":material/save:", disabled=not read.confirmed
    ):
        with refusals_said():
            untitled = given.is_typed and item.title == title_of(Path(given.files[0][0]))
            item = item.model_copy(update={"name": name, **({"title": name} if untitled else {})})
            recorded("uploaded", kind, name, own.save, item)
            empty_typed(key)
            saved(name)


@dataclass(frozen=True)
class ShownFile(Generic[R]):
    """What a file was read as, how it was read, and whether what was guessed of it was confirmed."""

    item: R
    reading: Reading
    confirmed: bool


def read_shown(read: Callable[[], R], key: str, content: object = None) -> ShownFile[R] | None:
    """Read a file, and draw what was understood: questions, what is not as usual, the first entries.

    A refusal is a sentence; with questions that are still open, it is these.  ``key``: differs between files.
    ``content``: what is read, if it can change under one key, as a typed text can.
    """
    begin = f"answer_{key}_"
    given = {name: value for name, value in st.session_state.items() if str(name).startswith(begin)}
    answers = {_question_of(str(name).removeprefix(begin)): str(value or "") for name, value in given.items()}
    if st.session_state.get(LAST_READ, ((),))[0] != (key, content, answers):
        item, problem = None, ""
        with read_with(Reading(answers, guesses=True)) as reading:
            try:
                item = read()
            except AuditError as error:
                problem = str(error)
        st.session_state[LAST_READ] = (key, content, answers), reading, item, problem
    _, reading, item, problem = st.session_state[LAST_READ]
    for question in reading.choices:
        _draw_question(question, f"{begin}{question.option}_{question.name}")
    if problem and not reading.is_open:
        st.error(plain(problem), icon=":material/error:")
    for sentence in dict.fromkeys(reading.notes):
        st.caption(plain(sentence))
    if item is None or reading.is_open:
        return None
    for file in reading.files:
        st.dataframe(pd.DataFrame(file.first), hide_index=True, alt=f"The first entries of {file.name}")
        if more := file.entries - len(file.first):
            st.caption(f"And {more:,} more.")
    guessed = any(question.option == "placeholders" for question in reading.choices)
    confirmed = not guessed or st.checkbox("The placeholders stand for this", key=f"confirm_{key}")
    return ShownFile(item, reading, confirmed)


def _question_of(key: str) -> tuple[Question, str]:
    """Return which question a widget answers: "columns_term" of the column term."""
    option = next(one for one in QUESTIONS if key.startswith(f"{one}_"))
    return option, key.removeprefix(f"{option}_")


def _draw_question(question: Choice, key: str) -> None:
    """Draw a list of answers, with the guess chosen."""
    offered = list(question.offered)
    st.selectbox(
        plain(question.text),
        offered,
        index=offered.index(question.guess) if question.guess else None,
        key=key,
        placeholder="Choose",
        accept_new_options=question.free,
        format_func=lambda answer: ANSWERS.get(answer, answer),
    )


def draw_views(
    views: Mapping[str, str], called: Mapping[str, str], for_auditors: Collection[str], key: str, first: str
) -> str:
    """Draw the views of a page that this person may open; return the name of the open one.

    ``views``: help texts by name.  ``called``: labels.  ``first``: open if the address names none.
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
    """Open a folded box of actions on the user's own items; viewers can only download."""
    if may_audit():
        return st.expander(
            f"{what} of your own: type, paste, upload, download, delete", icon=":material/upload:"
        )
    return st.expander(f"{what} as a file", icon=":material/download:")


def draw_hidden(shelf: Shelf) -> None:
    """Warn of the user's own items that are hidden because a shipped one has the same name."""
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
    """Draw a button that deletes one of the user's ``own`` after confirmation; nothing for viewers."""
    if name not in own or not may_audit():
        return
    ask_to_delete(
        f"Delete {plain(name)} …",
        f"**{plain(name)}** is deleted. Results with it are kept.",
        key,
        lambda: recorded("deleted", kind, name, delete, name),
        deleted,
    )


def ask_to_delete(
    label: str, consequence: str, key: str, carry_out: Callable[[], object], deleted: Callable[[], None]
) -> None:
    """Draw a delete button that asks for confirmation; both texts are Markdown."""
    with st.popover(label, icon=":material/delete_forever:"):
        st.markdown(consequence)
        if st.button("Delete", key=key, type="primary"):
            with refusals_said():
                carry_out()
                deleted()
