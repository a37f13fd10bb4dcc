"""PCF Audit: the entry file.  Page registration and the shared choice; each page asks one question."""

import streamlit as st

from pcf_core.ui.choice import draw_choice

st.set_page_config(page_title="PCF Audit", page_icon=":material/balance:", layout="wide")

page = st.navigation(
    {
        "Start": [st.Page("pages/overview.py", title="Overview", icon=":material/home:", default=True)],
        "Measure": [st.Page("pages/score.py", title="Score", icon=":material/play_circle:")],
        "Read": [
            st.Page("pages/heat_map.py", title="Heat map", icon=":material/grid_on:"),
            st.Page("pages/tilt.py", title="Tilt", icon=":material/candlestick_chart:"),
            st.Page("pages/risk.py", title="Risk", icon=":material/stacked_bar_chart:"),
            st.Page("pages/tails.py", title="Tails", icon=":material/bar_chart:"),
        ],
    }
)
draw_choice()
page.run()
