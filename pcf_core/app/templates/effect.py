"""How a choice of templates changes the risk of stored results; two sets side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from pcf_core.app.addresses import RUN_AN_AUDIT, Choice
from pcf_core.app.caching import once, open_store
from pcf_core.app.choice import current_choice, with_asked
from pcf_core.app.data import results
from pcf_core.app.lists import all_evidence, all_topics, fitting_first, set_names
from pcf_core.app.page import chart, draw_refused, draw_table, finding, picture
from pcf_core.app.roles import may_audit
from pcf_core.app.templates.keeping import OpenSet, edits, opened
from pcf_core.app.titles import set_titles
from pcf_core.app.widgets import plain, plain_titled
from pcf_core.audit.case import Covering, covering_runs, restricted
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import Report
from pcf_core.core.errors import AuditError
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import scored_as
from pcf_core.core.topics import MinedSet, TemplateSet
from pcf_core.material.templates import SetComparison, compare_sets, template_weights
from pcf_core.measure.regression import rank_correlation
from pcf_core.models.names import AUTO, DTYPES
from pcf_core.report.loaded import PROGRAM
from pcf_core.show.charts.templates import RiskMove, TemplateShare, risk_moves, share_scatter
from pcf_core.show.charts.theme import RISKS
from pcf_core.show.findings.material import move_finding, sets_finding
from pcf_core.show.findings.numbers import count, percent

LEAST_COVERED = 0.9  # of a set's weight; a run that covers less is not used
MOST_RUNS = 8
LITTLE = "There is no reliable answer, because the model almost never used these words."
MOST_SENTENCES = 4
HOW = """
Each row is a model. The hollow dot is a stored result with all of its templates, and the filled dot the same
result with only the chosen templates. The lines are the ranges over the templates of each choice, so they
also show how many more templates make a number more precise. No model is run for this.
"""
MOST_DRAWN = 1000
HOW_COMPARED = """
Each mark is a template. Its position is its share of the weight in each of the two sets; on the dotted line
both shares are equal. Triangles on the edges are in only one set. **Overlap** is the weight that both sets
have in common: 100 % if all shares agree, 0 if no template is in both. The rank correlation uses only the
templates that are in both sets.
"""


@dataclass(frozen=True)
class RunUnderChoice:
    """A stored run, whole and with a choice of templates."""

    covering: Covering
    whole: RiskReport
    chosen: RiskReport

    @property
    def label(self) -> str:
        """The model, and how much of the choice its run covers if not all."""
        share = self.covering.share
        return self.model if share >= 1 - 1e-9 else f"{self.model} ({percent(share)} of the weight)"

    @property
    def model(self) -> str:
        """The model, with its precision if that is not float32."""
        return self.covering.run.scoring.label


def _coverings(templates: TemplateSet, choice: Choice) -> list[Covering]:
    """Return for each model the stored run on the sidebar's topic and list that covers most of a set.

    Ties go to the run with the fewest other templates, then the newest.
    """
    topic = all_topics().get(choice.topic)
    evidence = all_evidence().get(choice.evidence)
    if topic is None or evidence is None:
        return []
    protocol = scored_as(choice.options.protocol)
    best: dict[str, Covering] = {}
    for covering in covering_runs(open_store(), templates):
        run = covering.run
        request = (run.topic.hash, run.evidence.hash, run.scoring.protocol)
        if request != (topic.hash, evidence.hash, protocol):
            continue
        if AUTO not in choice.precisions and run.scoring.dtype in set(DTYPES) - set(choice.precisions):
            continue
        before = best.get(run.scoring.label)
        if before is None or _closeness(covering) > _closeness(before):
            best[run.scoring.label] = covering
    order = {model: index for index, model in enumerate(choice.models)}
    return sorted(best.values(), key=lambda covering: order.get(covering.run.scoring.name, len(order)))


def _closeness(covering: Covering) -> tuple[float, int]:
    return round(covering.share, 9), -len(covering.run.templates.templates)


def _readings(covered: Iterable[Covering], choice: Choice) -> tuple[list[RunUnderChoice], dict[str, str]]:
    """Return runs read with a choice of templates, and by model why others cannot be read."""
    read, refused = [], {}
    for covering in [covering for covering in covered if covering.share >= LEAST_COVERED][:MOST_RUNS]:
        try:
            item = results().report(covering.run, choice.options)
            if item.report.says_little:
                refused[covering.run.scoring.label] = LITTLE
                continue
            with st.spinner("Calculating risks and ranges …"):
                chosen = once(_chosen_report)(item, covering.texts, covering.counts, choice.options)
            if chosen.says_little:
                refused[covering.run.scoring.label] = LITTLE
                continue
            read.append(RunUnderChoice(covering, item.report, chosen))
        except AuditError as error:
            refused[covering.run.scoring.label] = str(error)
    return read, refused


def _chosen_report(
    item: Report, texts: Sequence[str], counts: Sequence[float], options: ViewOptions
) -> RiskReport:
    return restricted(item.result, item.run, texts, counts, options)


def draw_preview(shown: OpenSet) -> None:
    """Draw how the choice changes risk, prejudice and caprice of stored results."""
    choice = current_choice()
    covered = _coverings(shown.chosen_set, choice)
    read, refused = _readings(covered, choice)
    draw_refused(refused)
    partly = [one for one in covered if one.share < LEAST_COVERED]
    if partly or not (read or refused):
        _draw_uncovered(shown.mined, partly)
    if not read:
        return
    after = f"{count(len(shown.chosen), 'template')} of {shown.mined.name}"
    finding(
        *(
            move_finding(item.label, item.whole, item.chosen, _whole_text(item), "those chosen")
            for item in read[:MOST_SENTENCES]
        )
    )
    moves = [RiskMove(item.label, item.whole, item.chosen) for item in read]
    chart(
        risk_moves(moves, "the run with all its templates", after),
        "risk_moves",
        f"Risk and its two parts of {count(len(moves), 'model')} with all templates and with those chosen",
        title="Risk with all templates and with those chosen",
        source=f"{PROGRAM} · {shown.mined.name}",
    )
    left, right = st.tabs(["Reading the picture", "Data"])
    left.markdown(HOW)
    with right:
        draw_table(_moves_table(read, after), "preview")


def _whole_text(item: RunUnderChoice) -> str:
    templates = item.covering.run.templates
    return f"the {count(len(templates.templates), 'template')} of {templates.name}"


def _draw_uncovered(mined: MinedSet, partly: Sequence[Covering]) -> None:
    choice = current_choice()
    text = "There is no result with these templates on the topic and occupations chosen in the sidebar."
    if partly:
        parts = [f"{one.run.scoring.label} {percent(one.share)}" for one in partly]
        text = f"The results cover too small a share of these templates, by weight: {', '.join(parts)}."
    with st.container(border=True):
        st.markdown(plain_titled(text))
        if not may_audit():
            return
        if edits(mined.name):
            st.markdown("Save the set under *Edit* first; then you can run an audit with it.")
            return
        keys = [one.run.scoring for one in partly]
        models = list(dict.fromkeys(key.name for key in keys if not key.imported))
        st.page_link(
            RUN_AN_AUDIT.file,
            label=f"Run with {plain(set_titles()(mined.name))}",
            icon=":material/play_arrow:",
            query_params={
                "score_model": models or list(choice.models),
                "score_topic": choice.topic,
                "score_templates": mined.name,
                "score_evidence": choice.evidence,
            },
        )


def _moves_table(read: Sequence[RunUnderChoice], after: str) -> pd.DataFrame:
    rows = []
    for item in read:
        for name, report in ((_whole_text(item), item.whole), (after, item.chosen)):
            row: dict[str, object] = {
                "model": item.model,
                "templates": name,
                "run": item.covering.run.key,
                "mass_scored": item.covering.share,
                "effective_templates": report.effective_templates,
            }
            for risk in RISKS:
                interval = report.intervals[risk][0]
                row[risk] = getattr(report, risk)
                row |= {f"{risk}_low": interval.low, f"{risk}_high": interval.high}
            rows.append(row)
    return pd.DataFrame(rows)


def draw_compare(shown: OpenSet) -> None:
    """Draw two sets: what they share, what only one has, and how the risk differs."""
    topic = all_topics().get(current_choice().topic)
    fitting = fitting_first(topic) if topic else set_names()
    names = [name for name in fitting if name != shown.mined.name]
    other = st.selectbox(
        "Compare with",
        with_asked("other", names, set_titles()),
        format_func=set_titles(),
        key="other",
        bind="query-params",
        help="The other set, with changes that are not saved yet.",
    )
    if other is None or other == shown.mined.name:
        st.info("There is no other set yet: add one, or extract one from text.", icon=":material/info:")
        return
    second = opened(other)
    comparison = compare_sets(shown.chosen_set, second.chosen_set)
    ranks = rank_correlation(comparison.first_weights, comparison.second_weights)
    first = shown.mined.model_copy(update={"templates": shown.chosen})
    finding(
        sets_finding(
            first,
            second.mined,
            comparison.overlap,
            len(comparison.shared),
            ranks.spearman if ranks else None,
            ranks.spearman_interval if ranks and abs(ranks.spearman) < 1 else None,
        )
    )
    shares = _template_shares(comparison, shown.chosen_set, second.chosen_set)
    picture(
        partial(share_scatter, shares, comparison.first, comparison.second, MOST_DRAWN),
        "share_scatter",
        f"Share of the weight of {len(shares):,} templates in {comparison.first} and in {comparison.second}",
        title="Share of the weight of each template in either set",
        source=f"{PROGRAM} · {comparison.first} · {comparison.second}",
    )
    if len(shares) > MOST_DRAWN:
        st.caption(f"The {MOST_DRAWN:,} most common of {len(shares):,} templates are drawn.")
    st.markdown("**Effect on the risk**")
    _draw_effect(shown, second)
    left, right = st.tabs(["Reading the picture", "Data"])
    left.markdown(HOW_COMPARED)
    with right:
        draw_table(_shares_table(shares, comparison), f"{comparison.first}_{comparison.second}")


def _template_shares(
    comparison: SetComparison, first: TemplateSet, second: TemplateSet
) -> list[TemplateShare]:
    """Return every template of either set with its share in both."""
    one = dict(zip(first.texts, template_weights(first, "counts").tolist(), strict=True))
    two = dict(zip(second.texts, template_weights(second, "counts").tolist(), strict=True))
    texts = (*first.texts, *comparison.only_second)
    shares = [TemplateShare(text, one.get(text, 0.0), two.get(text, 0.0)) for text in texts]
    return sorted(shares, key=lambda share: -max(share.first, share.second))


def _draw_effect(first: OpenSet, second: OpenSet) -> None:
    choice = current_choice()
    covered = [_coverings(shown.chosen_set, choice) for shown in (first, second)]
    (ones, refused), (twos, also_refused) = (_readings(covering, choice) for covering in covered)
    draw_refused({**refused, **also_refused})
    by_model = {item.model: item for item in twos}
    pairs = [(item, by_model[item.model]) for item in ones if item.model in by_model]
    if not pairs:
        st.caption(
            "No model has results on both sets, with the topic and occupations chosen in the sidebar, that "
            f"cover at least {percent(LEAST_COVERED)} of their weight."
        )
        for shown, covering, read in zip((first, second), covered, (ones, twos), strict=True):
            if not read:
                _draw_uncovered(shown.mined, covering)
        return
    names = first.mined.name, second.mined.name
    finding(*(move_finding(one.label, one.chosen, two.chosen, *names) for one, two in pairs[:MOST_SENTENCES]))
    moves = [RiskMove(one.model, one.chosen, two.chosen) for one, two in pairs]
    chart(
        risk_moves(moves, *names),
        "risk_moves",
        f"Risk and its two parts of {count(len(moves), 'model')} with either set",
        title="Risk of each model with either set",
        source=f"{PROGRAM} · {names[0]} · {names[1]}",
    )


def _shares_table(shares: Sequence[TemplateShare], comparison: SetComparison) -> pd.DataFrame:
    first, second = comparison.first, comparison.second
    return pd.DataFrame(
        [
            {
                "template": one.text,
                f"share in {first}": one.first,
                f"share in {second}": one.second,
                "in": "both" if one.first and one.second else first if one.first else second,
            }
            for one in shares
        ]
    )
