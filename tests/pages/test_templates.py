"""The page Templates: a set seen and edited, with every state and nothing scored."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from pcf_core.app.lists import set_names
from pcf_core.core.settings import Settings
from pcf_core.core.topics import MinedSet
from pcf_core.material.template_files import csv_bytes
from pcf_core.material.templates import load_mined, own_template_sets, save_set
from pcf_core.material.topics import load_topic
from tests.pages.mined import OWN, tick
from tests.pages.opened import App, open_app


@pytest.fixture
def own() -> MinedSet:
    """A set of the user's own."""
    return save_set(OWN)


def own_names() -> set[str]:
    return set(own_template_sets())


# ----------------------------------------------------------------------------------- list, new


def test_all_sets_are_listed_first_damaged_ones_by_their_name(own: MinedSet, own_settings: Settings) -> None:
    save_set(OWN.model_copy(update={"name": "broken"}))
    (own_settings.cache / "templates" / "broken.parquet").write_bytes(b"no parquet")
    app = open_app("templates")
    table = app.dataframe[0].value.set_index("set")
    assert list(table.index) == set_names()
    assert table.loc["own-set"].drop("corpus").to_dict() == {
        "title": "Own",
        "language": "en",
        "stands at [Y]": "",
        "templates": 4,
        "effective": "2.8",
        "whose": "your own",
    }
    assert table["whose"].value_counts().to_dict() == {"comes with the app": len(table) - 2, "your own": 2}
    assert "damaged" in table.loc["broken", "title"]


def test_a_set_is_opened_from_the_list(own: MinedSet) -> None:
    app = open_app("templates")
    app.session_state["set_view"] = "see"
    app.session_state["set"] = "own-set"
    app.run()
    assert "half of it lies in 1 of 4 templates" in app.said


def test_the_card_of_a_set_says_what_its_row_does_and_opens_it(own: MinedSet) -> None:
    app = open_app("templates")
    assert "Own  \n4 templates, 2.8 effective  \nyour own" in app.said
    app.press("open_own-set")
    assert app.segmented_control(key="set_view").value == "see"
    assert "half of it lies in 1 of 4 templates" in app.said


def test_a_set_is_written_and_scored_on_a_topic_that_it_suits() -> None:
    app = open_app("templates", set_view="new")
    app.selectbox(key="new_set_form").set_value("attributive").run()
    app.text_area(key="new_set_lines").set_value("The [X], who slept, is [Y]\n\n The [X], who sang, is [Y] ")
    app.text_input(key="new_set_name").set_value("sleepers").run()
    app.press("save_new_set")
    kept = load_mined("sleepers")
    assert [template.text for template in kept.templates] == [
        "The [X], who slept, is [Y]",
        "The [X], who sang, is [Y]",
    ]
    assert kept.card.form == "attributive"
    assert app.segmented_control(key="set_view").value == "see"
    (link,) = [
        element.proto for element in app.get("page_link") if element.proto.label == "Score with this set"
    ]
    asked = parse_qs(link.query_string)
    assert asked["score_templates"] == ["sleepers"]
    assert load_topic(asked["score_topic"][0]).position == "predicate"


@pytest.mark.parametrize(
    ("lines", "name", "refused"),
    [
        ("", "empty", "has no templates"),
        ("The nurse said that she", "none", "[X]"),
        ("The [X] said that [Y]\nThe [X] said that [Y]", "twice", "stands twice"),
        ("The [X] said that [Y]", "Not A Name", "name"),
        ("The [X] said that [Y]", "gender-nineteen", "gender-nineteen"),
    ],
)
def test_what_cannot_be_a_set_is_refused_in_a_sentence(lines: str, name: str, refused: str) -> None:
    app = open_app("templates", set_view="new")
    app.text_area(key="new_set_lines").set_value(lines)
    app.text_input(key="new_set_name").set_value(name).run()
    app.press("save_new_set")
    assert refused in app.errors
    assert own_names() == set()


# ------------------------------------------------------------------------------------------ see


def test_a_set_is_told_in_words_figures_picture_and_table(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", keep="2")
    assert app.titles == ["Templates"]
    assert not app.error
    assert (
        "The heaviest template carries 50 % of the weight; half of it lies in 1 of 4 templates.  \n"
        "Mined from 40 sentences in 12 documents and 900 words. The source is toy corpus. "
        "This set covers 50 % of the sentences found.  \n"
        "The cut keeps the 2 heaviest: 75 % of the weight and 50 % of the templates."
    ) in app.said
    assert {metric.label: metric.value for metric in app.metric} == {
        "Templates": "4",
        "Total count": "20",
        "Effective number": "2.8",
        "Kept of this set": "75 %",
    }
    assert "Corpus: toy corpus · licence of its texts: CC0" in app.said
    assert len(app.get("plotly_chart")) == 1
    table = app.dataframe[0].value
    assert list(table["template"]) == [template.text for template in OWN.templates]
    assert list(table["mass"]) == [0.5, 0.75, 0.95, 1.0]
    assert table["sources"].iloc[0] == "enwiki: 8; simplewiki: 2"


def test_where_a_template_comes_from_is_answered(own: MinedSet) -> None:
    app = open_app("templates", set="own-set")
    assert "10 times in 7 documents. Sources: enwiki: 8; simplewiki: 2." in app.said
    assert app.code[0].value == "enwiki-1@10\n<b>doc</b>@4"
    app.selectbox(key="origin_of").set_value("The [X] sang while [Y]").run()
    assert "The set does not say" in app.said


def test_the_filter_is_in_the_link_and_an_empty_answer_is_a_state(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", find="that -said")
    assert list(app.dataframe[0].value["rank"]) == [2, 3]
    assert "2 of 4 templates" in app.said
    app = open_app("templates", set="own-set", set_view="edit", find="nowhere")
    assert "No template has these words" in app.infos


def test_the_card_stands_under_provenance(own: MinedSet) -> None:
    app = open_app("templates", set="own-set").open_foot()
    facts = app.table[0].value["value"]
    assert facts["licence"] == "CC0"
    assert facts["parser"] == "not stated"
    assert "1. Mined from the toy corpus." in app.said


@pytest.mark.parametrize("name", ["gender-nineteen", "gender-heatmap", "gender-reporting"])
def test_every_papers_set_is_read_heaviest_first(name: str) -> None:
    app = open_app("templates", set=name)
    counts = list(app.dataframe[0].value["count"])
    assert not app.error
    assert counts == sorted(counts, reverse=True)


def test_a_link_to_a_set_that_is_gone_says_so() -> None:
    app = open_app("templates", set=":red[gone]")
    assert "There is no template set named ':red[gone]'" in app.errors
    assert ":red[" not in app.errors


def test_a_damaged_set_is_one_sentence(own: MinedSet, own_settings: Settings) -> None:
    (own_settings.cache / "templates" / "own-set.parquet").write_bytes(b"no parquet")
    app = open_app("templates", set="own-set")
    assert len(app.error) == 1
    assert "own-set.parquet" in app.errors
    assert [title.value for title in open_app("run_an_audit").title] == ["Run an audit"]


def test_a_users_text_is_never_markup(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="edit")
    tick(app, 2)
    app.press("drop_rows")
    shown = next(element.value for element in app.markdown if "not saved" in element.value)
    assert "\\:red\\[found\\]" in shown
    assert ":red[found]" not in shown


# ----------------------------------------------------------------------------------------- edit


@pytest.mark.slow
def test_what_another_session_saved_is_not_overwritten(own: MinedSet) -> None:
    app, other = (open_app("templates", set="own-set", set_view="edit") for _ in range(2))
    for session, row in ((app, 1), (other, 2)):
        tick(session, row)
        session.press("drop_rows")
    other.press("save_set")
    saved = load_mined("own-set")
    app.press("save_set")
    assert "was saved elsewhere since you began" in app.errors
    assert load_mined("own-set") == saved
    app.press("discard")
    tick(app, 1)
    app.press("drop_rows")
    app.press("save_set")
    assert not app.error
    assert len(load_mined("own-set").templates) == len(saved.templates) - 1


def test_dropping_undoing_and_saving_with_history(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="edit")
    tick(app, 1, 3)
    assert app.button(key="drop_rows").label == "Drop 2 rows"
    app.press("drop_rows")
    assert "1 change is not saved." in app.said
    assert {metric.label: metric.value for metric in app.metric}["Templates"] == "2"
    assert app.metric[0].delta == "changed, not saved"
    app.press("undo")
    assert app.metric[0].delta == "your own set"
    assert "not saved" not in app.said
    tick(app, 3)
    app.press("drop_rows")
    app.text_input(key="save_name_own-set").set_value("smaller").run()
    app.press("save_set")
    kept = load_mined("smaller")
    assert [template.text for template in kept.templates] == [item.text for item in OWN.templates[:3]]
    assert kept.templates[0].examples == OWN.templates[0].examples
    assert kept.card.parents == ("own-set",)
    assert len(kept.card.history) == 3
    assert load_mined("own-set") == own
    assert app.selectbox(key="set").value == "smaller"
    assert "not saved" not in app.said


def test_saving_under_its_own_name_replaces_an_own_set(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="edit", find="that")
    app.press("keep_found")
    app.press("save_set")
    assert [template.count for template in load_mined("own-set").templates] == [10, 5, 4]
    assert not app.error


def test_a_shipped_set_is_never_replaced(own: MinedSet) -> None:
    app = open_app("templates", set="gender-reporting", set_view="edit")
    app.text_input(key="save_name_gender-reporting").set_value("gender-reporting").run()
    app.press("save_set")
    assert "belongs to a shipped template set" in app.errors
    app.text_input(key="save_name_gender-reporting").set_value("own-set").run()
    app.press("save_set")
    assert "choose another name" in app.errors
    app.text_input(key="save_name_gender-reporting").set_value("Not a name!").run()
    app.press("save_set")
    assert "small letters" in app.errors
    assert own_names() == {"own-set"}


def test_merging_ticked_rows(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="edit")
    tick(app, 0, 1)
    app.press("merge_rows")
    table = app.dataframe[0].value
    assert list(table["template"])[:1] == ["The [X] said that [Y]"]
    assert list(table["count"]) == [15, 4, 1]


@pytest.mark.parametrize(
    ("fields", "button", "counts"),
    [
        ({"add_text": "The [X] wept when [Y]", "add_count": 7.0}, "add_template", [10, 7, 5, 4, 1]),
        ({"cut_count": 5.0}, "cut_by_count", [10, 5]),
        ({}, "cut_to_top", [10, 5, 4]),
        ({}, "full_stops", [10, 5, 4, 1]),
    ],
)
def test_changes_of_the_whole_set(
    own: MinedSet, fields: dict[str, str | float], button: str, counts: list[float]
) -> None:
    app = open_app("templates", set="own-set", set_view="edit", keep="3")
    for key, value in fields.items():
        field = app.text_input(key=key) if isinstance(value, str) else app.number_input(key=key)
        field.set_value(value)
    app.press(button)
    table = app.dataframe[0].value
    assert list(table["count"]) == counts
    assert all(text.endswith(".") for text in table["template"]) is (button == "full_stops")
    assert "1 change is not saved." in app.said


def test_uniting_adds_the_counts_of_another_set(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="edit")
    app.selectbox(key="unite_with").set_value("gender-reporting").run()
    app.press("unite_sets")
    counts = dict(zip(app.dataframe[0].value["template"], app.dataframe[0].value["count"], strict=True))
    shipped = {template.text: template.count for template in load_mined("gender-reporting").templates}
    assert counts["The [X] said that [Y]"] == 10 + shipped["The [X] said that [Y]"]
    assert "Mined from the toy corpus." in open_history(app)


def open_history(app: App) -> str:
    app.segmented_control(key="set_view").set_value("see").run()
    return app.open_foot().said


def test_a_refused_change_is_a_sentence_and_changes_nothing(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="edit")
    app.text_input(key="add_text").set_value("no slots")
    app.press("add_template")
    assert "exactly one [X]" in app.errors
    app.number_input(key="cut_count").set_value(100.0)
    app.press("cut_by_count")
    assert "cut lower" in app.errors
    assert "not saved" not in app.said


def test_edits_stay_with_their_set_until_discarded(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="edit")
    app.press("full_stops")
    app.selectbox(key="set").set_value("gender-nineteen").run()
    assert "not saved" not in app.said
    app.selectbox(key="set").set_value("own-set").run()
    assert "1 change is not saved." in app.said
    app.press("discard")
    assert "not saved" not in app.said


def test_the_papers_published_form_is_imported() -> None:
    app = open_app("templates", set_view="new")
    data = "template,proportion\nThe [X] said that [Y],30\nThe [X] sang that [Y],10\n"
    app.file_uploader(key="import_file").upload("Meine Liste (neu).csv", data.encode(), "text/csv").run()
    assert "meine-liste-neu" in [field.value for field in app.text_input]
    app.press("import_set")
    kept = load_mined("meine-liste-neu")
    assert [(template.text, template.count) for template in kept.templates] == [
        ("The [X] said that [Y]", 30),
        ("The [X] sang that [Y]", 10),
    ]
    assert kept.card.history == ("Imported from Meine Liste (neu).csv.",)
    assert app.selectbox(key="set").value == "meine-liste-neu"


def test_what_cannot_be_imported_is_refused_with_its_line(own: MinedSet) -> None:
    app = open_app("templates", set_view="new")
    field = app.file_uploader(key="import_file")
    field.upload("own-set.csv", b"template,count\nThe [X] said that [Y],many\n", "text/csv").run()
    app.press("import_set")
    assert "There is a template set of yours named own-set" in app.errors
    name = next(field for field in app.text_input if field.value == "own-set")
    name.set_value("other").run()
    app.press("import_set")
    assert "line 2" in app.errors
    assert own_names() == {"own-set"}


def test_what_is_exported_can_be_imported(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="edit")
    assert {"export_csv", "export_parquet"} <= {button.key for button in app.get("download_button")}
    app = open_app("templates", set_view="new")
    app.file_uploader(key="import_file").upload("again.csv", csv_bytes(own), "text/csv").run()
    app.press("import_set")
    assert load_mined("again").templates == own.templates


def test_an_own_set_is_deleted_after_a_second_question(own: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="edit")
    app.press("delete_set")
    assert own_names() == set()
    assert app.selectbox(key="set").value != "own-set"
    assert not app.error
    shipped = open_app("templates", set="gender-nineteen", set_view="edit")
    assert "delete_set" not in shipped.button_keys
