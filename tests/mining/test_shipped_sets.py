"""The mined sets that come with the app."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest

from pcf_core.core.settings import ROOT, Settings
from pcf_core.core.topics import MinedSet
from pcf_core.material.templates import load_mined, load_templates
from pcf_core.material.topics import load_topic
from pcf_core.mining import RULES
from pcf_core.mining.counting import open_counter
from pcf_core.mining.documents import open_corpus
from pcf_core.mining.persons import lexicon
from tests.mining.fakes import Here
from tools.mine_templates import DRAWN, FORMS, HEAVIEST, REWORDED, main

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


@pytest.mark.parametrize("name", NARROW)
def test_a_full_stop_makes_no_other_family(name: str) -> None:
    plain, stopped = load_mined(name).templates, load_mined(f"{name}-stop").templates
    assert [one.family for one in plain] == [one.family for one in stopped]
    assert all(one.family for one in plain)


def test_the_document_says_how_many_families_there_are() -> None:
    text = " ".join((ROOT / "docs" / "mining.md").read_text(encoding="utf8").split())
    for name in ("gender-wikipedia-100", "gender-wide-wikipedia-20", "gender-wide-wikipedia"):
        families = {one.family for one in load_mined(name).templates}
        assert re.search(rf"`{name}` (?:has )?{len(families):,}\b", text), (name, len(families))


@pytest.mark.parametrize(("name", "top"), [(name, top) for name in HEAVIEST for top in HEAVIEST[name]])
def test_the_sets_that_are_cut_hold_the_heaviest(name: str, top: int) -> None:
    whole, heaviest = load_templates(name), load_templates(f"{name}-{top}")
    assert heaviest.templates == whole.templates[:top]
    assert heaviest.kept == load_mined(f"{name}-{top}").card.kept < whole.kept < 1


def test_the_tool_cuts_the_shipped_sets_again_without_a_corpus(tmp_path: Path) -> None:
    main(tmp_path / "no corpus", out=tmp_path, cut_only=True)
    written = sorted(path.name for path in tmp_path.iterdir())
    names = [f"{name}-{top}" for name in HEAVIEST for top in HEAVIEST[name]]
    names += [f"{name}-drawn-{number}" for name, (number, _) in DRAWN.items()]
    names += [f"{name}-{top}-reworded" for name, top in REWORDED.items()]
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


def write_corpus(shared: Path, lines: Mapping[str, Sequence[str]]) -> Path:
    """Write documents, by their names, where the tool looks for fiction; each line is a paragraph."""
    file = shared / "data" / "corpora" / "litbank_fiction.jsonl.gz"
    file.parent.mkdir(parents=True)
    with gzip.open(file, "wt", encoding="utf8") as out:
        for name, several in lines.items():
            row = {"id": name, "title": "", "text": "\n".join(several), "source": "litbank"}
            out.write(json.dumps(row) + "\n")
    return shared


EVERY = 12  # of the sentences with a wanted word


@pytest.mark.slow
@pytest.mark.timeout(300)  # 12,000 sentences are parsed
def test_the_tool_mines_a_shipped_set_again(
    own_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The smallest source: today's rules find the set of version 4 again, and a third more.

    A sentence is parsed by itself.  So the sentences that are named as examples are read again without those
    around them, and every twelfth of all tells how many more there are, give or take 2.5 % (standard error).
    """
    corpus = SHARED / "data" / "corpora" / "litbank_fiction.jsonl.gz"
    if not corpus.is_file():
        pytest.skip("the corpora are not here (../shared/data/corpora)")
    shipped = load_mined("gender-wide-fiction")
    (form,) = [form for form in FORMS if form.name == "gender-wide"]
    counter = open_counter(own_settings.pipeline, tuple(map(load_topic, form.topics)), form.constructions)
    monkeypatch.setattr("tools.mine_templates.counters_of", lambda *_, **__: nullcontext(Here(counter)))

    offsets = defaultdict[str, list[int]](list)
    for example in {example for one in shipped.templates for example in one.examples}:
        name, _, offset = example.rpartition("@")
        offsets[name].append(int(offset))
    named, sampled = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    documents, words, sentences = 0, 0, 0
    for document in open_corpus(corpus).documents():
        documents += 1
        words += counter.language.count(document.text)
        for start, sentence in counter.search(document.text, Counter()):
            if any(start <= offset < start + len(sentence) for offset in offsets[document.id]):
                named[document.id].append(sentence)
            if sentences % EVERY == 0:
                sampled[document.id].append(sentence)
            sentences += 1
    assert (documents, words) == (shipped.card.documents, shipped.card.words)
    assert sum(map(len, named.values())) > 0.9 * sum(map(len, offsets.values()))  # some have two examples

    def mined(lines: Mapping[str, Sequence[str]], folder: Path) -> MinedSet:
        main(write_corpus(folder, lines), ["fiction"], folder)
        (file,) = folder.glob("*.csv")
        assert file.name == "gender-wide-fiction.csv"
        return load_mined(file)

    again = mined(named, tmp_path / "named")
    assert (again.card.rules, shipped.card.rules) == (RULES, "4")
    today = {one.text: one for one in again.templates}
    hits = 0
    for one in shipped.templates:
        other = today.get(one.text)
        whole = one.count == len(one.examples)  # else more may fit elsewhere
        if other and (other.fits == one.fits if whole else {*other.fits} <= {*one.fits}):
            hits += min(len(one.examples), int(other.count))
    assert hits > 0.99 * sum(len(one.examples) for one in shipped.templates)
    assert EVERY * mined(sampled, tmp_path / "sampled").card.matches > 1.3 * shipped.card.matches
