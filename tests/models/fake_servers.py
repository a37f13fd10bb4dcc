"""Servers on loopback: one serves a tiny causal model in two shapes, one writes texts; both fail as told."""

from __future__ import annotations

import abc
import json
import math
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

import pytest
import torch
from pydantic import SecretStr

from pcf_core.core.settings import settings
from pcf_core.models import endpoint as endpoints
from pcf_core.models.completions import Server
from pcf_core.models.loading import Loaded

KEY = "sk-a-secret-of-the-operator"
TEXT_PATHS = {"/v1/completions", "/v1/chat/completions"}
Fault = Callable[[Any, "Handler", dict[str, Any]], bool]
Bend = Callable[[list[float]], list[float]]
Says = Callable[[str, int], str]
Lists = Callable[[str], dict[str, float]]
Running = TypeVar("Running", bound=ThreadingHTTPServer)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the body waits 40 ms until the client has told of the head
    server: FaultyServer

    def log_message(self, *_: Any) -> None:
        """Nothing on stderr."""

    def do_GET(self) -> None:
        self.serve({})

    def do_POST(self) -> None:
        self.serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def serve(self, body: dict[str, Any]) -> None:
        with self.server.counting:
            self.server.requests.append((self.path, body))
            self.server.keys.add(self.headers.get("Authorization", ""))
            self.server.under_way += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.under_way)
        try:
            if not self.server.fault(self.server, self, body):
                self.answer(*self.server.respond(self.path, body))
        finally:
            with self.server.counting:
                self.server.under_way -= 1

    def answer(self, status: int, document: Any, **headers: str) -> None:
        self.send(status, json.dumps(document).encode(), **headers)

    def send(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)


class FaultyServer(ThreadingHTTPServer):
    """A server of whatever :meth:`respond` gives.

    ``fault`` may answer a request itself and says whether it did.  ``requests`` and ``keys`` are what came.
    """

    daemon_threads = False  # its end waits for the last answer

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.fault: Fault = lambda server, handler, body: False
        self.counting = threading.Lock()
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.keys: set[str] = set()
        self.under_way = self.most_at_once = 0

    def handle_error(self, *_: Any) -> None:
        """A client that did not wait."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @abc.abstractmethod
    def respond(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Status and document of an answer."""


class CompletionsServer(FaultyServer):
    """``shape``: ``prompt_logprobs`` (vLLM), ``echo`` (legacy) or ``none`` (generated tokens alone).

    ``bend`` changes the log-probabilities of a prompt.  ``chooses``: ``logprob_token_ids`` (vLLM) or
    ``score`` (SGLang); others are ignored.
    """

    def __init__(self, loaded: Loaded, shape: str, name: str = "tiny") -> None:
        super().__init__()
        self.loaded = loaded
        self.shape = shape
        self.name = name
        self.tokenizes = shape == "prompt_logprobs"
        self.bend: Bend = lambda values: values
        self.chooses = ""
        self.modelling = threading.Lock()

    @property
    def prompts(self) -> list[Any]:
        """Every prompt that was asked to be completed, one by one."""
        given = [body["prompt"] for path, body in self.requests if path == "/v1/completions"]
        return [prompt for item in given for prompt in (item if isinstance(item, list) else [item])]

    def respond(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path == "/v1/models":
            return 200, {"data": [{"id": self.name, "root": "org/tiny", "max_model_len": 160}]}
        if body.get("model") != self.name:
            return 404, {"error": {"message": f"The model `{body.get('model')}` does not exist."}}
        if path == "/tokenize" and self.tokenizes:
            ids = self.encode(body["prompt"], body["add_special_tokens"])
            return 200, {"count": len(ids), "max_model_len": 160, "tokens": ids}
        if path == "/v1/score" and self.chooses == "score":
            rows = [self.encode(body["query"] + item) for item in body["items"]]
            return 200, {
                "scores": [list(map(math.exp, self.after(ids, body["label_token_ids"]))) for ids in rows]
            }
        if path != "/v1/completions":
            return 404, {"detail": "Not Found"}
        if body["max_tokens"] < 1:
            return 400, {"error": {"message": "max_tokens must be at least 1"}}
        prompts = body["prompt"] if isinstance(body["prompt"], list) else [body["prompt"]]
        if self.shape != "prompt_logprobs" and prompts is body["prompt"]:
            return 400, {"error": {"message": "prompt must be a string"}}
        rows = [prompt if isinstance(prompt, list) else self.encode(prompt) for prompt in prompts]
        choices = [self.choice(index, ids, body) for index, ids in enumerate(rows)]
        usage = {"prompt_tokens": sum(map(len, rows)), "completion_tokens": len(rows)}
        return 200, {"object": "text_completion", "choices": choices[::-1], "usage": usage}

    def choice(self, index: int, ids: list[int], body: dict[str, Any]) -> dict[str, Any]:
        values, best = self.model(ids)
        texts = [self.loaded.tokenizer.decode([token]) for token in ids]
        document: dict[str, Any] = {"index": index, "text": " he", "logprobs": None}
        if self.chooses == "logprob_token_ids" and body.get("logprob_token_ids"):
            chosen = zip(body["logprob_token_ids"], self.after(ids, body["logprob_token_ids"]), strict=True)
            top = {"token_id:0": -0.5} | {f"token_id:{token}": value for token, value in chosen}
            document["logprobs"] = {"tokens": ["token_id:0"], "token_logprobs": [-0.5], "top_logprobs": [top]}
            return document
        if self.shape == "prompt_logprobs" and "prompt_logprobs" in body:
            document["prompt_logprobs"] = [None] + [
                {str(ids[i]): {"logprob": values[i - 1], "rank": 3, "decoded_token": texts[i]}}
                | ({"-1": {"logprob": best[i - 1], "rank": 1}} if body["prompt_logprobs"] else {})
                for i in range(1, len(ids))
            ]
            document["prompt_token_ids"] = ids if body.get("return_token_ids") else None
        elif self.shape == "echo" and body.get("echo"):
            tops = [None, *({"x": value} for value in best), {" he": -0.5}]
            document["logprobs"] = {
                "tokens": [*texts, " he"],
                "token_logprobs": [None, *values, -0.5],
                "top_logprobs": tops,
            }
        elif body.get("logprobs") is not None:
            document["logprobs"] = {"tokens": [" he"], "token_logprobs": [-0.5], "top_logprobs": [None]}
        return document

    def after(self, ids: list[int], tokens: list[int]) -> list[float]:
        """Log-probabilities of these tokens behind a text."""
        with self.modelling, torch.inference_mode():
            logits = self.loaded.model(input_ids=torch.tensor([ids])).logits[0, -1].double()
        return [float(value) for value in logits.log_softmax(-1)[tokens]]

    def encode(self, text: str, special: bool = True) -> list[int]:
        return list(self.loaded.tokenizer(text, add_special_tokens=special)["input_ids"])

    def model(self, ids: list[int]) -> tuple[list[float], list[float]]:
        """Log-probabilities of all tokens but the first, and the highest at each of their places."""
        with self.modelling, torch.inference_mode():
            logits = self.loaded.model(input_ids=torch.tensor([ids])).logits[0, :-1].double()
        logs = logits.log_softmax(-1)
        own = logs.gather(1, torch.tensor(ids[1:])[:, None])[:, 0].tolist()
        return self.bend([max(value, -9999.0) for value in own]), logs.amax(-1).tolist()


def from_seed(prompt: str, seed: int) -> str:
    """Five words that the seed decides."""
    return " " + " ".join(random.Random(seed).choices(["he", "she", "it", "was", "is"], k=5))


class TextServer(FaultyServer):
    """Serves the model ``tiny``.

    ``says`` makes a text of prompt and seed (the number of the request where none came); ``choice`` and
    ``message`` are laid over what an answer says of it.  ``refuses`` names fields of a request that are not
    taken, or roles of a message; ``paths`` where it answers.  ``tokenizes``: whether it counts tokens, one
    for each word.  ``lists``: the probabilities of first tokens, which messages list if they are asked to.
    """

    def __init__(self) -> None:
        super().__init__()
        self.says: Says = from_seed
        self.choice: dict[str, Any] = {}
        self.message: dict[str, Any] = {}
        self.refuses: set[str] = set()
        self.paths = set(TEXT_PATHS)
        self.tokenizes = False
        self.lists: Lists | None = None

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of requests for a text, but those that opening a generator sends."""
        bodies = [body for path, body in self.requests if path in TEXT_PATHS]
        return [body for body in bodies if "Ten random words" not in prompt_of(body)]

    def respond(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path == "/tokenize" and self.tokenizes:
            return 200, {"tokens": list(range(len(body["prompt"].split())))}
        if path not in self.paths:
            return 404, {"detail": "Not Found"}
        if body["model"] != "tiny":
            return 404, {"error": {"message": f"The model `{body['model']}` does not exist."}}
        for name in self.refuses & body.keys():
            other = ". Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            return 400, {"error": {"message": f"Unsupported parameter: '{name}'{other}", "param": name}}
        for role in self.refuses & {message["role"] for message in body.get("messages", ())}:
            return 400, {"error": {"message": f"{role.title()} role not supported"}}
        text = self.says(prompt_of(body), body.get("seed", len(self.requests)))
        usage = {"prompt_tokens": 3, "completion_tokens": len(text.split())}
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
        if path == "/v1/completions":
            choice["text"] = text
        else:
            choice["message"] = {"role": "assistant", "content": text, **self.message}
            if self.lists is not None and body.get("logprobs"):
                listed = self.lists(prompt_of(body)).items()
                top = [{"token": token, "logprob": math.log(p)} for token, p in listed]
                choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
        return 200, {"choices": [choice | self.choice], "usage": usage}


def prompt_of(body: dict[str, Any]) -> str:
    """The prompt of a request for a text."""
    if "prompt" in body:
        return str(body["prompt"])
    *before, message = body["messages"]
    assert message["role"] == "user"
    assert [one["role"] for one in before] in ([], ["system"])
    return str(message["content"])


def system_of(body: dict[str, Any]) -> str:
    """What a request tells first in a message of the system."""
    return "".join(one["content"] for one in body.get("messages", ()) if one["role"] == "system")


@contextmanager
def serving(
    loaded: Loaded, shape: str = "prompt_logprobs", name: str = "tiny"
) -> Iterator[CompletionsServer]:
    """A server of a model that runs until the block ends."""
    with running(CompletionsServer(loaded, shape, name)) as server:
        yield server


@contextmanager
def running(server: Running) -> Iterator[Running]:
    """The server, answering until the block ends."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def serving_texts() -> Iterator[TextServer]:
    """A server that runs until the block ends."""
    with running(TextServer()) as server:
        yield server


def slowly(seconds: float) -> Fault:
    def fault(server: FaultyServer, handler: Handler, body: dict[str, Any]) -> bool:
        time.sleep(seconds)
        return False

    return fault


def always(status: int, document: Any) -> Fault:
    """Answer every request, with or without a body, with this document."""

    def fault(server: FaultyServer, handler: Handler, body: dict[str, Any]) -> bool:
        handler.answer(status, document)
        return True

    return fault


def first(times: float, answer: Callable[[Handler], object]) -> Fault:
    """Answer the first ``times`` requests that have a body in another way."""
    left = [times]

    def fault(server: FaultyServer, handler: Handler, body: dict[str, Any]) -> bool:
        if not body or left[0] <= 0:
            return False
        left[0] -= 1
        answer(handler)
        return True

    return fault


def failing(status: int, times: float = math.inf, **headers: str) -> Fault:
    return first(times, lambda handler: handler.answer(status, {"error": {"message": "not now"}}, **headers))


def saying(data: bytes) -> Fault:
    return first(math.inf, lambda handler: handler.send(200, data))


def cutting(times: float = math.inf) -> Fault:
    """Cut the connection in the middle of an answer."""

    def cut(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"choices": [')
        handler.close_connection = True

    return first(times, cut)


def client(server: FaultyServer, **options: Any) -> Server:
    """A connection with a key, and little patience."""
    return Server(server.url, "tiny", key=SecretStr(KEY), **{"pauses": (0.01,), "timeout": 5, **options})


def point_at(server: FaultyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the operator's settings name this server."""
    monkeypatch.setattr(endpoints, "PAUSES", (0.01, 0.01))
    for name, value in (("URL", server.url), ("KEY", KEY), ("TIMEOUT", "5")):
        monkeypatch.setenv(f"PCF_ENDPOINT_{name}", value)
    settings.cache_clear()


@contextmanager
def threads_end() -> Iterator[None]:
    """Require that all threads which were started in the block end with it."""
    before = threading.active_count()
    yield
    deadline = time.monotonic() + 10  # a server's last threads end after its last answer was read
    while threading.active_count() > before:
        assert time.monotonic() < deadline, [thread.name for thread in threading.enumerate()]
        time.sleep(0.01)
