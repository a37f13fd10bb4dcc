"""What a run is made of: topics, occupations, templates, facts, and the user's own files.

A kind of list is one class on ``base.Material``: its fields with their rules, and what its CSV or text files
mean.  ``shelves`` finds files by name or path and keeps what users bring.  ``safety`` reads untrusted files.

Layer: imports ``core`` and ``measure``; reads the assets folder and the user's files, writes the user's own.
"""
