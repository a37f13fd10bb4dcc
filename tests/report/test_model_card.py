"""The model card: the hub's own reader finds the report's numbers in it."""

from __future__ import annotations

import dataclasses

import yaml
from huggingface_hub import ModelCard
from huggingface_hub.repocard_data import model_index_to_eval_results

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result
from pcf_core.core.options import from_page
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Over, Unit
from pcf_core.core.settings import Settings
from pcf_core.report.documents import RISKS
from pcf_core.report.files import plain
from pcf_core.report.provenance import risk_numbers
from pcf_core.report.records import (
    ReportDocument,
    ReportPart,
    ReportRequest,
    ReportSection,
    RiskNumber,
    RunFacts,
)
from pcf_core.report.whole import write_report
from pcf_core.report.written import model_card
from pcf_core.show.findings.models import unseen_share
from pcf_core.show.findings.numbers import with_interval
from pcf_core.store.store import Store
from tests.conftest import fill
from tests.report.conftest import HOSTILE

UNITS: tuple[Unit, Unit] = ("counts-only", "template")
COUNTS_ONLY = {"unit": "counts-only"}


def test_the_hub_reads_every_risk(whole: ReportDocument) -> None:
    text = model_card(whole)
    index = yaml.safe_load(text.split("---\n")[1])["model-index"]
    for run, entry in zip(whole.runs, index, strict=True):
        name, results = model_index_to_eval_results([entry])
        assert name == run.scoring["model"]
        values = {result.metric_type: result.metric_value for result in results}
        assert values == {f"pcf_{quantity}": found.value for quantity, found in run.risks.items()}
        assert all(result.dataset_revision == run.run for result in results)


def test_one_model_s_card_is_one_that_the_hub_takes(whole: ReportDocument) -> None:
    one = whole.model_copy(update={"runs": whole.runs[:1]})
    card = ModelCard(model_card(one))
    assert card.data.model_name == one.runs[0].scoring["model"]
    assert len(card.data.eval_results or []) == 3
    assert one.runs[0].commands[0] in card.text


def test_every_interval_stands_beside_its_estimate_with_what_was_drawn_again(own_settings: Settings) -> None:
    over: Over = "templates"
    store = Store.open(own_settings.cache)
    run = fill(store, "mini-gpt", "gender-simplewiki-25")
    request = ReportRequest(runs=(run.key,), sections=("method",), over=over, options=COUNTS_ONLY)
    text = model_card(write_report(store, request))
    usual, whole = (report(load_result(store, run), run, ViewOptions(unit=unit)) for unit in UNITS)
    (entry,) = yaml.safe_load(text.split("---\n")[1])["model-index"]
    rows = [line for line in text.splitlines() if line.startswith("| mini-gpt |")]
    assert len(rows) == 2
    for metric, name in zip(entry["results"][0]["metrics"], RISKS, strict=True):
        documents, templates = (found.interval(name, over) for found in (usual, whole))
        assert documents is not None
        assert templates is not None
        assert documents != templates
        assert metric["value"] == getattr(usual, name) == getattr(whole, name)
        for interval, unit in ((documents, "counts only (documents)"), (templates, "sentences")):
            told = with_interval(metric["value"], interval)
            ends = told.partition(" ")[2].strip("()").replace("–", " to ")
            assert f"over {unit}: {ends}" in metric["name"]
            cell = plain(told)
            (row,) = [row for row in rows if f"| {unit} |" in row]
            assert f"| {cell} |" in row


def test_one_run_under_other_options_is_another_entry(full_store: Store) -> None:
    """The hub holds two results for one and the same where task, dataset, config and revision are."""
    key = full_store.runs()[0].run.key
    found = []
    for options in ({}, {"occupation_weights": "employment", "template_weighting": "equal"}):
        request = ReportRequest(runs=(key,), sections=("method",), options=options)
        text = model_card(write_report(full_store, request))
        entry = yaml.safe_load(text.split("---\n")[1])["model-index"][0]
        found.append(model_index_to_eval_results([entry])[1][0])
        read = found[-1].dataset_args or {}
        assert from_page(ViewOptions, read) == ViewOptions.model_validate(options)
        row = next(line for line in text.splitlines() if line.startswith("| mini"))
        weights = options.get("occupation_weights", "all alike")
        assert plain(f"weights of occupations: {weights}") in row
    one, other = found
    assert one.dataset_config != other.dataset_config
    assert one.unique_identifier != other.unique_identifier


def test_a_caprice_of_0_is_not_said_as_certain(own_settings: Settings) -> None:
    """Its interval is 0 to 0 however few contexts there are: said is what they can have missed."""
    store = Store.open(own_settings.cache)
    run = fill(store, "mini-gpt", "gender-simplewiki-25")
    document = write_report(store, ReportRequest(runs=(run.key,), sections=("method",)))
    facts = document.runs[0]
    nothing = RiskNumber(value=0, intervals=facts.risks["caprice_risk"].intervals, unseen=0.45)
    risks = {**facts.risks, "caprice_risk": nothing}
    text = model_card(document.model_copy(update={"runs": (facts.model_copy(update={"risks": risks}),)}))
    assert text.count("in no sentence here, but up to 45 % of all sentences may be of another kind") == 2
    found = load_result(store, run)
    steady = report(found, run, ViewOptions())
    assert facts.risks["caprice_risk"].unseen is None
    assert steady.caprice_risk > 0
    zero = dataclasses.replace(steady, caprice_risk=0.0)
    assert risk_numbers(zero)["caprice_risk"].unseen == unseen_share(steady.effective_templates)
    assert risk_numbers(zero)["overall_risk"].unseen is None


def test_hostile_names_stay_in_their_cell(hostile: ReportDocument) -> None:
    runs = tuple(
        run.model_copy(
            update={
                "risks": {
                    name: RiskNumber(value=0.5) for name in ("overall_risk", "prejudice_risk", "caprice_risk")
                }
            }
        )
        for run in hostile.runs
    )
    document = hostile.model_copy(update={"runs": runs})
    text = model_card(document)
    assert yaml.safe_load(text.split("---\n")[1])["model-index"][0]["name"] == HOSTILE
    markdown = text.split("---\n", 2)[2]
    assert "<script" not in markdown.replace("\\<script", "")
    assert len([line for line in markdown.splitlines() if line.startswith("| ")]) == 2


def test_what_has_to_be_known_is_in_it(whole: ReportDocument) -> None:
    """Warnings of a run, notes of the limits, and what was left out, each once and as text."""
    warning = "There is only one sentence, so the range says nothing about other sentences."
    left_out = tuple(LeftOut(name=f"word{place}", reason="is <no> token") for place in range(12))
    run = whole.runs[0].model_copy(update={"warnings": (warning,), "left_out": left_out})
    text = model_card(whole.model_copy(update={"runs": (run,)}))
    assert text.count("There is only one sentence, so the range says nothing about other sentences.") == 1
    assert "word9 (is \\<no\\> token); and 2 more" in text
    unlike = (LeftOut(name="canary", reason="in both groups"), LeftOut(name="themselves", reason="plural"))
    said = model_card(whole.model_copy(update={"runs": (run.model_copy(update={"left_out": unlike}),)}))
    assert "left out canary (in both groups); themselves (plural)" in said
    limits = next(section for section in whole.sections if section.name == "limits")
    notes = [note for part in limits.parts for note in part.notes]
    assert notes
    assert all(text.count(plain(note)) == 1 for note in notes)


def test_text_audits_alone_have_no_empty_table_or_block(whole: ReportDocument) -> None:
    facts = RunFacts(
        label="Criteria of mini-gpt: tasks",
        run="3" * 16,
        scoring_hash="1" * 16,
        scoring={"model": "mini-gpt", "family": "causal"},
        hashes={},
        commands=("python -m pcf_core criteria --model mini-gpt --experiment tasks",),
    )
    section = ReportSection(
        name="criteria",
        title="Criteria",
        parts=(ReportPart(findings=("It *differs*.",), notes=("A note.",)),),
    )
    alone = whole.model_copy(update={"runs": (), "texts": (facts,), "sections": (section,)})
    text = model_card(alone)
    assert text.startswith("## ")
    assert "model-index" not in text
    assert "| model |" not in text
    assert "- It \\*differs\\*." in text
    assert "- A note." in text
    assert text.split("```")[1].strip() == facts.commands[0]
    beside = model_card(whole.model_copy(update={"texts": (facts,)}))
    assert facts.commands[0] in beside
    assert f"`{facts.run}`" in beside
