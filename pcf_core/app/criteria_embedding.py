"""The embedding score over several models, on the view Hobbies: offered, followed, read."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pcf_core.app.criteria import command
from pcf_core.app.page import CRITERIA_SOURCE, FOOT, chart, draw_commands, draw_table, finding
from pcf_core.app.queue import ACTIVE, ENDED_EARLY, draw_job, draw_jobs, keep_a_worker
from pcf_core.app.roles import draw_why_not, may_audit, write
from pcf_core.app.stores import open_queue, open_store
from pcf_core.app.text import plain
from pcf_core.core.errors import AuditError
from pcf_core.report.criteria_tables import embedding_table, ends
from pcf_core.show.charts.hobbies import embedding_dots, mean_scores
from pcf_core.show.findings.hobbies import embedding_findings
from pcf_core.show.findings.numbers import listed
from pcf_core.texts.criteria.embedding import SEEDS
from pcf_core.texts.criteria.records.independence import EmbeddingReport
from pcf_core.texts.criteria.records.runs import CriteriaResult, EmbeddingAsked, EmbeddingResult
from pcf_core.work.criteria import EMBEDDING, EMBEDDINGS, embedding_asked, submit_embedding

RECENT = 100
WHAT = (
    "Word vectors are learned once from the texts of all these models, so that all are scored on one axis "
    "from he to she and can be compared. No text is written for it."
)
HOW = f"""
One embedding (word2vec) is learned from the texts of all models together; a text's score is the mean of its
words' projections on the axis from *he* to *she*. Each mark is Cohen's d between the texts for women's and
men's names: to the right those for women's names lean more to *she*. Whiskers are 95 % intervals over names;
ticks are the {len(SEEDS)} seeds by themselves. **Filled** marks are beyond chance and on the same side in all
seeds. The paler marks have the gendered words in the mean, as the paper does.
"""


def draw_embedding_of_all(
    order: Sequence[str], results: Mapping[str, CriteriaResult], *, as_printed: bool
) -> None:
    """Draw the score of models whose hobbies are written, as we draw it or as the paper does.

    ``order``: all names, which decides the colours.
    """
    st.subheader("Embedding score over all models")
    try:
        asked = embedding_asked([result.asked for result in results.values()])
    except AuditError as error:
        st.info(plain(str(error)), icon=":material/info:")
        return
    found = EMBEDDINGS.load(open_store(), asked.hash)
    if found is None:
        _offer(asked)
        return
    finding(*embedding_findings(found))
    names = listed(found.report.models)
    if found.report.readings:
        chart(
            mean_scores(found.report) if as_printed else embedding_dots(found.report, order),
            "hobbies_embedding_all",
            f"Embedding score of {names} on one axis, women's names against men's",
            source=CRITERIA_SOURCE,
        )
    left, middle, right = st.tabs(FOOT, key="cr_embedding_all")
    left.markdown(HOW)
    with middle:
        for title, table in embedding_tables(found.report).items():
            st.markdown(f"**{title}**")
            draw_table(table, f"embedding_all_{'_'.join(title.lower().split())}")
    with right:
        _draw_provenance(found)


def embedding_tables(report: EmbeddingReport) -> dict[str, pd.DataFrame]:
    """Make tables by title; those without a row are left out."""
    gaps = [
        {
            "model": gap.second,
            "less model": gap.first,
            "variant": gap.variant,
            "difference of d": gap.difference,
            **ends("", gap.interval),
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
    return {title: table for title, table in every.items() if len(table)}


def _offer(asked: EmbeddingAsked) -> None:
    """Draw the button that queues it, or the job that is or was at it."""
    job = next((one for one in open_queue().list(RECENT, kind=EMBEDDING) if one.key == asked.hash), None)
    if job is not None and job.state in ACTIVE:
        draw_jobs([job.id])
        return
    if job is not None and job.state in ENDED_EARLY:
        draw_job(job)
        return
    with st.container(border=True):
        st.markdown(f"**Not learned yet:** word vectors from the hobbies of {plain(listed(asked.models))}.")
        st.caption(WHAT)
        if not may_audit():
            draw_why_not()
        elif st.button(
            "Learn and compare", type="primary", icon=":material/play_arrow:", key="embedding_button"
        ):
            try:
                write(submit_embedding, open_store(), open_queue(), asked)
            except AuditError as error:
                st.error(plain(str(error)), icon=":material/error:")
                return
            keep_a_worker()
            st.rerun()


def _draw_provenance(found: EmbeddingResult) -> None:
    report, asked = found.report, found.asked
    facts = {
        "request": asked.hash,
        "material": asked.material,
        **{f"hobbies of {one.model}": one.hash for one in asked.several},
        "texts": f"{report.texts:,}",
        "words with a vector": f"{report.vocabulary:,}",
        "learned by": report.library,
        "settings": ", ".join(f"{name} {value}" for name, value in report.settings.items()),
        "seeds": ", ".join(map(str, report.seeds)),
        **{name: str(value) for name, value in found.provenance.items()},
    }
    table = {"what": [plain(name) for name in facts], "value": [plain(value) for value in facts.values()]}
    st.markdown(f"{plain(report.label)}.")
    st.table(pd.DataFrame(table).set_index("what"))
    if (line := command_of(asked)) is not None:
        draw_commands(line)


def command_of(asked: EmbeddingAsked) -> str | None:
    """Write the command line that reproduces it; ``None`` where there is no single one.

    There is none where the models differ in how they were asked.
    """
    first = asked.several[0]
    lines = {command(one).replace(model_option(one.model), " --model …", 1) for one in asked.several}
    if len(lines) > 1:
        return None
    models = "".join(map(model_option, asked.models))
    return command(first).replace(model_option(first.model), models, 1)


def model_option(model: str) -> str:
    """Write a model as commands give it."""
    return f" --model {shlex.quote(model)}"
