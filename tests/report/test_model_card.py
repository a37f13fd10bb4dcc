"""The model card: the hub's own reader finds the report's numbers in it."""

from __future__ import annotations

import yaml
from huggingface_hub import ModelCard
from huggingface_hub.repocard_data import model_index_to_eval_results

from pcf_core.records.report import ReportDocument, RiskNumber
from pcf_core.report.model_card import model_card
from tests.report.conftest import HOSTILE


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
