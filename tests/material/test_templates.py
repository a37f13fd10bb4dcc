"""The papers' templates with their counts; the user's own sets: kept, found, deleted, never lost half-way."""

from __future__ import annotations

import errno
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import StoreError, TemplateError
from pcf_core.material.template_editing import cut
from pcf_core.material.template_files import csv_bytes, parquet_bytes
from pcf_core.material.templates import (
    check_new_name,
    delete_set,
    left_out_template_sets,
    list_template_sets,
    load_card,
    load_mined,
    load_templates,
    load_upload,
    make_templates,
    own_template_sets,
    save_set,
    template_weights,
)
from tests.material.mined_sets import small
from tests.material.refusing import refused

# PCF Table 5 = BVF Table 8
REPORTING = {
    "said": 2142, "stated": 856, "announced": 641, "claimed": 438, "wrote": 246,
    "revealed": 179, "believed": 178, "explained": 175, "admitted": 144, "felt": 105,
}  # fmt: skip
# BVF Figure 11, counts of the published mining list
HEATMAP = {
    "explained that": 175, "confirmed that": 82, "told that": 74, "found that": 68, "mentioned that": 64,
    "was old": 39, "was one": 35, "asked if": 20, "was aware that": 19, "alleged that": 17,
}  # fmt: skip


def counts(templates):
    return {template.text: template.count for template in templates.templates}


def test_the_papers_ten_reporting_templates():
    templates = load_templates("gender-reporting")
    assert counts(templates) == {f"The [X] {verb} that [Y]": n for verb, n in REPORTING.items()}
    assert templates.counts.sum() == 5104  # spec/pcf.md, data
    assert np.round(template_weights(templates, "counts"), 3).tolist()[:4] == [0.420, 0.168, 0.126, 0.086]


def test_the_ten_templates_of_the_heat_map_in_the_order_of_the_figure():
    templates = load_templates("gender-heatmap")
    assert list(counts(templates).items()) == [(f"The [X] {text} [Y]", n) for text, n in HEATMAP.items()]


def test_the_nineteen_are_both_sets_together():
    both = counts(load_templates("gender-reporting")) | counts(load_templates("gender-heatmap"))
    assert counts(load_templates("gender-nineteen")) == both
    assert len(both) == 19


def test_the_papers_ten_relative_clauses():
    """BVF Table 9 = PCF Table 6: 4,997 in all (spec/pcf.md), every text as printed."""
    templates = load_templates("race-relative")
    assert templates.counts.sum() == 4997
    assert len(templates.templates) == 10
    assert counts(templates)["The [X], who took place, is [Y]"] == 373
    assert template_weights(templates, "counts").round(3).tolist()[:3] == [0.150, 0.143, 0.109]
    assert load_card("race-relative").form == "attributive"


def test_the_chinese_set_is_ours_and_says_so():
    card = load_card("gender-zh-reporting")
    assert (card.language, card.form) == ("zh", "clausal")
    assert "Ours, not the paper's" in card.notes
    templates = load_templates("gender-zh-reporting")
    assert set(templates.counts) == {1.0}
    assert templates.templates[0].prompt("护士") == "这位护士说[Y]"


def test_the_effective_number_of_the_nineteen_is_about_five():
    weights = template_weights(load_templates("gender-nineteen"), "counts")
    assert 1 / (weights**2).sum() == pytest.approx(5, abs=0.1)
    assert 1 / (template_weights(load_templates("gender-nineteen"), "equal") ** 2).sum() == pytest.approx(19)


def test_shipped_sets_bear_their_file_names_and_sources():
    for templates in list_template_sets():
        assert load_templates(templates.name) == templates
        card = load_card(templates.name)
        assert templates.title == card.title != templates.name
        assert templates.source == card.source != ""
        assert load_mined(templates.name).templates_only == templates
        if card.corpus:
            assert card.licence
        if card.matches:
            assert card.kept == pytest.approx(templates.counts.sum() / card.matches, abs=5e-5)


def test_a_users_file(tmp_path):
    path = tmp_path / "Own set.csv"
    path.write_text('count,template\n3,"Well, the [X] said [Y]"\n0.5, [Y] was the [X] \n')
    templates = load_templates(path)
    assert (templates.name, templates.title) == ("own-set", "Own set")
    assert counts(templates) == {"Well, the [X] said [Y]": 3, "[Y] was the [X]": 0.5}


def test_a_missing_card_of_a_shipped_set_is_said(assets, refusal):
    (assets / "templates" / "gender-nineteen.toml").unlink()
    with pytest.raises(TemplateError) as caught:
        load_templates("gender-nineteen")
    assert "gender-nineteen.toml" in refusal(caught.value)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        ("template,count\n", "no templates"),
        ("template\nThe [X] said [Y]\n", "must name template and count"),
        ("template,count,note\nThe [X] said [Y],1,x\n", "must name template and count"),
        ("template,count\nThe nurse said [Y],1\n", "exactly one [X]"),
        ("template,count\nThe [X] said so,1\n", "one [Y]"),
        ("template,count\nThe [X] and [X] said [Y],1\n", "exactly one [X]"),
        ("template,count\nThe [x] said [y],1\n", "exactly one [X]"),
        ("template,count\nThe [X] said [Y],many\n", "line 2: the count 'many'"),
        ("template,count\nThe [X] said [Y],\n", "the count ''"),
        ("template,count\nThe [X] said [Y],-1\n", "has the count -1"),
        ("template,count\nThe [X] said [Y],nan\n", "has the count nan"),
        ("template,count\nThe [X] said [Y],inf\n", "has the count inf"),
        ("template,count\nThe [X] said [Y],0\nThe [X] felt [Y],0\n", "sum to 0"),
        ("template,count\nThe [X] said [Y],1e308\nThe [X] felt [Y],1e308\n", "sum to inf"),
        ("template,count\nThe [X] said [Y],1\nThe [X] said [Y] ,2\n", "stands twice"),
        ("template,count\nThe  [X] said [Y],2\n", "a template has 2 spaces in 'The  [X] said [Y]'"),
        ("template,count\nThe [X] said, [Y],1\n", "line 2 has 3 cells"),
    ],
)
def test_what_a_set_may_not_be(text, part, tmp_path, refusal):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(TemplateError) as caught:
        load_templates(path)
    sentence = refusal(caught.value)
    assert sentence.startswith("bad.csv")
    assert part in sentence


COUNTS = st.lists(st.floats(0, 1e300) | st.integers(0, 10**9) | st.just(5e-324), min_size=1, max_size=20)


@given(COUNTS)
def test_weights_sum_to_one_and_keep_the_ratios_of_the_counts(numbers):
    rows = [(f"The [X] said {i} that [Y]", n) for i, n in enumerate(numbers)]
    if not any(numbers):
        with pytest.raises(TemplateError, match="sum to 0"):
            make_templates("t", rows)
        return
    weights = template_weights(make_templates("t", rows), "counts")
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    largest = max(numbers)
    total = math.fsum(n / largest for n in numbers)
    assert weights == pytest.approx([n / largest / total for n in numbers], rel=1e-12)


def test_another_weighting_is_refused(refusal):
    with pytest.raises(TemplateError) as caught:
        template_weights(load_templates("gender-reporting"), "words")
    assert "counts or equal" in refusal(caught.value)


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
    monkeypatch.setattr("pcf_core.material.templates.MAX_BYTES", 1000)
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
