"""Where a word meets its text: the tokens of ``left + word + right``, cut at the two seams.  No torch here.

Tokenizers do not keep ``tokens(a + b) == tokens(a) + tokens(b)``: byte-level BPE and SentencePiece write the
space before a word into the word's first token, and pieces can join across a seam.  So the whole text is
tokenised, and cut:

- The space left of ``[Y]`` belongs to the word: ``"… said that [Y]"`` is cut into ``"… said that"`` and
  ``" he"``.
- The word's tokens are what ``tokens(left + word)`` has beyond ``tokens(left)``, where the former begins with
  the latter, and likewise for the text on the right.
- Where it does not (``"un[Y]"`` may become one piece), the left text keeps its own tokens, and the rest takes
  the tokens that it has behind a neutral character where the beginning does hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pcf_core.errors import ModelError
from pcf_core.records import TokenTable
from pcf_core.scoring.base import split_prompt

Ids = tuple[int, ...]
NEUTRAL = ("a", ".", "\n", "0", "|")
PROBE = "a"


@dataclass(frozen=True)
class Pieces:
    """Token ids of one text, cut: ``left``, then for each word its ids and those of the text behind it."""

    left: Ids
    words: tuple[Ids, ...]
    rights: tuple[Ids, ...]


class Seam:
    """Cuts prompts with a given tokenizer.

    ``opening`` and ``closing`` are the special tokens that the tokenizer itself puts around a text, by its
    own default.
    """

    def __init__(self, tokenizer: Any, model: str) -> None:
        self.tokenizer = tokenizer
        self.model = model
        bare = self.encode([PROBE])[0]
        full = tuple(tokenizer(PROBE)["input_ids"])
        start = next((i for i in range(len(full)) if full[i : i + len(bare)] == bare), None)
        if start is None or not bare:
            raise ModelError(
                f"The tokenizer of {model} does not keep plain text; use the tokenizer of its training."
            )
        self.opening: Ids = full[:start]
        self.closing: Ids = full[start + len(bare) :]
        self._behind: dict[str, Ids] = {}

    def encode(self, texts: Sequence[str]) -> list[Ids]:
        """Token ids of each text, no special tokens; no ids for the empty text."""
        wanted = [text for text in dict.fromkeys(texts) if text]
        known: dict[str, Ids] = {"": ()}
        if wanted and getattr(self.tokenizer, "is_fast", False):
            backend = self.tokenizer.backend_tokenizer
            backend.no_truncation()
            backend.no_padding()
            encodings = backend.encode_batch_fast(wanted, add_special_tokens=False)
            known.update((text, tuple(one.ids)) for text, one in zip(wanted, encodings, strict=True))
        elif wanted:
            ids = self.tokenizer(wanted, add_special_tokens=False)["input_ids"]
            known.update((text, tuple(one)) for text, one in zip(wanted, ids, strict=True))
        return [known[text] for text in texts]

    def cut(self, prompts: Sequence[str], words: Sequence[str]) -> list[Pieces]:
        """The pieces of each prompt.

        Raises:
            ModelError: a word or a right text that the tokenizer joins to whatever stands before it.
        """
        return [self._cut_one(prompt, words) for prompt in prompts]

    def _cut_one(self, prompt: str, words: Sequence[str]) -> Pieces:
        left, right = split_prompt(prompt)
        stem = left.rstrip()
        filled = [left + word for word in words]
        head, *encoded = self.encode([stem, *filled, *([text + right for text in filled] if right else [])])
        ids: list[Ids] = []
        rights: list[Ids] = []
        for number, (word, whole) in enumerate(zip(words, encoded, strict=False)):
            ids.append(_beyond(head, whole) or self._tokens_behind(left[len(stem) :] + word))
            if right:
                joined = encoded[len(words) + number]
                rights.append(_beyond(head + ids[-1], joined) or self._tokens_behind(right))
            else:
                rights.append(())
        return Pieces(head, tuple(ids), tuple(rights))

    def _tokens_behind(self, text: str) -> Ids:
        """The tokens of ``text`` as it continues a text with which it does not merge."""
        if text not in self._behind:
            encoded = self.encode([*NEUTRAL, *(mark + text for mark in NEUTRAL)])
            heads, wholes = encoded[: len(NEUTRAL)], encoded[len(NEUTRAL) :]
            found = (_beyond(head, whole) for head, whole in zip(heads, wholes, strict=True))
            self._behind[text] = next((ids for ids in found if ids), ())
        if not self._behind[text]:
            raise ModelError(
                f"The tokenizer of {self.model} gives {text!r} no tokens of its own behind any of {NEUTRAL}; "
                "leave it out."
            )
        return self._behind[text]

    def check(self, words: Iterable[str]) -> TokenTable:
        """Tokens of each word as it stands after a space, and the words refused, with the reason."""
        tokens: dict[str, int] = {}
        refused: dict[str, str] = {}
        for word in dict.fromkeys(words):
            reason = self._refusal(word)
            if reason:
                refused[word] = reason
            else:
                tokens[word] = len(self._cut_one(f"{PROBE} [Y]", [word]).words[0])
        return TokenTable(tokens, refused)

    def _refusal(self, word: str) -> str:
        if not word.strip():
            return "it is empty"
        if word != word.strip() or "[Y]" in word:
            return "it begins or ends with white space, or holds [Y]"
        (ids,) = self.encode([word])
        if not ids:
            return "the tokenizer gives it no tokens"
        if self.tokenizer.unk_token_id in ids:
            return "the tokenizer has no token for part of it (unk)"
        if set(ids) & set(self.tokenizer.all_special_ids):
            return "it holds a special token of the tokenizer"
        lost = self._lost_characters(word)
        return f"the tokenizer drops {lost!r} from it" if lost else ""

    def _lost_characters(self, word: str) -> str:
        """Characters that no token covers: BPE without an unknown token drops them silently."""
        if not getattr(self.tokenizer, "is_fast", False):
            return ""
        spans = self.tokenizer.backend_tokenizer.encode(word, add_special_tokens=False).offsets
        covered = {index for start, end in spans for index in range(start, end)}
        return "".join(c for index, c in enumerate(word) if index not in covered and not c.isspace())


def _beyond(head: Ids, whole: Ids) -> Ids:
    """What ``whole`` has beyond ``head``; nothing where it does not begin with it."""
    return whole[len(head) :] if whole[: len(head)] == head else ()
