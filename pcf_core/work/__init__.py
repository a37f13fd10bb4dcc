"""Jobs: the queue, the worker process that serves it, progress, cancel, resume.

An app or a command submits a job; a worker claims it, scores what the store lacks and records how far it is.
All of them are processes that share nothing but the cache folder.

Layer: imports everything below it.  No torch at import: the app submits jobs and follows them, only a process
that scores loads a model.
"""
