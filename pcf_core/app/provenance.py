"""Where the numbers of a page come from: what to cite, facts, hashes, and commands that make them again."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.caching import once, open_store
from pcf_core.app.data import Loaded, made_by
from pcf_core.app.widgets import draw_facts, plain
from pcf_core.report.citing import RISK_PAPERS, citation_bibtex, citation_text
from pcf_core.show.findings.notes import left_out_note
from pcf_core.show.findings.provenance import imported_facts


def draw_provenance(loaded: Loaded) -> None:
    """Draw what to cite, where each number comes from, and the commands that make it again."""
    from pcf_core.report.provenance import list_hashes, run_facts  # with all that writes commands: few look
    from pcf_core.report.reproducing import other_lists, risk_command, scratch_commands

    draw_cite()
    options = loaded.options
    for name, item in loaded.runs.items():
        st.markdown(f"**{plain(name)}**")
        hashes = {f"hash of {what}": value for what, value in list_hashes(item.run).items()}
        draw_facts(run_facts(item, options) | hashes | imported_facts(made_by(item)))
        scratch = "" if item.run.scoring.imported else once(scratch_commands)(item.run, options)
        others = other_lists(item.run, open_store().load_run(item.key))
        draw_both_commands(risk_command(item.key, options, others), scratch)
        note = left_out_note(item.report.left_out)
        if note:
            with st.expander("Left out, and why"):
                st.markdown(plain(note))


def draw_cite(arxiv: str = RISK_PAPERS) -> None:
    """Draw the button that opens what to cite; ``arxiv``: the number of the papers of what is measured."""
    with st.popover("Cite", icon=":material/format_quote:", help="What to cite for these numbers."):
        st.markdown("Cite the program with its version, and the papers of its measures.")
        draw_commands(citation_text(arxiv))
        draw_commands(citation_bibtex(arxiv))
        st.download_button(
            "BibTeX",
            lambda: citation_bibtex(arxiv),
            "pcf-audit.bib",
            "application/x-bibtex",
            key="cite_bibtex",
            on_click="ignore",
            icon=":material/download:",
        )


def draw_both_commands(
    from_cache: str, from_scratch: str, caption: str = "This command reads the number from the cache."
) -> None:
    """Draw the command that reads a number from the cache and those that score it anew.

    The second are empty for imported scores.  ``caption``: what the first does.
    """
    st.caption(caption)
    draw_commands(from_cache)
    if from_scratch:
        st.caption("These make it again from scratch, in a cache of their own that is empty at first.")
        draw_commands(from_scratch)
    else:
        st.caption("These scores came in a pack, so nothing here makes them from scratch.")


def draw_commands(lines: str) -> None:
    """Draw commands to be copied.  They wrap: nothing shows that a line goes on beyond a narrow page.

    In one colour: those of a shell's words (export, sum) are too pale in both themes.
    """
    st.code(lines, language=None, wrap_lines=True)
