"""The mined sets that come with the app."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pcf_core.core.settings import ROOT, Settings
from pcf_core.material.templates import load_mined, load_templates
from pcf_core.material.topics import load_topic
from pcf_core.mining import RULES
from pcf_core.mining.persons import lexicon
from tools.mine_templates import FORMS, HEAVIEST, main

TOPICS = {
    "gender": ("gender",),
    "people": ("race", "religion", "disability-papers"),
    **{form.name: form.topics for form in FORMS},
}
WIDE = [f"{form.name}-{source}" for form in FORMS for source in form.sources]
NARROW = [  # by version 1 of the rules, with one construction
    f"{form}-{source}"
    for source in ("wikipedia", "simplewiki", "fiction", "speeches")
    for form in ("gender", "people")
]
SETS = [*NARROW, *WIDE]
SHARED = ROOT.parent / "shared"


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.replace("[X]", "").replace("[Y]", ""))


def test_the_papers_ten_reporting_templates_stand_in_the_top_fifty() -> None:
    heaviest = load_templates("gender-wikipedia").texts[:50]
    assert set(load_templates("gender-reporting").texts) <= set(heaviest)


@pytest.mark.parametrize("name", SETS)
def test_no_template_hints_at_a_group_or_holds_a_name_or_a_number(name: str) -> None:
    topics = [load_topic(topic) for topic in TOPICS[name.rpartition("-")[0]]]
    forbidden = {word.lower() for topic in topics for word in topic.words} | lexicon().hints
    for text in load_templates(name).texts:
        words = words_of(text)
        assert not {word.lower() for word in words} & forbidden, text
        assert words[0] == "The"
        assert all(word.isalpha() and word.islower() for word in words[1:]), text


@pytest.mark.parametrize("name", SETS)
def test_every_template_knows_where_it_comes_from(name: str) -> None:
    mined = load_mined(name)
    for template in mined.templates:
        assert template.count == sum(template.sources.values())
        chapters = "fiction" in name  # of few books: how many had it is not told
        assert template.documents == 0 if chapters else 1 <= template.documents <= template.count
        assert 1 <= len(template.examples) <= 3
    counts = [template.count for template in mined.templates]
    assert counts == sorted(counts, reverse=True)
    assert min(counts) >= mined.card.cut
    assert sum(counts) / mined.card.matches == pytest.approx(mined.card.kept)


@pytest.mark.parametrize("name", WIDE)
def test_a_wide_set_is_mined_with_several_constructions(name: str) -> None:
    mined = load_mined(name)
    (form,) = [form for form in FORMS if name.startswith(form.name)]
    assert f"Constructions: {', '.join(form.constructions)}." in mined.card.history[0]
    assert mined.card.rules == ("4" if form.name == "gender-wide" else "3")
    assert len(mined.templates) >= 25
    assert min(template.count for template in mined.templates) == 2
    assert len({template.fits for template in mined.templates}) > 1


@pytest.mark.parametrize("name", NARROW)
def test_a_set_comes_with_full_stops_too(name: str) -> None:
    plain, stopped = load_templates(name), load_templates(f"{name}-stop")
    assert stopped.texts == tuple(f"{text}." for text in plain.texts)
    assert list(stopped.counts) == list(plain.counts)


@pytest.mark.parametrize(("name", "top"), [(name, top) for name in HEAVIEST for top in HEAVIEST[name]])
def test_the_sets_that_are_cut_hold_the_heaviest(name: str, top: int) -> None:
    whole, heaviest = load_templates(name), load_templates(f"{name}-{top}")
    assert heaviest.templates == whole.templates[:top]
    assert heaviest.kept == load_mined(f"{name}-{top}").card.kept < whole.kept < 1


def test_the_tool_cuts_the_shipped_sets_again_without_a_corpus(tmp_path: Path) -> None:
    main(tmp_path / "no corpus", out=tmp_path, cut_only=True)
    written = sorted(path.name for path in tmp_path.iterdir())
    names = [f"{name}-{top}" for name in HEAVIEST for top in HEAVIEST[name]]
    assert written == sorted(f"{name}.{end}" for name in names for end in ("csv", "toml"))
    for name in written:
        shipped = ROOT / "assets" / "templates" / name
        assert (tmp_path / name).read_bytes() == shipped.read_bytes(), name


def test_a_full_stop_stands_behind_each_of_the_nineteen() -> None:
    plain, stopped = load_templates("gender-nineteen"), load_templates("gender-nineteen-stop")
    assert stopped.texts == tuple(f"{text}." for text in plain.texts)
    assert list(stopped.counts) == list(plain.counts)


def test_the_document_shows_what_the_cards_say() -> None:
    text = (ROOT / "docs" / "mining.md").read_text(encoding="utf8")
    for name in SETS:
        mined = load_mined(name)
        card = mined.card
        figures = (
            f"{card.documents:,} | {card.words / 1e6:.1f} M | {card.matches:,} | {len(mined.templates):,} | "
            f"{card.kept:.0%}".replace("%", " %")
        )
        assert re.search(rf"\| `{name}` \| [\w ()]+ \| {re.escape(figures)} \|", text), (name, figures)


def test_the_document_says_how_many_matches_a_million_words_give() -> None:
    """Over three times as many as with one construction in each source, and over 1,300."""
    text = " ".join((ROOT / "docs" / "mining.md").read_text(encoding="utf8").split())
    titles = {"wikipedia": "Wikipedia", "simplewiki": "Simple English Wikipedia", "fiction": "fiction"}
    for source, title in titles.items():
        cards = [load_mined(f"{form}-{source}").card for form in ("gender-wide", "gender")]
        wide, narrow = (1e6 * card.matches / card.words for card in cards)
        assert wide > max(1300, 3 * narrow)
        assert f"{title} {wide:,.0f}, before {narrow:,.0f}" in text


@pytest.mark.slow
@pytest.mark.timeout(900)  # a whole corpus is parsed
def test_the_tool_mines_a_shipped_set_again(own_settings: Settings, tmp_path: Path) -> None:
    """The smallest source, whole: today's rules find the set of version 4 again, and a third more."""
    if not (SHARED / "data" / "corpora").is_dir():
        pytest.skip("the corpora are not here (../shared/data/corpora)")
    main(SHARED, ["fiction"], tmp_path)
    written = sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".csv")
    assert written == ["gender-wide-fiction.csv"]
    again, shipped = load_mined(tmp_path / written[0]), load_mined("gender-wide-fiction")
    assert (again.card.rules, shipped.card.rules) == (RULES, "4")
    assert (again.card.documents, again.card.words) == (shipped.card.documents, shipped.card.words)
    counts = {(one.text, one.fits): one.count for one in again.templates}
    found = sum(min(one.count, counts.get((one.text, one.fits), 0)) for one in shipped.templates)
    assert found > 0.99 * sum(one.count for one in shipped.templates)
    assert again.card.matches > 1.3 * shipped.card.matches
