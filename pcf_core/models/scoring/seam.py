"""Cut the tokens of ``left + word + right`` at the two seams between word and text.  No torch here.

In general ``tokens(a + b) != tokens(a) + tokens(b)``: the space before a word is part of its first token, and
tokens can join across a seam.  So the whole text is tokenised, and cut:

- The space left of ``[Y]`` belongs to the word: ``"… said that [Y]"`` is cut into ``"… said that"`` and
  ``" he"``; a line break belongs to the left text.
- Letters that touch ``[Y]`` are already part of the word (:func:`~pcf_core.core.topics.whole_word_prompt`).
- The word's tokens are those of ``tokens(left + word)`` after ``tokens(left)``, if the former begins with the
  latter, and likewise for the text on the right.
- If a tokenizer splits at every space, text after a space is tokenised once for all.

Some tokens still cross a seam: in scripts without spaces, or at quotation marks that are not split off.

- A causal model scores word and right text together, so a token of both is one more token.  A token of left
  text and word is refused, as the probability of the left text would be needed.
- Other families replace the word by a mask, which splits the text.  Each part has the tokens it has after a
  neutral character; if a letter touches the word, the prompt is refused.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.frame import QUESTION, in_frame
from pcf_core.core.run import TokenTable
from pcf_core.core.topics import whole_word_prompt
from pcf_core.models.scoring.base import BEHIND_A_SPACE, GAP, quoted, split_prompt

Ids = tuple[int, ...]
NEUTRAL = ("a", ".", "\n", "0", "|")
PROBE = "a"
ROLES = ("bos", "eos", "sep", "pad", "cls", "mask")  # of special tokens, without the unknown one
LETTERS = (PROBE, "的")  # that a word could join, of scripts with and without spaces


@dataclass(frozen=True)
class Pieces:
    """Token ids of one text: ``left``, then for each word its ids and those of the text after it."""

    left: Ids
    words: tuple[Ids, ...]
    rights: tuple[Ids, ...]


class Seam:
    """Cuts prompts with a given tokenizer.

    ``opening``, ``closing``: the special tokens that the tokenizer puts around a text by default.  ``rows``:
    tokens that the model knows, 0 if it is not here.  ``frame``: text before every prompt, which has its own
    special tokens and replaces the opening (:func:`~pcf_core.core.frame.in_frame`); ``frame_ids``: tokens
    that it begins with before any prompt.
    """

    def __init__(self, tokenizer: Any, model: str, rows: int = 0, frame: str = "") -> None:
        self.tokenizer = tokenizer
        self.model = model
        self.rows = 0  # not checked yet
        bare = self.encode([PROBE])[0]
        full = tuple(tokenizer(PROBE)["input_ids"])
        start = next((i for i in range(len(full)) if full[i : i + len(bare)] == bare), None)
        if start is None or not bare:
            raise ModelError(
                f"The tokenizer of {model} changes plain text: use the tokenizer with which the model "
                "was trained."
            )
        self.frame = frame
        self.opening: Ids = () if frame else full[:start]
        self.closing: Ids = full[start + len(bare) :]
        self.splits_at_spaces = _splits_at_spaces(tokenizer)
        self.specials = _special_tokens(tokenizer)
        self._behind: dict[str, Ids] = {}
        self._pairs: dict[tuple[str, str, bool], tuple[Ids, Ids]] = {}
        self.rows = rows
        tokens = self.encode([frame.partition(QUESTION)[0]])[0]
        special = [index for index, one in enumerate(tokens) if one in self.specials]
        # No prompt changes what is before the last special token.
        self.frame_ids: Ids = tokens[: min(special[-1] + 1 if special else 0, len(tokens) - 1)]
        self._of_frame = Counter(self.encode([frame])[0])

    def encode(self, texts: Sequence[str]) -> list[Ids]:
        """Return the token ids of each text without special tokens."""
        wanted = [text for text in dict.fromkeys(texts) if text]
        ids_of: dict[str, Ids] = {"": ()}
        if wanted and getattr(self.tokenizer, "is_fast", False):
            backend = self.tokenizer.backend_tokenizer
            backend.no_truncation()
            backend.no_padding()
            encodings = backend.encode_batch_fast(wanted, add_special_tokens=False)
            ids_of.update((text, tuple(one.ids)) for text, one in zip(wanted, encodings, strict=True))
        elif wanted:
            ids = self.tokenizer(wanted, add_special_tokens=False)["input_ids"]
            ids_of.update((text, tuple(one)) for text, one in zip(wanted, ids, strict=True))
        highest = max(max(ids, default=0) for ids in ids_of.values())
        if 0 < self.rows <= highest:
            raise ModelError(
                f"The tokenizer of {self.model} uses the token {highest}, but the model has only "
                f"{self.rows:,} tokens, so the tokenizer belongs to another model: use the one with which "
                "the model was trained."
            )
        return [ids_of[text] for text in texts]

    def whole(self, texts: Sequence[str]) -> list[Ids]:
        """Return the token ids of whole texts, in a frame those after it.

        TemplateError for a text without a token, with a special one, or inseparable from the frame.
        """
        head, *encoded = self.encode([self.frame, *(self.frame + text for text in texts)])
        behind = [_beyond(head, ids) for ids in encoded]
        for text, ids, rest in zip(texts, encoded, behind, strict=True):
            if ids == head:
                raise TemplateError(
                    f"The tokenizer of {self.model} has no token for {quoted(text)}: leave it out."
                )
            self._refuse_special(text, set(rest or Counter(ids) - self._of_frame))
            if not rest:
                raise TemplateError(
                    f"The tokenizer of {self.model} joins the beginning of {quoted(text)} to the chat before "
                    "it, so the two cannot be separated: leave it out, or score bare sentences."
                )
        return behind

    def cut(self, prompts: Sequence[str], words: Sequence[str], *, causal: bool = False) -> list[Pieces]:
        """Split each prompt into its pieces.

        ``causal``: word and right text are scored together; if a token is part of both, all count as the
        word's.  Raises TemplateError for a special token, or a word inseparable from the text.
        """
        sides = [(in_frame(self.frame, left), right) for left, right in map(split_prompt, prompts)]
        heads = self.encode([left.removesuffix(" ") for left, _ in sides])
        tails = self.encode([right for _, right in sides])
        for prompt, head, tail in zip(prompts, heads, tails, strict=True):
            self._refuse_special(prompt, {*(Counter(head) - self._of_frame), *tail})
        return [
            self._cut_one(head, *side, words, causal=causal) for head, side in zip(heads, sides, strict=True)
        ]

    def _refuse_special(self, prompt: str, ids: set[int]) -> None:
        for one in sorted(ids & self.specials.keys()):
            name = self.specials[one]
            # an unknown token with another role counts only if it is written
            if one != _unknown(self.tokenizer) or name in prompt:
                raise TemplateError(
                    f"The prompt {quoted(prompt)} contains {name!r}, a special token of {self.model}, which "
                    "the model does not read as text: remove it."
                )

    def _cut_one(self, head: Ids, left: str, right: str, words: Sequence[str], *, causal: bool) -> Pieces:
        gap = " " if left.endswith(" ") else ""
        if head and gap and self.splits_at_spaces:
            pairs = [self._behind_space(left, word, right, causal=causal) for word in words]
        else:
            filled = [left + word for word in words]
            wholes = self.encode(filled)
            joined = self.encode([text + right for text in filled]) if right else wholes
            pairs = []
            for word, whole, longer in zip(words, wholes, joined, strict=True):
                ids = _beyond(head, whole)
                if not ids or (causal and not _beyond(head, longer)):
                    if causal or left[-1:].isalnum():
                        raise self._inseparable(left, word, right)
                    ids = self.tokens_behind(gap + word)
                pair = self._word_and_right(head + ids, longer, right, len(head), causal=causal)
                if pair is None:
                    raise self._inseparable(left, word, right)
                pairs.append(pair)
        return Pieces(head, tuple(ids for ids, _ in pairs), tuple(rest for _, rest in pairs))

    def _behind_space(self, left: str, word: str, right: str, *, causal: bool) -> tuple[Ids, Ids]:
        """Return the tokens of word and right text after a space."""
        if (word, right, causal) not in self._pairs:
            ids = self.tokens_behind(f" {word}")
            longer = self.tokens_behind(f" {word}{right}") if right else ids
            pair = self._word_and_right(ids, longer, right, 0, causal=causal)
            if pair is None:
                raise self._inseparable(left, word, right)
            self._pairs[word, right, causal] = pair
        return self._pairs[word, right, causal]

    def _word_and_right(
        self, ids: Ids, longer: Ids, right: str, start: int, *, causal: bool
    ) -> tuple[Ids, Ids] | None:
        """Return the tokens of a word (``ids`` from ``start`` on) and of the text on its right.

        ``longer``: the tokens of both.  ``None`` if they cannot be separated but must be.
        """
        if not right:
            return ids[start:], ()
        if rest := _beyond(ids, longer):
            return ids[start:], rest
        if causal:
            return longer[start:], ()
        return None if right[0].isalnum() else (ids[start:], self.tokens_behind(right))

    def _inseparable(self, left: str, word: str, right: str) -> TemplateError:
        prompt = left.removeprefix(self.frame) + GAP + right
        return TemplateError(
            f"In {quoted(prompt)} the tokenizer of {self.model} joins {word!r} to the text next "
            "to it, so the two cannot be separated: put spaces or other quotation marks around [Y], leave "
            "the template out, or choose another model."
        )

    @property
    def sentinels(self) -> tuple[int, int] | None:
        """T5's ``<extra_id_0>`` and ``<extra_id_1>``, if the tokenizer has one token for each."""
        first, second = self.encode(["<extra_id_0>", "<extra_id_1>"])
        return (first[0], second[0]) if len(first) == len(second) == 1 and first != second else None

    def tokens_behind(self, text: str) -> Ids:
        """Return the tokens of ``text`` after a text with which it does not merge."""
        if not text:
            return ()
        if text not in self._behind:
            encoded = self.encode([*NEUTRAL, *(mark + text for mark in NEUTRAL)])
            heads, wholes = encoded[: len(NEUTRAL)], encoded[len(NEUTRAL) :]
            candidates = (_beyond(head, whole) for head, whole in zip(heads, wholes, strict=True))
            self._behind[text] = next((ids for ids in candidates if ids), ())
        if not self._behind[text]:
            raise ModelError(
                f"The tokenizer of {self.model} gives {text!r} no tokens of its own after any of {NEUTRAL}: "
                "leave it out."
            )
        return self._behind[text]

    def check(self, words: Iterable[str], text: str = BEHIND_A_SPACE) -> TokenTable:
        """Return each word's tokens at ``[Y]``, counting letters that touch it, and the refused words."""
        prompt, before, after = whole_word_prompt(text)
        left, _ = split_prompt(prompt)
        tokens: dict[str, int] = {}
        refused: dict[str, str] = {}
        spelling: dict[str, str] = {}
        unspaced = set()
        for word in dict.fromkeys(words):
            form = f"{before}{word}{after}"
            reason = self._refusal(word) or self._refusal(form)
            if reason:
                refused[word] = reason
            else:
                (pieces,) = self.cut([left + GAP], [form])
                tokens[word] = len(pieces.words[0])
                spelling[word] = " ".join(map(str, pieces.words[0]))
                if self._stands_alone(form, pieces.words[0]):
                    unspaced.add(word)
        return TokenTable(tokens, refused, spelling, frozenset(unspaced))

    def _stands_alone(self, word: str, ids: Ids) -> bool:
        encoded = self.encode([*LETTERS, *(letter + word for letter in LETTERS)])
        heads, wholes = encoded[: len(LETTERS)], encoded[len(LETTERS) :]
        return all(head + ids == whole for head, whole in zip(heads, wholes, strict=True))

    def _refusal(self, word: str) -> str:
        if not word.strip():
            return "it is empty"
        if word != word.strip() or "[Y]" in word:
            return "it begins or ends with white space, or holds [Y]"
        (ids,) = self.encode([word])
        if not ids:
            return "the tokenizer gives it no tokens"
        if _unknown(self.tokenizer) in ids:
            return "the tokenizer has no token for part of it (unk)"
        if self.specials.keys() & set(ids):
            return "it holds a special token of the tokenizer"
        lost = self._lost_characters(word)
        return f"the tokenizer drops {lost!r} from it" if lost else ""

    def _lost_characters(self, word: str) -> str:
        """Return characters without a token: BPE without an unknown token drops them silently."""
        if not getattr(self.tokenizer, "is_fast", False):
            return ""
        spans = self.tokenizer.backend_tokenizer.encode(word, add_special_tokens=False).offsets
        covered = {index for start, end in spans for index in range(start, end)}
        return "".join(c for index, c in enumerate(word) if index not in covered and not c.isspace())


def _special_tokens(tokenizer: Any) -> dict[int, str]:
    """Map token id to text for special tokens; the unknown token only if it has another role."""
    roles = (getattr(tokenizer, f"{role}_token_id", None) for role in ROLES)
    named: set[int] = {one for one in roles if one is not None}
    added = {one for one, token in getattr(tokenizer, "added_tokens_decoder", {}).items() if token.special}
    ids = sorted({*getattr(tokenizer, "all_special_ids", ()), *added} - {_unknown(tokenizer)} | named)
    return dict(zip(ids, tokenizer.convert_ids_to_tokens(ids), strict=True)) if ids else {}


def _unknown(tokenizer: Any) -> int | None:
    return getattr(tokenizer, "unk_token_id", None)


def _splits_at_spaces(tokenizer: Any) -> bool:
    """Tell whether no token can cross a space: true for BERT, GPT-2 and SentencePiece, unknown for others."""
    if not getattr(tokenizer, "is_fast", False) or tokenizer.backend_tokenizer.pre_tokenizer is None:
        return False
    layout = json.loads(tokenizer.backend_tokenizer.pre_tokenizer.__getstate__())
    return any(
        (part["type"] == "ByteLevel" and part["use_regex"])
        or (part["type"] == "Metaspace" and part["split"])
        or part["type"] in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit")
        for part in layout.get("pretokenizers", [layout])
    )


def _beyond(head: Ids, whole: Ids) -> Ids:
    """Return the part of ``whole`` after ``head``; nothing if it does not begin with it."""
    return whole[len(head) :] if whole[: len(head)] == head else ()
