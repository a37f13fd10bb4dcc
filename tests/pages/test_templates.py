"""The page Templates: a set seen and edited, with every state and nothing scored."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from pcf_core.app.lists import set_names
from pcf_core.audit.case import restricted
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import load_result
from pcf_core.core.settings import Settings
from pcf_core.core.topics import MinedSet
from pcf_core.material.template_files import csv_bytes
from pcf_core.material.templates import load_mined, own_template_sets, save_set
from pcf_core.material.topics import load_topic
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.store.store import Store
from tests.pages.opened import App, open_app, own_queue, usual_run
from tests.pages.own import OWN_SET, tick


def own_names() -> set[str]:
    return set(own_template_sets())


def edited() -> App:
    return open_app("templates", set="own-set", set_view="edit")


# ----------------------------------------------------------------------------------- list, new


def test_all_sets_are_listed_first_damaged_ones_by_their_name(
    own_set: MinedSet, own_settings: Settings
) -> None:
    save_set(OWN_SET.model_copy(update={"name": "broken"}))
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


def test_the_card_of_a_set_says_what_its_row_does_and_opens_it(own_set: MinedSet) -> None:
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


def test_what_cannot_be_a_set_is_refused_in_a_sentence() -> None:
    app = open_app("templates", set_view="new")
    for lines, name, refused in (
        ("", "empty", "has no templates"),
        ("The nurse said that she", "none", "[X]"),
        ("The [X] said that [Y]\nThe [X] said that [Y]", "twice", "stands twice"),
        ("The [X] said that [Y]", "Not A Name", "name"),
        ("The [X] said that [Y]", "gender-nineteen", "gender-nineteen"),
    ):
        app.text_area(key="new_set_lines").set_value(lines)
        app.text_input(key="new_set_name").set_value(name).run()
        assert refused in app.press("save_new_set").errors
    assert own_names() == set()


# ------------------------------------------------------------------------------------------ see


def test_where_a_template_and_its_set_come_from_is_answered(own_set: MinedSet) -> None:
    app = open_app("templates", set="own-set")
    assert app.code[0].value == "enwiki-1@10\n<b>doc</b>@4"
    app.selectbox(key="origin_of").set_value("The [X] sang while [Y]").run()
    assert "The set does not say" in app.said
    facts = app.open_foot().table[0].value["value"]
    assert (facts["licence"], facts["parser"]) == ("CC0", "not stated")
    assert "1. Mined from the toy corpus." in app.said


def test_a_damaged_set_is_one_sentence(own_set: MinedSet, own_settings: Settings) -> None:
    (own_settings.cache / "templates" / "own-set.parquet").write_bytes(b"no parquet")
    app = open_app("templates", set="own-set")
    assert len(app.error) == 1
    assert "own-set.parquet" in app.errors
    assert [title.value for title in open_app("run_an_audit").title] == ["Run an audit"]


def test_a_users_text_is_never_markup(own_set: MinedSet) -> None:
    app = tick(edited(), 2)
    app.press("drop_rows")
    shown = next(element.value for element in app.markdown if "not saved" in element.value)
    assert "\\:red\\[found\\]" in shown
    assert ":red[found]" not in shown


# ----------------------------------------------------------------------------------------- edit


@pytest.mark.slow
def test_what_another_session_saved_is_not_overwritten(own_set: MinedSet) -> None:
    app, other = (edited() for _ in range(2))
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


def test_dropping_undoing_and_saving_with_history(own_set: MinedSet) -> None:
    app = tick(edited(), 1, 3)
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
    assert [template.text for template in kept.templates] == [item.text for item in OWN_SET.templates[:3]]
    assert kept.templates[0].examples == OWN_SET.templates[0].examples
    assert kept.card.parents == ("own-set",)
    assert len(kept.card.history) == 3
    assert load_mined("own-set") == own_set
    assert app.selectbox(key="set").value == "smaller"
    assert "not saved" not in app.said


def test_saving_under_its_own_name_replaces_an_own_set(own_set: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="edit", find="that")
    app.press("keep_found")
    app.press("save_set")
    assert [template.count for template in load_mined("own-set").templates] == [10, 5, 4]
    assert not app.error


def test_a_shipped_set_is_never_replaced(own_set: MinedSet) -> None:
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


def test_merging_ticked_rows(own_set: MinedSet) -> None:
    app = tick(edited(), 0, 1)
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
    own_set: MinedSet, fields: dict[str, str | float], button: str, counts: list[float]
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


def test_uniting_adds_the_counts_of_another_set(own_set: MinedSet) -> None:
    app = edited()
    app.selectbox(key="unite_with").set_value("gender-reporting").run()
    app.press("unite_sets")
    counts = dict(zip(app.dataframe[0].value["template"], app.dataframe[0].value["count"], strict=True))
    shipped = {template.text: template.count for template in load_mined("gender-reporting").templates}
    assert counts["The [X] said that [Y]"] == 10 + shipped["The [X] said that [Y]"]
    assert "Mined from the toy corpus." in open_history(app)


def open_history(app: App) -> str:
    app.segmented_control(key="set_view").set_value("see").run()
    return app.open_foot().said


def test_a_refused_change_is_a_sentence_and_changes_nothing(own_set: MinedSet) -> None:
    app = edited()
    app.text_input(key="add_text").set_value("no slots")
    app.press("add_template")
    assert "exactly one [X]" in app.errors
    app.number_input(key="cut_count").set_value(100.0)
    app.press("cut_by_count")
    assert "cut lower" in app.errors
    assert "not saved" not in app.said


def test_edits_stay_with_their_set_until_discarded(own_set: MinedSet) -> None:
    app = edited()
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


def test_what_cannot_be_imported_is_refused_with_its_line(own_set: MinedSet) -> None:
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


def test_what_is_exported_can_be_imported(own_set: MinedSet) -> None:
    app = edited()
    assert {"export_csv", "export_parquet"} <= {button.key for button in app.get("download_button")}
    app = open_app("templates", set_view="new")
    app.file_uploader(key="import_file").upload("again.csv", csv_bytes(own_set), "text/csv").run()
    app.press("import_set")
    assert load_mined("again").templates == own_set.templates


def test_an_own_set_is_deleted_after_a_second_question(own_set: MinedSet) -> None:
    app = edited()
    app.press("delete_set")
    assert own_names() == set()
    assert app.selectbox(key="set").value != "own-set"
    assert not app.error
    shipped = open_app("templates", set="gender-nineteen", set_view="edit")
    assert "delete_set" not in shipped.button_keys


# ----------------------------------------------------------------------- effect on scored runs


def test_a_cut_is_previewed_on_cached_runs_without_scoring(full_store: Store) -> None:
    app = open_app("templates", set="gender-nineteen", set_view="preview", keep="5")
    assert not app.error
    run = usual_run("mini-gpt")
    heaviest = sorted(run.templates.templates, key=lambda item: (-item.count, item.text))[:5]
    found = restricted(
        load_result(full_store, run),
        run,
        [item.text for item in heaviest],
        [item.count for item in heaviest],
        ViewOptions(),
    )
    sentence = next(line for line in app.said.splitlines() if line.startswith("The risk of mini-gpt"))
    assert "over the 19 templates of gender-nineteen and" in sentence
    assert f"and {two_decimals(found.overall_risk)} (" in sentence
    table = app.dataframe[0].value
    row = table[(table["model"] == "mini-gpt") & table["templates"].str.startswith("5 templates")]
    assert row["overall_risk"].item() == found.overall_risk
    assert row["caprice_risk"].item() == found.caprice_risk
    assert own_queue().list() == ()


def test_an_edited_set_is_previewed_as_it_stands(full_store: Store) -> None:
    app = open_app("templates", set="gender-nineteen", set_view="edit", keep="4")
    app.press("cut_to_top")
    app.segmented_control(key="set_view").set_value("preview").run()
    assert {metric.label: metric.value for metric in app.metric}["Templates"] == "4"
    assert "4 templates of gender-nineteen" in set(app.dataframe[0].value["templates"])


def test_a_set_that_no_run_covers_says_what_to_do(own_set: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="preview")
    assert "No run in the cache has scored these templates" in app.said
    links = [link.proto for link in app.get("page_link") if link.proto.page == "run_an_audit"]
    assert "score_templates=own-set" in links[0].query_string
    app.segmented_control(key="set_view").set_value("edit").run()
    app.press("full_stops")
    app.segmented_control(key="set_view").set_value("preview").run()
    assert "Save the set under edit first" in app.said.replace("*", "")
    assert not [
        link for link in app.get("page_link") if link.proto.page == "run_an_audit" and link.proto.query_string
    ]


def test_a_set_that_is_covered_in_part_says_how_much(full_store: Store, own_set: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="preview")
    little = "is scored to be read: mini-bert 75 %, mini-gpt 75 %."
    assert f"Too little of this choice's weight {little}" in app.said
    assert not app.get("plotly_chart")
    app = open_app("templates", set="own-set", set_view="compare", other="gender-nineteen")
    assert "No model has scored both sets" in app.said
    assert little in app.said
