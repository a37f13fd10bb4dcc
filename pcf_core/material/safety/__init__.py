"""Readers of files and texts that nobody vouches for.  Why each limit is there stands beside it.

Everything that a person uploads, names or links to comes in here: ``reading`` opens text, TOML, JSON and CSV
up to a size and a nesting, ``other_tools`` recognises results of other tools, ``parquet`` asks a file what it
will unpack to before anything is unpacked, ``text`` holds names, words and titles to one line without control
characters, marks heaped on a letter or formulas of a spreadsheet, and ``whole_files`` writes a file
completely or not at all.  They were hardened by hand against inputs that broke the libraries below them;
``tests/security`` and ``tests/fuzz`` hold that, so a change here starts there.

Layer: imports ``core`` alone.
"""
