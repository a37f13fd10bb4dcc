"""The tab About of *Method*: the sections of ``docs/about.md``, and two tables beside them."""

from __future__ import annotations

import re

import pandas as pd
import streamlit as st

import pcf_core
from pcf_core.app.calibration import draw_calibration
from pcf_core.app.page import finding
from pcf_core.app.stores import open_store
from pcf_core.core.families import FAMILIES
from pcf_core.core.settings import ROOT
from pcf_core.measure.reference_models import reference_risks
from pcf_core.show.findings.numbers import count, two_decimals
from pcf_core.store.store import Store

LINE = 800  # pixels: longer lines are hard to read
TEXT = ROOT / "docs" / "about.md"


def sections() -> dict[str, str]:
    """Map headings to Markdown, in the order of the file, without what stands before the first heading."""
    _, *parts = re.split(r"^## (.+)\n", TEXT.read_text(encoding="utf8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def about_finding(store: Store) -> str:
    """Say the version, and what this copy holds."""
    app = f"PCF Audit {pcf_core.__version__}"
    finished = [info.run for info in store.runs() if info.complete]
    if not finished:
        return f"{app} has no finished run here yet; *Run an audit* makes the first one."
    models = len({run.scoring.model for run in finished})
    cells = sum(run.cells for run in finished)
    return (
        f"{app} has {count(len(finished), 'finished run')} of {count(models, 'model')} here, "
        f"{count(cells, 'cell')} in all; every number can be computed again from its run key."
    )


def family_table() -> pd.DataFrame:
    """Make a table with one row per family: the quantity that its scorer computes."""
    return pd.DataFrame(
        {
            "family": [f"{family}: {facts.examples}" for family, facts in FAMILIES.items()],
            "probability of a word at [Y]": [facts.quantity for facts in FAMILIES.values()],
        }
    ).set_index("family")


def reference_table() -> pd.DataFrame:
    """Make a table of the papers' reference models with two groups."""
    risks = reference_risks(2)
    return pd.DataFrame(
        {
            "model": list(risks),
            "risk R": [two_decimals(risk.overall_risk) for risk in risks.values()],
            "prejudice": [two_decimals(risk.prejudice_risk) for risk in risks.values()],
            "caprice": [two_decimals(risk.caprice_risk) for risk in risks.values()],
        }
    ).set_index("model")


TABLES = {"How to read the numbers": reference_table, "What each family computes": family_table}


def draw_about() -> None:
    """Draw the tab."""
    finding(about_finding(open_store()))
    with st.container(width=LINE):
        for heading, text in sections().items():
            st.subheader(heading)
            if heading == "Calibration":
                draw_calibration()
            st.markdown(text)
            if heading in TABLES:
                st.table(TABLES[heading]())
