"""The tab FairPair: its views of texts, which are no markup; what leads to a result, and what it costs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from benchmarks.fakes import FakeGenerator
from pcf_core.app.fairpair.request import SEEN, Choices, choices_of, parameters_of
from pcf_core.app.fairpair.views import marked
from pcf_core.app.widgets import JOINER
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import Settings, settings
from pcf_core.models.generation.base import Generator
from pcf_core.show.findings.fairpair import categories_finding, fairpair_finding
from pcf_core.show.findings.numbers import beside_one
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.categories import OWN as OWN_CATEGORIES
from pcf_core.texts.fairpair.prompts import OWN
from pcf_core.texts.fairpair.records import FairPairAsked, FairPairResult
from pcf_core.work.fairpair import FAIRPAIR, FAIRPAIR_AUDIT
from pcf_core.work.jobs import OpenGenerator
from pcf_core.work.worker import Worker
from tests.models.fake_servers import TextServer, serving_texts
from tests.pages.opened import App, open_app, own_queue, own_store, set_environment
from tests.pages.walks import assert_state
from tests.texts.fairpair.written import EVIL, SMALL, fake, write_small

ONE = [
    "Ratio of differences · Mini GPT",
    "Ratio without exchanged words · Mini GPT",
]  # the key figures of one model


def silent(spec: ModelSpec, decoding: Decoding) -> Generator:
    return FakeGenerator({"": 1.0}, key=GenerationKey.of(spec, decoding))


def work(write: OpenGenerator = fake) -> Store:
    """Let a worker do all that is queued."""
    store = own_store()
    Worker(store, own_queue(), settings(), open_generator=write).run(until_idle=True)
    return store


def answered(write: OpenGenerator = fake, **parameters: str | list[str]) -> Store:
    """The store once what is asked for on the page is written by a worker."""
    open_app("fairpair", **SMALL, **parameters).press("fairpair_button")
    return work(write)


def only_result(store: Store) -> FairPairResult:
    (request,) = FAIRPAIR_AUDIT.kept(store)
    result = FAIRPAIR_AUDIT.load(store, request.hash)
    assert result is not None
    return result


def look_at_found_before(app: App) -> App:
    app.session_state[SEEN] = True
    return app.run()


def test_results_of_some_models_are_shown_and_the_others_offered(texts_store: Store) -> None:
    both = {**SMALL, "fp_model": ["mini-gpt", "mini-gpt-s"]}
    app = open_app("fairpair", **both)
    assert app.figures == ONE
    assert "Mini GPT Small at temperature 1: 100 texts to write" in app.texts.replace("*", "")
    alone = open_app("fairpair", **SMALL, fp_view="words", fp_one="mini-gpt")
    assert "fp_one" not in [box.key for box in alone.selectbox]
    assert not alone.link_warnings
    write_small(texts_store, "mini-gpt-s")
    several = open_app("fairpair", **both, fp_view="words")
    assert several.selectbox(key="fp_one").options == ["Mini GPT", "Mini GPT Small"]
    app = look_at_found_before(open_app("fairpair"))
    app.press_label("Open")
    assert sorted(app.multiselect(key="fp_model").value) == ["mini-gpt", "mini-gpt-s"], "found together"
    assert {label.rpartition(" · ")[2] for label in app.figures} == {"Mini GPT", "Mini GPT Small"}


def test_words_and_categories_lead_to_the_texts_behind_them(texts_store: Store) -> None:
    words = only_result(texts_store).words
    (word,) = (row for row in words.words if row.words == "children")
    (category,) = (row for row in words.categories if row.name == "family")
    for row, link in (
        (word, {"fp_phrase": "children"}),
        (category, {"fp_phrase": "then", "fp_behind": "family"}),
    ):
        app = open_app("fairpair", **SMALL, fp_view="words", **link)
        assert row.original == 0
        assert f"Texts for Jane**: {row.prompt} texts" in app.texts
        assert ":orange-background[**children**]" in app.texts


@pytest.mark.parametrize("mode", ["entity", "this person only"])
def test_how_much_is_exchanged_is_said_in_words_and_understood_as_before(mode: str) -> None:
    app = open_app("fairpair", **SMALL, fp_mode=mode)
    assert app.segmented_control(key="fp_mode").value == "this person only"
    assert not app.link_warnings
    app.press("fairpair_button")
    [job] = own_queue().list(1)
    assert FAIRPAIR_AUDIT.load_asked(own_store(), job.key).perturbation.mode == "entity"


def test_the_form_begins_with_its_own_choices_and_keeps_them_beside_a_refusal() -> None:
    app = open_app("fairpair", fp_name_1="Jane", fp_name_2="Jane")
    assert "Both names are 'Jane': type two different names." in app.errors
    assert [app.number_input(key=key).value for key in ("fp_count", "fp_seed")] == [25, 0]


def test_f_of_the_words_that_are_not_exchanged_stands_beside_f(texts_store: Store) -> None:
    others = only_result(texts_store).reports["jaccard"].others
    assert others is not None
    assert others.ratio is not None
    app = open_app("fairpair", **SMALL)
    first, second = app.metric
    assert app.figures == ONE
    assert second.value == beside_one(others.ratio, others.interval).partition(" ")[0]
    assert app.dataframe[0].value["F of other words"].tolist() == [others.ratio]
    other = open_app("fairpair", **SMALL, fp_measure="jaccard-others")
    assert other.figures == ONE[:1]
    assert other.metric[0].value == second.value
    assert other.query_params["fp_measure"] == other.segmented_control(key="fp_measure").value
    assert not other.link_warnings, "an old address"
    other.segmented_control(key="fp_measure").set_value("all words").run()
    assert other.metric[0].value == first.value


def test_texts_stand_side_by_side_and_are_no_markup(texts_store: Store) -> None:
    prompt = only_result(texts_store).reports["jaccard"].prompts[1].prompt
    app = open_app("fairpair", **SMALL, fp_view="texts", fp_prompt=prompt)
    raw = [element.value for element in app.markdown]
    assert any("alert" in value for value in raw)
    for value in raw:
        assert "<script" not in value.replace("\\<", "")
        assert "www." not in value
        assert "*no text*" not in value or value == "*no text*"
    assert f"“{prompt}”" in app.texts
    app.selectbox(key="fp_pairs").set_value("21-25").run()
    assert "25 · written for Jane" in app.captions
    frame = app.dataframe[0].value
    assert frame["pair"].tolist() == list(range(1, 26))
    assert frame.iloc[:, 2].str.contains("she read a book").any()


def test_marked_text_is_shown_as_it_is() -> None:
    assert marked([("He", True), ("  left\n\nher_", False)]) == (":orange-background[**He**]  left ⏎ her\\_")
    shown = marked([(EVIL, False)])
    assert "www." not in shown
    for escaped in (f"{JOINER}@", "\\<", "\\$x\\$", "\\:\u2060smile\\:"):
        assert escaped in shown


@pytest.mark.slow
def test_models_and_temperatures_are_compared_at_equal_settings() -> None:
    grid: dict[str, str | list[str]] = {
        "fp_model": ["mini-gpt", "mini-t5"],
        "fp_temperature": ["0.7", "1"],
    }
    answered(**grid)
    app = open_app("fairpair", **SMALL, **grid)
    assert app.session_state["fp_at"] == "1"
    assert_state(app, "fairpair two models")
    assert_state(open_app("fairpair", **SMALL, **grid, fp_view="temperatures"), "fairpair temperatures")


@pytest.mark.slow
def test_a_model_that_says_nothing_is_counted_and_warned_of() -> None:
    answered(silent, fp_temperature=["0"])
    assert_state(open_app("fairpair", **SMALL, fp_temperature=["0"]), "fairpair a silent model")


def test_texts_that_are_gone_are_said_and_the_numbers_stay(
    texts_store: Store, own_settings: Settings
) -> None:
    shutil.rmtree(own_settings.cache / "texts")
    app = open_app("fairpair", **SMALL, fp_view="texts")
    assert "are missing: run FairPair again" in app.errors
    assert app.figures == ONE


def test_nothing_found_before_is_read_while_it_is_shut(
    texts_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def watched(request: FairPairAsked) -> Choices | None:
        read.append(request.hash)
        return choices_of(request)

    monkeypatch.setattr("pcf_core.app.fairpair.request.choices_of", watched)
    app = open_app("fairpair")
    assert read == []
    look_at_found_before(app)
    assert len(read) == 1


def test_what_the_form_cannot_ask_for_has_no_link(texts_store: Store) -> None:
    request = only_result(texts_store).asked
    parser = request.perturbation.model_copy(update={"pipeline": "another"})
    assert parameters_of(request.hash) is not None
    for other in ({"dissimilarities": ("jaccard",)}, {"perturbation": parser}):
        odd = request.model_copy(update=other)
        texts_store.save_document(odd.hash, "fairpair-asked", odd.model_dump(mode="json"))
        assert parameters_of(odd.hash) is None


@pytest.mark.slow
def test_choices_stay_while_another_page_is_open(texts_store: Store) -> None:
    app = open_app("fairpair", **SMALL, fp_view="texts")
    app.number_input(key="fp_seed").set_value(0).run()
    app.query_params.clear()
    app.switch_page("pages/method.py").run()
    app.switch_page("pages/written_text.py").run()
    assert app.multiselect(key="fp_category").value == ["pets"]
    assert app.number_input(key="fp_each").value == 2
    assert "written for Jane" in app.captions
    linked = open_app("fairpair", fp_each="1")
    assert linked.multiselect(key="fp_category").value == []


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextServer]:
    with serving_texts() as server:
        set_environment(monkeypatch, ENDPOINT_URL=server.url)
        yield server


def test_a_server_without_log_probabilities_writes_and_its_cost_is_said(
    served: TextServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = {"ENDPOINT_PRICE_IN": "10", "ENDPOINT_PRICE_OUT": "100", "ENDPOINT_PER_MINUTE": "60"}
    set_environment(monkeypatch, **prices)
    served.tokenizes = True
    app = open_app("fairpair", **SMALL, fp_model="endpoint:tiny")
    assert not app.error
    estimate = app.texts.replace("*", "")
    assert "endpoint:tiny at temperature 1: 100 texts to write, 100 requests" in estimate
    assert "at most 4,000 tokens to write, cost at most 0.4" in estimate
    assert "at least 100 s" not in estimate  # 100 requests at 60 a minute are 100 seconds
    assert "at least 2 min" in estimate
    assert "Tokens of the prompts are counted by the server's tokenizer" in estimate
    assert not served.asked
    app.press("fairpair_button")
    assert len(own_queue().list(10, kind=FAIRPAIR)) == 1


@pytest.mark.slow
def test_prompts_can_be_messages_to_an_endpoint(served: TextServer) -> None:
    assert "fp_chat" not in [toggle.key for toggle in open_app("fairpair").toggle]
    request = only_result(answered(fp_model="endpoint:tiny", fp_chat="true")).asked
    assert request.key.chat_template
    parameters = parameters_of(request.hash) or {}
    assert parameters["fp_chat"] == "true"
    app = open_app("fairpair", **parameters)
    assert len(app.metric) == 2
    app.open_foot()
    (command,) = (code.value for code in app.code if "--model endpoint:tiny" in code.value)
    assert any("FairPair" in code.value and code.value.startswith("@") for code in app.code), "what to cite"
    assert command.endswith("--chat")
    assert "--dtype" not in command


@pytest.mark.slow
def test_an_encoder_adds_a_measure_that_names_it() -> None:
    result = only_result(answered(fp_encoder="mini-bert"))
    app = open_app("fairpair", **SMALL, fp_encoder="mini-bert", fp_measure="embedding:mini-bert")
    assert fairpair_finding(result.reports["embedding:mini-bert"]) in app.texts
    parameters = parameters_of(result.asked.hash) or {}
    assert parameters["fp_encoder"] == "mini-bert"
    assert "Mini BERT: mean of the last hidden states" in app.open_foot().texts
    assert any("--dissimilarity embedding:mini-bert" in code.value for code in app.code)
    open_app("fairpair", **SMALL, fp_encoder="mini-bert", fp_view="words")


@pytest.mark.slow
def test_a_link_is_none_where_what_was_asked_for_is_gone() -> None:
    OWN.save(OWN.read_upload([("mine.txt", b"{name} sings.\n")]))
    OWN_CATEGORIES.save(OWN_CATEGORIES.read_upload([("homely.csv", b"category,word\nHomely,children\n")]))
    result = only_result(answered(fp_categories="homely"))
    assert [row.title for row in result.words.categories] == ["Homely"]
    app = open_app("fairpair", **SMALL, fp_categories="homely", fp_view="words")
    assert categories_finding(result.words) in app.texts
    assert any("--categories homely" in code.value for code in app.open_foot().code)
    open_app("fairpair", fp_prompts="mine").press("fairpair_button")
    hashes = [request.hash for request in FAIRPAIR_AUDIT.kept(work())]
    links = [parameters_of(key) or {} for key in hashes]
    assert {(link["fp_prompts"], link["fp_categories"]) for link in links} == {
        ("mine", "fairpair"),
        ("common-sents-1", "homely"),
    }
    OWN.delete("mine")
    OWN_CATEGORIES.delete("homely")
    assert [parameters_of(key) for key in hashes] == [None, None]
