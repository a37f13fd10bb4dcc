"""What the page About shows: the sections of ``docs/about.md``, and two tables beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

import pcf_core
from pcf_core.findings import count, number
from pcf_core.records import Family
from pcf_core.risk import reference_risks
from pcf_core.settings import ROOT
from pcf_core.store import Store

TEXT = ROOT / "docs" / "about.md"
FAMILIES: Mapping[Family, tuple[str, str]] = {
    "masked": (
        "BERT, RoBERTa, ALBERT, DistilBERT",
        "As many masks as the word has tokens stand at [Y] and are filled from left to right (Kauf & Ivanova "
        "2023), given the text on both sides. Words of different length do not share one sample space: "
        "coverage is told for each length.",
    ),
    "causal": (
        "GPT-2, GPT-Neo, OPT, LLaMA, Mistral, Qwen",
        "The product of the probabilities of the word's tokens behind the text on the left; text on the "
        "right of [Y] is scored together with the word.",
    ),
    "seq2seq": (
        "T5, BART",
        "T5: a sentinel stands at [Y] and the decoder scores the word's tokens; the closing sentinel counts "
        "with exact-boundary only. BART: a mask stands at [Y]; the decoder is led along the text on the left "
        "and then scores the word.",
    ),
    "permutation": (
        "XLNet",
        "The word's tokens are predicted from left to right, given the text on both sides. As with masked "
        "models, words of different length do not share one sample space.",
    ),
    "endpoint": (
        "a causal model behind a completions server",
        "As causal, from the log-probabilities that the server gives for the tokens of a prompt; a server "
        "that gives none is refused. The model behind an address may change: its scores are unpinned.",
    ),
}


def sections() -> dict[str, str]:
    """Heading to Markdown, in the order of the file; what stands before the first heading is left out."""
    _, *parts = re.split(r"^## (.+)\n", TEXT.read_text(encoding="utf8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def about_finding(store: Store) -> str:
    """The version, and what this copy holds."""
    app = f"PCF Audit {pcf_core.__version__}"
    finished = [info.run for info in store.runs() if info.complete]
    if not finished:
        return f"{app} has no finished run here yet; the page Score makes the first one."
    models = len({run.scoring.model for run in finished})
    cells = sum(run.cells for run in finished)
    return (
        f"{app} has {count(len(finished), 'finished run')} of {count(models, 'model')} here, "
        f"{count(cells, 'cell')} in all; every number can be computed again from its run key."
    )


def family_table() -> pd.DataFrame:
    """One row a family: the quantity that its scorer computes."""
    return pd.DataFrame(
        {
            "family": [f"{family}: {examples}" for family, (examples, _) in FAMILIES.items()],
            "probability of a word at [Y]": [quantity for _, quantity in FAMILIES.values()],
        }
    ).set_index("family")


def reference_table() -> pd.DataFrame:
    """The papers' reference models with two groups."""
    risks = reference_risks(2)
    return pd.DataFrame(
        {
            "model": list(risks),
            "risk R": [number(risk.overall_risk) for risk in risks.values()],
            "prejudice": [number(risk.prejudice_risk) for risk in risks.values()],
            "caprice": [number(risk.caprice_risk) for risk in risks.values()],
        }
    ).set_index("model")
