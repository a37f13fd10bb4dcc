"""The view Hobbies of the tab Criteria: what models write about students, by the gender of the name."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pcf_core.app.caching import open_store
from pcf_core.app.criteria.views import TabView, criteria_picture, draw_tables
from pcf_core.app.page import (
    DATA,
    PROVENANCE,
    READING,
    draw_commands,
    draw_figures,
    draw_notes,
    draw_tabs,
    finding,
)
from pcf_core.app.texts.shared import follow_jobs, offer_submitting
from pcf_core.app.widgets import plain
from pcf_core.core.errors import AuditError
from pcf_core.report.documents import interval_cells
from pcf_core.report.panels import MOST
from pcf_core.report.records import KeyFigure
from pcf_core.report.reproducing import criteria_command
from pcf_core.report.sections.criteria import (
    embedding_table,
    hobby_information,
    hobby_words_table,
    information_table,
    label_counts_table,
    labels_table,
)
from pcf_core.show.charts.independence import (
    embedding_dots,
    hobby_word_dots,
    label_bars,
    label_effects,
    mean_scores,
    word_counts,
)
from pcf_core.show.findings.independence import (
    embedding_finding,
    embedding_findings,
    hobbies_finding,
    hobbies_notes,
    information_finding,
    leak_finding,
    words_finding,
)
from pcf_core.show.findings.numbers import count, ends, listed, percent, two_decimals
from pcf_core.texts.criteria.embedding import SEEDS
from pcf_core.texts.criteria.records.independence import EmbeddingReport, HobbiesReport
from pcf_core.texts.criteria.records.quantities import Answering
from pcf_core.texts.criteria.records.runs import CriteriaResult, EmbeddingAsked, EmbeddingResult
from pcf_core.texts.criteria.summary import towards
from pcf_core.work.criteria import EMBEDDING, EMBEDDINGS, embedding_asked, submit_embedding

HOW = """
The picture shows the effect size (Cohen's d) of each label: by how many standard deviations its share is
higher in texts about students with women's names, on the left, or men's, on the right. The whisker is the 95
% range over names, because several texts for one name are not independent. **Filled** marks are more than
chance by the Mann–Whitney test of the names' means, corrected for the number of labels (Holm). The bars show
the mean shares of one model by gender.

Names, pronouns and other gendered words are removed before labelling. The embedding score learns word vectors
from this model's texts alone and measures whether texts for women's names are closer to *she*. The main
figure is without gendered words, because a text that contains *she* is close to *she* for that reason alone.
Vectors differ with the seed, so each seed is shown. Scores of two models cannot be compared unless their
vectors were learned from the texts of both.
"""
HOW_SCORED = """
The picture shows the effect size (Cohen's d) of each label: by how many standard deviations its words are
more likely after women's names, on the left, or men's, on the right, among the words of all labels. The
whisker is the 95 % range over names. **Filled** marks are more than chance by the Mann–Whitney test of the
names' means, corrected for the number of labels (Holm). The bars show the mean shares of one model by gender.
No text is written, so no words are counted and no vectors learned.
"""
WHAT = (
    "Word vectors are learned once from the texts of all these models, so that all are measured on one axis "
    "from he to she and can be compared. No new text is written."
)
HOW_EMBEDDED = f"""
One embedding (word2vec) is learned from the texts of all models together. A text's score is the mean of its
words' projections on the axis from *he* to *she*. Each mark is Cohen's d between the texts for women's and
men's names: on the left, texts for women's names are closer to *she*. Whiskers are 95 % ranges over names;
ticks are the {len(SEEDS)} single seeds. **Filled** marks are more than chance and on the same side for all
seeds. The paler marks include gendered words, as the paper does.
"""


def draw_hobbies(shown: TabView, answering: Answering, results: dict[str, CriteriaResult]) -> None:
    """Draw independence II for models that answered in the same way."""
    reports = {
        model: result.report for model, result in results.items() if isinstance(result.report, HobbiesReport)
    }
    finding(*(hobbies_finding(report, model) for model, report in reports.items()))
    draw_figures(_hobby_figures(reports))
    alt = f"Difference of each label between women's and men's names, {', '.join(reports)}"
    criteria_picture(f"hobbies_effects_{answering}", alt, label_effects, reports, shown.stored.models)
    model = shown.one(results, answering)
    report = reports[model]
    finding(information_finding(report))
    alt = f"Labels of {model} by gender of the name"
    criteria_picture(f"hobbies_labels_{answering}", alt, label_bars, report)
    as_printed = answering == "written" and _draw_as_printed()
    if report.words is not None:
        finding(words_finding(report))
        drawn_as = word_counts if as_printed else hobby_word_dots
        alt = f"Words of {model} by gender"
        criteria_picture(f"hobbies_words_{answering}", alt, drawn_as, report.words)
    if report.embedding is not None:
        embedding = named(report.embedding, model)
        finding(embedding_finding(embedding), leak_finding(embedding, model))
        if embedding.readings:
            alt = f"Embedding score of {model}, women's names against men's"
            drawn = _embedding_chart(embedding, shown.stored.models, as_printed)
            criteria_picture(f"hobbies_embedding_{answering}", alt, drawn)
    draw_notes(hobbies_notes(report))
    every = {
        "Labels": labels_table(reports),
        "Mutual information": information_table(hobby_information(reports)),
        "Texts by label": label_counts_table(reports),
        "Words": hobby_words_table(reports),
        "Embedding score": embedding_table(
            {model: named(one.embedding, model) for model, one in reports.items() if one.embedding}
        ),
    }
    tables = {title: table.copy for title, table in every.items() if len(table)}
    how = HOW if answering == "written" else HOW_SCORED
    shown.foot(how, tables, results, f"hobbies_{answering}", ["hobbies"])
    if answering == "written" and len(results) > 1:
        _draw_embedding_of_all(shown.stored.models, results, as_printed=as_printed)


def _embedding_chart(report: EmbeddingReport, order: Sequence[str], as_printed: bool) -> partial[go.Figure]:
    return partial(mean_scores, report) if as_printed else partial(embedding_dots, report, order)


def _draw_as_printed() -> bool:
    return st.toggle(
        "As in the paper",
        False,
        key="cr_printed",
        bind="query-params",
        help="Words by how often they appear in all texts together (Figure 3), for those that differ most; "
        "scores by their mean for women's and for men's names, including gendered words (Figure 5).",
    )


def named(report: EmbeddingReport, model: str) -> EmbeddingReport:
    """Return the report of one model's own texts, under its name."""
    readings = tuple(one.model_copy(update={"model": model}) for one in report.readings)
    return report.model_copy(update={"models": (model,), "readings": readings})


def _hobby_figures(reports: Mapping[str, HobbiesReport]) -> list[KeyFigure]:
    """Make key figures: how many labels differ, and for a single model which one differs most."""
    figures = []
    for model, report in reports.items():
        differing = sum(one.difference.differs for one in report.labels)
        figures.append(
            KeyFigure(
                f"Labels that differ{f' · {model}' if len(reports) > 1 else ''}",
                f"{differing:,} of {len(report.labels):,}",
                "Labels that are more frequent for one gender, beyond chance; tests are corrected for "
                "the number of labels.",
                f"{count(sum(report.names), 'name')}, {report.answering}",
            )
        )
    if len(reports) > 1:
        return figures
    report = next(iter(reports.values()))
    rows = [one for one in report.labels if one.difference.effect is not None]
    for one in sorted(rows, key=lambda row: -abs(row.difference.effect or 0.0))[: MOST - 1]:
        difference = one.difference
        bounds, effect = "no range", difference.effect or 0.0
        towards_women, size = effect > 0, abs(effect)
        if (interval := towards(effect, difference.effect_interval)) is not None:
            bounds = ends(interval, size)
        figures.append(
            KeyFigure(
                f"{one.title}, more with {'women' if towards_women else 'men'}'s names",
                two_decimals(size),
                "Effect size (Cohen's d) of the label's share: by how many standard deviations it is higher; "
                "0 is no difference. 95 % range over names. The mean shares are "
                f"{percent(difference.female)} for women's and {percent(difference.male)} for men's names.",
                bounds,
            )
        )
    return figures


def _draw_embedding_of_all(
    order: Sequence[str], results: Mapping[str, CriteriaResult], *, as_printed: bool
) -> None:
    st.subheader("Embedding score over all models")
    try:
        request = embedding_asked([result.asked for result in results.values()])
    except AuditError as error:
        st.info(plain(str(error)), icon=":material/info:")
        return
    pooled = EMBEDDINGS.load(open_store(), request.hash)
    if pooled is None:
        if follow_jobs(EMBEDDING, {request.models: request}):
            models, label = plain(listed(request.models)), "Learn and compare"
            with st.container(border=True):
                st.markdown(f"**Not learned yet:** word vectors from the hobbies of {models}.")
                st.caption(WHAT)
                offer_submitting(submit_embedding, lambda: [(request,)], label, "embedding_button")
        return
    finding(*embedding_findings(pooled))
    if pooled.report.readings:
        names = listed(pooled.report.models)
        alt = f"Embedding score of {names} on one axis, women's names against men's"
        drawn = _embedding_chart(pooled.report, order, as_printed)
        criteria_picture("hobbies_embedding_all", alt, drawn)
    draw_tabs(
        "cr_embedding_all",
        {
            READING: HOW_EMBEDDED,
            DATA: partial(draw_tables, _embedding_tables(pooled.report), "embedding_all"),
            PROVENANCE: partial(_draw_provenance, pooled),
        },
    )


def _embedding_tables(report: EmbeddingReport) -> dict[str, Callable[[], pd.DataFrame]]:
    gaps = [
        {
            "model": gap.second,
            "less model": gap.first,
            "variant": gap.variant,
            "difference of d": gap.difference,
            **interval_cells("", gap.interval),
            **{f"seed {seed}": value for seed, value in zip(report.seeds, gap.seeds, strict=False)},
            "differs": gap.differs,
        }
        for gap in report.gaps
    ]
    words = [{"word": row.word, "score": row.score, "texts": row.texts} for row in report.words]
    every = {
        "Models": embedding_table({"all": report}),
        "Every two models": pd.DataFrame(gaps),
        "Words at the ends of the axis": pd.DataFrame(words),
    }
    return {title: table.copy for title, table in every.items() if len(table)}


def _draw_provenance(result: EmbeddingResult) -> None:
    report, request = result.report, result.asked
    facts = {
        "request": request.hash,
        "material": request.material,
        **{f"hobbies of {one.name}": one.hash for one in request.several},
        "texts": f"{report.texts:,}",
        "words with a vector": f"{report.vocabulary:,}",
        "learned by": report.library,
        "settings": ", ".join(f"{name} {value}" for name, value in report.settings.items()),
        "seeds": ", ".join(map(str, report.seeds)),
        **{name: str(value) for name, value in result.provenance.items()},
    }
    table = {"what": [plain(name) for name in facts], "value": [plain(value) for value in facts.values()]}
    st.markdown(f"{plain(report.label)}.")
    st.table(pd.DataFrame(table).set_index("what"))
    if (line := _command_of(request)) is not None:
        draw_commands(line)


def _command_of(request: EmbeddingAsked) -> str | None:
    """Write the command that reproduces it; ``None`` if the models were asked differently or elsewhere."""
    if any(one.imported for one in request.several):
        return None
    options = [f" --model {shlex.quote(one.model)}" for one in request.several]
    lines = [criteria_command(open_store(), one) for one in request.several]
    alike = {line.replace(option, " --model …", 1) for line, option in zip(lines, options, strict=True)}
    return lines[0].replace(options[0], "".join(options), 1) if len(alike) == 1 else None
