"""The table of US occupations: who is in it, how well matched, nothing without year and source."""

from collections import Counter

from pcf_core.material.evidence import load_evidence
from pcf_core.material.factors import factors


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
