"""The user's own template sets: kept, found after the shipped ones, deleted, and never lost half-way."""

import errno
import os
from pathlib import Path

import pytest

from pcf_core.core.errors import StoreError, TemplateError
from pcf_core.material import own_sets
from pcf_core.material.own_sets import check_new_name, delete_set, load_upload, save_set
from pcf_core.material.template_editing import cut
from pcf_core.material.template_files import csv_bytes, parquet_bytes
from pcf_core.material.templates import (
    left_out_template_sets,
    list_template_sets,
    load_mined,
    load_templates,
    own_template_sets,
)
from tests.material.mined_sets import small
from tests.material.refusing import refused


@pytest.fixture
def folder(own_settings):
    return own_settings.cache / "templates"


def test_a_set_that_was_saved_is_found_by_name_after_the_shipped_ones(folder):
    shipped = [templates.name for templates in list_template_sets()]
    assert save_set(small()) == small()
    assert load_mined("small") == small()
    assert load_templates("small") == small().templates_only
    assert [templates.name for templates in list_template_sets()] == [*shipped, "small"]
    assert own_template_sets() == ("small",)
    assert [path.name for path in folder.iterdir()] == ["small.parquet"]


def test_saving_again_changes_nothing_and_another_set_needs_replace(folder, refusal):
    save_set(small())
    save_set(small())
    less = cut(small(), top=2)
    assert "There is a template set of yours named small" in refused(refusal, TemplateError, save_set, less)
    assert load_mined("small") == small()
    save_set(less, replace=True)
    assert load_mined("small") == less


@pytest.mark.parametrize("links", [True, False])
def test_of_two_apps_that_save_under_one_name_none_overwrites_the_other(links, folder, refusal, monkeypatch):
    """The other app saves after this one has found the name free."""
    other, link = cut(small(), top=2), os.link

    def save_first(draft, path):
        Path(path).write_bytes(parquet_bytes(other))
        link(draft, path)

    def no_links(draft, path):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", save_first if links else no_links)
    if links:
        sentence = refused(refusal, TemplateError, save_set, small())
        assert "There is a template set of yours named small" in sentence
        assert load_mined("small") == other
        delete_set("small")
        other = small()
    assert save_set(small()) == load_mined("small") == small()
    assert [path.name for path in folder.iterdir()] == ["small.parquet"]


def test_a_shipped_set_is_never_hidden(folder, refusal):
    mine = small().model_copy(update={"name": "gender-reporting"})
    for replace in (False, True):
        sentence = refused(refusal, TemplateError, save_set, mine, replace=replace)
        assert "belongs to a shipped template set" in sentence
    folder.mkdir(parents=True)
    (folder / "gender-reporting.parquet").write_bytes(parquet_bytes(mine))
    assert load_templates("gender-reporting").counts.sum() == 5104
    assert own_template_sets() == ()


@pytest.mark.parametrize("name", ["", "../small", "a/b", "Small", "a.b", "-a", "a" * 65, "a\x00", "集"])
def test_unsafe_names_are_refused(name, folder, refusal):
    mine = small().model_copy(update={"name": name})
    assert "small letters" in refused(refusal, TemplateError, save_set, mine)
    assert "small letters" in refused(refusal, TemplateError, check_new_name, name)
    assert not folder.exists()


def test_what_is_deleted_is_gone_with_its_card(folder, refusal):
    save_set(small())
    (folder / "small.toml").write_text('title = "Beside"\n')
    delete_set("small")
    assert list(folder.iterdir()) == []
    assert "none of your template sets" in refused(refusal, TemplateError, delete_set, "small")
    sentence = refused(refusal, TemplateError, delete_set, "gender-reporting")
    assert "shipped template set, which stays" in sentence
    assert load_templates("gender-reporting")


def test_files_put_there_by_hand_count_and_give_way(folder):
    folder.mkdir(parents=True)
    (folder / "by-hand.csv").write_bytes(csv_bytes(small()))
    (folder / "by-hand.toml").write_text('title = "By hand"\n')
    assert load_mined("by-hand").card.title == "By hand"
    save_set(small().model_copy(update={"name": "by-hand"}), replace=True)
    assert load_mined("by-hand").card == small().card
    assert [path.name for path in folder.iterdir()] == ["by-hand.parquet"]


def test_a_damaged_set_is_named_and_the_others_stay(folder, refusal):
    save_set(small())
    shipped = len(list_template_sets()) - 1
    (folder / "broken.parquet").write_bytes(b"PAR1")
    assert [templates.name for templates in list_template_sets()][shipped:] == ["small"]
    (item,) = left_out_template_sets()
    assert item.name == "broken"
    assert "broken.parquet is not a readable Parquet file" in item.reason
    assert "named broken" in refused(
        refusal, TemplateError, save_set, small().model_copy(update={"name": "broken"})
    )
    delete_set("broken")
    assert left_out_template_sets() == ()


def test_what_never_ends_is_not_read(folder):
    folder.mkdir(parents=True)
    (folder / "endless.csv").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.parquet")
    assert [(item.name, "it is not a file" in item.reason) for item in left_out_template_sets()] == [
        ("endless", True),
        ("pipe", True),
    ]
    delete_set("endless")
    delete_set("pipe")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_disk_that_fails_leaves_what_was_there(code, folder, refusal, monkeypatch):
    save_set(small())

    def fail(handle: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    sentence = refused(refusal, StoreError, save_set, cut(small(), top=2), replace=True)
    assert os.strerror(code) in sentence
    assert "PCF_CACHE" in sentence
    assert load_mined("small") == small()
    assert [path.name for path in folder.iterdir()] == ["small.parquet"]


def test_a_folder_that_cannot_be_made_or_a_file_that_cannot_go(own_settings, refusal, monkeypatch):
    own_settings.cache.mkdir(parents=True)
    (own_settings.cache / "templates").write_text("a file where the folder should be")
    assert "cannot be saved" in refused(refusal, StoreError, save_set, small())
    (own_settings.cache / "templates").unlink()
    save_set(small())

    def fail(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "unlink", fail)
    assert "cannot be deleted" in refused(refusal, StoreError, delete_set, "small")


def test_a_set_that_could_not_be_read_again_is_not_saved(folder, refusal, monkeypatch):
    monkeypatch.setattr(own_sets, "MAX_BYTES", 1000)
    assert "cut it at a higher count" in refused(refusal, TemplateError, save_set, small())
    assert not folder.exists()


@pytest.mark.parametrize(
    "name", ["Meine Liste.csv", "../../etc/liste.CSV", "a\x00b.csv", "集" * 500 + ".csv"]
)
def test_an_upload_is_read_and_not_kept(name, folder):
    mined = load_upload(name, csv_bytes(small()))
    whole = small().templates  # what fits at [Y] is said by the form, on the card, which CSV comes without
    assert mined.templates == tuple(template.model_copy(update={"fits": ()}) for template in whole)
    assert not folder.exists()


def test_an_upload_without_room(monkeypatch, refusal):
    def fail(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", fail)
    assert "make room there" in refused(refusal, StoreError, load_upload, "own.csv", b"")


def test_an_upload_of_parquet_brings_its_card():
    assert load_upload("new.parquet", parquet_bytes(small())).card == small().card


@pytest.mark.parametrize(
    ("name", "data", "part"),
    [
        ("liste.xlsx", b"PK", "save the template set as one"),
        ("liste", b"template,count\n", "save the template set as one"),
        ("..", b"", "save the template set as one"),
        ("", b"", "save the template set as one"),
        ("liste.csv", b"\xff\xfe", "liste.csv is not UTF-8"),
        ("liste.csv", b"a,b\n1,2\n", "liste.csv has the columns"),
        ("liste.parquet", b"a,b\n1,2\n", "liste.parquet is not a readable"),
    ],
)
def test_an_upload_that_cannot_be_used(name, data, part, refusal):
    assert part in refused(refusal, TemplateError, load_upload, name, data)
