"""Results of other tools, which are recognised so that a refusal says what a file is.

A file is recognised by the keys of its first object: of the file as a whole, or of the first entry of a list
or of JSON lines.  Another file is one more entry of ``FORMATS``, and a small example of it in the tests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcf_core.core.errors import InputError

SCORE = "run the model here instead, with python -m pcf_core score or on the page Run an audit"
TEXTS = (
    "to analyse texts of a model, write them with our tasks of Inspect (docs/inspect.md) and import that log"
)
BOM = b"\xef\xbb\xbf\xff\xfe\x00"


@dataclass(frozen=True)
class Format:
    """A file that another tool writes.

    ``what``: what it is, with the name of the tool.  ``keys``: what its first object has; behind a dot stands
    a key of an object within.  ``holds``: its content.  ``instead``: what to do instead of importing it.
    """

    what: str
    keys: tuple[str, ...]
    holds: str
    instead: str

    def fits(self, entry: Mapping[str, Any]) -> bool:
        """Tell whether an object has all the keys."""
        return all(_has(entry, key.split(".")) for key in self.keys)


FORMATS = (
    Format(
        "a result of lm-evaluation-harness",
        ("results", "versions", "config.model_args"),
        "the scores of a model in whole tasks",
        SCORE,
    ),
    Format(
        "a file of samples of lm-evaluation-harness",
        ("doc_id", "doc", "resps", "filtered_resps"),
        "a model's answers to the questions of a task",
        TEXTS,
    ),
    Format(
        "a HELM result",
        ("name.name", "count", "sum", "sum_squared"),
        "the average of each metric",
        SCORE,
    ),
    Format(
        "a HELM result",
        ("instance_id", "train_trial_index", "stats"),
        "the metrics of each question",
        SCORE,
    ),
    Format(
        "a HELM result",
        ("adapter_spec", "request_states"),
        "the prompts of a scenario and the texts that a model wrote",
        TEXTS,
    ),
)


def _has(value: object, path: Sequence[str]) -> bool:
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return False
        value = value[key]
    return True


def refuse_results(data: bytes, where: str, error: type[InputError]) -> None:
    """Refuse a file with the results of another tool.

    ``where``: the name of the file, which begins the sentence.
    """
    known = _recognised(data)
    if known is not None:
        raise error(
            f"{where} is {known.what}: it holds {known.holds} and no probabilities of words, so there is "
            f"nothing to import; {known.instead}."
        )


def _recognised(data: bytes) -> Format | None:
    """Return the format of a file; ``None`` of any file that is not known."""
    if data[:64].lstrip(BOM).lstrip()[:1] not in (b"{", b"["):
        return None
    text = data.decode(json.detect_encoding(data), "replace")
    likely = [
        each for each in FORMATS if all(f'"{part}"' in text for key in each.keys for part in key.split("."))
    ]
    if not likely:  # of most files: nothing is parsed for them twice
        return None
    try:
        entry, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        return None
    return next((each for each in likely if each.fits(entry)), None)
