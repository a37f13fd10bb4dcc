"""What is to be cited: the program with its version, and the papers of what is measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pcf_core
from pcf_core.core.errors import SettingsError
from pcf_core.report.citing import RISK_PAPERS, citation_bibtex, citation_text, cited


def test_a_list_of_references_has_the_program_and_both_papers_of_the_risk() -> None:
    program, first, second = citation_text(RISK_PAPERS).splitlines()
    assert (
        program == f"The PCF Audit maintainers. PCF Audit, version {pcf_core.__version__} [computer program]."
    )
    assert first.startswith(
        "Liu, Y., Yang, K., Qi, Z., Liu, X., Yu, Y. & Zhai, C. (2024). Prejudice and Caprice:"
    )
    assert first.endswith(" arXiv:2402.15481v1. https://arxiv.org/abs/2402.15481v1")
    assert "Bias and Volatility" in second
    assert second.endswith(" NeurIPS 2024. https://doi.org/10.48550/arXiv.2402.15481")


def test_other_measures_have_papers_of_their_own() -> None:
    program, paper = citation_text("2404.06619").splitlines()
    assert program.startswith("The PCF Audit maintainers")
    assert "FairPair" in paper


def test_bibtex_has_an_entry_each_whose_braces_close() -> None:
    text = citation_bibtex(RISK_PAPERS)
    keys = re.findall(r"^@(\w+)\{(\w+),$", text, re.MULTILINE)
    assert keys == [("misc", "pcfaudit"), ("article", "liu2024prejudice"), ("inproceedings", "liu2024bias")]
    assert all(entry.count("{") == entry.count("}") for entry in text.split("\n\n"))
    assert f"note = {{Version {pcf_core.__version__}}}" in text
    assert "author = {Liu, Yiran and Yang, Ke and" in text
    assert "author = {{The PCF Audit maintainers}}" in text, "an organisation is not cut into names"
    assert not re.search(r"[&%#_$]", text), "signs that TeX would take for its own"


def test_a_damaged_file_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "CITATION.cff"
    path.write_text("title: x\n")
    monkeypatch.setattr("pcf_core.report.citing.FILE", path)
    cited.cache_clear()
    with pytest.raises(SettingsError, match=r"^CITATION.cff is damaged"):
        citation_text(RISK_PAPERS)
    cited.cache_clear()
