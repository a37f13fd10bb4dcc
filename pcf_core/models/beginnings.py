"""Which token a text begins with, if a model expects another than its tokenizer puts there.  No torch here.

Some models were trained with a BOS token that their tokenizers do not add (Gemma 4), and without it their
probabilities mean nothing.  So a model that is opened reads plain sentences after its tokenizer's opening,
after none, after BOS and after EOS.  If they are clearly likelier after another than the first, bare texts
are scored after that one.  The first token of a sentence does not count, because nothing precedes it without
an opening.

**Keys.**  A scoring key names the opening if it is not the tokenizer's, and a scorer obeys its key, so that
no score is stored under a key that means something else, whatever another device finds.  But keys are made
without the model.  So the opening is noted in the cache folder when the model is first opened there, and is
then part of the model's specification.  If that happens in a request, the key of the request lacks it:
:func:`require_asked` refuses to store scores under that key.

**Worked example**: mean nats of a token after no token −5.27, after ``<s>`` −4.45, after ``</s>`` −5.71.  If
the tokenizer adds nothing, texts begin with ``<s>``, as 0.82 is more than ``CLEARLY``; if it adds ``<s>``,
nothing changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeVar

from pcf_core.core.errors import ModelError, OpeningError
from pcf_core.core.files import note_of, noted, write_note
from pcf_core.core.generation import GenerationKey
from pcf_core.core.run import ModelSpec, Opening, ScoringKey

NOTES = "beginnings.json"
FORM = r"null|\[.*\]"  # JSON of an opening
CLEARLY = 0.5  # nats per token that plain sentences must gain to replace the usual opening
T = TypeVar("T")
Key = TypeVar("Key", ScoringKey, GenerationKey)


def likeliest(nats: Mapping[T, float], usual: T) -> T:
    """Return the opening after which sentences have most nats if that is clearly more, else the usual one."""
    best = max(nats, key=lambda one: nats[one], default=usual)
    return best if best != usual and nats[best] > nats[usual] + CLEARLY else usual


def with_opening(spec: ModelSpec) -> ModelSpec:
    """Return a model with the opening that was noted for it, if it is not the tokenizer's."""
    note = note_of(NOTES, _entry(spec.identity, spec.tokenizer)) if spec.family == "causal" else ""
    opening = _read(note) if note else None
    return spec if opening is None else spec.model_copy(update={"opening": opening})


def noted_opening(key: ScoringKey | GenerationKey, find: Callable[[], Opening]) -> Opening:
    """Return the opening that was noted for a model, or find and note it."""
    return _read(noted(NOTES, _entry(key.identity, key.tokenizer), FORM, lambda: json.dumps(find())))


def require_asked(asked: Key, opened: Key, again: str = "start the run again") -> None:
    """Raise ModelError if a model was opened with another key than was asked for.

    OpeningError if only the opening differs, which is then noted; ``again``: what to do.
    """
    if opened.hash == asked.hash:
        return
    if opened.opening is None or opened.model_copy(update={"opening": asked.opening}) != asked:
        raise ModelError(
            f"The model {asked.model} has changed since it was requested (then {asked.identity}, now "
            f"{opened.identity}): {again}."
        )
    write_note(NOTES, _entry(opened.identity, opened.tokenizer), json.dumps(opened.opening))
    expected = " ".join(opened.opening) or "no token"
    raise OpeningError(
        f"The model {asked.model} expects {expected} before a text, and its tokenizer does not do that by "
        f"itself. From now on its texts begin that way: {again}.",
        opened.opening,
    )


def _entry(identity: str, tokenizer: str) -> str:
    return f"{identity}|{tokenizer}"


def _read(note: str) -> Opening:
    try:
        tokens = json.loads(note)
    except ValueError:
        return None
    return tuple(map(str, tokens)) if isinstance(tokens, list) else None
