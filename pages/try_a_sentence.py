"""Try a sentence: which words every chosen model prefers in one sentence, typed now."""

import streamlit as st

from pcf_core.app.choice import current_choice
from pcf_core.app.page import chart, draw_absent, draw_refused, finding
from pcf_core.app.probe import (
    MOST_MODELS,
    ask,
    can_be_answered,
    draw_ended_early,
    draw_foot,
    draw_notes,
    draw_saved,
    draw_sentence,
    follow,
    read_answer,
    unequal_words,
    what_to_ask,
)
from pcf_core.app.queue import ACTIVE
from pcf_core.app.shell import show
from pcf_core.app.widgets import plain
from pcf_core.report.loaded import PROGRAM
from pcf_core.show.charts.heat_map import cell_bars, probe_words
from pcf_core.show.findings.probe import probe_caution, probe_finding
from pcf_core.work.requests import checked_sentence

TYPED = f"{PROGRAM} · a sentence of your own"  # source of its pictures
HOW = """
Each bar is the share of a group: the probability of its words at the dots, divided by that of all words of
the topic. The bars of a model sum to 1, and the dotted line is an even split. In the second chart each mark
is one word, with its probability among everything that the model could write there; each step on that axis is
ten times as much. One sentence is an example and not a measurement, so there are no ranges here; the pages
under *Results* show what holds over many sentences. From the sidebar, the models, the topic, *Word scoring*
and *A group's words* apply here. Each answer is calculated once and then stored.
"""


def draw() -> None:
    """Draw the page."""
    st.title("Try a sentence")
    st.markdown("##### Which group does a model prefer in this sentence?")
    choice = current_choice()
    typed = draw_sentence(choice)
    if not choice.models:
        st.info("Choose one or more models in the sidebar.", icon=":material/arrow_back:")
        return
    sentence = checked_sentence(typed)
    request = what_to_ask(choice, sentence)
    draw_absent(request.absent)
    draw_refused(request.refused)
    if len(choice.asked) > MOST_MODELS:
        st.info(
            f"The answers are those of the first {MOST_MODELS} models of the sidebar.", icon=":material/info:"
        )
    jobs = ask(request.requests)
    answers = {
        name: read_answer(job.result, request.requests[name].topic, choice.options.aggregation)
        for name, job in jobs.items()
        if job.state == "done" and job.result is not None
    }
    finding(*(probe_finding(name, answer) for name, answer in answers.items()))
    for caution in filter(None, (probe_caution(answers), unequal_words(answers, request))):
        st.warning(plain(caution), icon=":material/warning:")
    draw_ended_early(jobs)
    follow(jobs)
    if not answers:
        if not can_be_answered(request.requests):
            draw_saved(choice)
        return
    # Models that have not answered yet already have their colour and place in the legend.
    places = {
        name: answers[name].known if name in answers else {}
        for name in jobs
        if name in answers or jobs[name].state in ACTIVE
    }
    groups = len(next(iter(answers.values())).preferences)
    chart(
        cell_bars(places, neutral=1 / groups),
        "sentence_groups",
        f"Probability of each group in the sentence, one bar a model: {', '.join(answers)}",
        title="Probability of each group in the sentence",
        source=TYPED,
    )
    st.markdown("**The most likely words**")
    chart(
        probe_words(answers),
        "sentence_words",
        "The most probable words of each group, one mark a model",
        title="The most probable words of each group",
        source=TYPED,
    )
    draw_notes(answers)
    draw_foot(HOW, answers, request)


show(draw)
