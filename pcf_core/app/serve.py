"""Streamlit's own command, told beforehand that ``app.py`` registers the pages.

    python -m pcf_core.app.serve run app.py --server.port=8501

Until a server has run ``st.navigation`` once, Streamlit takes the files in ``pages/`` for its pages, and
tells who is first to follow an address of an earlier version that there is no such page.
"""

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.cli import main

if __name__ == "__main__":
    PagesManager.uses_pages_directory = False
    main(prog_name="streamlit")
