"""Jobs: the queue, the worker process that serves it, progress, cancel, resume.

An app or a command submits a job; a worker claims it, scores what the store lacks and records its progress.
These processes share only the cache folder.

Layer: imports everything below it.  No torch at import: only a process that scores loads a model.
"""
