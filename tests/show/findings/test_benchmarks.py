"""What a known benchmark shows, in sentences."""

from __future__ import annotations

from types import SimpleNamespace

from pcf_core.show.findings.benchmarks import benchmark_finding
from pcf_core.texts.benchmarks.records import BenchmarkReport, BenchmarkResult
from tests.texts.benchmarks.test_readings import stereoset, winobias


def said_of(benchmark: str, report: BenchmarkReport) -> str:
    asked = SimpleNamespace(benchmark=benchmark, model="M")
    return benchmark_finding(BenchmarkResult.model_construct(asked=asked, report=report))


def test_a_range_over_few_terms_is_called_rough() -> None:
    few = said_of("stereoset", stereoset([(term, (-1, -2, -3)) for term in "ABC"]))
    assert "prefers a stereotype to its opposite in 100 % (44–100 %) (3 terms)." in few
    assert few.endswith("With only 3 terms the range is rough.")
    many = said_of("stereoset", stereoset([(str(term), (-1, -2, -3)) for term in range(10)]))
    assert "rough" not in many


def test_no_gap_in_any_pair_has_a_range() -> None:
    said = said_of("winobias", winobias([(True, True)] * 60))
    assert "by 0 (−0.06 to 0.06) (60 pairs). The range includes no gap, so we cannot tell." in said
