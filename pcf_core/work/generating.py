"""Write the texts that the store lacks: the one function for all audits of texts."""

from __future__ import annotations

import time

from pcf_core.core.errors import ModelError
from pcf_core.models.generation.opening import open_generator as open_real_generator
from pcf_core.models.registry import resolve_writer
from pcf_core.store.store import Store
from pcf_core.work.blocks import environment
from pcf_core.work.jobs import OnProgress, OpenGenerator, Pace, Pause, PauseClock, no_pause
from pcf_core.work.text_audits import TextsAsked


def generate_missing(
    request: TextsAsked,
    store: Store,
    open_generator: OpenGenerator = open_real_generator,
    on_progress: OnProgress = lambda done, total, rate: None,
    pause: Pause = no_pause,
) -> int:
    """Write the missing texts batch by batch and return how many; the model is opened only if one is missing.

    All prompts are checked before the first text is written.  A batch counts once it is stored, so that an
    interruption loses at most one, and what another process has written meanwhile is not written again.

    ``on_progress`` is called after each batch with texts done, their total, and texts per second.  ``pause``
    is called between two tokens, or while waiting for a server: its time does not count as writing, and an
    exception ends the work.
    """
    key = request.key
    wanted = store.missing_texts(key, request.prompts, request.count)
    if not wanted:
        return 0
    store.must_be_writable()  # loading a model can take minutes
    spec = resolve_writer(key.model, chat=bool(key.chat_template)).with_dtype(key.dtype)
    generator = open_generator(spec, key.decoding)
    if key.system:
        generator = generator.with_system(key.system)
    if generator.key.hash != key.hash:
        raise ModelError(
            f"The model {key.model} has changed since it was requested (then {key.identity}, now "
            f"{generator.key.identity}): start the job again."
        )
    total, done, written, pace = sum(part.count for part in wanted), 0, 0, Pace()
    for prompt in dict.fromkeys(part.prompt for part in wanted):
        pause()
        generator.check(prompt)
    on_progress(0, total, pace.rate(0))
    for batch in generator.batches(wanted):
        pause()
        lacking = store.still_missing_texts(key, batch)
        if lacking:
            timed_pause, began = PauseClock(pause), time.perf_counter()
            texts = generator.write(lacking, timed_pause)
            seconds = time.perf_counter() - began - timed_pause.seconds
            count = sum(part.count for part in lacking)
            timings = {"seconds": seconds, "texts": count, "texts_per_second": count / max(seconds, 1e-9)}
            for part in texts:
                store.write_texts(key, part, {**environment(generator), "timings": timings})
            written += count
        done += sum(part.count for part in batch)
        on_progress(done, total, pace.rate(done))
    return written
