"""The page Topics: seen, written, brought in, taken out, copied, deleted, looked over by the models."""

from __future__ import annotations

import pytest
from streamlit.testing.v1.element_tree import Element

from pcf_core.app.topics.edit import EXAMPLES
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group, Topic
from pcf_core.material.evidence import OWN as LISTS
from pcf_core.material.suiting import template_cards
from pcf_core.material.topics import (
    delete_topic,
    list_topics,
    load_topic,
    load_topic_upload,
    make_topic,
    own_topics,
    save_topic,
    topic_toml,
)
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.fake import FakeScorer
from pcf_core.work.requests import CHECK
from pcf_core.work.worker import Worker
from tests.pages.opened import App, open_app, own_queue, own_store
from tests.pages.own import OWN_TOPIC
from tests.quick import quick

SHIPPED = [topic.name for topic in list_topics()]


def field(app: App, label: str) -> Element:
    """The field with a label; some keys are made anew in every session."""
    fields = [*app.text_input, *app.text_area, *app.selectbox, *app.radio, *app.checkbox]
    return next(one for one in fields if one.label.replace("\\", "") == label)


def write(app: App, **values: str | bool) -> App:
    """Fill fields by their labels, with _ for a space, one after the other."""
    for label, value in values.items():
        field(app, label.replace("_", " ")).set_value(value).run()
    return app


def group_field(app: App, number: int) -> Element:
    return field(app, f"Words of group {number}, one a line")


def write_group(app: App, number: int, words: str) -> App:
    return group_field(app, number).set_value(words).run()


def view(app: App, name: str) -> App:
    return app.segmented_control(key="topic_view").set_value(name).run()


def own_view(name: str) -> App:
    return open_app("topics", topic_shown="own-topic", topic_view=name)


def upload(*files: tuple[str, str]) -> App:
    app = open_app("topics", topic_view="new")
    chosen = [(name, text.encode(), "text/plain") for name, text in files]
    return app.file_uploader(key="upload_topics").set_value(chosen).run()


# ------------------------------------------------------------------------------------------ see


@pytest.mark.parametrize("name", quick(SHIPPED, ("race", "gender-zh").__contains__))
def test_every_shipped_topic_is_shown(name: str) -> None:
    app = open_app("topics", topic_shown=name)
    assert not app.error
    assert len(app.dataframe[0].value) == len(load_topic(name).words)
    assert "delete_topic" not in app.button_keys
    assert "Left out" not in app.said or load_topic(name).left_out


def test_other_pages_and_the_sidebar_offer_an_own_topic(own_topic: Topic) -> None:
    app = own_view("see")
    assert "own-topic" in app.sidebar.selectbox(key="topic").options
    app.press("use_topic")
    assert app.sidebar.selectbox(key="topic").value == "own-topic"
    score = open_app("run_an_audit", topic="own-topic")
    assert not score.error
    assert "own-topic" in [option for box in score.selectbox for option in box.options]


# ---------------------------------------------------------------------------------------- write


def test_a_shipped_topic_is_changed_into_an_own_one() -> None:
    app = open_app("topics", topic_shown="gender-pronouns", topic_view="edit")
    assert "comes with the app" in app.said
    assert field(app, "Name").value == "gender-pronouns-own"
    write_group(app, 1, "he\n  his \n")
    write_group(app, 2, "she\nher")
    write(app, Title="Pronouns, mine", Notes="Ours.")
    app.press("save_topic")
    kept = load_topic("gender-pronouns-own")
    assert [group.words for group in kept.groups] == [("he", "his"), ("she", "her")]
    assert (kept.title, kept.notes) == ("Pronouns, mine", "Ours.")
    assert kept.source.startswith("Made from the topic gender-pronouns.")
    assert (kept.templates, kept.aligned) == ("gender-wikipedia-100", load_topic("gender-pronouns").aligned)
    assert app.selectbox(key="topic_shown").value == "gender-pronouns-own"
    assert app.segmented_control(key="topic_view").value == "see"
    assert load_topic("gender-pronouns").groups[0].words == ("he",)


def test_an_own_topic_is_changed_in_place(own_topic: Topic) -> None:
    app = own_view("edit")
    write(app, Language="de", What_a_word_is_in_its_sentence="predicate", Usual_templates="race-relative")
    write(app, Words_of_one_line_are_counterparts=True, Source="Duden", Usual_occupations="sports")
    app.press("save_topic")
    kept = load_topic("own-topic")
    assert (kept.language, kept.position, kept.templates) == ("de", "predicate", "race-relative")
    assert (kept.aligned, kept.source, kept.evidence) == (True, "Duden", "sports")
    assert kept.hash == OWN_TOPIC.hash
    assert own_topics() == ("own-topic",)


def test_what_is_not_right_is_said_under_the_form_and_not_saved(own_topic: Topic) -> None:
    app = own_view("edit")
    write_group(app, 2, "she\nHe")
    assert "'He' is in the groups one and two" in app.warnings
    app.press("save_topic")
    assert "'He' is in the groups one and two" in app.errors
    assert not app.warning, "said once"
    assert load_topic("own-topic") == own_topic
    write_group(app, 2, "")
    assert "the group two has no words" in app.warnings
    write(app, Name="Not Safe")
    write_group(app, 2, "she")
    assert "the name is 'Not Safe'" in app.warnings
    write(app, Name="gender")
    app.press("save_topic")
    assert "belongs to a shipped topic" in app.errors
    assert own_topics() == ("own-topic",)


def test_a_bad_name_is_said_beside_the_missing_words_and_once() -> None:
    app = open_app("topics", topic_view="new")
    write(app, Name="<b>x</b>")
    (warning,) = app.warning
    app.press("save_topic")
    (error,) = app.error
    assert not app.warning
    for told in (warning.value, error.value):
        assert "the name is '<b>x</b>'; use small letters" in told.replace("\\", "")
        assert "the group first has no words" in told


def test_a_gap_among_counterparts_is_no_shift(own_topic: Topic) -> None:
    app = own_view("edit")
    write_group(app, 1, "he\n\nhis\n\n")
    assert not app.warning
    write_group(app, 2, "she\nqueen")
    write(app, Words_of_one_line_are_counterparts=True)
    assert "a word of the group one is empty" in app.warnings


def test_groups_are_added_and_removed_and_other_fields_stay(own_topic: Topic) -> None:
    app = own_view("edit")
    write_group(app, 1, "king")
    app.press("add_group")
    write_group(app, 3, "they")
    next(button for button in app.button if button.label == "Remove two").click().run()
    names = [one for one in app.text_input if one.label == "Group"]
    assert [one.value for one in names] == ["one", "group-3"]
    names[1].set_value("three").run()
    app.press("save_topic")
    groups = {group.name: group.words for group in load_topic("own-topic").groups}
    assert groups == {"one": ("king",), "three": ("they",)}


@pytest.mark.slow
def test_what_is_written_survives_other_pages_and_is_discarded(own_topic: Topic) -> None:
    app = own_view("edit")
    write_group(app, 1, "king")
    app.switch_page("pages/models.py").run()
    app.switch_page("pages/topics.py").run()
    app.selectbox(key="topic_shown").set_value("own-topic").run()
    view(app, "see")
    assert "Changes are not saved." in app.said
    assert "he, his" in list(app.table[0].value["words"])
    view(app, "preview")
    assert set(app.dataframe[0].value["word"]) == {"king", "she", "*b*"}
    view(app, "edit")
    assert group_field(app, 1).value == "king"
    app.press("discard_topic")
    assert group_field(app, 1).value == "he\nhis"
    assert "not saved" not in view(app, "see").said


def test_what_another_session_saved_is_not_overwritten(own_topic: Topic) -> None:
    app = own_view("edit")
    write(app, Notes="Mine.")
    save_topic(OWN_TOPIC.model_copy(update={"notes": "Theirs."}), replace=True)
    app.press("save_topic")
    assert "saved elsewhere since you began" in app.errors
    assert load_topic("own-topic").notes == "Theirs."
    write(app, Name="other-name")
    app.press("save_topic")
    assert load_topic("other-name").notes == "Mine."


def test_a_new_topic_is_written() -> None:
    app = open_app("topics", topic_view="new")
    assert "Write two groups or more" in app.said
    assert not app.warning
    write(app, Name="cats-dogs", Title="Cats and dogs")
    assert "the group first has no words" in app.warnings
    write_group(app, 1, "cat\ncats")
    write_group(app, 2, "dog")
    app.press("save_topic")
    assert load_topic("cats-dogs").words == ("cat", "cats", "dog")
    assert app.selectbox(key="topic_shown").value == "cats-dogs"
    assert field(view(app, "new"), "Name").value == "my-topic"


# ------------------------------------------------------------------------------------ in and out


def test_a_topic_is_duplicated_downloaded_and_deleted(own_topic: Topic) -> None:
    app = own_view("see")
    assert "download_topic" in [button.key for button in app.get("download_button")]
    app.press("duplicate_topic")
    assert own_topics() == ("own-topic", "own-topic-own")
    assert load_topic("own-topic-own").hash == OWN_TOPIC.hash
    assert app.segmented_control(key="topic_view").value == "edit"
    view(app, "see").press("delete_topic")
    assert own_topics() == ("own-topic",)
    assert app.selectbox(key="topic_shown").value == "gender"
    assert not app.error


@pytest.mark.parametrize(
    ("files", "name", "words"),
    [
        ([("own.toml", topic_toml(OWN_TOPIC))], "own-topic", OWN_TOPIC.words),
        ([("Meine Liste.csv", "group,word\na,x\nb,y\n")], "meine-liste", ("x", "y")),
        ([("own.json", '{"groups": [{"name": "a", "words": ["x"]}, {"name": "b", "words": ["y"]}]}')],
         "own", ("x", "y")),
        ([("male.txt", "he\nhis\n"), ("female.txt", "she\n")], "male-female", ("he", "his", "she")),
    ],
)  # fmt: skip
def test_files_are_uploaded(files: list[tuple[str, str]], name: str, words: tuple[str, ...]) -> None:
    app = upload(*files)
    assert not app.error
    app.press("keep_topics")
    assert load_topic(name).words == words
    assert app.selectbox(key="topic_shown").value == name
    assert app.segmented_control(key="topic_view").value == "see"


def test_an_upload_replaces_no_topic(own_topic: Topic) -> None:
    app = upload(("own.toml", topic_toml(OWN_TOPIC.model_copy(update={"notes": "Other notes."}))))
    assert field(app, "Name of the topic").value == "own-topic-own"
    write(app, Name_of_the_topic="own-topic")
    app.press("keep_topics")
    assert "There is a topic of yours named own-topic" in app.errors
    assert own_topics() == ("own-topic",)


@pytest.mark.parametrize(("what", "example"), EXAMPLES.items())
def test_the_examples_of_files_are_read(what: str, example: str) -> None:
    form = what.strip("*").partition("**")[0]
    files = (
        {"male.txt": example, "female.txt": "she"}
        if form == "Text files"
        else {f"own.{'txt' if form == 'Text' else form.lower()}": example}
    )
    topic = load_topic_upload([(name, text.encode()) for name, text in files.items()])
    assert set(topic.words) >= ({"white", "african"} if "list" in what else {"he", "man", "she"})


def test_a_published_list_is_kept() -> None:
    app = upload(("gender.txt", "son,he\ndaughter,she\n"))
    assert "It compares son (2 words) and daughter (2 words)" in app.said
    assert field(app, "Name of the topic").value == "gender-own"
    app.press("keep_topics")
    assert load_topic("gender-own").group_names == ("son", "daughter")


def test_a_topic_that_the_sidebar_shows_can_be_deleted(own_topic: Topic) -> None:
    app = open_app("topics", topic="own-topic", topic_shown="own-topic")
    app.press("delete_topic")
    assert own_topics() == ()
    assert not app.error
    assert "no topic named 'own-topic'" in open_app("risk", topic="own-topic").errors


def test_a_topic_that_a_shipped_one_hides_is_named(own_topic: Topic, own_settings: Settings) -> None:
    kept = own_settings.cache / "topics" / "own-topic.toml"
    hidden = kept.rename(kept.with_name("gender.toml"))
    app = open_app("topics")
    (warning,) = app.warning
    assert f"its file {hidden} has another name" in warning.value.replace("\\", "")


def test_a_list_of_ones_own_is_offered_by_the_sidebar_and_forms() -> None:
    assert open_app("topics", topic_view="lists").selectbox(key="list_shown").value == "occupations-bvf"
    LISTS.save(LISTS.read_upload([("my-sports.csv", b"term,weight\n*chess* player,3\nswimmer,0.5\n")]))
    app = open_app("topics", topic_view="lists", list_shown="my-sports")
    assert list(app.dataframe[0].value["weight"]) == [3.0, 0.5]
    assert app.sidebar.selectbox(key="evidence").options[-1] == "my-sports"
    assert "my-sports" in [option for box in open_app("run_an_audit").selectbox for option in box.options]
    risk = open_app("risk", evidence="my-sports")
    assert not risk.error
    assert risk.sidebar.selectbox(key="evidence").value == "my-sports"
    assert "my-sports" not in app.press("delete_list").sidebar.selectbox(key="evidence").options


# ------------------------------------------------------------------------------- preview and check


def test_the_preview_puts_every_word_into_the_heaviest_templates(own_topic: Topic) -> None:
    app = own_view("preview")
    rows = app.dataframe[0].value
    assert len(rows) == 5 * 4
    first = rows.iloc[0]
    assert (first["group"], first["word"]) == ("one", "he")
    assert first["sentence"].endswith("he")
    term = app.selectbox(key="preview_term")
    term.set_value(term.options[1]).run()
    assert term.options[1] in app.dataframe[0].value["sentence"].iloc[0]


def open_fake(spec: ModelSpec, protocol: str) -> Scorer:
    """he is 0.2, all else 0.01; mini-gpt knows no ``she`` and takes he and his for one word."""
    gpt = spec.name == "mini-gpt"
    return FakeScorer(
        lambda prompt, word: 0.2 if word == "he" else 0.01,
        key=ScoringKey.of(spec, protocol),
        tokens={"his": 2},
        refused={"she": "unk"} if gpt else {},
        same=[("he", "his")] if gpt else [],
    )


@pytest.fixture
def worker(own_settings: Settings) -> Worker:
    return Worker(own_store(), own_queue(), own_settings, open_fake)


def test_the_chosen_models_look_the_words_over(own_topic: Topic, worker: Worker) -> None:
    app = own_view("check")
    assert "No worker is running" in app.infos
    worker.run(until_idle=True)
    app.run()
    assert not app.error
    text = app.said
    assert "mini-bert can score all 4 words. Single-token scoring would leave out 1 of these." in text
    assert "mini-gpt can score 3 of 4 words; those that count have one token." in text
    assert "On 10 sentences, mini-gpt gives the words together a median probability of 21 %" in text
    assert "mini-bert gives the words of 1 token together a median probability of 22 %" in text
    assert "mini-gpt reads these as the same word: he = his. The first of each counts, once." in app.warnings
    assert "he = his. Each counts" in app.infos
    words, probes = app.dataframe[0].value, app.dataframe[1].value
    refused = words[(words["model"] == "mini-gpt") & (words["word"] == "she")].iloc[0]
    assert (refused["cannot be scored"], refused["left out by single-token"]) == ("unk", "unk")
    assert len(words) == 2 * 4
    assert len(probes) == 2 * 10
    assert len(worker.queue.list(kind=CHECK)) == 2
    app.run()
    assert len(worker.queue.list(kind=CHECK)) == 2


def test_the_check_is_of_what_is_written(own_topic: Topic, worker: Worker) -> None:
    app = open_app("topics", topic_shown="own-topic", topic_view="edit", model=["mini-bert"])
    write_group(app, 1, "king\nkings")
    view(app, "check")
    assert "king = kings" in app.infos
    worker.run(until_idle=True)
    assert set(view(app, "check").dataframe[0].value["word"]) == {"king", "kings", "she", "*b*"}


@pytest.mark.parametrize("button", ["save_topic", "discard_topic"])
def test_what_is_written_outlives_the_topic(own_topic: Topic, button: str) -> None:
    app = own_view("edit")
    write_group(app, 1, "he\nking")
    delete_topic("own-topic")
    app.run()
    assert "was deleted since you began to change it" in app.warnings
    assert group_field(app, 1).value == "he\nking"
    app.press(button)
    if button == "save_topic":
        assert load_topic("own-topic").groups[0].words == ("he", "king")
    else:
        assert "There is no topic named 'own-topic'" in app.errors


def test_a_topic_without_usual_lists_begins_with_texts_that_suit_it() -> None:
    words = [Group(name="one", words=("rich",)), Group(name="two", words=("poor",))]
    save_topic(make_topic("money", words, position="predicate"))
    app = open_app("risk", topic="money")
    cards = template_cards()
    assert cards[app.selectbox(key="templates").value].form == "attributive"
    assert app.selectbox(key="evidence").value == "occupations-bvf"
    score = open_app("run_an_audit", score_topic="money")
    assert cards[score.selectbox(key="score_templates").value].form == "attributive"
    assert score.selectbox(key="score_evidence").value == "occupations-bvf"
