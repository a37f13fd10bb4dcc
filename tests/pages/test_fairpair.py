"""The tab FairPair: asked, written by a worker, compared, and read down to texts, which are no markup."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from pcf_core.app.fairpair.links import SEEN, Choices, choices_of, parameters_of
from pcf_core.app.fairpair.tab import EXAMPLES
from pcf_core.app.fairpair.views import marked
from pcf_core.app.queue import progress_text
from pcf_core.app.widgets import JOINER
from pcf_core.core.errors import ScoringError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import Settings, settings
from pcf_core.models.generation.base import Generator
from pcf_core.models.generation.fake import FakeGenerator
from pcf_core.show.findings.fairpair import categories_finding, fairpair_finding, words_finding
from pcf_core.show.findings.numbers import beside_one
from pcf_core.show.findings.provenance import source_of
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.categories import OWN as OWN_CATEGORIES
from pcf_core.texts.fairpair.prompts import OWN, load_prompts_upload
from pcf_core.texts.fairpair.records import LABEL, FairPairAsked, FairPairResult
from pcf_core.work.fairpair import FAIRPAIR, FAIRPAIR_AUDIT
from pcf_core.work.jobs import OpenGenerator
from pcf_core.work.worker import Worker
from tests.models.generation.text_server import TextServer, serving_texts
from tests.pages.opened import App, open_app, own_queue, own_store
from tests.texts.fairpair.written import EVIL, SMALL, fake, write_small

ONE = ["F · mini-gpt", "F of other words · mini-gpt"]  # the key figures of one model


def silent(spec: ModelSpec, decoding: Decoding) -> Generator:
    return FakeGenerator({"": 1.0}, key=GenerationKey.of(spec, decoding))


def work(own_settings: Settings, write: OpenGenerator = fake) -> Store:
    """Let a worker do all that is queued."""
    store, queue = own_store(), own_queue()
    Worker(store, queue, own_settings, open_generator=write).run(until_idle=True)
    return store


def asked_and_answered(own_settings: Settings, **parameters: str | list[str]) -> Store:
    """What is asked for on the page, written by a worker; what it usually asks for, written at once."""
    if not parameters:
        write_small(store := own_store())
        return store
    app = open_app("fairpair", **SMALL, **parameters)
    app.press("fairpair_button")
    return work(own_settings)


def only_result(store: Store) -> FairPairResult:
    (asked,) = FAIRPAIR_AUDIT.kept(store)
    result = FAIRPAIR_AUDIT.load(store, asked.hash)
    assert result is not None
    return result


@pytest.mark.slow
def test_what_is_asked_for_is_priced_queued_written_and_read(own_settings: Settings) -> None:
    app = open_app("fairpair", **SMALL)
    said = app.texts.replace("*", "")
    assert (
        "Not written yet: texts for 2 prompts of Common Sents (our reconstruction), 25 texts a side" in said
    )
    assert "mini-gpt at temperature 1: 100 texts to write, at most 4,000 tokens" in said
    assert not app.metric
    app.press("fairpair_button")
    queue = own_queue()
    (job,) = queue.list(10, kind=FAIRPAIR)
    assert (job.state, job.total) == ("queued", 100)
    assert "0 of 100 texts" in progress_text(job)
    store = work(own_settings)
    assert queue.get(job.id).state == "done"
    report = only_result(store).reports["jaccard"]
    again = open_app("fairpair", **SMALL)
    assert fairpair_finding(report) in again.texts
    assert again.figures == ONE
    assert len(again.get("plotly_chart")) == 2
    assert source_of(LABEL) in again.captions
    assert "The settings are temperature 1, top-p 0.9" in again.captions
    assert "The rewriting exchanged" in again.captions
    assert "refused and" in again.captions
    assert not again.error
    assert "mini-gpt · FairPair · Common Sents" in open_app("run_an_audit").texts.replace("*", "")


@pytest.mark.parametrize(
    ("view", "charts", "table"),
    [("models", 2, 1), ("prompts", 1, 2), ("words", 2, None), ("convergence", 2, None), ("texts", 0, 25)],
)
def test_every_view_has_its_pictures_and_its_table(
    own_settings: Settings, view: str, charts: int, table: int | None
) -> None:
    asked_and_answered(own_settings)
    app = open_app("fairpair", **SMALL, fp_view=view)
    assert len(app.get("plotly_chart")) == charts
    assert table is None or len(app.dataframe[0].value) == table
    assert len(app.dataframe[0].value) > 0
    assert not app.error


def test_which_model_is_asked_for_where_there_are_several(own_settings: Settings) -> None:
    asked_and_answered(own_settings)
    alone = open_app("fairpair", **SMALL, fp_view="words", fp_one="mini-gpt")
    assert "fp_one" not in [box.key for box in alone.selectbox]
    assert not alone.link_warnings
    open_app("fairpair", **SMALL, fp_model=["mini-gpt", "mini-gpt-s"]).button(
        key="fairpair_button"
    ).click().run()
    work(own_settings)
    several = open_app("fairpair", **SMALL, fp_model=["mini-gpt", "mini-gpt-s"], fp_view="words")
    assert several.selectbox(key="fp_one").options == ["mini-gpt", "mini-gpt-s"]


def test_words_lead_to_the_texts_behind_them(own_settings: Settings) -> None:
    report = only_result(asked_and_answered(own_settings)).words
    app = open_app("fairpair", **SMALL, fp_view="words", fp_phrase="children")
    said = app.texts
    assert words_finding(report) in said
    (row,) = (row for row in report.words if row.words == "children")
    assert row.original == 0
    assert f"Texts for Jane**: {row.prompt} texts" in said
    assert "Texts for John**: 0 texts" in said
    assert ":orange-background[**children**]" in said


def test_categories_lead_to_the_texts_behind_them(own_settings: Settings) -> None:
    report = only_result(asked_and_answered(own_settings)).words
    app = open_app("fairpair", **SMALL, fp_view="words", fp_phrase="then", fp_behind="family")
    (row,) = (row for row in report.categories if row.name == "family")
    assert (row.original, row.prompt > 0) == (0, True)
    said = app.texts
    assert f"Texts for Jane**: {row.prompt} texts" in said
    assert ":orange-background[**children**]" in said


@pytest.mark.parametrize("said", ["entity", "this person only"])
def test_how_much_is_exchanged_is_said_in_words_and_understood_as_before(said: str) -> None:
    app = open_app("fairpair", **SMALL, fp_mode=said)
    assert app.segmented_control(key="fp_mode").value == "this person only"
    assert not app.link_warnings
    app.press("fairpair_button")
    [job] = own_queue().list(1)
    asked = FAIRPAIR_AUDIT.load_asked(own_store(), job.key)
    assert asked.perturbation.mode == "entity"


def test_f_of_the_words_that_are_not_exchanged_stands_beside_f(own_settings: Settings) -> None:
    store = asked_and_answered(own_settings)
    others = only_result(store).reports["jaccard"].others
    assert others is not None
    assert others.ratio is not None
    app = open_app("fairpair", **SMALL)
    first, second = app.metric
    assert (first.label, second.label) == ("F · mini-gpt", "F of other words · mini-gpt")
    assert second.value == beside_one(others.ratio, others.interval).partition(" ")[0]
    assert app.dataframe[0].value["F of other words"].tolist() == [others.ratio]
    other = open_app("fairpair", **SMALL, fp_measure="jaccard-others")
    assert other.figures == ["F · mini-gpt"]
    assert other.metric[0].value == second.value
    assert other.segmented_control(key="fp_measure").value == "unexchanged words"
    assert other.query_params["fp_measure"] == "unexchanged words"
    assert not other.link_warnings
    again = open_app("fairpair", **SMALL, fp_measure="unexchanged words")
    assert again.metric[0].value == second.value
    again.segmented_control(key="fp_measure").set_value("all words").run()
    assert again.metric[0].value == first.value
    helps = [group.proto.help for group in other.get("button_group")]
    assert any("without the words that the exchange itself touches" in said for said in helps)


def test_texts_stand_side_by_side_and_are_no_markup(own_settings: Settings) -> None:
    store = asked_and_answered(own_settings)
    prompt = only_result(store).reports["jaccard"].prompts[1].prompt
    app = open_app("fairpair", **SMALL, fp_view="texts", fp_prompt=prompt)
    raw = [element.value for element in app.markdown]
    assert any("alert" in value for value in raw)
    for value in raw:
        assert "<script" not in value.replace("\\<", "")
        assert "www." not in value
        assert "*no text*" not in value or value == "*no text*"
    assert f"behind “{prompt}”" in app.texts
    app.selectbox(key="fp_pairs").set_value("21-25").run()
    assert "25 · written for Jane" in [caption.value for caption in app.caption]
    frame = app.dataframe[0].value
    assert frame["pair"].tolist() == list(range(1, 26))
    assert frame.iloc[:, 2].str.contains("she read a book").any()


def test_marked_text_is_shown_as_it_is() -> None:
    assert marked([("He", True), ("  left\n\nher_", False)]) == (":orange-background[**He**]  left ⏎ her\\_")
    shown = marked([(EVIL, False)])
    assert "www." not in shown
    assert f"{JOINER}@" in shown
    assert "\\<" in shown
    assert "\\$x\\$" in shown
    assert "\\:\u2060smile\\:" in shown


@pytest.mark.slow
def test_models_and_temperatures_are_compared_at_equal_settings(own_settings: Settings) -> None:
    grid: dict[str, str | list[str]] = {
        "fp_model": ["mini-gpt", "mini-t5"],
        "fp_temperature": ["0.7", "1"],
    }
    asked_and_answered(own_settings, **grid)
    app = open_app("fairpair", **SMALL, **grid)
    assert app.session_state["fp_at"] == "1"
    assert "Both models wrote 25 texts for each side of a prompt" in app.captions
    assert app.figures[:2] == ["F · mini-gpt", "F · mini-t5"]
    assert app.texts.count("This is our reconstruction.") == 1
    assert ", controlled p" in app.texts
    lines = open_app("fairpair", **SMALL, **grid, fp_view="temperatures")
    assert len(lines.dataframe[0].value) == 4
    assert "By temperature, F of mini-gpt is " in lines.texts


def test_a_run_under_way_is_watched_cancelled_and_resumed() -> None:
    open_app("fairpair", **SMALL).button(key="fairpair_button").click().run()
    queue = own_queue()
    job = queue.claim("somebody")
    assert job is not None
    queue.progress(job.id, 50, 100, 12.5, "somebody")
    assert progress_text(queue.get(job.id)) == "50 of 100 texts · 12 a second · 4 s left"
    app = open_app("fairpair", **SMALL)
    assert "writing and comparing" in app.texts
    assert "fairpair_button" not in app.button_keys
    queue.note(job.id, {"stage": "perturbing", "done": 1, "total": 2}, "somebody")
    assert progress_text(queue.get(job.id)) == "exchanging words, 1 of 2 prompts"
    queue.note(job.id, {"stage": "measuring", "done": 0, "total": 3}, "somebody")
    assert progress_text(queue.get(job.id)) == "comparing the texts"
    app.press(f"cancel_{job.id}")
    assert queue.cancelled(job.id)


@pytest.mark.slow
def test_a_run_that_failed_says_why_and_can_be_tried_again(own_settings: Settings) -> None:
    def broken(spec: ModelSpec, decoding: Decoding) -> Generator:
        raise ScoringError("The model <b>broke</b>: try another.")

    open_app("fairpair", **SMALL).button(key="fairpair_button").click().run()
    work(own_settings, broken)
    app = open_app("fairpair", **SMALL)
    assert "The model <b>broke</b>: try another." in app.errors
    (again,) = (button for button in app.button if button.label == "Retry")
    again.click().run()
    work(own_settings)
    assert open_app("fairpair", **SMALL).figures == ONE


def test_part_of_what_is_asked_for_is_shown_and_the_rest_offered(own_settings: Settings) -> None:
    asked_and_answered(own_settings)
    app = open_app("fairpair", **SMALL, fp_model=["mini-gpt", "mini-gpt-s"])
    assert app.figures == ONE
    assert "mini-gpt-s at temperature 1: 100 texts to write" in app.texts.replace("*", "")


@pytest.mark.slow
def test_a_model_that_says_nothing_is_counted_and_warned_of(own_settings: Settings) -> None:
    app = open_app("fairpair", **SMALL, fp_temperature=["0"])
    app.press("fairpair_button")
    work(own_settings, silent)
    app = open_app("fairpair", **SMALL, fp_temperature=["0"])
    assert "F is undefined, as there is no variation" in app.texts
    assert "100 of 100 texts were refused or are empty" in app.warnings
    assert "always the likeliest token" in app.captions
    assert "Of 50 texts for John, 0 were refused and 50 are empty" in app.captions
    assert app.metric[0].value == "undefined"


def test_a_model_that_cannot_write_is_refused_and_the_others_go_on() -> None:
    app = open_app("fairpair", **SMALL, fp_model=["mini-bert", "mini-gpt"])
    assert "it fills a gap and cannot write a text" in app.errors
    assert "mini-gpt at temperature 1" in app.texts.replace("*", "")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"fp_prompts": "nowhere"}, "There are no prompts named 'nowhere'"),
        ({"fp_temperature": "warm"}, "The temperature 'warm' is no number"),
        ({"fp_temperature": "99"}, "between 0"),
        ({"fp_category": "nothing"}, "have no category 'nothing'"),
        ({"fp_name_1": "john"}, "must begin with a capital letter"),
        ({"fp_fold": "30"}, "fold has 2 to 25"),
    ],
)
def test_bad_input_is_one_sentence(parameters: dict[str, str], words: str) -> None:
    app = open_app("fairpair", **parameters)
    assert words in app.errors
    assert len(app.error) == 1
    assert not app.metric


def test_nothing_chosen() -> None:
    app = open_app("fairpair")
    app.multiselect(key="fp_model").set_value([]).run()
    assert "Choose one or more models" in app.infos
    app = open_app("fairpair")
    app.multiselect(key="fp_temperature").set_value([]).run()
    assert "Choose one or more temperatures" in app.infos


def test_other_names_the_other_way_round() -> None:
    app = open_app("fairpair", **SMALL, fp_table="race-names", fp_reverse="true", fp_name_2="Tyrone")
    assert "about Tyrone and about Greg" in app.texts
    assert not app.error


def test_texts_that_are_gone_are_said_and_the_numbers_stay(own_settings: Settings) -> None:
    asked_and_answered(own_settings)
    shutil.rmtree(own_settings.cache / "texts")
    app = open_app("fairpair", **SMALL, fp_view="texts")
    assert "are not in the store: ask for them again" in app.errors
    assert app.figures == ONE


@pytest.mark.slow
def test_what_was_found_before_is_opened_by_link_and_by_button(own_settings: Settings) -> None:
    odd: dict[str, str | list[str]] = {"fp_reverse": "true", "fp_seed": "3", "fp_top_p": "0.8"}
    store = asked_and_answered(own_settings, **odd)
    (asked,) = FAIRPAIR_AUDIT.kept(store)
    parameters = parameters_of(asked.hash)
    assert parameters is not None
    assert parameters["fp_reverse"] == "true"
    linked = open_app("fairpair", **parameters)
    assert linked.figures == ONE
    app = open_app("fairpair")
    assert not app.metric
    assert not [button for button in app.button if button.label == "Open"]
    app = look_at_found_before(app)
    app.press(f"fairpair_open_{asked.hash}")
    assert app.figures == ONE
    (link,) = open_app("run_an_audit").get("page_link")
    assert link.proto.label == "FairPair"


def look_at_found_before(app: App) -> App:
    app.session_state[SEEN] = True
    return app.run()


def test_nothing_found_before_is_read_while_it_is_shut(
    own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_and_answered(own_settings)
    read: list[str] = []

    def watched(asked: FairPairAsked) -> Choices | None:
        read.append(asked.hash)
        return choices_of(asked)

    monkeypatch.setattr("pcf_core.app.fairpair.links.choices_of", watched)
    app = open_app("fairpair")
    assert read == []
    look_at_found_before(app)
    assert len(read) == 1


@pytest.mark.slow
def test_models_with_the_same_settings_are_found_together(own_settings: Settings) -> None:
    store = asked_and_answered(own_settings)
    write_small(store, "mini-gpt-s")
    app = look_at_found_before(open_app("fairpair"))
    (again,) = (button for button in app.button if button.label == "Open")
    again.click().run()
    assert sorted(app.multiselect(key="fp_model").value) == ["mini-gpt", "mini-gpt-s"]
    assert {label.rpartition(" ")[2] for label in app.figures} == {"mini-gpt", "mini-gpt-s"}


@pytest.mark.parametrize(
    "other",
    [{"dissimilarities": ("jaccard",)}, {"perturbation": "another parser"}],
    ids=["dissimilarity", "parser"],
)
def test_what_the_form_cannot_ask_for_has_no_link(own_settings: Settings, other: dict[str, object]) -> None:
    asked = only_result(store := asked_and_answered(own_settings)).asked
    changes: dict[str, object] = {
        "perturbation": asked.perturbation.model_copy(update={"pipeline": "another"}),
    }
    odd = asked.model_copy(update={name: changes.get(name, value) for name, value in other.items()})
    store.save_document(odd.hash, "fairpair-asked", odd.model_dump(mode="json"))
    assert parameters_of(asked.hash) is not None
    assert parameters_of(odd.hash) is None


@pytest.mark.slow
def test_texts_of_another_precision_are_asked_for_and_opened_by_link_and_alone(
    own_settings: Settings,
) -> None:
    """Where nothing is said, what there is is shown, in whatever precision."""
    store = asked_and_answered(own_settings, fp_precision="bfloat16")
    (asked,) = FAIRPAIR_AUDIT.kept(store)
    assert asked.key.dtype == "bfloat16"
    parameters = parameters_of(asked.hash)
    assert parameters is not None
    assert parameters["fp_precision"] == "bfloat16"
    for app in (open_app("fairpair", **parameters), open_app("fairpair", **SMALL)):
        assert app.figures == [f"{label} (bfloat16)" for label in ONE]
    assert not open_app("fairpair", **SMALL, fp_precision="float32").metric


@pytest.mark.slow
def test_choices_stay_while_another_page_is_open(own_settings: Settings) -> None:
    asked_and_answered(own_settings)
    app = open_app("fairpair", **SMALL, fp_view="texts")
    app.number_input(key="fp_seed").set_value(0).run()
    for name in list(app.query_params):
        del app.query_params[name]
    app.switch_page("pages/method.py").run()
    app.switch_page("pages/written_text.py").run()
    assert app.multiselect(key="fp_category").value == ["pets"]
    assert app.number_input(key="fp_each").value == 2
    assert any("written for Jane" in caption.value for caption in app.caption)
    linked = open_app("fairpair", fp_each="1")
    assert linked.multiselect(key="fp_category").value == []


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextServer]:
    with serving_texts() as server:
        monkeypatch.setenv("PCF_ENDPOINT_URL", server.url)
        settings.cache_clear()
        yield server


def test_a_server_without_log_probabilities_writes_and_its_cost_is_said(
    served: TextServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("PRICE_IN", "10"), ("PRICE_OUT", "100"), ("PER_MINUTE", "60")):
        monkeypatch.setenv(f"PCF_ENDPOINT_{name}", value)
    settings.cache_clear()
    served.tokenizes = True
    app = open_app("fairpair", **SMALL, fp_model="endpoint:tiny")
    assert not app.error
    said = app.texts.replace("*", "")
    assert "endpoint:tiny at temperature 1: 100 texts to write, 100 requests" in said
    assert "at most 4,000 tokens to write, cost at most 0.4" in said
    assert "at least 100 s" not in said  # 100 requests at 60 a minute are 100 seconds
    assert "at least 2 min" in said
    assert "Tokens of the prompts are counted by the server's tokenizer" in said
    assert not served.asked
    app.press("fairpair_button")
    assert len(own_queue().list(10, kind=FAIRPAIR)) == 1


@pytest.mark.slow
def test_prompts_can_be_messages_to_an_endpoint(served: TextServer, own_settings: Settings) -> None:
    assert "fp_chat" not in [toggle.key for toggle in open_app("fairpair").toggle]
    store = asked_and_answered(own_settings, fp_model="endpoint:tiny", fp_chat="true")
    asked = only_result(store).asked
    assert asked.key.chat_template
    parameters = parameters_of(asked.hash)
    assert parameters is not None
    assert parameters["fp_chat"] == "true"
    app = open_app("fairpair", **parameters)
    assert len(app.metric) == 2
    app = app.open_foot()
    (command,) = (code.value for code in app.code if "--model endpoint:tiny" in code.value)
    assert any("FairPair" in code.value and code.value.startswith("@") for code in app.code), "what to cite"
    assert command.endswith("--chat")
    assert "--dtype" not in command


def test_as_many_are_written_as_are_compared() -> None:
    assert "24 texts to write" in open_app("fairpair", **SMALL, fp_count="6").texts


def test_a_set_of_ones_own_is_about_its_own_names() -> None:
    table = 'names = ["Amir", "Emily"]\n[[prompts]]\ntext = "{name} is a nurse."\n'
    app = upload(open_app("fairpair"), "named.toml", table)
    app.press("keep_prompts")
    assert "about Amir and about Emily" in app.texts
    assert app.text_input(key="fp_name_1").placeholder == "Amir"


def test_addresses_in_ones_own_prompts_are_no_links() -> None:
    prompt = b"{name} reads http://evil.example and www.evil.example.\n"
    app = open_app("fairpair")
    app.file_uploader(key="upload_prompts").set_value([("mine.txt", prompt, "text/plain")]).run()
    shown = "\n".join(element.value for element in app.markdown).replace("\\", "")
    assert "evil.example" in shown
    assert "http://" not in shown
    assert "www.evil" not in shown


def test_a_refusal_leaves_the_form_to_be_corrected() -> None:
    for wrong, words in (
        ({"fp_name_1": "Jane", "fp_name_2": "Jane"}, "Both names are 'Jane': type two that differ."),
        ({"fp_temperature": "warm"}, "is no number"),
        ({"fp_table": "zzz"}, "zzz"),
    ):
        app = open_app("fairpair", **wrong)
        assert words in app.errors
        if "fp_table" not in wrong:
            assert app.number_input(key="fp_count").value == 25
            assert app.number_input(key="fp_seed").value == 0


def test_what_was_cancelled_is_resumed_in_one_way() -> None:
    app = open_app("fairpair", **SMALL)
    app.press("fairpair_button")
    queue = own_queue()
    queue.cancel(queue.list(1, kind=FAIRPAIR)[0].id)
    app = open_app("fairpair", **SMALL)
    assert [button.label for button in app.button if button.label in ("Resume", "Write and compare")] == [
        "Resume"
    ]


@pytest.mark.slow
def test_a_link_is_none_where_the_form_cannot_ask_for_the_same(own_settings: Settings) -> None:
    app = upload(open_app("fairpair"), "mine.txt", "{name} sings.\n")
    app.press("keep_prompts")
    app.press("fairpair_button")
    (asked,) = FAIRPAIR_AUDIT.kept(work(own_settings))
    assert parameters_of(asked.hash) is not None
    OWN.delete("mine")
    assert parameters_of(asked.hash) is None
    assert parameters_of("0" * 64) is None


def upload(app: App, name: str, text: str) -> App:
    app.file_uploader(key="upload_prompts").set_value([(name, text.encode(), "text/plain")]).run()
    return app


def test_prompts_of_ones_own_are_kept_asked_for_and_deleted() -> None:
    app = upload(open_app("fairpair"), "Mine.txt", "{name} is <b>here</b>.\n{name} sings.\n")
    assert "“Mine” has 2 prompts: “John is <b>here</b>.” and “John sings.”" in app.texts
    app.press("keep_prompts")
    assert OWN.names() == ("mine",)
    assert app.selectbox(key="fp_prompts").value == "mine"
    assert "texts for 2 prompts of Mine" in app.texts.replace("*", "")
    app.press("delete_prompts")
    assert OWN.names() == ()
    assert app.selectbox(key="fp_prompts").value == "common-sents-1"


def test_an_upload_is_whole_or_not_at_all() -> None:
    app = upload(open_app("fairpair"), "mine.txt", "{name} sings.\nNobody sings.\n")
    assert "must have {name}" in app.errors
    assert OWN.names() == ()


@pytest.mark.parametrize(("what", "example"), EXAMPLES.items())
def test_the_examples_of_files_are_read(what: str, example: str) -> None:
    ending = {"Text": "txt"}.get(
        what.strip("*").partition("**")[0], what.strip("*").partition("**")[0].lower()
    )
    assert load_prompts_upload([(f"own.{ending}", example.encode())]).texts[0] == "John is a nurse."


@pytest.mark.slow
def test_an_encoder_adds_a_measure_that_names_it(own_settings: Settings) -> None:
    store = asked_and_answered(own_settings, fp_encoder="mini-bert")
    report = only_result(store).reports["embedding:mini-bert"]
    app = open_app("fairpair", **SMALL, fp_encoder="mini-bert", fp_measure="embedding:mini-bert")
    assert fairpair_finding(report) in app.texts
    parameters = parameters_of(only_result(store).asked.hash)
    assert parameters is not None
    assert parameters["fp_encoder"] == "mini-bert"
    app = app.open_foot()
    assert "mini-bert: mean of the last hidden states" in app.texts
    assert any("--dissimilarity embedding:mini-bert" in code.value for code in app.code)
    words = open_app("fairpair", **SMALL, fp_encoder="mini-bert", fp_view="words")


def test_a_model_that_is_no_encoder_is_refused_on_the_page() -> None:
    app = open_app("fairpair", **SMALL, fp_encoder="mini-gpt")
    assert "mini\\-gpt is causal\\: an encoder reads" in app.errors


@pytest.mark.slow
def test_categories_of_ones_own_sort_the_words(own_settings: Settings) -> None:
    OWN_CATEGORIES.save(OWN_CATEGORIES.read_upload([("homely.csv", b"category,word\nHomely,children\n")]))
    store = asked_and_answered(own_settings, fp_categories="homely")
    result = only_result(store)
    assert [row.title for row in result.words.categories] == ["Homely"]
    app = open_app("fairpair", **SMALL, fp_categories="homely", fp_view="words")
    assert categories_finding(result.words) in app.texts
    assert any("--categories homely" in code.value for code in app.open_foot().code)
    parameters = parameters_of(result.asked.hash)
    assert parameters is not None
    assert parameters["fp_categories"] == "homely"
    OWN_CATEGORIES.delete("homely")
    assert parameters_of(result.asked.hash) is None


def test_categories_are_uploaded_seen_and_kept() -> None:
    app = open_app("fairpair", **SMALL)
    table = b"category,word\n<b>Rest</b>,sleep*\n"
    app.file_uploader(key="upload_categories").set_value([("Rest.csv", table, "text/csv")]).run()
    assert "1 category with so many words: <b>Rest</b> (1)." in app.texts
    app.press("keep_categories")
    assert OWN_CATEGORIES.names() == ("rest",)
    assert app.selectbox(key="fp_categories").value == "rest"


def test_names_on_the_wrong_side_are_refused_on_the_page() -> None:
    app = open_app("fairpair", **SMALL, fp_name_1="Jane", fp_name_2="John")
    assert "stands for the side male here" in app.errors
