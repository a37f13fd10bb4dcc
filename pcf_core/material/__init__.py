"""What a run is made of: topics, occupations, templates, facts, and the user's own files.

A file is loaded, validated, and what was refused or left out is said with its reason.  ``shelves`` turns a
name or a path into a file; ``own_files`` keeps what users bring.  ``safety`` reads untrusted files.

Layer: imports ``core`` and ``measure``; reads the assets folder and the user's files, writes the user's own.
"""
