"""Charts: records and arrays in, a plotly ``Figure`` out.

They compute nothing but positions of marks (bins, quartiles, margins).  Every label from a user passes
``theme.text``, because plotly reads some HTML in texts.

``order`` and ``models`` are the names of all models, which decide colours.  Filled marks are beyond chance,
corrected for several tests; hollow ones are not.  Undefined values keep their row.
"""
