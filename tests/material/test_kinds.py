"""What holds of every kind of list: kept whole or not at all, found, refused, deleted, up and down loaded."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import InputError, StoreError
from pcf_core.core.knowledge import Fact
from pcf_core.core.records import LeftOut
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group
from pcf_core.material.base import Kind
from pcf_core.material.evidence import OWN as LISTS
from pcf_core.material.evidence import make_evidence
from pcf_core.material.knowledge import OWN as FACTS
from pcf_core.material.knowledge import make_knowledge
from pcf_core.material.shelves import OwnFiles
from pcf_core.material.topics import OWN as TOPICS
from pcf_core.material.topics import make_topic
from tests.material.kinds import KINDS, Example
from tests.material.refusing import refused
from tests.quick import scaled

Refusal = Callable[[Exception], str]
UNSAFE = ["", "../own", "a/b", "Own", "a.b", "-a", "a" * 65, "a\x00", "集"]


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def kind(request: pytest.FixtureRequest, own_settings: Settings) -> Example:
    """Return every kind in turn, with an empty cache."""
    return request.param  # type: ignore[no-any-return]


def names_in(kind: Example) -> list[str]:
    folder = kind.own.shelf.own_folder
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def renamed(kind: Example, name: str) -> Any:
    return kind.one.model_copy(update={"name": name})


def sentence_of(refusal: Refusal, kind: Example, function: Callable[..., object], *given_: object) -> str:
    return refused(refusal, kind.own.shelf.error, function, *given_)


def test_what_is_kept_is_found_after_what_is_shipped_and_deleted(kind: Example, refusal: Refusal) -> None:
    own, name, word = kind.own, kind.one.name, kind.own.shelf.kind
    shipped = own.shelf.names()
    assert own.save(kind.one) == kind.one == own.load(name)
    assert own.shelf.names() == (*shipped, name)
    assert own.names() == (name,)
    assert names_in(kind) == [f"{name}{own.ending}"]
    assert own.all()[-1] == kind.one
    own.delete(name)
    assert names_in(kind) == []
    assert f"not one of your {word}s" in sentence_of(refusal, kind, own.delete, name)
    assert f"shipped {word} and cannot be deleted" in sentence_of(refusal, kind, own.delete, kind.shipped)
    assert own.load(kind.shipped)


def test_saving_again_changes_nothing_and_another_needs_replace(kind: Example, refusal: Refusal) -> None:
    own = kind.own
    own.save(kind.one)
    own.save(kind.one)
    sentence = sentence_of(refusal, kind, own.save, kind.other)
    article = "an" if own.shelf.kind.startswith("e") else "a"
    assert f"You already have {article} {own.shelf.kind} named {kind.one.name}" in sentence
    assert own.load(kind.one.name) == kind.one
    assert own.save(kind.other, replace=True) == own.load(kind.one.name) == kind.other


@pytest.mark.parametrize("links", [True, False])
def test_of_two_apps_that_save_under_one_name_none_overwrites_the_other(
    links: bool, kind: Example, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other app saves after this one has found the name free."""
    link, own = os.link, kind.own

    def save_first(draft: Path, path: Path) -> None:
        Path(path).write_bytes(own.data(kind.other))
        link(draft, path)

    def no_links(draft: Path, path: Path) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", save_first if links else no_links)
    if links:
        assert f"named {kind.one.name}" in sentence_of(refusal, kind, own.save, kind.one)
        assert own.load(kind.one.name) == kind.other
    else:
        assert own.save(kind.one) == own.load(kind.one.name)
    assert names_in(kind) == [f"{kind.one.name}{own.ending}"]


def test_what_is_shipped_is_never_hidden_or_replaced(kind: Example, refusal: Refusal) -> None:
    own, mine = kind.own, renamed(kind, kind.shipped)
    before = own.load(kind.shipped)
    for replace in (False, True):
        sentence = sentence_of(refusal, kind, lambda replace=replace: own.save(mine, replace=replace))
        assert f"belongs to a shipped {own.shelf.kind}" in sentence
    own.shelf.own_folder.mkdir(parents=True)
    path = own.shelf.own_folder / f"{kind.shipped}{own.ending}"
    path.write_bytes(own.data(mine))
    assert own.load(kind.shipped) == before
    assert own.names() == ()
    (hidden,) = own.left_out()
    assert hidden.name == kind.shipped
    assert f"rename its file {path}" in hidden.reason
    path.rename(path.with_stem("mine"))
    assert own.load("mine").name == "mine"  # the name of its file


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_names_are_refused(name: str, kind: Example, refusal: Refusal) -> None:
    assert "small letters" in sentence_of(refusal, kind, kind.own.save, renamed(kind, name))
    assert "small letters" in sentence_of(refusal, kind, kind.own.check_new_name, name)
    assert names_in(kind) == []


def test_what_is_damaged_or_never_ends_is_named_and_the_others_stay(kind: Example, refusal: Refusal) -> None:
    own = kind.own
    own.save(kind.one)
    folder = own.shelf.own_folder
    (folder / f"broken{own.ending}").write_bytes(b"PAR1 = [")
    (folder / f"endless{own.ending}").symlink_to("/dev/zero")
    os.mkfifo(folder / f"pipe{own.ending}")
    assert own.all()[-1] == kind.one
    broken, endless, pipe = own.left_out()
    assert f"broken{own.ending} is not" in broken.reason
    assert "it is not a regular file" in endless.reason
    assert "it is not a regular file" in pipe.reason
    assert "named broken" in sentence_of(refusal, kind, own.save, renamed(kind, "broken"))
    for name in ("broken", "endless", "pipe"):
        own.delete(name)
    assert own.left_out() == ()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_disk_that_fails_leaves_what_was_there(
    code: int, kind: Example, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind.own.save(kind.one)

    def fail(handle: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    sentence = refused(refusal, StoreError, kind.own.save, kind.other, replace=True)
    assert f"The {kind.own.shelf.kind} {kind.one.name} cannot be saved" in sentence
    assert os.strerror(code) in sentence
    assert "PCF_CACHE" in sentence
    assert kind.own.load(kind.one.name) == kind.one
    assert names_in(kind) == [f"{kind.one.name}{kind.own.ending}"]


def test_a_folder_that_cannot_be_made_or_a_file_that_cannot_go(
    kind: Example, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = kind.own.shelf.own_folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file where the folder should be")
    assert "cannot be saved" in refused(refusal, StoreError, kind.own.save, kind.one)
    folder.unlink()
    kind.own.save(kind.one)

    def fail(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "unlink", fail)
    assert "cannot be deleted" in refused(refusal, StoreError, kind.own.delete, kind.one.name)


def test_a_free_name_is_made_of_the_old_one(kind: Example) -> None:
    own = kind.own
    assert own.free_name(kind.shipped) == f"{kind.shipped}-own"
    own.save(renamed(kind, f"{kind.shipped}-own"))
    assert own.free_name(kind.shipped) == own.free_name(f"{kind.shipped}-own") == f"{kind.shipped}-own-2"
    own.check_new_name(own.free_name("a" * 64))


def test_every_list_comes_back_from_its_own_file(kind: Example) -> None:
    own = kind.own
    shipped = [own.load(name) for name in own.shelf.shipped()]
    for record in (kind.one, kind.other, *shipped):
        again = own.read_upload([(f"{record.name}{own.ending}", own.data(record))])
        assert again == own.checked(record)
        if isinstance(own, Kind) and ".json" in own.shelf.accepts:
            written = json.dumps(own.material.written(record)).encode()
            assert own.read_upload([("other.json", written)]) == own.checked(record)
    assert names_in(kind) == []


@pytest.mark.parametrize("name", ["Meine Liste", "../../etc/liste", "a\x00b", "集" * 500])
def test_an_upload_is_read_as_a_file_is_and_not_kept(name: str, kind: Example, tmp_path: Path) -> None:
    ending, text = kind.file
    (tmp_path / f"own{ending}").write_text(text)
    record = kind.own.load(tmp_path / f"own{ending}")
    again = kind.own.read_upload([(f"{name}{ending.upper()}", text.encode())])
    assert again.model_dump(exclude={"name", "title", "card"}) == record.model_dump(
        exclude={"name", "title", "card"}
    )
    assert names_in(kind) == []


@pytest.mark.parametrize(
    ("names", "part"),
    [
        ([], "The upload has 0 files"),
        (["a.csv", "b.csv"], "The upload has 2 files (a.csv and b.csv)"),
        (["a.xlsx"], "as one"),
        ([".."], "as one"),
        ([""], "as one"),
    ],
)
def test_an_upload_of_another_kind_is_one_sentence(
    names: list[str], part: str, kind: Example, refusal: Refusal
) -> None:
    files = [(name, b"") for name in names]
    assert part in sentence_of(refusal, kind, kind.own.read_upload, files)


def test_an_upload_without_room(kind: Example, refusal: Refusal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", fail)
    sentence = refused(refusal, StoreError, kind.own.read_upload, [(f"own{kind.file[0]}", b"")])
    assert "free some space there" in sentence


TEXTS = st.text(max_size=9)
WORDS = st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=4)
MADE: dict[str, tuple[OwnFiles[Any], st.SearchStrategy[Callable[[], Any]]]] = {
    "topics": (
        TOPICS,
        st.builds(
            lambda first, second, reason, **texts: (
                lambda: make_topic(
                    "made",
                    [Group(name="one", words=tuple(first)), Group(name="two", words=tuple(second))],
                    left_out=[LeftOut(name="word", reason=reason)],
                    **texts,
                )
            ),
            WORDS, WORDS, TEXTS, title=TEXTS, notes=TEXTS, source=TEXTS,
        ),
    ),
    "evidence": (
        LISTS,
        st.builds(
            lambda terms, weights, notes: (
                lambda: make_evidence("made", terms, weights=weights[: len(terms)], notes=notes)
            ),
            WORDS, st.lists(st.floats(0, 1e300), max_size=4), TEXTS,
        ),
    ),
    "knowledge": (
        FACTS,
        st.builds(
            lambda subject, right, wrong, weight, notes: (
                lambda: make_knowledge(
                    "made",
                    ["[X] is [Y]"],
                    [Fact(subject=subject, right=tuple(right), wrong=tuple(wrong), weight=weight)],
                    notes=notes,
                )
            ),
            TEXTS, WORDS, WORDS, st.floats(0, 1e9), TEXTS,
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
@settings(max_examples=scaled(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_the_rules_accept_comes_back_from_its_file(name: str, data: st.DataObject) -> None:
    own, records = MADE[name]
    try:
        made = data.draw(records)()
    except InputError:
        return
    assert own.read_upload([("made.toml", own.data(made))]) == made
