"""What can be asked of a worker: the payload of each kind of job, written here and read by the worker."""

from __future__ import annotations

from pcf_core.jobs.job import Job
from pcf_core.jobs.queue import Queue
from pcf_core.records import Protocol, Record, RunSpec, Topic, digest

SMALL = 1  # jobs of this priority or above are answered between two batches of a run


class ScoreRequest(Record):
    """Score what the store lacks of a run."""

    run: RunSpec


class WordsRequest(Record):
    """Score the topic's words in one text with one ``[Y]``; ``model`` is a name, directory or hub id."""

    model: str
    topic: Topic
    text: str
    protocol: Protocol = "exact"


def submit_run(queue: Queue, run: RunSpec, missing: int) -> Job:
    """Queue a run of which ``missing`` cells are not in the store, or join the job that is at it.

    Raises:
        StoreError: the cache folder is read-only or full.
    """
    payload = ScoreRequest(run=run).model_dump(mode="json")
    return queue.submit("score", run.key, payload, total=missing)


def submit_words(queue: Queue, model: str, topic: Topic, text: str, protocol: Protocol = "exact") -> Job:
    """Queue one sentence, ahead of all runs; ``result`` is what :func:`pcf_core.jobs.words.word_check` gives.

    Raises:
        StoreError: the cache folder is read-only or full.
    """
    payload = WordsRequest(model=model, topic=topic, text=text, protocol=protocol).model_dump(mode="json")
    return queue.submit("words", digest(payload), payload, priority=SMALL)
