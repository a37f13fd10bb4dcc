"""Cut the tokens of ``left + word + right`` at the two seams between word and text.  No torch here.

Tokenizers do not keep ``tokens(a + b) == tokens(a) + tokens(b)``: byte-level BPE and SentencePiece write the
space before a word into the word's first token, and pieces can join across a seam.  So the whole text is
tokenised, and cut:

- The one space left of ``[Y]`` belongs to the word: ``"… said that [Y]"`` is cut into ``"… said that"`` and
  ``" he"``; a line break belongs to the left text.
- Letters that touch ``[Y]`` are part of the word before it comes here
  (:func:`~pcf_core.core.topics.whole_word_prompt`).
- The word's tokens are what ``tokens(left + word)`` has beyond ``tokens(left)``, where the former begins with
  the latter, and likewise for the text on the right.
- Where a tokenizer splits at every space anyway, what stands behind one is tokenised once for all texts.

Some pieces reach over a seam all the same: in a script without spaces, or over a quotation mark that a
tokenizer does not split off.

- A causal model scores word and right text together, so that a piece of both is one more token.  A piece of
  left text and word would need the probability of the left text to be known apart: refused.
- Other families put the word in place of a mask, and a mask splits what stands around it.  Each part has the
  tokens that it has behind a neutral character, unless a letter touches the word: such a model has hardly
  seen the word in tokens of its own there, and the prompt is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.run import TokenTable
from pcf_core.core.topics import whole_word_prompt
from pcf_core.models.scoring.base import BEHIND_A_SPACE, GAP, quoted, split_prompt

Ids = tuple[int, ...]
NEUTRAL = ("a", ".", "\n", "0", "|")
PROBE = "a"
ROLES = ("bos", "eos", "sep", "pad", "cls", "mask")  # of special tokens, except the unknown one
LETTERS = (PROBE, "的")  # that a word could join: of a script with spaces, and of one without


@dataclass(frozen=True)
class Pieces:
    """Token ids of one text, cut: ``left``, then for each word its ids and those of the text behind it."""

    left: Ids
    words: tuple[Ids, ...]
    rights: tuple[Ids, ...]


class Seam:
    """Cuts prompts with a given tokenizer.

    ``opening`` and ``closing`` are the special tokens that the tokenizer itself puts around a text, by its
    own default.  ``rows`` is the number of tokens that the model knows, 0 where the model is not here.
    """

    def __init__(self, tokenizer: Any, model: str, rows: int = 0) -> None:
        self.tokenizer = tokenizer
        self.model = model
        self.rows = 0  # what follows asks the tokenizer alone
        bare = self.encode([PROBE])[0]
        full = tuple(tokenizer(PROBE)["input_ids"])
        start = next((i for i in range(len(full)) if full[i : i + len(bare)] == bare), None)
        if start is None or not bare:
            raise ModelError(
                f"The tokenizer of {model} changes plain text: use the tokenizer with which the model "
                "was trained."
            )
        self.opening: Ids = full[:start]
        self.closing: Ids = full[start + len(bare) :]
        self.splits_at_spaces = _splits_at_spaces(tokenizer)
        self.specials = _special_tokens(tokenizer)
        self._behind: dict[str, Ids] = {}
        self._pairs: dict[tuple[str, str, bool], tuple[Ids, Ids]] = {}
        self.rows = rows

    def encode(self, texts: Sequence[str]) -> list[Ids]:
        """Return the token ids of each text, no special tokens; no ids for the empty text."""
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
        """Return the token ids of whole texts, no special tokens."""
        encoded = self.encode(texts)
        for text, ids in zip(texts, encoded, strict=True):
            if not ids:
                raise TemplateError(
                    f"The tokenizer of {self.model} has no token for {quoted(text)}: leave it out."
                )
            self._refuse_special(text, set(ids))
        return encoded

    def cut(self, prompts: Sequence[str], words: Sequence[str], *, causal: bool = False) -> list[Pieces]:
        """Split each prompt into its pieces.

        ``causal``: word and right text are scored together; where a token is part of both, all of them count
        as tokens of the word.

        A prompt that holds a special token is refused, and one in which the tokenizer joins text and word.
        """
        sides = [split_prompt(prompt) for prompt in prompts]
        heads = self.encode([left.removesuffix(" ") for left, _ in sides])
        tails = self.encode([right for _, right in sides])
        for prompt, head, tail in zip(prompts, heads, tails, strict=True):
            self._refuse_special(prompt, {*head, *tail})
        return [
            self._cut_one(head, *side, words, causal=causal) for head, side in zip(heads, sides, strict=True)
        ]

    def _refuse_special(self, prompt: str, ids: set[int]) -> None:
        for one in sorted(ids & self.specials.keys()):
            name = self.specials[one]
            # one that also stands for what is unknown is meant only where it is written
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
        """Return the tokens of word and right text behind any text and one space."""
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
        """Return the tokens of a word, those of ``ids`` from ``start`` on, and of the text on its right.

        ``longer``: the tokens of both.  None where they cannot be told apart and have to be.
        """
        if not right:
            return ids[start:], ()
        if rest := _beyond(ids, longer):
            return ids[start:], rest
        if causal:
            return longer[start:], ()
        return None if right[0].isalnum() else (ids[start:], self.tokens_behind(right))

    def _inseparable(self, left: str, word: str, right: str) -> TemplateError:
        return TemplateError(
            f"In {quoted(left + GAP + right)} the tokenizer of {self.model} joins {word!r} to the text next "
            "to it, so the two cannot be separated: put spaces or other quotation marks around [Y], leave "
            "the template out, or choose another model."
        )

    @property
    def sentinels(self) -> tuple[int, int] | None:
        """T5's ``<extra_id_0>`` and ``<extra_id_1>``, where the tokenizer has one token for each."""
        first, second = self.encode(["<extra_id_0>", "<extra_id_1>"])
        return (first[0], second[0]) if len(first) == len(second) == 1 and first != second else None

    def tokens_behind(self, text: str) -> Ids:
        """Return the tokens of ``text`` behind a text with which it does not merge; none for no text."""
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
        """Return the tokens of each word as it stands at ``[Y]``, and the words refused, with the reason.

        Letters that touch ``[Y]`` count with the word.
        """
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
        """Return characters that no token covers: BPE without an unknown token drops them silently."""
        if not getattr(self.tokenizer, "is_fast", False):
            return ""
        spans = self.tokenizer.backend_tokenizer.encode(word, add_special_tokens=False).offsets
        covered = {index for start, end in spans for index in range(start, end)}
        return "".join(c for index, c in enumerate(word) if index not in covered and not c.isspace())


def _special_tokens(tokenizer: Any) -> dict[int, str]:
    """Map token id to text for special tokens; the unknown token is one where it has another role too."""
    roles = (getattr(tokenizer, f"{role}_token_id", None) for role in ROLES)
    named: set[int] = {one for one in roles if one is not None}
    added = {one for one, token in getattr(tokenizer, "added_tokens_decoder", {}).items() if token.special}
    ids = sorted({*getattr(tokenizer, "all_special_ids", ()), *added} - {_unknown(tokenizer)} | named)
    return dict(zip(ids, tokenizer.convert_ids_to_tokens(ids), strict=True)) if ids else {}


def _unknown(tokenizer: Any) -> int | None:
    return getattr(tokenizer, "unk_token_id", None)


def _splits_at_spaces(tokenizer: Any) -> bool:
    """Tell whether no piece can reach over a space: true of the pre-tokenizers of BERT, GPT-2, SentencePiece.

    What stands behind a space then has the same tokens in every text.  Of others (a regular expression of
    the model's own, none at all) this is not assumed.
    """
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
    """Return what ``whole`` has beyond ``head``; nothing where it does not begin with it."""
    return whole[len(head) :] if whole[: len(head)] == head else ()
