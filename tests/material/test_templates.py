"""The papers' templates with their counts; the user's own sets: kept, found, deleted, never lost half-way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import TemplateError
from pcf_core.material.template_files import csv_bytes, parquet_bytes
from pcf_core.material.templates import (
    as_it_is_now,
    list_template_sets,
    load_card,
    load_mined,
    load_templates,
    load_upload,
    make_templates,
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
        drawn = any(line.startswith("Drawn at random") for line in card.history)
        if card.matches and not drawn:  # a sample stands for the whole list, and counts draws
            assert card.kept == pytest.approx(templates.counts.sum() / card.matches, abs=5e-5)


def test_a_users_file(tmp_path):
    path = tmp_path / "Own set.csv"
    path.write_text('count,template\n3,"Well, the [X] said [Y]"\n0.5, [Y] was the [X] \n')
    templates = load_templates(path)
    assert (templates.name, templates.title) == ("own-set", "Own set")
    assert counts(templates) == {"Well, the [X] said [Y]": 3, "[Y] was the [X]": 0.5}


def test_a_set_is_completed_by_todays_set_of_the_same_texts():
    now = load_templates("gender-nineteen")
    bare = tuple(template.model_copy(update={"fits": ()}) for template in now.templates)
    assert as_it_is_now(now.model_copy(update={"templates": bare})) == now
    others = now.model_copy(update={"templates": bare[1:]})
    assert as_it_is_now(others) == others
    unknown = others.model_copy(update={"name": "no-such-set"})
    assert as_it_is_now(unknown) == unknown


def test_a_missing_card_of_a_shipped_set_is_said(assets, refusal):
    (assets / "templates" / "gender-nineteen.toml").unlink()
    with pytest.raises(TemplateError) as caught:
        load_templates("gender-nineteen")
    assert "gender-nineteen.toml" in refusal(caught.value)


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


def test_files_put_there_by_hand_count_and_give_way(folder):
    folder.mkdir(parents=True)
    (folder / "by-hand.csv").write_bytes(csv_bytes(small()))
    (folder / "by-hand.toml").write_text('title = "By hand"\n')
    assert load_mined("by-hand").card.title == "By hand"
    save_set(small().model_copy(update={"name": "by-hand"}), replace=True)
    assert load_mined("by-hand").card == small().card
    assert [path.name for path in folder.iterdir()] == ["by-hand.parquet"]


def test_a_set_that_could_not_be_read_again_is_not_saved(folder, refusal, monkeypatch):
    monkeypatch.setattr("pcf_core.material.templates.MAX_BYTES", 1000)
    assert "choosing a higher lowest count" in refused(refusal, TemplateError, save_set, small())
    assert not folder.exists()


def test_an_upload_of_parquet_brings_its_card():
    assert load_upload("new.parquet", parquet_bytes(small())).card == small().card
