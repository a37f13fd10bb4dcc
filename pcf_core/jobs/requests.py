"""What can be asked of a worker: the payload of each kind of job, written here and read by the worker."""

from __future__ import annotations

from pcf_core.audit import furthest
from pcf_core.jobs.job import Job
from pcf_core.jobs.queue import Queue
from pcf_core.records import Protocol, Record, RunSpec, Topic, digest
from pcf_core.store import Store

SMALL = 1  # jobs of this priority or above are answered between two batches of a run
SMALLEST = 2  # and of this one, between two parts of a reading too


class ScoreRequest(Record):
    """Score what the store lacks of a run: its key in the store, and the names by which people know it.

    Small, because every open page reads the queue each second.  ``topic`` is a title, the rest are names;
    ``within`` is the goal of the run's sampling plan, if it has one.  ``topic_name`` is not read here: an app
    of before reads it, on the same queue, and refuses a job without it.
    """

    run: str
    model: str
    topic: str
    topic_name: str
    templates: str
    evidence: str
    protocol: str
    within: float | None = None


class WordsRequest(Record):
    """Score the topic's words in one text with one ``[Y]``; ``model`` is a name, directory or hub id."""

    model: str
    topic: Topic
    text: str
    protocol: Protocol = "exact"
    dtype: str = "float32"


def submit_run(store: Store, queue: Queue, run: RunSpec, missing: int) -> Job:
    """Queue a run of which ``missing`` cells are not in the store, or join the job that is at it.

    The run itself is kept in the store, where the worker finds it.

    Raises:
        StoreError: the cache folder is read-only or full.
    """
    most = run.cells if run.plan is None else len(run.evidence.terms) * len(run.templates.texts)
    queue.check("score", run.key, models=[run.scoring.model], cells=most)
    store.ask_for(furthest(store, run))
    request = ScoreRequest(
        run=run.key,
        model=run.scoring.model,
        topic=run.topic.title,
        topic_name=run.topic.name,
        templates=run.templates.name,
        evidence=run.evidence.name,
        protocol=run.scoring.protocol,
        within=None if run.plan is None else run.plan.within,
    )
    return queue.submit(
        "score",
        run.key,
        request.model_dump(mode="json"),
        total=missing,
        models=[run.scoring.model],
        cells=most,
    )


def submit_words(
    queue: Queue,
    model: str,
    topic: Topic,
    text: str,
    protocol: Protocol = "exact",
    dtype: str = "float32",
) -> Job:
    """Queue one sentence, ahead of all runs; ``result`` is what :func:`pcf_core.jobs.words.word_check` gives.

    Raises:
        StoreError: the cache folder is read-only or full.
    """
    request = WordsRequest(model=model, topic=topic, text=text, protocol=protocol, dtype=dtype)
    payload = request.model_dump(mode="json")
    return queue.submit("words", digest(payload), payload, priority=SMALLEST, models=[model])
