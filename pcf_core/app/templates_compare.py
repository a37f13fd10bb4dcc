"""Two template sets side by side: what they share, what only one has, and what that does to R."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from pcf_core.app.choice import current_choice, with_asked
from pcf_core.app.lists import set_names
from pcf_core.app.page import chart, draw_refused, draw_table, finding, picture
from pcf_core.app.templates_draft import Shown, opened
from pcf_core.app.templates_effect import LEAST_COVERED, MOST_SENTENCES, coverings, draw_uncovered, readings
from pcf_core.core.topics import TemplateSet
from pcf_core.material.templates import SetComparison, compare_sets, template_weights
from pcf_core.measure.regression import rank_correlation
from pcf_core.show.charts.templates import RiskMove, TemplateShare, risk_moves, share_scatter
from pcf_core.show.findings.numbers import count, percent
from pcf_core.show.findings.templates import move_finding, sets_finding

MOST_DRAWN = 1000
HOW = """
Each mark is a template, placed by its share of the weight of either set; on the dotted line both have it
alike. Triangles on the edges are in one set alone. **Overlap** is the weight that both have in common: 100 %
where all shares agree, 0 where no template is in both. The rank correlation looks only at templates of both
sets.
"""


def draw_compare(shown: Shown) -> None:
    """Draw two sets: what they share, what only one has, and what the difference does to R."""
    names = [name for name in set_names() if name != shown.mined.name]
    other = st.selectbox(
        "Compare with",
        with_asked("other", names),
        key="other",
        bind="query-params",
        help="The other set; edits of it that are not saved count too.",
    )
    if other is None or other == shown.mined.name:
        st.info("There is no other set yet: import one under edit, or mine one.", icon=":material/info:")
        return
    second = opened(other)
    found = compare_sets(shown.chosen_set, second.chosen_set)
    ranks = rank_correlation(found.first_weights, found.second_weights)
    first = shown.mined.model_copy(update={"templates": shown.chosen})
    finding(
        sets_finding(
            first,
            second.mined,
            found.overlap,
            len(found.shared),
            ranks.spearman if ranks else None,
            ranks.spearman_interval if ranks and abs(ranks.spearman) < 1 else None,
        )
    )
    shares = template_shares(found, shown.chosen_set, second.chosen_set)
    picture(
        partial(share_scatter, shares, found.first, found.second, MOST_DRAWN),
        "share_scatter",
        f"Share of the weight of {len(shares):,} templates in {found.first} and in {found.second}",
    )
    if len(shares) > MOST_DRAWN:
        st.caption(f"The {MOST_DRAWN:,} heaviest of {len(shares):,} templates are drawn.")
    st.markdown("**Effect on R**")
    draw_effect(shown, second)
    left, right = st.tabs(["Reading the picture", "Data"])
    left.markdown(HOW)
    with right:
        draw_table(shares_table(shares, found), f"{found.first}_{found.second}")


def template_shares(found: SetComparison, first: TemplateSet, second: TemplateSet) -> list[TemplateShare]:
    """Return every template of either set with its share in both."""
    one = dict(zip(first.texts, template_weights(first, "counts").tolist(), strict=True))
    two = dict(zip(second.texts, template_weights(second, "counts").tolist(), strict=True))
    texts = (*first.texts, *found.only_second)
    shares = [TemplateShare(text, one.get(text, 0.0), two.get(text, 0.0)) for text in texts]
    return sorted(shares, key=lambda share: -max(share.first, share.second))


def draw_effect(first: Shown, second: Shown) -> None:
    """Draw R, R^p and R^c of the models that have scored both sets."""
    choice = current_choice()
    found = [coverings(shown.chosen_set, choice) for shown in (first, second)]
    (ones, refused), (twos, also_refused) = (readings(covering, choice) for covering in found)
    draw_refused({**refused, **also_refused})
    by_model = {item.model: item for item in twos}
    pairs = [(item, by_model[item.model]) for item in ones if item.model in by_model]
    if not pairs:
        st.caption(
            "No model has scored both sets on the topic and occupations of the sidebar, at least "
            f"{percent(LEAST_COVERED)} of their weight."
        )
        for shown, covering, read in zip((first, second), found, (ones, twos), strict=True):
            if not read:
                draw_uncovered(shown.mined, covering)
        return
    names = first.mined.name, second.mined.name
    finding(*(move_finding(one.label, one.chosen, two.chosen, *names) for one, two in pairs[:MOST_SENTENCES]))
    moves = [RiskMove(one.model, one.chosen, two.chosen) for one, two in pairs]
    chart(
        risk_moves(moves, *names),
        "risk_moves",
        f"R, prejudice and caprice of {count(len(moves), 'model')} with either set",
    )


def shares_table(shares: Sequence[TemplateShare], found: SetComparison) -> pd.DataFrame:
    """Make a table with one row per template of either set, the heaviest first."""
    return pd.DataFrame(
        {
            "template": [share.text for share in shares],
            f"share in {found.first}": [share.first for share in shares],
            f"share in {found.second}": [share.second for share in shares],
            "in": [
                "both" if share.first and share.second else found.first if share.first else found.second
                for share in shares
            ],
        }
    )
