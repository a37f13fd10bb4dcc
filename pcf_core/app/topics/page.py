"""The page Topics: a topic's groups, words and card, its check with models, and lists of occupations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import cycle

import pandas as pd
import streamlit as st

from pcf_core.app import own
from pcf_core.app.choice import choose_shown, current_choice, draw_answering
from pcf_core.app.lists import OCCUPATIONS, evidence_lists, list_names, template_sets, topic_names
from pcf_core.app.page import draw_table, finding
from pcf_core.app.probe import MOST_MODELS, ask, draw_ended_early, follow
from pcf_core.app.titles import list_titles, set_titles, topic_titles
from pcf_core.app.topics.draft import (
    CALLED,
    NEW,
    as_it_stands,
    is_changed,
    is_gone,
    opened,
    point_at,
)
from pcf_core.app.topics.edit import draw_actions, draw_delete, draw_discard, draw_form, draw_upload
from pcf_core.app.widgets import adopt_next, described, draw_facts, plain, plain_titled
from pcf_core.audit.preferences import select_words
from pcf_core.core.errors import AuditError, EvidenceError, TopicError
from pcf_core.core.probe import TopicCheck
from pcf_core.core.run import model_label
from pcf_core.core.topics import Evidence, Topic, with_person
from pcf_core.material.evidence import OWN, load_evidence
from pcf_core.material.suiting import (
    filled_prompts,
    heaviest_templates,
    probe_prompts,
    spread_terms,
    suiting_sets,
    template_cards,
    word_forms,
)
from pcf_core.material.topics import FIRST, SHELF, own_topics
from pcf_core.models.names import in_precision
from pcf_core.models.registry import resolve
from pcf_core.show.findings.material import (
    effective_words_finding,
    forms_note,
    list_finding,
    low_probes_caution,
    position_text,
    probes_finding,
    same_tokens_cautions,
    topic_finding,
    words_finding,
)
from pcf_core.show.findings.notes import left_out_note, tokens_note, words_with
from pcf_core.show.findings.numbers import count, people
from pcf_core.work.requests import CheckRequest, make_check

VIEWS = {
    "see": "the groups, their words, and where these come from.",
    "edit": "change groups and words.",
    "preview": "example sentences with these words.",
    "check": "whether the chosen models know the words.",
    "new": "type, paste or upload a topic of your own.",
    "lists": "whom the sentences are about; type, paste or upload a list of your own.",
}
FOR_AUDITORS = ("edit", "check", "new")
MOST_TEMPLATES = 5
MOST_TERMS = 3
HOW = """
A topic has two or more **groups**, and words that stand for each. The app asks a model how probable every
word is at the end of a sentence such as *The nurse said that …*. The probability of a group is that of its
words together, and the groups are compared with each other. So the results are about these words, and say
nothing about people whom the words leave out. If you change the words, earlier results are kept under the old
list.
"""
HOW_CHECKED = """
*Words* shows for each model how many tokens a word has, which share of the probability of all words it has on
average over the test sentences, and which words the model cannot write. Often a few words have nearly all of
the probability: then the results are about these words. Words of the *same tokens* are one word to the model:
it counts once in a group, and in no group if it is in several. *left out by single-token* names the words
that do not count in the papers' protocol, with their counterparts where words are aligned. *Sentences* shows
the ten most common sentences of the set, each with another occupation. Coverage is the probability of all
words of the topic together there; if a model scores text to the right of [Y] with the words, it is that of
the words given the text to their left. If it is tiny, the words do not suit the sentences, or the model has
not learned them.
"""
SINGLE = "left out by single-token"
FORMS = "The entries are occupations, or people of another kind."
EXAMPLES = {
    "**TOML**; name, title, source, notes and what a term is can stand above": """\
noun = "athlete"
terms = ["swimmer", "chess player"]
weights = [3, 1.5]
""",
    "**JSON** with the same keys": """\
{"terms": ["swimmer", "chess player"], "weights": [3, 1.5]}
""",
    "**CSV**; weights are used only if every term has one": """\
term,weight
swimmer,3
chess player,1.5
""",
    "**Text**, without weights": """\
swimmer
chess player
""",
}


PANEL = own.OwnPanel(
    what="Lists",
    own=OWN,
    key="list",
    shown="list_shown",
    first=lambda: list_names()[0],
    forms=FORMS,
    examples=EXAMPLES,
    said=list_finding,
    use="what the command line reads as --evidence",
)


def draw_head() -> tuple[str, str]:
    """Draw the menus of topics and views; return both names."""
    adopt_next()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_shown(
            "Topic",
            topic_names(),
            FIRST,
            topic_titles(),
            key="topic_shown",
            help_text="The topic on this page. Your own topics come last.",
        )
        view = own.draw_views(VIEWS, CALLED, FOR_AUDITORS, "topic_view", "see")
    own.draw_hidden(SHELF)
    return name, view


def draw_new() -> None:
    """Draw the fields of a new topic: pasted, uploaded or typed."""
    draw_upload()
    st.subheader("Type")
    draw_form(NEW)


def shown_topic(name: str, view: str) -> Topic | None:
    """Return the topic for a view, as saved or drafted; ``None`` if damaged, or deleted while drafted."""
    try:
        topic = opened(name)
    except TopicError as error:
        if is_changed(name) and is_gone(name):
            st.warning(
                f"The topic {plain(name)} was deleted since you began to change it. Your text is still here: "
                "save it as a new topic, or discard it.",
                icon=":material/delete:",
            )
            draw_form(name)
            return None
        if name not in own_topics():
            raise
        st.error(plain(str(error)), icon=":material/error:")
        draw_delete(name)
        return None
    if is_changed(name) and view != "edit":
        saved = "This view shows the saved topic."
        shown = saved if view == "see" else "This view uses them if they are valid."
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/edit: **Changes are not saved.** {shown}")
            draw_discard(name)
    return topic if view == "see" else as_it_stands(name)


def draw_see(topic: Topic) -> None:
    """Draw finding, groups with words, notes and card."""
    finding(topic_finding(topic))
    draw_answering(topic.name, "topic_shown", lambda name: point_at(name, "see"))
    draw_actions(topic)
    words = {people(group.name): plain(", ".join(group.words)) for group in topic.groups}
    st.table(pd.DataFrame({"group": list(words), "words": list(words.values())}).set_index("group"))
    if topic.notes:
        st.markdown(plain(topic.notes))
    left, middle, right = st.tabs(["Reading the table", "Data", "Card"])
    left.markdown(HOW)
    with middle:
        rows = [(group.name, word) for group in topic.groups for word in group.words]
        draw_table(pd.DataFrame(rows, columns=["group", "word"]), topic.name)
    with right:
        _draw_card(topic, suiting_sets(topic, template_cards()))


def _draw_card(topic: Topic, sets: tuple[str, ...]) -> None:
    facts = {
        "name": topic.name,
        "title": topic.title,
        "whose": "your own topic" if topic.name in own_topics() else "comes with the app",
        "source": topic.source,
        "language": topic.language,
        "position": f"{topic.position}: {position_text(topic)}",
        "usual templates": topic.templates,
        "template sets that suit it": ", ".join(sets) or "none: extract one from text on the page Templates",
        "usual occupations": topic.evidence,
        "counterparts": "line by line" if topic.aligned else "none",
        "hash of groups and words": topic.hash,
    }
    draw_facts({what: value or "not stated" for what, value in facts.items()})
    if note := left_out_note(topic.left_out):
        st.markdown(plain(note))


def draw_preview(topic: Topic) -> None:
    """Draw sentences with the words, some templates of a set and a few occupations."""
    name = _draw_set_choice(topic)
    templates = heaviest_templates(template_sets()[name], MOST_TEMPLATES)
    terms = spread_terms(evidence_lists()[_evidence_name(topic)], MOST_TERMS)
    term = st.selectbox("Occupation", terms, key="preview_term", help="The person in the sentences.")
    rows = filled_prompts(topic, templates, [term or terms[0]])
    st.markdown(f"{count(len(rows), 'sentence')}, as a model reads them:")
    draw_table(
        pd.DataFrame(rows, columns=["group", "word", "sentence"]),
        f"{topic.name}_preview",
        {"sentence": st.column_config.TextColumn(width="large")},
    )


def _draw_set_choice(topic: Topic) -> str:
    suiting, titles = suiting_sets(topic, template_cards()), set_titles()
    names = list(dict.fromkeys([*suiting, *template_sets()]))
    name: str = st.selectbox(
        "Template set",
        names,
        key=f"topic_set_{topic.position}_{topic.language}",
        format_func=lambda name: titles(name) if name in suiting else f"{titles(name)} (for other words)",
        help="Sets that suit the topic come first: those in its language, with sentences that such words "
        "fit.",
    )
    return name


def _evidence_name(topic: Topic) -> str:
    """Return the topic's list of occupations, else the sidebar's, else the first."""
    lists = evidence_lists()
    return next(name for name in (topic.evidence, current_choice().evidence, *lists) if name in lists)


def draw_check(topic: Topic) -> None:
    """Check the words with every chosen model, and draw the answers."""
    choice = current_choice()
    texts = probe_prompts(template_sets()[_draw_set_choice(topic)], evidence_lists()[_evidence_name(topic)])
    if topic.decides:
        texts = tuple(with_person(text, person) for text, person in zip(texts, cycle(topic.people)))
        topic = topic.answers
    notes = st.container()
    if topic.language.partition("-")[0].lower() == "en" and (forms := forms_note(word_forms(topic.words))):
        st.info(plain(forms), icon=":material/spellcheck:")
    if not choice.models:
        st.info("Choose one or more models in the sidebar to check the words.", icon=":material/arrow_back:")
        return
    requests = _what_to_ask(choice.asked[:MOST_MODELS], topic, texts)
    if len(choice.asked) > MOST_MODELS:
        st.info(
            f"The words are checked with the first {MOST_MODELS} models of the sidebar.",
            icon=":material/info:",
        )
    jobs = ask(requests)
    checks = {
        model: TopicCheck.model_validate(job.result)
        for model, job in jobs.items()
        if job.state == "done" and job.result is not None
    }
    with notes:
        for model, check in checks.items():
            _draw_findings(model, topic, check)
    draw_ended_early(jobs)
    follow(jobs)
    if checks:
        _draw_tables(topic, checks)


def _what_to_ask(
    models: Iterable[tuple[str, str]], topic: Topic, texts: tuple[str, ...]
) -> dict[str, CheckRequest]:
    """Return a question for every model that is here, and draw why others cannot be asked."""
    requests = {}
    for model, precision in models:
        try:
            spec = in_precision(resolve(model), precision)
            requests[model_label(model, spec.dtype)] = make_check(spec, topic, texts)
        except AuditError as error:
            st.error(f"**{plain_titled(model)}:** {plain(str(error))}", icon=":material/error:")
    return requests


def _draw_findings(model: str, topic: Topic, check: TopicCheck) -> None:
    _, left_out = select_words(topic, check.table, "exact")
    _, single_left_out = select_words(topic, check.table, "single-token")
    finding(
        words_finding(model, topic, check, left_out, single_left_out),
        effective_words_finding(model, check),
        probes_finding(model, check),
    )
    for caution in (*same_tokens_cautions(model, topic, check), low_probes_caution(model, check)):
        if caution:
            st.warning(plain(caution), icon=":material/warning:")


def _draw_tables(topic: Topic, checks: Mapping[str, TopicCheck]) -> None:
    words, sentences, how = st.tabs(["Words", "Sentences", "Reading the table"])
    with words:
        for model, check in checks.items():
            st.caption(f"**{plain_titled(model)}** · {plain(tokens_note(check.tokens.values()))}")
        draw_table(_words_table(topic, checks).dropna(axis="columns", how="all"), f"{topic.name}_words")
    with sentences:
        draw_table(probes_table(checks), f"{topic.name}_sentences")
    how.markdown(HOW_CHECKED)


def _words_table(topic: Topic, checks: Mapping[str, TopicCheck]) -> pd.DataFrame:
    rows = []
    for model, check in checks.items():
        _, left_out = select_words(topic, check.table, "single-token")
        reasons = {item.name: item.reason for item in left_out}
        same = {word: " = ".join(words) for words in check.same for word in words}
        rows += [
            {
                "model": model,
                "group": group.name,
                "word": word,
                "tokens": check.tokens.get(word),
                "share of the probability": check.shares.get(word),
                "cannot be written": check.refused.get(word),
                "same tokens": same.get(word),
                SINGLE: reasons.get(word),
            }
            for group in topic.groups
            for word in group.words
        ]
    return pd.DataFrame(rows).astype({"tokens": "Int64"})


def probes_table(checks: Mapping[str, TopicCheck]) -> pd.DataFrame:
    """Make a table with one row per model and test sentence: the coverage of each kind of words."""
    rows = []
    for model, check in checks.items():
        for text, shares in zip(check.texts, check.coverage, strict=True):
            covered = {
                f"coverage, {words_with(key).removesuffix(': ') or 'all words'}": share
                for key, share in (shares or {}).items()
            }
            rows.append({"model": model, "sentence": text, **covered})
    return pd.DataFrame(rows)


def draw_lists() -> None:
    """Draw the choice of a list, the list, actions on it, and the fields for a new one."""
    own.draw_hidden(OWN.shelf)
    name = choose_shown(
        "List",
        list_names(),
        OCCUPATIONS,
        list_titles(),
        key="list_shown",
        help_text="The people that the sentences are about: occupations, or others. Your own lists come "
        "last. The sidebar has all lists under *Occupations*.",
    )
    if name not in list_names():
        raise EvidenceError(f"There is no list of occupations named {name!r}; choose another under List.")
    evidence: Evidence | None = None
    try:
        evidence = load_evidence(name)
    except EvidenceError as error:  # a damaged one of the user's own
        st.error(plain(str(error)), icon=":material/error:")
    if evidence is not None:
        finding(list_finding(evidence))
        columns: dict[str, object] = {"term": evidence.terms}
        if evidence.weights:
            columns["weight"] = evidence.weights
        if evidence.codes:
            columns["code"] = evidence.codes
        draw_table(pd.DataFrame(columns), evidence.name)
        st.markdown(f"**{plain(evidence.title)}**  \n{plain(described(evidence.source, evidence.notes))}")
    PANEL.draw(name, evidence)
