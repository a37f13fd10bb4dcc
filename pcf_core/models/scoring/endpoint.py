"""Causal models behind an endpoint: a completions server that sends log-probabilities of a prompt.

**Quantity.**  That of :mod:`pcf_core.models.scoring.causal`, summed from the server's values for the prompt.
For a word with tokens w₁…w_k after the text on the left,

    log P(w | left) = Σ_{j=1..k} log P(w_j | left, w_1 … w_{j−1})

in nats, with the BOS token exactly where the server puts one by default.  If text follows ``[Y]``, w includes
it: the score is log P(word + right text | left).

**Worked example**, the word " she" of two tokens " sh", "e" in "The nurse said that [Y]".  The server reads
"The nurse said that she" and sends

    The null   nurse −5.2   said −3.1   that −0.7   sh −1.609   e −0.693

The tokens of "The nurse said that" are the first four, so log P(she) = −1.609 − 0.693 = −2.303 = log 0.1.

**Seams** are those of :mod:`pcf_core.models.scoring.seam`.  A text is sent as it is; if its tokens do not
begin with those of the left text, they are cut as a local model's and sent as token ids, or the prompt is
refused if the server does not take ids.

**Chosen tokens.**  Where the server gives log-probabilities of chosen tokens, one text is sent for all words
that are one token behind a space, if the prompt ends with ``[Y]`` behind a space: no token spans that seam.
Other words are sent as above, and so are those of the self-audit, which compares both ways.

Nothing pins what the server runs.  Before each block of prompts it must give the probe's text the same
log-probabilities as when it was opened, within :data:`~pcf_core.models.endpoint.AGREES` nats a token.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from pcf_core.core.errors import ModelError, ScoringError, TemplateError
from pcf_core.core.run import ScoringKey, TokenTable
from pcf_core.core.topics import whole_word_prompt
from pcf_core.models.completions import Ids, Server, TokenScores
from pcf_core.models.endpoint import AGREES, TEXT, UNDECODED, Endpoint, difference, spells
from pcf_core.models.scoring.base import BEHIND_A_SPACE, GAP, Batch, Scorer, quoted, split_prompt
from pcf_core.models.scoring.seam import Seam

TEXTS_A_BLOCK = 512
OTHER_TOKENIZER = (
    "The server has no /tokenize, or that splits texts otherwise than the model reads them, so it is sent "
    "texts and no token ids."
)
SPECIAL = re.compile(r"<[^<>\s]+>")  # special tokens: <mask>, <|endoftext|>, </s>


@dataclass(frozen=True)
class Cell:
    """One word in one prompt."""

    prompt: str
    word: str

    @property
    def head(self) -> str:
        """The text on the left without the space that belongs to the word."""
        return split_prompt(self.prompt)[0].removesuffix(" ")

    @property
    def tail(self) -> str:
        """The word with the text on its right."""
        return self.word + split_prompt(self.prompt)[1]

    @property
    def text(self) -> str:
        """The prompt with the word in its place."""
        return split_prompt(self.prompt)[0] + self.tail


@dataclass(frozen=True)
class Score:
    """The nats of a cell's word and right text, with their tokens; ``labels``: ids, or the texts again."""

    nats: float
    texts: tuple[str, ...]
    labels: tuple[int | str, ...]


class EndpointScorer(Scorer):
    """Scores a model behind an endpoint; each call opens and closes its own connection."""

    device = "endpoint"

    def __init__(self, endpoint: Endpoint, key: ScoringKey) -> None:
        super().__init__(key)
        self.endpoint = endpoint
        self.findings = endpoint.findings
        self._tables: dict[str, TokenTable] = {}  # by the text left of [Y]
        self._single: dict[str, int | None] = {}  # tokens of words behind a space, None for several

    @property
    def traits(self) -> dict[str, str]:
        """See :attr:`Scorer.traits`."""
        findings, url = self.findings, self.endpoint.spec.path
        hidden = findings.shape == "prompt_logprobs" and not findings.takes_ids
        return {
            "space": "The space before a word goes to the server with the word.",
            "opening": f"The server puts {len(findings.opening)} token(s) before a text."
            if findings.opening
            else "The server puts no token before a text.",
            "batching": "The server batches as it likes: two readings of one token differed by up to "
            f"{findings.noise:.2g} nats when it was probed.",
            "unpinned": f"Scores are those of whatever {url} serves as {self.endpoint.spec.name}; it read "
            f"{TEXT!r} with {findings.nats:.3f} nats when it was opened.",
            **({"tokenizer": OTHER_TOKENIZER} if hidden else {}),
        }

    def check(self, words: Sequence[str], text: str = BEHIND_A_SPACE) -> TokenTable:
        """Ask the server for the tokens of words in a text, once for each word."""
        prompt, before, after = whole_word_prompt(text)
        left, _ = split_prompt(prompt)
        forms = {word: f"{before}{word}{after}" for word in dict.fromkeys(words)}
        table = self._tables.setdefault(left, TokenTable({}))
        new = {
            word: form
            for word, form in forms.items()
            if form not in table.tokens and form not in table.refused
        }
        refused = {form: reason for word, form in new.items() if (reason := _refusal(word))}
        table = _joined(table, TokenTable({}, refused))
        cells = [Cell(left + GAP, form) for form in new.values() if form not in refused]
        if cells:
            with self.endpoint.server() as server:
                table = _joined(table, self._count_tokens(server, cells))
        self._tables[left] = table
        return TokenTable(
            {word: table.tokens[form] for word, form in forms.items() if form in table.tokens},
            {word: table.refused[form] for word, form in forms.items() if form in table.refused},
            {word: table.spelling[form] for word, form in forms.items() if form in table.spelling},
        )

    def alone(self, prompt: str, word: str) -> float:
        """Score one word in one prompt, in nats, each text a request of its own."""
        prompt, before, after = whole_word_prompt(prompt)
        cell = Cell(prompt, f"{before}{word}{after}")
        with self.endpoint.server() as server:
            readings = {text: self._read(server, [text])[text] for text in _texts([cell])}
            return self._scores(server, [cell], readings)[cell].nats

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        rows: defaultdict[str, list[int]] = defaultdict(list)
        for row, prompt in enumerate(prompts):
            _refuse_special(prompt)
            rows[prompt].append(row)
        size = max(1, TEXTS_A_BLOCK // (len(words) + 1))
        distinct = list(rows)
        tokens = self._tokens(words) if any(map(_ends_with_word, distinct)) else {}
        blocks = [distinct[start : start + size] for start in range(0, len(distinct), size)]
        cells = [
            [
                Cell(prompt, word)
                for prompt in block
                for word in words
                if word not in tokens or not _ends_with_word(prompt)
            ]
            for block in blocks
        ]
        texts = [_texts(block) for block in cells]
        heads = [Cell(prompt, "").head for prompt in distinct if tokens and _ends_with_word(prompt)]
        with self.endpoint.server() as server:
            self._require_same_model(server)
            readings = server.read(
                [text for block in texts for text in block], self.findings.shape, pause=pause
            )
            chosen = server.choose(heads, tuple(tokens.values()), self.findings.chooses, pause)
            for block, requested, needed in zip(blocks, cells, texts, strict=True):
                by_text = dict(zip(needed, islice(readings, len(needed)), strict=True))
                nats = {
                    cell: score.nats
                    for cell, score in self._scores(server, requested, by_text, pause).items()
                }
                for prompt in block if tokens else ():
                    if _ends_with_word(prompt):
                        several = zip(tokens, next(chosen), strict=True)
                        nats |= {Cell(prompt, word): value for word, value in several}
                table = np.array([[nats[Cell(prompt, word)] for word in words] for prompt in block])
                places = [(row, line) for line, prompt in enumerate(block) for row in rows[prompt]]
                yield Batch(np.array([row for row, _ in places]), table[[line for _, line in places]])

    def _tokens(self, words: Sequence[str]) -> dict[str, int]:
        """Return the token of each word that is one behind a space, if the server can be asked for it."""
        if not self.findings.chooses:
            return {}
        table = self.check(words)
        new = [word for word in words if word not in self._single]
        with_ids = self.findings.shape == "prompt_logprobs"
        single = [word for word in new if table.tokens.get(word) == 1]
        self._single |= dict.fromkeys(new)
        if with_ids:
            self._single |= {word: int(table.spelling[word]) for word in single}
        elif single:
            left = BEHIND_A_SPACE.removesuffix(GAP)
            with self.endpoint.server() as server:
                head, *several = server.tokenise([left[:-1], *(left + word for word in single)], special=True)
            self._single |= {
                word: ids[-1] for word, ids in zip(single, several, strict=True) if ids[:-1] == head
            }
        return {word: token for word in words if (token := self._single[word]) is not None}

    def _require_same_model(self, server: Server) -> None:
        now = self._read(server, [TEXT])[TEXT]
        apart = difference(now, self.findings.reading)
        if apart > AGREES:
            raise ScoringError(
                f"The model {self.endpoint.spec.name} behind {self.endpoint.spec.path} has changed (its "
                f"scores of a test text now differ by {apart:.3g} nats per token): score it again."
            )

    def _read(self, server: Server, texts: Sequence[str]) -> dict[str, TokenScores]:
        return dict(zip(texts, server.read(texts, self.findings.shape), strict=True))

    def _count_tokens(self, server: Server, cells: Sequence[Cell]) -> TokenTable:
        readings = self._read(server, _texts(cells))
        tokens: dict[str, int] = {}
        refused: dict[str, str] = {}
        spelling: dict[str, str] = {}
        for cell in cells:
            score = self._score(cell, readings)
            if score is None and self.findings.takes_ids:
                try:
                    score = self._scores_by_ids(server, [cell])[cell]
                except ModelError as error:
                    refused[cell.word] = str(error)
                    continue
            start = len(readings[cell.head].texts if cell.head else self._require_opening(cell))
            texts = readings[cell.text].texts[start:] if score is None else score.texts
            if score is None or not spells(texts, cell.word):
                where = "behind a space" if cell.head else "at the beginning of a text"
                refused[cell.word] = f"{where} the server reads it as {''.join(texts)!r}"
            else:
                tokens[cell.word] = len(texts)
                if written := spelling_of(score.labels, cell.word):
                    spelling[cell.word] = written
        return TokenTable(tokens, refused, spelling)

    def _scores(
        self,
        server: Server,
        cells: Sequence[Cell],
        readings: Mapping[str, TokenScores],
        pause: Callable[[], None] = lambda: None,
    ) -> dict[Cell, Score]:
        """Score each cell by its text, or by token ids if text hides the boundaries."""
        scores = {cell: self._score(cell, readings) for cell in cells}
        hidden = [cell for cell, score in scores.items() if score is None]
        if hidden and not self.findings.takes_ids:
            raise ScoringError(
                f"In {quoted(hidden[0].prompt)} the server's tokens do not show where {hidden[0].word!r} "
                f"begins and ends, and {self.endpoint.spec.name} does not accept token ids: put spaces "
                "around [Y], or serve the model with vLLM."
            )
        by_ids = self._scores_by_ids(server, hidden, pause) if hidden else {}
        return {cell: by_ids[cell] if score is None else score for cell, score in scores.items()}

    def _score(self, cell: Cell, readings: Mapping[str, TokenScores]) -> Score | None:
        """Score a cell from the reading of its text; ``None`` if that hides the boundaries."""
        head = readings[cell.head].labels if cell.head else self._require_opening(cell)
        whole = readings[cell.text]
        start = len(head)
        texts = whole.texts[start:]
        if whole.labels[:start] != head or not texts or not spells(texts, cell.tail):
            return None
        return Score(math.fsum(whole.nats[start:]), texts, whole.labels[start:])

    def _require_opening(self, cell: Cell) -> tuple[int | str, ...]:
        """Return the tokens that the server puts before a text that begins with ``[Y]``."""
        if not self.findings.opening:
            raise ScoringError(
                f"The prompt {quoted(cell.prompt)} begins with [Y], but {self.endpoint.spec.name} puts no "
                "BOS token there, so a word at the beginning cannot be scored: put text before [Y]."
            )
        return self.findings.opening

    def _scores_by_ids(
        self, server: Server, cells: Sequence[Cell], pause: Callable[[], None] = lambda: None
    ) -> dict[Cell, Score]:
        """Cut with :class:`~pcf_core.models.scoring.seam.Seam`, and send token ids."""
        seam = Seam(ServerTokenizer(server, pause), self.key.model)
        words: defaultdict[str, list[str]] = defaultdict(list)
        for cell in cells:
            words[cell.prompt].append(cell.word)
        parts: dict[Cell, tuple[Ids, Ids]] = {}
        for prompt, requested in words.items():
            (pieces,) = seam.cut([prompt], requested, causal=True)
            for word, ids, right in zip(requested, pieces.words, pieces.rights, strict=True):
                parts[Cell(prompt, word)] = (seam.opening + pieces.left, ids + right)
        readings = server.read([start + end for start, end in parts.values()], "prompt_logprobs", pause=pause)
        return {
            cell: Score(
                math.fsum(reading.nats[len(start) :]),
                reading.texts[len(start) :],
                reading.labels[len(start) :],
            )
            for (cell, (start, _)), reading in zip(parts.items(), readings, strict=True)
        }


class ServerTokenizer:
    """The tokenizer interface of :class:`~pcf_core.models.scoring.seam.Seam`, answered by the server."""

    is_fast = False

    def __init__(self, server: Server, pause: Callable[[], None] = lambda: None) -> None:
        self.server = server
        self.pause = pause

    def __call__(self, text: str | Sequence[str], add_special_tokens: bool = True) -> dict[str, Any]:
        """Encode one text as ``input_ids``, or a list of them for several."""
        texts = [text] if isinstance(text, str) else list(text)
        ids = self.server.tokenise(texts, special=add_special_tokens, pause=self.pause)
        return {"input_ids": ids[0] if isinstance(text, str) else ids}


def _joined(first: TokenTable, second: TokenTable) -> TokenTable:
    return TokenTable(
        {**first.tokens, **second.tokens},
        {**first.refused, **second.refused},
        {**first.spelling, **second.spelling},
    )


def _refusal(word: str) -> str:
    if not word.strip():
        return "it is empty"
    if word != word.strip() or "[Y]" in word:
        return "it begins or ends with white space, or holds [Y]"
    if set(word) & set("<>"):
        return "it holds '<' or '>', which a server may take for a special token"
    return ""


def _ends_with_word(prompt: str) -> bool:
    """Tell whether nothing stands behind the word, and before it text and one space."""
    left, right = split_prompt(prompt)
    return not right and len(left) > 1 and left[-1] == " " and not left[-2].isspace()


def _refuse_special(prompt: str) -> None:
    special = SPECIAL.search(prompt)
    if special:
        raise TemplateError(
            f"The prompt {quoted(prompt)} contains {special.group()!r}, which a server may mistake for a "
            "special token: remove it."
        )


def spelling_of(labels: Sequence[int | str], word: str) -> str:
    """Write a word's tokens as for :class:`~pcf_core.core.run.TokenTable`; empty if unknown.

    Ids if the server sends them, otherwise texts with the lengths of words, since texts may have lost spaces
    ("black man" would equal "blackman").
    """
    if all(isinstance(label, int) for label in labels):
        return " ".join(map(str, labels))
    if any(UNDECODED in str(label) for label in labels):
        return ""
    return json.dumps([*labels, *map(len, word.split())])


def _texts(cells: Sequence[Cell]) -> list[str]:
    texts = [text for cell in cells for text in (cell.head, cell.text)]
    return [text for text in dict.fromkeys(texts) if text]
