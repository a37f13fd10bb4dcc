"""The shipped counts of what was read: whole, and refused where damaged."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pcf_core.core.errors import EvidenceError
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.factors import read_counts


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
