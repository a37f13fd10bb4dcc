"""Charts: records and arrays in, a plotly ``Figure`` out.

They draw what they are given and compute no statistic but the places of marks (bins, quartiles, margins).
Every label that came from a user passes ``theme.text``, because plotly reads some HTML in texts.
"""
