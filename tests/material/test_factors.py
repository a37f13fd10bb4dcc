"""Labour statistics, a user's own figures, and what the mini models read."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pcf_core.core.errors import AuditError, EvidenceError, SettingsError
from pcf_core.core.records import LeftOut, Record
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.factors import factors, load_own_factor, read_counts, read_own_factor, read_records
from tests.material.refusing import refused


def test_every_term_of_both_lists_stands_once():
    assert set(factors()) == set(load_evidence("occupations-pcf").terms)


def test_match_quality_of_the_120_and_of_the_others():
    known = factors()
    bvf = load_evidence("occupations-bvf").terms
    assert Counter(known[term].match for term in bvf) == {"exact": 54, "close": 23, "broad": 19, "none": 24}
    others = Counter(factor.match for term, factor in known.items() if term not in bvf)
    assert others == {"exact": 5, "close": 14, "none": 118}


def test_every_figure_has_a_year_and_a_source():
    for factor in factors().values():
        for figure, prefix in (
            (factor.employment_thousands, "employment"),
            (factor.women_share, "women_share"),
            (factor.median_annual_wage_usd, "wage"),
            (factor.mean_education_years, "education"),
            (factor.word_frequency, "word_frequency"),
        ):
            year, source = getattr(factor, f"{prefix}_year"), getattr(factor, f"{prefix}_source")
            assert (figure is not None) == bool(year) == bool(source), (factor.term, prefix)
        assert factor.used == (factor.match in ("exact", "close"))
        assert (factor.match == "none") == (factor.bls_title == "")


def test_terms_on_one_line_have_the_same_figures():
    known = factors()
    for one, other in (("lawyer", "attorney"), ("waiter", "waitress"), ("buyer", "purchaser")):
        assert known[one].bls_title == known[other].bls_title
        assert known[one].employment_thousands == known[other].employment_thousands
        assert known[one].mean_education_years == known[other].mean_education_years


def test_values_weights_and_what_has_none() -> None:
    text = "occupation,value,weight\nNurse,3.5,100\nengineer,-2e3,\n clerk ,,7\n"
    own = read_own_factor("pay gap.csv", text.encode())
    assert own.title == "pay gap"
    assert own.values == {"nurse": 3.5, "engineer": -2000}
    assert own.weights == {"nurse": 100}
    assert own.left_out == (LeftOut(name="clerk", reason="the file has no value for it"),)


def test_columns_in_any_order_and_without_weights() -> None:
    own = read_own_factor("a.csv", "\ufeffvalue,term\n1,nurse\n".encode())
    assert (own.values, own.weights) == ({"nurse": 1.0}, {})


def test_the_hash_follows_what_is_drawn() -> None:
    one = read_own_factor("a.csv", b"occupation,value\nnurse,1\nclerk,2\n")
    same = read_own_factor("a.csv", b"occupation,value\nclerk,2.0\nnurse,1\n")
    other = read_own_factor("a.csv", b"occupation,value,weight\nnurse,1,5\nclerk,2,\n")
    assert one.hash == same.hash
    assert one.hash != other.hash
    assert one.hash != read_own_factor("b.csv", b"occupation,value\nnurse,1\nclerk,2\n").hash
    assert one.hash != read_own_factor("a.csv", b"occupation,value\nnurse,1\nclerk,2\ncook,\n").hash


def test_the_smallest_and_the_largest_sizes_are_read() -> None:
    own = read_own_factor("a.csv", b"occupation,value,weight\nnurse,1e-9,1e12\nclerk,-1e12,1e-9\ncook,0,1\n")
    assert own.values == {"nurse": 1e-9, "clerk": -1e12, "cook": 0}
    assert own.weights == {"nurse": 1e12, "clerk": 1e-9, "cook": 1}


def test_another_kind_of_file_is_refused(refusal: Callable[[AuditError], str]) -> None:
    with pytest.raises(EvidenceError) as caught:
        read_own_factor("mine.xlsx", b"occupation,value\nnurse,1\n")
    assert "is not a .json or .jsonl or .csv or .tsv or .txt file" in refusal(caught.value)
    with pytest.raises(EvidenceError) as caught:
        read_own_factor("mine.json", b'["nurse"]')
    assert "mine.json holds a list: write a list of objects, each with occupation and value" in refusal(
        caught.value
    )


@pytest.mark.parametrize("name", ["mine", "../../mine.txt"])
def test_a_table_needs_no_ending(name: str) -> None:
    assert read_own_factor(name, b"occupation,value\nnurse,1\n").values == {"nurse": 1}


def test_bytes_that_are_no_text_and_names_that_lead_out(refusal: Callable[[AuditError], str]) -> None:
    with pytest.raises(EvidenceError) as caught:
        read_own_factor("mine.csv", b"occupation,value\nn\x81rse,1\n")
    assert "not UTF-8" in refusal(caught.value)
    own = read_own_factor("../../etc/x\x00y.csv", b"occupation,value\nnurse,1\n")
    assert own.values == {"nurse": 1.0}


def test_a_file_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "prestige.csv"
    path.write_text("occupation,value\nnurse,66\n")
    assert load_own_factor(path).title == "prestige"


@pytest.fixture
def own_assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of factors alone, to be damaged."""
    shutil.copytree(settings().assets / "factors", tmp_path / "factors")
    monkeypatch.setenv("PCF_ASSETS", str(tmp_path))
    settings.cache_clear()
    yield tmp_path / "factors"
    settings.cache_clear()


def test_every_term_of_both_lists_is_counted_once() -> None:
    table = read_counts()
    terms = {term for name in ("occupations-bvf", "occupations-pcf") for term in load_evidence(name).terms}
    assert set(table.counts) == terms | {"dancer", "singer"}
    for count in table.counts.values():
        assert 0 <= count.as_word <= count.he + count.she + count.neither <= table.card.documents
        if count.documents:
            assert count.lean == pytest.approx(2 * count.share - 1)
            assert -1 <= count.lean <= 1


def test_the_card_says_where_the_counts_come_from() -> None:
    card = read_counts().card
    assert "CC BY-SA" in card.licence
    assert str(card.lead) in card.method
    assert card.documents > 50 * card.held_out > 0


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("read_gender.csv", "accountant,42", "accountant,-42"),
        ("read_gender.csv", "occupation,he", "occupation,him"),
        ("read_gender.toml", "documents = ", "documents = 0 #"),
        ("read_gender.toml", "lead = 300", 'lead = "long"'),
    ],
)
def test_damage_is_one_sentence(own_assets: Path, name: str, old: str, new: str) -> None:
    path = own_assets / name
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(EvidenceError, match=r"read_gender\.csv"):
        read_counts()


def test_a_missing_table_is_one_sentence(own_assets: Path) -> None:
    (own_assets / "read_gender.csv").unlink()
    with pytest.raises(EvidenceError, match="cannot be read"):
        read_counts()


class Line(Record):
    name: str
    share: float | None = None


def test_an_empty_cell_is_the_default(tmp_path):
    path = tmp_path / "lines.csv"
    path.write_text("share,name\n0.5,a\n,b\n")
    assert read_records(path, Line, SettingsError) == (Line(name="a", share=0.5), Line(name="b"))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("name,share\na,many\n", "lines.csv is damaged (share must be a number; got 'many')"),
        ("name,share\n,1\n", "lines.csv is damaged (name is missing)"),
        ("name\na\n", "must name name and share"),
    ],
)
def test_damage_of_a_shipped_table_is_one_sentence(text, part, tmp_path, refusal):
    path = tmp_path / "lines.csv"
    path.write_text(text)
    assert part in refused(refusal, SettingsError, read_records, path, Line, SettingsError)
