"""Files of the user's own, on every page that takes some: brought in whole, kept, shown and deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pcf_core.app.fairpair.tab import EXAMPLES as PROMPT_EXAMPLES
from pcf_core.app.topics.page import EXAMPLES as LIST_EXAMPLES
from pcf_core.app.why.knowledge import EXAMPLES as FACT_EXAMPLES
from pcf_core.core.knowledge import Fact
from pcf_core.core.settings import Settings
from pcf_core.material.base import Kind
from pcf_core.material.evidence import OWN as LISTS
from pcf_core.material.knowledge import ACCEPTED as FACT_FILES
from pcf_core.material.knowledge import OWN as FACTS
from pcf_core.material.safety.entries import ending_of
from pcf_core.material.shelves import name_of
from pcf_core.material.templates import OWN as SETS
from pcf_core.material.topics import ACCEPTED as TOPIC_FILES
from pcf_core.material.topics import OWN as TOPICS
from pcf_core.texts.criteria.names import NAMES
from pcf_core.texts.criteria.own import own_files
from pcf_core.texts.fairpair.categories import OWN as CATEGORIES
from pcf_core.texts.fairpair.prompts import OWN as PROMPTS
from tests.pages.opened import App, open_app
from tests.pages.own import SKY
from tests.texts.criteria.asked import SCORED
from tests.texts.fairpair.written import SMALL

NAMED = 'names = ["Amir", "Emily"]\n[[prompts]]\ntext = "{name} is a nurse."\n'


@dataclass(frozen=True)
class Own:
    """A kind with a panel on a page: a file, what the page says of it, and how the page names it."""

    kind: Kind[Any]
    page: str
    link: Mapping[str, Any]
    file: str
    content: str
    says: str
    field: str
    key: str
    first: str

    def open(self, **link: str) -> App:
        return open_app(self.page, **{**self.link, **link})


PANELS = (
    Own(
        PROMPTS, "fairpair", {}, "Mine.txt", "{name} is <b>here</b>.\n{name} sings.\n",
        "“Mine” has 2 prompts: “John is <b>here</b>.” and “John sings.”",
        "fp_prompts", "prompts", "common-sents-1",
    ),
    Own(
        CATEGORIES, "fairpair", SMALL, "Rest.csv", "category,word\n<b>Rest</b>,sleep*\n",
        "1 category: <b>Rest</b> (1 word).", "fp_categories", "categories", "fairpair",
    ),
    Own(
        LISTS, "topics", {"topic_view": "lists"}, "My sports.csv",
        "term,weight\n*chess* player,3\nswimmer,0.5\n",
        "It has 2 entries, each with its own weight: *chess* player, swimmer.",
        "list_shown", "list", "conditions",
    ),
    Own(
        FACTS, "knowledge", {"model": "mini-gpt"}, "My sky.csv", SKY,
        "“My sky” asks about 2 facts in 1 sentence, with 4 possible answers in all",
        "facts", "facts", "continents",
    ),
)  # fmt: skip


@pytest.mark.parametrize("own", PANELS, ids=lambda own: own.key)
def test_a_file_is_kept_shown_and_deleted(own: Own) -> None:
    app = own.open().upload(f"upload_{own.kind.shelf.folder}", own.file, own.content)
    assert own.says in app.texts
    app.press(f"keep_{own.kind.shelf.folder}")
    (name,) = own.kind.names()
    assert name == own.file.partition(".")[0].lower().replace(" ", "-")
    assert app.selectbox(key=own.field).value == name
    shown = own.open(**{own.field: name})
    assert not shown.error
    assert shown.selectbox(key=own.field).value == name
    shown.press(f"delete_{own.key}")
    assert own.kind.names() == ()
    assert shown.selectbox(key=own.field).value == own.first
    assert f"named '{name}'" in own.open(**{own.field: name}).errors


TYPED = {
    "prompts": ("{name} is here.\n{name} sings.", "has 2 prompts: “John is here.” and “John sings.”"),
    "categories": ("category,word\nRest,sleep*", "1 category: Rest (1 word)."),
    "list": ("swimmer\nchess player", "It has 2 entries"),
    "facts": (SKY, "asks about 2 facts in 1 sentence"),
}


@pytest.mark.parametrize("own", PANELS, ids=lambda own: own.key)
def test_what_is_typed_is_read_like_a_file(own: Own) -> None:
    text, says = TYPED[own.key]
    folder = own.kind.shelf.folder
    app = own.open()
    app.text_area(key=f"typed_upload_{folder}_0").set_value(text).run()
    assert says in app.texts
    app.press(f"keep_{folder}")
    (name,) = own.kind.names()
    assert name.startswith("my-")
    assert app.selectbox(key=own.field).value == name
    assert app.text_area(key=f"typed_upload_{folder}_1").value == "", "for the next one"


@pytest.mark.parametrize("own", PANELS, ids=lambda own: own.key)
def test_a_file_without_an_ending_is_taken_and_the_page_says_what_it_can_be(own: Own) -> None:
    accepted = own.kind.material.accepted
    assert accepted.forms in own.open().captions
    bare = own.file.partition(".")[0]
    folder = own.kind.shelf.folder
    app = own.open().upload(f"upload_{folder}", bare, own.content).press(f"keep_{folder}")
    assert not app.errors
    assert own.kind.names() == (name_of(Path(bare)),)


def test_criteria_keep_a_file_without_an_ending_under_the_ending_of_its_form() -> None:
    app = open_app("criteria", cr_view="hobbies", **SCORED)
    app.upload("upload_names", "people", "name;gender\nAda;F\nCarl;M\n").press("keep_names")
    assert not app.errors
    assert own_files("hobbies")["people"].suffix == ".csv"
    assert [one.name for one in NAMES.load(own_files("hobbies")["people"]).names] == ["Ada", "Carl"]


def test_a_first_line_that_names_no_column_is_asked_about() -> None:
    app = open_app("topics", topic_view="lists").upload("upload_evidence", "Trades.csv", "baker\ncook\n")
    question = "Trades.csv begins with 'baker', which does not name term. How is it to be read?"
    assert "keep_evidence" not in app.button_keys
    app.field(question).set_value("lines").run()
    app.press("keep_evidence")
    assert LISTS.load("trades").terms == ("baker", "cook")


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("{name} sings.", ".txt"),
        ("he, man\nshe, woman", ".txt"),
        ("\n group , word\nmale,he", ".csv"),
        ("group\nmale", ".txt"),
        ('terms = ["nurse"]', ".toml"),
        ("[[groups]]\nname = 'a'", ".toml"),
        ('{"groups": []}', ".json"),
        ('[["he", "man"], ["she"]]', ".json"),
        ("{\n}", ".json"),
    ],
)
def test_a_typed_text_has_the_form_that_its_first_line_shows(text: str, ending: str) -> None:
    assert ending_of(text, TOPIC_FILES) == ending
    assert ending_of("he, man", FACT_FILES) == ".csv"


@pytest.mark.parametrize(
    ("page", "link", "folder", "name", "content", "refused"),
    [
        ("fairpair", {}, "prompts", "mine.txt", "{name} sings.\nNobody sings.\n", "must have {name}"),
        ("knowledge", {}, "knowledge", "sky.csv", f"{SKY},Venus,planet,\n", "'Venus' has no wrong answer"),
        (
            "topics",
            {"topic_view": "new"},
            "topics",
            "own.csv",
            "group,word\na,x\nb,X\n",
            "in the groups a and b",
        ),
        (
            "criteria",
            {"cr_view": "anecdotes", **SCORED},
            "professions",
            "mine.csv",
            "profession\nnurse\n",
            "women_share",
        ),
    ],
)
def test_a_file_is_taken_whole_or_not_at_all(
    own_settings: Settings,
    page: str,
    link: dict[str, Any],
    folder: str,
    name: str,
    content: str,
    refused: str,
) -> None:
    app = open_app(page, **link).upload(f"upload_{folder}", name, content)
    assert refused in app.errors
    assert f"keep_{folder}" not in app.button_keys
    assert not (own_settings.cache / folder).exists()


def test_the_name_of_what_is_shipped_is_refused(own_settings: Settings) -> None:
    app = open_app("knowledge").upload("upload_knowledge", "animals.csv", SKY)
    assert app.text_input[0].value == "animals-own"
    app.text_input[0].set_value("animals").run()
    assert "belongs to a shipped knowledge set" in app.press("keep_knowledge").errors
    assert not (own_settings.cache / "knowledge").exists()


@pytest.mark.parametrize(
    ("folder", "content", "page", "link", "delete"),
    [
        ("evidence", b"terms = [", "topics", {"topic_view": "lists", "list_shown": "broken"}, "delete_list"),
        ("knowledge", b"facts = [", "knowledge", {"facts": "broken"}, "delete_facts"),
        ("topics", b"groups = [", "topics", {"topic_shown": "broken"}, "delete_topic"),
    ],
)
def test_a_damaged_file_is_one_sentence_and_can_be_deleted(
    own_settings: Settings, folder: str, content: bytes, page: str, link: dict[str, str], delete: str
) -> None:
    path = own_settings.cache / folder / "broken.toml"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    app = open_app(page, **link)
    assert "broken.toml is not valid TOML" in app.errors
    assert not app.get("plotly_chart")
    assert not [box.key for box in app.sidebar.selectbox if "broken" in box.options]
    assert not app.press(delete).error
    assert not path.exists()


def test_a_cache_that_cannot_be_written_is_said(own_settings: Settings) -> None:
    own_settings.cache.mkdir(parents=True, exist_ok=True)
    for folder in ("knowledge", "topics"):
        (own_settings.cache / folder).write_text("a file where the folder should be")
    app = open_app("knowledge").upload("upload_knowledge", "sky.csv", SKY)
    assert "The knowledge set sky cannot be saved" in app.press("keep_knowledge").errors
    refused = open_app("topics", topic_shown="gender").press("duplicate_topic").errors
    assert "gender-own cannot be saved in" in refused
    assert "PCF_CACHE" in refused


def test_prompts_of_ones_own_are_about_their_names_and_no_links() -> None:
    app = open_app("fairpair").upload("upload_prompts", "named.toml", NAMED).press("keep_prompts")
    assert "about Amir and about Emily" in app.texts
    assert app.text_input(key="fp_name_1").placeholder == "Amir"
    app = open_app("fairpair")
    app.upload("upload_prompts", "mine.txt", "{name} reads http://evil.example and www.evil.example.\n")
    assert "evil.example" in app.texts
    assert "http://" not in app.texts
    assert "www.evil" not in app.texts


READ: list[tuple[Callable[[list[tuple[str, bytes]]], Any], Mapping[str, str], Callable[[Any], Any], Any]] = [
    (PROMPTS.read_upload, PROMPT_EXAMPLES, lambda prompts: prompts.texts[0], "John is a nurse."),
    (
        LISTS.read_upload,
        LIST_EXAMPLES,
        lambda found: (found.terms, found.weights or (3.0, 1.5)),
        (("swimmer", "chess player"), (3.0, 1.5)),
    ),
    (
        FACTS.read_upload,
        FACT_EXAMPLES,
        lambda facts: facts.facts[0],
        Fact(subject="France", right=("Paris",), wrong=("Rome", "Madrid")),
    ),
]


@pytest.mark.parametrize(
    ("read", "form", "example", "of", "expected"),
    [(read, *one, of, expected) for read, examples, of, expected in READ for one in examples.items()],
)
def test_the_examples_of_files_are_read(
    read: Callable[..., Any], form: str, example: str, of: Callable[[Any], Any], expected: object
) -> None:
    ending = form.strip("*").partition("**")[0].lower().replace("text", "txt")
    assert of(read([(f"own.{ending}", example.encode())])) == expected


def test_which_column_is_meant_is_asked_and_the_first_entries_are_shown() -> None:
    app = open_app("topics", topic_view="lists")
    app.upload("upload_evidence", "Trades.csv", "nr,Trade\n1,baker\n2,cook\n")
    assert not app.error
    assert "keep_evidence" not in app.button_keys
    question = app.field("Which column is term (an occupation)?")
    assert question.value is None
    question.set_value("Trade").run()
    assert ["baker", "cook"] in [list(one.value["term"]) for one in app.dataframe if "term" in one.value]
    assert "'nr' was not." in app.captions
    assert LISTS.load(app.press("keep_evidence") and "trades").terms == ("baker", "cook")


def test_pairs_or_groups_is_asked_of_a_typed_topic() -> None:
    app = open_app("topics", topic_view="new")
    app.text_area(key="typed_upload_topics_0").set_value("aunt, uncle\nniece, nephew").run()
    question = app.field(
        "Each of the 2 lines of my-topic.txt has 2 words. Are these pairs, with a word of every group in "
        "each line, or is each line a group?"
    )
    assert question.options[0] == "pairs: each line has a word of every group"
    question.set_value("pairs").run()
    app.press("keep_topics")
    topic = TOPICS.load("my-topic")
    assert [group.words for group in topic.groups] == [("aunt", "niece"), ("uncle", "nephew")]


def test_what_placeholders_stand_for_is_confirmed() -> None:
    app = open_app("templates", set_view="new").upload(
        "import_file", "masks.txt", "The <person> hoped that [MASK]\nThe <person> hoped that [MASK]\n"
    )
    assert app.field("What does [MASK] stand for?").value == "[Y]"
    assert app.field("What does <person> stand for?").value == "[X]"
    assert list(app.table_with("template")["template"]) == ["The [X] hoped that [Y]"]
    assert app.button(key="import_set").disabled
    app.field("The placeholders stand for this").check().run()
    app.press("import_set")
    (one,) = SETS.load("masks").templates
    assert (one.text, one.count) == ("The [X] hoped that [Y]", 2)


def test_a_file_with_a_chosen_column_is_saved_so_that_it_is_read_again() -> None:
    app = open_app("criteria", cr_view="hobbies", **SCORED).upload(
        "upload_names", "people.csv", "Vorname,gender\nAda,F\nCarl,M\n"
    )
    app.field("Which column is name (a given name)?").set_value("Vorname").run()
    app.press("keep_names")
    (path,) = own_files("hobbies").values()
    assert path.suffix == ".json"
    assert [one.name for one in NAMES.load(path).names] == ["Ada", "Carl"]
