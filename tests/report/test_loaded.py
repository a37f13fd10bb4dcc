"""What a report says beside its figures on what its intervals allow for."""

from __future__ import annotations

import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.settings import Settings
from pcf_core.report.loaded import load_studies, said_risks, study_notes
from pcf_core.report.records import ReportRequest
from pcf_core.show.findings.models import whole_templates_finding
from pcf_core.store.store import Store
from tests.conftest import fill

DOCUMENTS = "gender-simplewiki-25"


@pytest.mark.slow
def test_documents_have_the_interval_over_whole_templates_in_a_report_too(own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    run = fill(store, "mini-gpt", DOCUMENTS)
    interval = report(load_result(store, run), run, ViewOptions()).interval("overall_risk")
    assert interval is not None
    (study,) = load_studies(store, ReportRequest(runs=(run.key,), options={"unit": "counts-only"}))
    assert whole_templates_finding({"mini-gpt": interval}) in study_notes(study)
    (drawn,) = load_studies(store, ReportRequest(runs=(run.key,)))
    assert drawn.whole_templates == {}
    assert not any("With whole templates" in note for note in study_notes(drawn))


def test_a_sentence_on_which_is_higher_has_no_interval_over_counts_only(own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    run = fill(store, "mini-gpt", DOCUMENTS)
    for unit, beside in (("counts-only", False), ("template", True)):
        (study,) = load_studies(store, ReportRequest(runs=(run.key,), options={"unit": unit}))
        assert ("(" in said_risks(study.runs, "templates")[run.key]) is beside
