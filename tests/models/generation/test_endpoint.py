"""Texts from an endpoint on loopback: one request a text, resumable, and a sentence where there are none."""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import GenerationError, ModelError, ScoringError
from pcf_core.core.frame import TextFrame
from pcf_core.core.generation import BLOCK, Decoding, GenerationKey, MissingTexts
from pcf_core.core.settings import Settings, settings
from pcf_core.models import connection as pauses
from pcf_core.models import endpoint as endpoints
from pcf_core.models.connection import LIMIT_PAUSE, PAUSES
from pcf_core.models.endpoint import offers_chat
from pcf_core.models.generation import endpoint as cost
from pcf_core.models.generation.base import open_generator
from pcf_core.models.generation.endpoint import EndpointGenerator, estimate_requests, rough_tokens
from pcf_core.models.registry import resolve_writer
from pcf_core.store.store import Store
from pcf_core.work.jobs import Stopped
from pcf_core.work.queue import Queue
from pcf_core.work.text_audits import TextsAsked, generate_missing
from pcf_core.work.worker import Worker
from tests.models.conftest import use
from tests.models.fake_servers import (
    KEY,
    TextServer,
    always,
    failing,
    from_seed,
    point_at,
    prompt_of,
    saying,
    serving_texts,
    slowly,
    system_of,
    threads_end,
)
from tests.models.generation.conftest import nothing
from tests.work.writing import let_workers_write, submit_texts

NAME = "endpoint:tiny"
PROMPT = "John is a nurse."
DECODING = Decoding(length=12)


@pytest.fixture
def texts(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TextServer]:
    """A server that the settings point at; all threads end with the test."""
    with threads_end(), serving_texts() as server:
        point_at(server, monkeypatch)
        yield server


def opened(chat: bool = False, decoding: Decoding = DECODING) -> EndpointGenerator:
    generator = open_generator(resolve_writer(NAME, chat), decoding)
    assert isinstance(generator, EndpointGenerator)
    return generator


# What a key holds.


def test_a_key_holds_address_name_and_the_way_of_asking(texts: TextServer) -> None:
    plain = GenerationKey.of(resolve_writer(NAME), DECODING)
    chat = GenerationKey.of(resolve_writer(NAME, chat=True), DECODING)
    assert (plain.model, plain.identity, plain.chat_template) == (NAME, f"unpinned:{texts.url}", "")
    assert (plain.family, plain.dtype, plain.tokenizer) == ("endpoint", "server", "unpinned")
    assert chat == plain.model_copy(update={"chat_template": "server"})
    assert KEY not in plain.model_dump_json()
    assert not texts.requests, "a key is known while the server is down"


OTHER_URL = {"PCF_ENDPOINT_URL": "http://127.0.0.1:9/v1"}
# What is asked for, with which settings, and the sentence that refuses it.
REFUSED: list[tuple[Callable[[], object], dict[str, str], str]] = [
    *(
        (partial(resolve_writer, f"endpoint:{name}"), {}, "is not the name of a served model")
        for name in ("", "a\nb", "a" * 301)
    ),
    (partial(resolve_writer, NAME), {"PCF_ENDPOINT_URL": ""}, "no endpoint is set: set PCF_ENDPOINT_URL"),
    (partial(offers_chat, NAME), {"PCF_ENDPOINT_URL": ""}, "no endpoint is set: set PCF_ENDPOINT_URL"),
    (lambda: opened().generate(" \n", 0, BLOCK, nothing), {}, "A prompt is empty"),
    (
        lambda: open_generator(resolve_writer("endpoint:other"), DECODING),
        {},
        "404: The model `other` does not exist",
    ),
    (lambda: opened(), OTHER_URL, "does not answer"),
]


@pytest.mark.parametrize(("ask", "variables", "sentence"), REFUSED)
def test_what_cannot_be_asked_for_is_one_sentence(
    texts: TextServer, monkeypatch: pytest.MonkeyPatch, ask: Any, variables: dict[str, str], sentence: str
) -> None:
    use(monkeypatch, **variables)
    with pytest.raises((GenerationError, ModelError, ScoringError), match=sentence) as caught:
        ask()
    assert "\n" not in str(caught.value)


def test_whether_a_chat_is_offered(texts: TextServer) -> None:
    assert offers_chat(NAME)
    texts.paths = {"/v1/completions"}
    assert not offers_chat(NAME)
    texts.fault = always(401, {"error": {"message": KEY}})
    with pytest.raises(ScoringError, match=r"\(401: …; set PCF_ENDPOINT_KEY"):
        offers_chat(NAME)
    texts.fault = failing(503)
    with pytest.raises(ScoringError, match="does not answer"):
        offers_chat(NAME)


# Texts.


@pytest.mark.parametrize("chat", [False, True])
def test_texts_come_in_the_order_of_their_indices(texts: TextServer, chat: bool) -> None:
    generator = opened(chat)

    def hesitate(server: Any, handler: Any, body: Any) -> bool:
        time.sleep(random.random() / 50)
        return False

    texts.fault = hesitate
    written = generator.generate(PROMPT, 25, 50, nothing)
    assert (written.prompt, written.first) == (PROMPT, 25)
    assert list(written.texts) == [
        from_seed(PROMPT, generator.seed(PROMPT, index)) for index in range(25, 75)
    ]
    assert (set(written.ends), set(written.tokens)) == ({"stop"}, {5})
    assert {path for path, _ in texts.requests} == {f"/v1/{'chat/' if chat else ''}completions"}
    decodings = {(body["temperature"], body["top_p"], body["max_tokens"]) for body in texts.asked}
    assert (decodings, texts.keys) == ({(1, 0.9, 12)}, {f"Bearer {KEY}"})


@pytest.mark.parametrize(
    ("chat", "refuses", "prompt", "system"),
    [
        (True, set(), PROMPT, "Be brief."),
        (True, {"system"}, f"Be brief.\n\n{PROMPT}", ""),
        (False, set(), f"Be brief.\n\n{PROMPT}", ""),
    ],
    ids=["chat", "chat that refuses it", "completions"],
)
def test_what_is_told_first_reaches_the_server(
    texts: TextServer, chat: bool, refuses: set[str], prompt: str, system: str
) -> None:
    texts.refuses = refuses
    generator = opened(chat).with_system("Be brief.")
    generator.generate(PROMPT, 0, BLOCK, nothing)
    assert {(prompt_of(body), system_of(body)) for body in texts.asked} == {(prompt, system)}
    assert len(texts.asked) == BLOCK
    assert generator.key.hash != opened(chat).key.hash


def test_a_frame_is_a_message_of_the_system_or_refused(texts: TextServer) -> None:
    frame = TextFrame(kind="chat", system="Be fair.")
    generator = opened(True).with_system("Be brief.", frame)
    generator.generate(PROMPT, 0, 2, nothing)
    assert {(prompt_of(body), system_of(body)) for body in texts.asked[-2:]} == {
        (PROMPT, "Be fair.\n\nBe brief.")
    }
    assert generator.key.label == f"{NAME} (chat, “Be fair.”)"
    texts.refuses = {"system"}
    with pytest.raises(ModelError, match=f"The server of {NAME} refuses a system text"):
        opened(True).with_system("", frame)


def test_seeds_are_spread(texts: TextServer) -> None:
    generator = opened()
    seeds = [generator.seed(PROMPT, index) for index in range(1000)]
    assert len(set(seeds)) == 1000
    assert min(seeds) < 2**31 / 100 < 2**31 * 0.99 < max(seeds) < 2**31


def test_a_server_without_seeds_is_asked_without(texts: TextServer) -> None:
    texts.refuses = {"seed"}
    assert len(set(opened().generate(PROMPT, 0, BLOCK, nothing).texts)) > 5
    assert not any("seed" in body for body in texts.asked)


def test_as_many_texts_are_asked_for_as_are_wanted(texts: TextServer) -> None:
    """Parts of several prompts go out together; each text keeps its own seed."""
    generator = opened()
    whole = {prompt: generator.generate(prompt, 0, 4, nothing) for prompt in (PROMPT, "Jane is")}
    texts.requests.clear()
    parts = [MissingTexts(PROMPT, 1, 2), MissingTexts("Jane is", 0, 3)]
    (batch,) = generator.batches(parts)
    first, second = generator.write(batch, nothing)
    assert len(texts.asked) == 5
    assert (first.prompt, first.first, first.texts) == (PROMPT, 1, whole[PROMPT].texts[1:3])
    assert (second.prompt, second.first, second.texts) == ("Jane is", 0, whole["Jane is"].texts[:3])


@pytest.mark.slow
def test_refusals_are_counted_and_kept(texts: TextServer, own_settings: Settings) -> None:
    """Filtered before and behind, said, and empty: each is an answer."""
    key = GenerationKey.of(resolve_writer(NAME, chat=True), DECODING)
    refused = {"Jane is a nurse.": "content_filter", "Jo is a nurse.": ""}

    def answer(server: TextServer, handler: Any, body: Any) -> bool:
        prompt = body["messages"][0]["content"]
        if prompt == "Jim is a nurse.":
            handler.answer(400, {"error": {"code": "content_filter", "message": "no"}})
            return True
        if prompt not in refused:
            return False
        message = {"content": None, "refusal": None if refused[prompt] else "I cannot."}
        handler.answer(200, {"choices": [{"message": message, "finish_reason": refused[prompt] or "stop"}]})
        return True

    texts.fault = answer
    request = TextsAsked(key=key, prompts=(PROMPT, "Jim is a nurse.", *refused), count=BLOCK)
    store = Store.open(own_settings.cache)
    assert generate_missing(request, store) == 4 * BLOCK
    written = [store.texts(key, prompt, BLOCK) for prompt in request.prompts]
    assert Counter(end for each in written if each for end in each.ends) == {"stop": 25, "refused": 75}
    refusals = store.texts(key, "Jo is a nurse.", BLOCK)
    assert refusals is not None
    assert set(refusals.texts) == {"I cannot."}


# Faults.


def once(status: int, document: Any) -> Any:
    """Answer the seventh request for a text so, and no other."""
    count = iter(range(1, 1000))

    def fault(server: TextServer, handler: Any, body: Any) -> bool:
        odd = next(count) == 7
        if odd:
            handler.answer(status, document)
        return odd

    return fault


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "document"),
    [
        (200, {"choices": []}),
        (200, {"error": {"message": "upstream timed out", "code": 502}}),
        (200, {"error": "upstream timed out"}),
        (200, {"choices": [{"text": "a b"}], "usage": {"completion_tokens": 14}}),
        (200, []),
    ],
)
def test_one_odd_answer_is_asked_for_again(texts: TextServer, status: int, document: Any) -> None:
    generator = opened()
    expected = generator.generate(PROMPT, 0, BLOCK, nothing)
    texts.requests.clear()
    texts.fault = once(status, document)
    assert generator.generate(PROMPT, 0, BLOCK, nothing) == expected
    assert len(texts.asked) == BLOCK + 1


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"message": "flagged by the content filter", "type": "content_filter", "code": None}),
        (400, {"code": "Bad", "innererror": {"code": "ResponsibleAIPolicyViolation"}}),
        (403, {"code": 403, "message": "Input flagged", "metadata": {"reasons": ["violence"]}}),
        (200, {"code": 403, "message": "Input flagged", "metadata": {"reasons": ["violence"]}}),
        (200, {"code": "content_filter"}),
    ],
)
def test_refusals_are_recognised_wherever_servers_say_so(texts: TextServer, status: int, error: Any) -> None:
    generator = opened()
    texts.fault = once(status, {"error": error})
    texts.requests.clear()
    ends = generator.generate(PROMPT, 0, BLOCK, nothing).ends
    assert (ends.count("refused"), ends.count("stop"), len(texts.asked)) == (1, BLOCK - 1, BLOCK)


def test_a_character_that_was_cut_in_two_is_a_text(texts: TextServer) -> None:
    generator = opened()
    texts.fault = saying(b'{"choices":[{"text":" caf\\u00e9 \\ud83d","finish_reason":"length"}]}')
    written = generator.generate(PROMPT, 0, BLOCK, nothing)
    assert (set(written.texts), set(written.ends)) == ({" café \ufffd"}, {"length"})


def test_a_limit_a_minute_is_waited_for(texts: TextServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A 429 that asks for no pause of its own; the pauses together are longer than most limits count."""
    assert len(PAUSES) * LIMIT_PAUSE > 60
    monkeypatch.setattr(pauses, "LIMIT_PAUSE", 0.3)
    generator = opened()
    texts.fault = failing(429, 1)
    began = time.monotonic()
    assert set(generator.generate(PROMPT, 0, BLOCK, nothing).ends) == {"stop"}
    assert time.monotonic() - began > 0.3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "says", "attempts"),
    [
        (saying(b"[]"), "has no text in the form of /completions", 3),
        (saying(b'{"choices": []}'), "has no text in the form of /completions", 3),
        (saying(b'{"choices": [{"text": 3}]}'), "has no text in the form of /completions", 3),
        (saying(b'{"choices": [{"text": "%s"}]}' % (b"a" * 5000)), "but at most 12 tokens were requested", 3),
        (saying(b" " * 2**21), "with more than 1,048,576 bytes", 1),
    ],
)
def test_what_does_not_pass_is_one_sentence(
    texts: TextServer, monkeypatch: pytest.MonkeyPatch, fault: Any, says: str, attempts: int
) -> None:
    generator = opened()
    use(monkeypatch, PCF_ENDPOINT_TIMEOUT="0.2", PCF_ENDPOINT_CONCURRENCY="1")
    texts.requests.clear()
    texts.fault = fault
    with pytest.raises(ScoringError, match=says) as caught:
        generator.generate(PROMPT, 0, BLOCK, nothing)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)
    first = texts.asked[0]["seed"]
    assert sum(body["seed"] == first for body in texts.asked) == attempts


def test_the_greedy_choice_needs_no_draw(texts: TextServer) -> None:
    texts.says = lambda prompt, seed: " the likeliest"
    with pytest.raises(ModelError, match="does not draw its tokens"):
        opened()
    greedy = opened(decoding=Decoding(temperature=0, length=12)).generate(PROMPT, 0, BLOCK, nothing)
    assert set(greedy.texts) == {" the likeliest"}
    assert len(texts.asked) == BLOCK


# Pace and interruption.


@pytest.mark.slow
def test_no_more_at_once_than_is_allowed(texts: TextServer, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, PCF_ENDPOINT_CONCURRENCY="3")
    texts.fault = slowly(0.02)
    opened().generate(PROMPT, 0, BLOCK, nothing)
    assert texts.most_at_once == 3


@pytest.mark.slow
def test_no_more_a_minute_than_is_allowed(texts: TextServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """One pace for all connections of a process: 3 + 25 requests at 1,200 a minute take 27/20 s."""
    use(monkeypatch, PCF_ENDPOINT_PER_MINUTE="1200")
    begin = time.monotonic()
    opened().generate(PROMPT, 0, BLOCK, nothing)
    assert time.monotonic() - begin >= 27 / 20


def test_a_stop_while_waiting_is_soon(texts: TextServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the next turn is minutes away, and the server asks for patience."""
    use(monkeypatch, PCF_ENDPOINT_PER_MINUTE="600")
    generator = opened()
    monkeypatch.setattr(endpoints, "PAUSES", (30.0,))
    texts.fault = failing(429, Retry_After="30")
    begin = time.monotonic()

    def stop() -> None:
        if time.monotonic() - begin > 0.3:
            raise Stopped

    with pytest.raises(Stopped):
        generator.generate(PROMPT, 0, BLOCK, stop)
    assert time.monotonic() - begin < 3


@pytest.mark.slow
def test_what_was_interrupted_goes_on_with_the_blocks_that_are_missing(
    texts: TextServer, own_settings: Settings
) -> None:
    request = TextsAsked(
        key=GenerationKey.of(resolve_writer(NAME), DECODING), prompts=(PROMPT, "Jane is"), count=2 * BLOCK
    )
    store = Store.open(own_settings.cache)

    def cut_off(server: TextServer, handler: Any, body: Any) -> bool:
        return len(server.asked) > 60 and failing(400)(server, handler, body)

    texts.fault = cut_off
    with pytest.raises(ScoringError, match="refuses"):
        generate_missing(request, store)
    assert len(store.missing_texts(request.key, request.prompts, request.count)) == 2
    texts.fault = lambda server, handler, body: False
    texts.requests.clear()
    assert generate_missing(request, store) == 2 * BLOCK
    assert len(texts.asked) == 2 * BLOCK
    assert {body["prompt"] for body in texts.asked} == {"Jane is"}


def test_a_whole_job_leaves_the_key_nowhere(
    texts: TextServer,
    own_settings: Settings,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Written by the worker, then refused by a server that says the key back."""
    key = GenerationKey.of(resolve_writer(NAME, chat=True), DECODING)
    store = Store.open(own_settings.cache)
    queue = Queue.open(own_settings.catalogue)
    worker = Worker(store, queue, settings())
    let_workers_write(monkeypatch)
    done = submit_texts(store, queue, TextsAsked(key=key, prompts=(PROMPT,), count=30))
    worker.run(until_idle=True)
    assert (queue.get(done.id).state, queue.get(done.id).done) == ("done", 30)
    texts.fault = always(401, {"error": {"message": f"wrong key {KEY}"}})
    failed = submit_texts(store, queue, TextsAsked(key=key, prompts=("Jane is",), count=30))
    worker.run(until_idle=True)
    assert "401: wrong key …" in str(queue.get(failed.id).error)
    queue.close()
    files = [path for path in own_settings.cache.rglob("*") if path.is_file()]
    assert {".parquet", ".sqlite"} <= {path.suffix for path in files}
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in caplog.text


# What texts from an endpoint cost, counted by the server or by characters.


def key(chat: bool = False) -> GenerationKey:
    return GenerationKey.of(resolve_writer(NAME, chat), Decoding(length=40))


def test_the_worked_example(texts: TextServer, monkeypatch: pytest.MonkeyPatch) -> None:
    texts.tokenizes = True
    prices = {"PCF_ENDPOINT_PRICE_IN": "0.5", "PCF_ENDPOINT_PRICE_OUT": "1.5"}
    use(monkeypatch, **prices, PCF_ENDPOINT_PER_MINUTE="30")
    estimate = estimate_requests([("one two three four five six", 100)], key())
    assert (estimate.requests, estimate.tokens_in, estimate.tokens_out) == (100, 600, 4000)
    assert (estimate.cost, estimate.seconds) == (pytest.approx(0.0063), 200)
    assert estimate == estimate_requests([("three four five six", 100)], key().with_system("one two"))
    assert "by the server's tokenizer" in estimate.basis
    nothing_wanted = estimate_requests([], key())
    assert (nothing_wanted.requests, nothing_wanted.tokens_in, nothing_wanted.cost) == (0, 0, 0)


def test_without_a_tokenizer_prices_and_a_limit(texts: TextServer, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [("twelve chars", 25), ("five.", 50), ("twelve chars", 25)]
    estimate = estimate_requests(wanted, key(chat=True))
    assert (estimate.requests, estimate.tokens_in) == (100, 50 * 3 + 50 * 2)
    assert (estimate.cost, estimate.seconds) == (None, None)
    assert "roughly, one for 4 characters" in estimate.basis
    assert "chat template" in estimate.basis
    assert [path for path, _ in texts.requests] == ["/tokenize"]
    use(monkeypatch, PCF_ENDPOINT_PRICE_IN="3")
    assert estimate_requests(wanted, key()).cost is None, "one price alone is no cost"


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=30), st.integers(1, 500)), max_size=8),
    st.floats(0, 100),
    st.floats(0, 100),
    st.integers(1, 1000),
)
def test_the_sum_is_that_of_its_parts(
    wanted: list[tuple[str, int]], price_in: float, price_out: float, per_minute: int
) -> None:
    """Second opinion: request by request, in exact order."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cost, "count_tokens", lambda name, prompts: None)
        given = Settings(
            endpoint_url="http://localhost/v1",
            endpoint_price_in=price_in,
            endpoint_price_out=price_out,
            endpoint_per_minute=per_minute,
        )
        patch.setattr(cost, "settings", lambda: given)
        decoding = Decoding(length=7)
        model = GenerationKey(
            model="endpoint:m", identity="i", tokenizer="t", family="endpoint", rules="1", decoding=decoding
        )
        estimate = estimate_requests(wanted, model)
    single = [prompt for prompt, count in wanted for _ in range(count)]
    prices = [rough_tokens(prompt) * price_in / 1e6 + 7 * price_out / 1e6 for prompt in single]
    assert estimate.cost == pytest.approx(math.fsum(prices))
    assert estimate.seconds == pytest.approx(sum(60 / per_minute for _ in single))
    assert estimate.tokens_out == 7 * len(single)
