"""A server on loopback that writes texts as it is told to: completions, chat, or both."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.models.scoring.completions_server import FaultyServer, running

PATHS = {"/v1/completions", "/v1/chat/completions"}
Says = Callable[[str, int], str]


def from_seed(prompt: str, seed: int) -> str:
    """Five words that the seed decides."""
    return " " + " ".join(random.Random(seed).choices(["he", "she", "it", "was", "is"], k=5))


class TextServer(FaultyServer):
    """Serves the model ``tiny``.

    ``says`` makes a text of prompt and seed (the number of the request where none came); ``choice`` and
    ``message`` are laid over what an answer says of it.  ``refuses`` names fields of a request that are not
    taken, or roles of a message; ``paths`` where it answers.  ``tokenizes``: whether it counts tokens, one
    for each word.
    """

    def __init__(self) -> None:
        super().__init__()
        self.says: Says = from_seed
        self.choice: dict[str, Any] = {}
        self.message: dict[str, Any] = {}
        self.refuses: set[str] = set()
        self.paths = set(PATHS)
        self.tokenizes = False

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of requests for a text, but those that opening a generator sends."""
        bodies = [body for path, body in self.requests if path in PATHS]
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
        return 200, {"choices": [choice | self.choice], "usage": usage}


def prompt_of(body: dict[str, Any]) -> str:
    """The prompt of a request for a text."""
    if "prompt" in body:
        return str(body["prompt"])
    *told, message = body["messages"]
    assert message["role"] == "user"
    assert [one["role"] for one in told] in ([], ["system"])
    return str(message["content"])


def system_of(body: dict[str, Any]) -> str:
    """What a request tells first in a message of the system."""
    return "".join(one["content"] for one in body.get("messages", ()) if one["role"] == "system")


@contextmanager
def serving_texts() -> Iterator[TextServer]:
    """A server that runs until the block ends."""
    with running(TextServer()) as server:
        yield server
