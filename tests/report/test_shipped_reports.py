"""Reports of shipped results: text audits, facts, studies that cannot stand in one picture."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import jsonschema
import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import Report, load_result
from pcf_core.cli.exporting import document_of, kept_texts, result_lines
from pcf_core.core.errors import InputError, TopicError
from pcf_core.report.loaded import MOST_EACH, pairs
from pcf_core.report.provenance import facts_of_texts
from pcf_core.report.records import ReportRequest
from pcf_core.report.verifying import Verification, verify_report
from pcf_core.report.whole import Texts
from pcf_core.show.findings.fairpair import fairpair_finding
from pcf_core.store.store import Store
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT

GENDER, RACE = (
    "ac20986ee62598d4",
    "c59acbf830318536",
)  # of mini-gpt: the nineteen, the ten relative clauses
TOLD, DECISIONS = "ef6648709accfb74", "6e0cb735e64e0cb6"  # of SmolLM2 in its chat


def test_text_audits_alone_make_a_report_that_holds(shipped: Store, schemas: dict[str, Any]) -> None:
    fairpairs = tuple(asked.hash for asked in FAIRPAIR_AUDIT.kept(shipped))
    criteria = tuple(asked.hash for asked in CRITERIA_AUDIT.kept(shipped))
    request = ReportRequest(fairpair=fairpairs, criteria=criteria)
    document = document_of(shipped, request)
    jsonschema.validate(document.model_dump(mode="json"), schemas["report"])
    names = [section.name for section in document.sections]
    assert names == [
        *("answer", "conclude", "check", "summary", "method"),
        *("fairpair", "criteria", "limits", "provenance"),
    ]
    assert len(document.texts) == len(fairpairs) + len(criteria)
    first = FAIRPAIR_AUDIT.load(shipped, fairpairs[0])
    assert first is not None
    assert document.headline == (fairpair_finding(next(iter(first.reports.values()))),)
    assert not [figure.alt for figure in document.figures if re.match(r"How far \S+ are", figure.alt)]
    for facts in document.texts:
        assert facts.facts["weights and configuration (SHA-256, or revision)"] == facts.scoring["identity"]
        assert {"tokenizer", "family and rules", "precision"} < set(facts.facts)
        assert facts.scoring["identity"] in str(document.sections[-1])
    criteria_section = next(section for section in document.sections if section.name == "criteria")
    ways = [part.title.split(":")[0] for part in criteria_section.parts]
    assert ways[:2] == ["Written", "Scored"]
    assert {*ways[2:]} == {
        f"{name}, {what}" for name in ("mini-gpt", "mini-bert") for what in ("questions", "tasks")
    }
    for part in criteria_section.parts[2::2]:  # kept before these gaps were reported, and yet with them
        assert "Without a pronoun, the share of wrong answers is" in part.findings[0]
    for part in criteria_section.parts[3::2]:
        assert part.title.endswith(": what each pronoun changes")
        assert part.figure
        assert part.tables[0].rows
    assert verify_report(shipped, document, kept_texts(shipped, request)).holds


@pytest.mark.parametrize("run", [TOLD, DECISIONS], ids=["a system text", "decisions in a chat"])
def test_a_result_in_a_chat_has_a_report_that_holds(shipped: Store, run: str) -> None:
    request = ReportRequest(runs=(run,))
    document = document_of(shipped, request)
    (facts,) = document.runs
    assert "<|im_start|>assistant" in facts.scoring["frame"]
    assert verify_report(shipped, document, kept_texts(shipped, request)).holds


@pytest.mark.slow
def test_runs_that_cannot_stand_in_one_picture_have_titles_of_their_own(shipped: Store) -> None:
    document = document_of(shipped, ReportRequest(runs=(GENDER, RACE), sections=("risk", "tilt", "compare")))
    sections = {section.name: section for section in document.sections}
    assert "compare" not in sections  # one model on two topics: nothing to hold against each other
    assert [part.title.split(":")[0] for part in sections["risk"].parts] == ["Gender", "Race"]
    assert [figure.name for figure in document.figures] == [
        "figure-risk",
        "figure-risk-2",
        "figure-tilt",
        "figure-tilt-2",
    ]
    labels = [facts.label for facts in document.runs]
    assert labels == [f"Mini GPT · {key[:6]}" for key in (GENDER, RACE)]
    titles = [table.title for _, table in document.tables]
    assert len(set(titles)) == len(titles)


@pytest.mark.slow
def test_a_neutral_point_that_one_topic_lacks_is_that_of_the_others(
    shipped: Store, schemas: dict[str, Any]
) -> None:
    asked = ReportRequest(runs=(GENDER, RACE), sections=("risk",), options={"reference": "labour"})
    document = document_of(shipped, asked)
    jsonschema.validate(document.model_dump(mode="json"), schemas["report"])
    gender, race = document.runs
    assert "--reference labour" in gender.commands[-1]
    assert "--reference uniform" in race.commands[-1]
    result = load_result(shipped, shipped.load_run(RACE))
    even = report(result, shipped.load_run(RACE), ViewOptions(), brief=True)
    assert race.risks["overall_risk"].value == even.overall_risk
    sections = {section.name: section for section in document.sections}
    (note,) = [note for part in sections["limits"].parts for note in part.notes if "asked for" in note]
    assert "do not apply to Race: " in note
    assert note in sections["risk"].parts[1].notes
    assert note not in sections["risk"].parts[0].notes
    method = " ".join(sections["method"].parts[0].prose)
    assert "measured from the labour force's shares, or an even split where these do not apply" in method
    assert verify_report(shipped, document, Texts()).holds


@pytest.mark.slow
def test_facts_are_of_the_models_of_the_runs_and_named_never_as_a_path(shipped: Store) -> None:
    asked = ReportRequest(runs=(GENDER,), sections=("knowledge",), knowledge=("continents",))
    section = document_of(shipped, asked).sections[1]
    assert section.name == "knowledge"
    assert section.commands[1:] == (
        "python -m pcf_core knowledge --model mini-gpt --set continents --protocol exact --dtype float32",
    )
    assert section.parts[0].figure is not None
    with pytest.raises(TopicError, match="no knowledge set"):
        document_of(shipped, asked.model_copy(update={"knowledge": ("/etc/passwd",)}))


@pytest.mark.parametrize(
    ("of_runs", "says"), [(True, "calculated again"), (False, "compared with the stored")]
)
def test_text_audits_are_said_to_be_compared_and_not_computed(of_runs: bool, says: str) -> None:
    (line,) = result_lines(Verification(request="0" * 16, compared=7), of_runs)
    assert line.startswith(f"The report is unchanged: 7 texts and numbers were {says}")


def test_a_tilt_says_against_what_it_is_held(shipped: Store) -> None:
    asked = ReportRequest(runs=(GENDER,), sections=("tilt",), options={"reference": "labour"})
    document = document_of(shipped, asked)
    (tilt,) = (section.parts[0] for section in document.sections if section.name == "tilt")
    (table,) = tilt.tables
    note = next(note for note in tilt.notes if "even split" in note)
    rows = len({row[table.columns.index("occupation")] for row in table.rows})
    assert f"over {rows} occupations. The risks" in note
    assert rows > int(note.split()[-2])
    assert document.headline[0].startswith("Mini GPT's risk is ")
    assert "(0 = the labour force, 1 = always the same group)" in document.headline[0]
    even = document_of(shipped, asked.model_copy(update={"options": {}}))
    (tilt,) = (section.parts[0] for section in even.sections if section.name == "tilt")
    assert not [note for note in tilt.notes if "even split" in note]


def test_what_wrote_texts_is_told_where_it_is_kept(shipped: Store) -> None:
    asked = next(one for one in CRITERIA_AUDIT.kept(shipped) if one.answering == "scored")
    found = CRITERIA_AUDIT.load(shipped, asked.hash)
    assert found is not None
    made = {"versions": {"torch": "2.9"}, "device": "cuda:0", "machine": "x86_64", "threads": 2}
    told = found.model_copy(update={"provenance": {**found.provenance, **made}})
    facts = facts_of_texts(shipped, "one", told)
    assert facts.facts["scored on"] == "cuda:0, x86_64, 2 threads"
    assert facts.versions["torch"] == "2.9"
    untold = found.model_copy(update={"provenance": {}})
    assert "scored on" not in facts_of_texts(shipped, "one", untold).facts


def test_an_audit_that_is_not_finished_is_said(shipped: Store) -> None:
    with pytest.raises(InputError, match="No finished result of the text audit 0000"):
        document_of(shipped, ReportRequest(criteria=("0" * 16,)))


@pytest.mark.parametrize(("models", "compared"), [(1, 0), (2, 1), (4, 6), (5, 4), (12, 11)])
def test_every_pair_of_few_models_else_the_first_with_each(
    shipped: Store, models: int, compared: int
) -> None:
    run = shipped.load_run(GENDER)
    one = Report(run, run.key, None, lambda: None)  # type: ignore[arg-type, return-value]
    runs = {str(place): dataclasses.replace(one, view_key=str(place)) for place in range(models)}
    found = pairs(runs)
    assert len(found) == compared
    assert all(first.view_key != second.view_key for first, second in found)
    assert models <= MOST_EACH or {first.view_key for first, _ in found} == {"0"}


def test_a_headline_says_each_risk_once_and_orders_nothing_without_a_test(shipped: Store) -> None:
    """It named the model with the strongest lean to one word, where the test could not tell the two apart."""
    runs = (GENDER, "08bba26da567346e")  # of mini-bert
    first, *rest = document_of(shipped, ReportRequest(runs=runs, sections=("summary", "risk"))).headline
    assert first.startswith("We cannot tell Mini GPT and Mini BERT apart with these sentences: risks 0.71 ")
    assert first.count("Mini GPT") == first.count("Mini BERT") == 1
    assert not any("strongest" in said for said in (first, *rest))
