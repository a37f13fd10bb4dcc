"""The exception tree: every refusal of what a user gave is a subclass of :class:`AuditError`.

AuditError                     one clear sentence: which input, what is allowed, what came, what to do
├── InputError                 the input itself is wrong (command line: exit 2)
│   ├── TopicError             topics, groups, words
│   ├── EvidenceError          occupations and their weights
│   ├── TemplateError          template sets
│   ├── CorpusError            a corpus that cannot be read, or has nothing to mine
│   ├── PipelineError          a parser that is unknown, unsafe, or has no parse
│   ├── PerturbationError      a table of counterparts, names to exchange
│   ├── PromptError            a set of prompts
│   ├── CriterionError         norm, scale, reference, probabilities given as a matrix
│   ├── FairPairError          texts that are compared in pairs, their folds, what compares them
│   ├── CriteriaError          the material of an experiment, how it is worded, answered and repeated
│   ├── BenchmarkError         files of a known benchmark, or what is asked with them
│   ├── ModelError             unknown model, missing or unsafe files, words it cannot express
│   ├── GenerationError        how texts are drawn, a prompt or a model that no text can be written from
│   ├── RunError               unknown run key, run not finished
│   ├── PolicyError            the limits that a model is checked against
│   ├── PackError              a pack that was changed, is none, or says what is known here otherwise
│   ├── InspectLogError        a log of Inspect that is none of ours, unfinished, or asks something else
│   ├── RightsError            what this person may not do here, or a limit that the operator has set
│   └── SettingsError          the operator's settings
├── StoreError                 the store cannot be read or written (command line: exit 1)
│   ├── DamagedShardError      a checksum does not fit: the shard is set aside and scored again
│   └── DamagedCatalogueError  it is not as it was written: it is set aside and made anew from the shards
└── ScoringError               a model failed while scoring: NaN, the device or the endpoint was lost
    ├── OutOfMemoryError       a batch did not fit: the shard is scored again with half
    └── RequestRefusedError    the endpoint refuses what it is asked: asking again would not help
"""

from __future__ import annotations

import re


class AuditError(Exception):
    """Root of everything the app says to a user instead of a traceback."""


class InputError(AuditError):
    """What the user gave cannot be used."""


class TopicError(InputError):
    """A topic, a group or a word list cannot be used."""


class EvidenceError(InputError):
    """An evidence list or its weights cannot be used."""


class TemplateError(InputError):
    """A template set cannot be used."""


class CorpusError(InputError):
    """A corpus: its file, form, encoding or content."""


class PipelineError(InputError):
    """A parser pipeline cannot be used."""


class PerturbationError(InputError):
    """A table of counterparts, or the names to exchange."""


class PromptError(InputError):
    """A set of prompts cannot be used."""


class CriterionError(InputError):
    """A norm, a scale, a reference distribution, or a matrix of probabilities."""


class FairPairError(InputError):
    """Texts that are compared in pairs, how they are cut into folds, or a dissimilarity."""


class CriteriaError(InputError):
    """Professions, names, questions or tasks of an experiment, or the form in which they are put."""


class BenchmarkError(InputError):
    """Files of a known benchmark that are of another form, or of no item that a model could answer."""


class ModelError(InputError):
    """A model that is unknown, unsafe or cannot express a word."""


class GenerationError(InputError):
    """Texts that cannot be written: their settings, their prompt, or the kind of model."""


class RunError(InputError):
    """A run that is unknown or unfinished."""


class PolicyError(InputError):
    """A policy of the gate: its limits, or what they are to be compared with."""


class PackError(InputError):
    """A file of runs made elsewhere: changed on its way, no such file, or against what is here."""


class InspectLogError(InputError):
    """A log of Inspect: none of our tasks', unfinished, or of other texts than its task asks for."""


class RightsError(InputError):
    """Something that this person may not do, or more of it than the operator allows."""


class SettingsError(InputError):
    """A setting of the operator cannot be used."""


class StoreError(AuditError):
    """The store cannot be read or written."""


class DamagedShardError(StoreError):
    """A shard whose bytes do not fit its checksum."""


class DamagedCatalogueError(StoreError):
    """A catalogue that is not as it was written; it is set aside by then, and can be opened anew."""


class ScoringError(AuditError):
    """A model failed while scoring."""


class OutOfMemoryError(ScoringError):
    """A batch did not fit into the memory of the device."""


class RequestRefusedError(ScoringError):
    """An endpoint refuses a request: its ``status``, the error's ``code`` and what it ``said``."""

    def __init__(self, message: str, status: int = 0, code: str = "", said: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.said = said


# What an error of another library says, fit for a sentence: a line, without what a signed address has.


LONGEST_REASON = 300  # characters
SIGNED = re.compile(
    r"(?<=[^\s?])\?[^\s'\")]+"
)  # behind the question mark of an address: who holds it may read


def reason_of(error: Exception) -> str:
    """Return the first line of an error, or its name where it says nothing.

    "403 for https://host/file?Signature=f00d" -> "403 for https://host/file?…"
    """
    reason = next(iter(str(error).splitlines()), "") or type(error).__name__
    return SIGNED.sub("?…", reason)[:LONGEST_REASON]
