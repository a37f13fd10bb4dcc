"""An OpenAI-compatible completions server: what it is asked, its answers checked.  No torch here.

Two shapes of answer hold what the server thinks of the prompt itself (:mod:`pcf_core.models.readings`).
One token is always generated and thrown away: servers refuse ``max_tokens=0``, or take it for no limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Any, Literal, TypeVar

from pcf_core.errors import RequestRefusedError, ScoringError
from pcf_core.models.answer_json import FILTERED
from pcf_core.models.connection import Connection
from pcf_core.models.readings import Reading, of_echo, of_prompt_logprobs

Ids = tuple[int, ...]
Shape = Literal["prompt_logprobs", "echo"]
R = TypeVar("R")

PROMPTS_A_REQUEST = 32
LARGEST_TEXT = 2**20  # bytes of an answer that holds one text
LONGEST_NAME = 300  # characters of a served model's


class Server(Connection):
    """The completions of one served model."""

    def models(self) -> list[Mapping[str, Any]]:
        """The served models as the server describes them; each has an ``id``.

        Raises:
            ScoringError: it cannot be reached, or does not list its models.
        """
        document = self.ask("GET", f"{self.url}/models")
        cards = document.get("data") if isinstance(document, dict) else None
        if not isinstance(cards, list) or not all(
            isinstance(card, dict) and is_name(card.get("id")) for card in cards
        ):
            raise ScoringError(
                f"The endpoint {self.url} lists no models at /models; check that PCF_ENDPOINT_URL ends where "
                "/completions would follow, mostly in /v1."
            )
        return cards

    def read(self, prompts: Sequence[str | Ids], shape: Shape, best: bool = False) -> Iterator[Reading]:
        """The readings of the prompts, texts or token ids, in their order.

        ``best`` asks for the most probable token at each place too.  Requests run ahead of what is taken, a
        few for each connection.

        Raises:
            ScoringError: the server cannot be reached or refuses; it answers in another shape, or with what
                is no log-probability.
        """
        size = PROMPTS_A_REQUEST if shape == "prompt_logprobs" else 1
        requests = [prompts[start : start + size] for start in range(0, len(prompts), size)]
        for readings in self.in_order(lambda part: self._read_part(part, shape, best), requests):
            yield from readings

    def tokenise(self, texts: Sequence[str], special: bool) -> list[Ids]:
        """Token ids of each text by vLLM's ``/tokenize``, with or without the special tokens around it.

        Raises:
            ScoringError: the server cannot be reached or has no such address.
        """
        return list(self.in_order(lambda text: self._tokenise_one(text, special), texts))

    def write(
        self,
        path: str,
        bodies: Iterable[Mapping[str, Any]],
        read: Callable[[Any], R],
        pause: Callable[[], None] = lambda: None,
    ) -> Iterator[R]:
        """What ``read`` makes of the answers to requests for one text each, in their order.

        Args:
            path: ``completions`` or ``chat/completions``.
            bodies: what is posted there; the model's name is added.
            read: of the JSON that is answered, or of the ``RequestRefusedError`` that stands for a request
                which the server's content filter refuses.  An answer of which it raises a ``ScoringError``
                is asked for again, like one that does not come: one odd answer among thousands ends nothing.
            pause: called while waiting; what it raises ends the work.

        Raises:
            ScoringError: the server cannot be reached or refuses; every answer to a request is odd.
        """

        def ask(body: Mapping[str, Any]) -> R:
            whole = {"model": self.name, **body}
            try:
                answer: R = self.ask("POST", f"{self.url}/{path}", whole, LARGEST_TEXT, read)
                return answer
            except RequestRefusedError as refusal:
                if refusal.code in FILTERED:
                    return read(refusal)
                raise

        return self.in_order(ask, bodies, pause)

    def _tokenise_one(self, text: str, special: bool) -> Ids:
        body = {"model": self.name, "prompt": text, "add_special_tokens": special}
        document = self.ask("POST", f"{self.url.removesuffix('/v1')}/tokenize", body)
        tokens = document.get("tokens") if isinstance(document, dict) else None
        if not isinstance(tokens, list) or not all(isinstance(token, int) for token in tokens):
            raise ScoringError(f"The endpoint {self.url} answers /tokenize without a list of token ids.")
        return tuple(tokens)

    def _read_part(self, prompts: Sequence[str | Ids], shape: Shape, best: bool) -> list[Reading]:
        body: dict[str, Any] = {"model": self.name, "max_tokens": 1, "temperature": 1.0}
        if shape == "prompt_logprobs":
            body |= {"prompt": list(prompts), "prompt_logprobs": int(best), "return_token_ids": True}
        else:
            body |= {"prompt": prompts[0], "echo": True, "logprobs": 1}
        document = self.ask("POST", f"{self.url}/completions", body)
        try:
            choices = sorted(document["choices"], key=lambda choice: choice["index"])
            if [choice["index"] for choice in choices] != list(range(len(prompts))):
                raise ValueError(f"{len(choices)} choices for {len(prompts)} prompts")
            if shape == "prompt_logprobs":
                return [of_prompt_logprobs(choice) for choice in choices]
            return [of_echo(choices[0]["logprobs"], document["usage"]["prompt_tokens"])]
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else str(error)
            raise ScoringError(
                f"The endpoint {self.url} answers without log-probabilities of the prompt's tokens in the "
                f"shape {shape} ({shorten(self.without_key(reason), 120, placeholder=' …')})."
            ) from error


def is_name(name: Any) -> bool:
    """Whether a server's name of a model can be shown."""
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()
