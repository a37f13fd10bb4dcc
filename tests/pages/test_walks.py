"""What is done on Topics, Templates and the form of an audit, step by step."""

from __future__ import annotations

from typing import Any

import pytest

from pcf_core.app.templates.keeping import CALLED as SET_VIEWS
from pcf_core.app.topics.draft import CALLED as TOPIC_VIEWS
from pcf_core.material.template_files import csv_bytes
from pcf_core.material.topics import delete_topic, save_topic, topic_toml
from tests.pages.opened import open_app
from tests.pages.own import OWN_SET, OWN_TOPIC
from tests.pages.walks import Step, assert_walk


def group(number: int, words: str) -> Step:
    return ("fill", f"Words of group {number}, one a line", words)


def view(name: str) -> Step:
    return ("set", "topic_view", TOPIC_VIEWS[name])


def see(name: str) -> Step:
    return ("set", "set_view", SET_VIEWS[name])


EDIT_TOPIC = {"topic_shown": "own-topic", "topic_view": "edit"}
NEW_TOPIC = {"topic_view": "new"}
EDIT_SET = {"set": "own-set", "set_view": "edit"}
NEW_SET = {"set_view": "new"}
COUNTERPARTS = ("fill", "Words of one line are counterparts", True)
OTHER_NOTES = topic_toml(OWN_TOPIC.model_copy(update={"notes": "Other notes."}))
SAID_THAT = "The [X] said that [Y]"
# A store, a page and its link, and the steps, by what a walk is about.
WALKS: dict[str, tuple[str, str, dict[str, Any], list[Step]]] = {
    "a shipped topic is changed into an own one": (
        "own_cache", "topics", {"topic_shown": "gender-pronouns", "topic_view": "edit"},
        [
            group(1, "he\n  his \n"), group(2, "she\nher"), ("fill", "Title", "Pronouns, mine"),
            ("fill", "Notes", "Ours."), "save_topic",
        ],
    ),
    "an own topic is changed in place": (
        "own_topic", "topics", EDIT_TOPIC,
        [
            ("fill", "Language", "de"), ("fill", "What a word is in its sentence", "predicate"),
            ("fill", "Usual templates", "race-relative"), COUNTERPARTS,
            ("fill", "Source", "Duden"), ("fill", "Usual occupations", "sports"), "save_topic",
        ],
    ),
    "what is not right of a topic is said under the form and not saved": (
        "own_topic", "topics", EDIT_TOPIC,
        [
            group(2, "she\nHe"), "save_topic", group(2, ""), ("fill", "Name", "Not Safe"),
            group(2, "she"), ("fill", "Name", "gender"), "save_topic",
        ],
    ),
    "a bad name is said beside the missing words and once": (
        "own_cache", "topics", NEW_TOPIC, [("fill", "Name", "<b>x</b>"), "save_topic"],
    ),
    "a gap among counterparts is no shift": (
        "own_topic", "topics", EDIT_TOPIC,
        [group(1, "he\n\nhis\n\n"), group(2, "she\nqueen"), COUNTERPARTS],
    ),
    "groups are added and removed and other fields stay": (
        "own_topic", "topics", EDIT_TOPIC,
        [group(1, "king"), "add_group", group(3, "they"), ("pick", "Remove two"), "save_topic"],
    ),
    "a topic is previewed as it is written and discarded": (
        "own_topic", "topics", EDIT_TOPIC,
        [
            group(1, "king"), view("see"), view("preview"), view("edit"),
            "discard_topic",
        ],
    ),
    "a topic that another session saved is not overwritten": (
        "own_topic", "topics", EDIT_TOPIC,
        [
            ("fill", "Notes", "Mine."),
            ("do", lambda: save_topic(OWN_TOPIC.model_copy(update={"notes": "Theirs."}), replace=True)),
            "save_topic", ("fill", "Name", "other-name"), "save_topic",
        ],
    ),
    "what is written outlives its topic": (
        "own_topic", "topics", EDIT_TOPIC,
        [group(1, "he\nking"), ("do", lambda: delete_topic("own-topic")), "save_topic"],
    ),
    "what is written of a deleted topic is discarded": (
        "own_topic", "topics", EDIT_TOPIC,
        [group(1, "he\nking"), ("do", lambda: delete_topic("own-topic")), "discard_topic"],
    ),
    "a new topic is written": (
        "own_cache", "topics", NEW_TOPIC,
        [
            ("fill", "Name", "cats-dogs"), ("fill", "Title", "Cats and dogs"), group(1, "cat\ncats"),
            group(2, "dog"), "save_topic", view("new"),
        ],
    ),
    "a topic is duplicated and its copy deleted": (
        "own_topic", "topics", {"topic_shown": "own-topic"},
        ["duplicate_topic", view("see"), "delete_topic"],
    ),
    "a topic that the sidebar shows is deleted": (
        "own_topic", "topics", {"topic_shown": "own-topic"}, ["use_topic", "delete_topic"],
    ),
    **{
        f"a topic is read from {name}": ("own_cache", "topics", NEW_TOPIC, [
            ("send", "upload_topics", name, content), "keep_topics",
        ])
        for name, content in (
            ("own.toml", topic_toml(OWN_TOPIC)),
            ("Meine Liste.csv", "group,word\na,x\nb,y\n"),
            ("own.json", '{"groups": [{"name": "a", "words": ["x"]}, {"name": "b", "words": ["y"]}]}'),
            ("gender.txt", "son,he,his\ndaughter,she,her\n"),
        )
    },
    "an upload replaces no topic": (
        "own_topic", "topics", NEW_TOPIC,
        [
            ("send", "upload_topics", "own.toml", OTHER_NOTES),
            ("fill", "Name of the topic", "own-topic"), "keep_topics",
        ],
    ),
    "a set is written": (
        "own_cache", "templates", NEW_SET,
        [
            ("set", "new_set_form", "attributive"),
            ("set", "new_set_lines", "The [X], who slept, is [Y]\n\n The [X], who sang, is [Y] "),
            ("set", "new_set_name", "sleepers"), "save_new_set",
        ],
    ),
    "what cannot be a set is refused": (
        "own_cache", "templates", NEW_SET,
        [
            step
            for text, name in (
                ("", "empty"), ("The nurse said that she", "none"), (f"{SAID_THAT}\n{SAID_THAT}", "twice"),
                (SAID_THAT, "Not A Name"), (SAID_THAT, "gender-nineteen"),
            )
            for step in (("set", "new_set_lines", text), ("set", "new_set_name", name), "save_new_set")
        ],
    ),
    "a set is opened from its card and says where a template comes from": (
        "own_set", "templates", {},
        ["open_own-set", ("set", "origin_of", "The [X] sang while [Y]"), ("foot",)],
    ),
    "rows are dropped, taken back and saved with their history": (
        "own_set", "templates", EDIT_SET,
        [
            ("tick", 3), "drop_rows", ("tick", 1, 2), "drop_rows", "undo",
            ("set", "save_name_own-set", "smaller"), "save_set",
        ],
    ),
    "rows that were found are kept, under the set's own name": (
        "own_set", "templates", {**EDIT_SET, "find": "that"}, ["keep_found", "save_set"],
    ),
    "a shipped set is never replaced": (
        "own_set", "templates", {"set": "gender-reporting", "set_view": "edit"},
        [
            step
            for name in ("gender-reporting", "own-set", "Not a name!")
            for step in (("set", "save_name_gender-reporting", name), "save_set")
        ],
    ),
    "ticked rows are merged": ("own_set", "templates", EDIT_SET, [("tick", 0, 1), "merge_rows"]),
    "a template is added": (
        "own_set", "templates", EDIT_SET,
        [
            ("set", "add_text", "no slots"), "add_template",
            ("set", "add_text", "The [X] wept when [Y]"), ("set", "add_count", 7.0), "add_template",
        ],
    ),
    "a set is cut by count": (
        "own_set", "templates", EDIT_SET,
        [("set", "cut_count", 100.0), "cut_by_count", ("set", "cut_count", 5.0), "cut_by_count"],
    ),
    "a set is cut to its top": ("own_set", "templates", {**EDIT_SET, "keep": "3"}, ["cut_to_top"]),
    "two sets are united": (
        "own_set", "templates", EDIT_SET, [("set", "unite_with", "gender-reporting"), "unite_sets"],
    ),
    "edits stay with their set until they are discarded": (
        "own_set", "templates", EDIT_SET,
        [
            "full_stops", see("preview"), see("edit"), ("set", "set", "gender-nineteen"),
            ("set", "set", "own-set"), "discard",
        ],
    ),
    "a set is imported as the papers publish theirs": (
        "own_cache", "templates", NEW_SET,
        [
            (
                "send", "import_file", "Meine Liste (neu).csv",
                "template,proportion\nThe [X] said that [Y],30\nThe [X] sang that [Y],10\n",
            ),
            "import_set",
        ],
    ),
    "what cannot be imported is refused with its line": (
        "own_set", "templates", NEW_SET,
        [
            ("send", "import_file", "own-set.csv", "template,count\nThe [X] said that [Y],many\n"),
            ("send", "import_file", "own-set.csv", "template,count\nThe [X] said that [Y],2\n"),
            "import_set",
        ],
    ),
    "what is exported can be imported": (
        "own_cache", "templates", NEW_SET,
        [("send", "import_file", "again.csv", csv_bytes(OWN_SET)), "import_set"],
    ),
    "an own set is deleted": ("own_set", "templates", EDIT_SET, ["delete_set"]),
    "a corpus is mined once": (
        "corpora", "templates", {"set_view": "mine", "mine_sample": "500"},
        [("set", "mine_cut", 3), "mine_button", "mine_button"],
    ),
    "the papers' sample is one button": (
        "corpora", "templates", {"set_view": "mine"}, ["mine_as_in_papers", "mine_button"],
    ),
    "constructions are switched on and those that are unsure say so": (
        "corpora", "templates", {"set_view": "mine"},
        [("set", "mine_constructions_subject", ["clause", "fronted"]), "mine_button"],
    ),
    "a topic in Chinese has constructions of its own and needs its parser": (
        "corpora", "templates", {"set_view": "mine", "mine_topics": ["gender-zh"]},
        ["mine_button", ("set", "mine_constructions_subject_zh", ["clause"]), "mine_button"],
    ),
    "topics that do not go together are not mined": (
        "corpora", "templates", {"set_view": "mine", "mine_topics": ["gender", "race"]},
        ["mine_button"],
    ),
    "the form follows the sidebar until somebody chooses in it": (
        "own_cache", "run_an_audit", {"model": ["mini-gpt"]},
        [("set", "topic", "race"), ("set", "score_templates", "people-fiction"), ("set", "topic", "gender")],
    ),
    "the heaviest templates alone are scored": (
        "own_cache", "run_an_audit",
        {"model": ["mini-gpt"], "topic": "religion", "templates": "people-wikipedia",
         "score_heaviest": "true"},
        ["score_button"],
    ),
    "a set with no more templates is scored as it is": (
        "own_cache", "run_an_audit", {"model": ["mini-gpt"], "score_heaviest": "true"},
        ["score_button"],
    ),
    "what is scored already is not queued again": (
        "full_store", "run_an_audit", {"score_model": ["mini-gpt", "mini-t5"]}, ["score_button"],
    ),
    "another precision than there is is what is offered": (
        "full_store", "risk", {"model": ["mini-gpt"], "precision": "float16"}, ["score_missing"],
    ),
    "a plan is asked for in another precision": (
        "own_cache", "run_an_audit",
        {"score_model": ["mini-gpt"], "score_within": "0.02", "score_precision": "bfloat16"},
        ["score_button"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WALKS)
def test_a_walk(request: pytest.FixtureRequest, name: str) -> None:
    store, page, link, steps = WALKS[name]
    request.getfixturevalue(store)
    assert_walk(open_app(page, **link), name, *steps)
