"""Audits of texts that models write: FairPair, the criteria, and both in one case file (``case_file``).

Layer: imports ``core``, ``measure``, ``material``, ``models`` and ``mining``; never Streamlit.
"""
