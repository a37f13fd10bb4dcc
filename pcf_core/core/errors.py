"""The exception tree; every message is one clear sentence for users.

It states which input is wrong, what is allowed, what came, and what to do.  The command line exits with 2
after an :class:`InputError` and with 1 after the others.
"""

from __future__ import annotations

import re


class AuditError(Exception):
    """Root of all errors that users see as a sentence instead of a traceback."""


class InputError(AuditError):
    """User input cannot be used (command line: exit 2)."""


class TopicError(InputError):
    """A topic, a group or a word list cannot be used."""


class EvidenceError(InputError):
    """An evidence list or its weights cannot be used."""


class TemplateError(InputError):
    """A template set cannot be used."""


class CorpusError(InputError):
    """The file, form, encoding or content of a corpus cannot be used."""


class PipelineError(InputError):
    """A parser pipeline cannot be used."""


class PerturbationError(InputError):
    """A table of counterparts or a list of names cannot be used."""


class PromptError(InputError):
    """A set of prompts cannot be used."""


class CriterionError(InputError):
    """A norm, scale, reference distribution or matrix of probabilities cannot be used."""


class FairPairError(InputError):
    """Texts compared in pairs, their folds, or a dissimilarity cannot be used."""


class CriteriaError(InputError):
    """Professions, names, questions, tasks or the form of an experiment cannot be used."""


class BenchmarkError(InputError):
    """Files of a known benchmark have another form, or no usable item."""


class ModelError(InputError):
    """A model is unknown, unsafe or cannot express a word."""


class OpeningError(ModelError):
    """A model expects other tokens before a text than a request states; ``opening``: those."""

    def __init__(self, message: str, opening: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.opening = opening


class GenerationError(InputError):
    """Texts cannot be written with these settings, this prompt or this kind of model."""


class RunError(InputError):
    """A run is unknown or unfinished."""


class ForbiddenWordsError(RunError):
    """A run has no figures, because the model forbids words in too many sentences."""


class PolicyError(InputError):
    """A policy of the gate cannot be used, or has nothing to be compared with."""


class PackError(InputError):
    """A pack of runs is damaged, invalid or contradicts local data."""


class InspectLogError(InputError):
    """An Inspect log is not from our tasks, unfinished, or of other texts than its task."""


class RightsError(InputError):
    """The person may not do that, or only less of it."""


class SettingsError(InputError):
    """A setting of the operator cannot be used."""


class StoreError(AuditError):
    """The store cannot be read or written."""


class DamagedShardError(StoreError):
    """A shard's bytes do not match its checksum: it is moved away and scored again."""


class DamagedCatalogueError(StoreError):
    """The catalogue was damaged and has been moved away; a new one is made from the shards."""


class ScoringError(AuditError):
    """A model failed while scoring: NaN, or a lost device or endpoint."""


class OutOfMemoryError(ScoringError):
    """A batch did not fit into the device's memory: the shard is scored again with half."""


class RequestRefusedError(ScoringError):
    """An endpoint refuses a request for good: HTTP ``status``, error ``code`` and what it ``said``."""

    def __init__(self, message: str, status: int = 0, code: str = "", said: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.said = said


# Messages of other libraries, shortened for our sentences.


LONGEST_REASON = 300  # characters
SIGNED = re.compile(r"(?<=[^\s?])\?[^\s'\")]+")  # query of a signed URL, which grants access


def reason_of(error: Exception) -> str:
    """Return an error's first line (its type if empty), with ``?…`` for the queries of URLs."""
    reason = next(iter(str(error).splitlines()), "") or type(error).__name__
    return SIGNED.sub("?…", reason)[:LONGEST_REASON]
