"""The one path from a run key to a risk report, for pages, command line, worker and report.

    RunSpec -> word log-probabilities -> Preferences -> RiskReport

Layer: imports ``core``, ``measure``, ``material`` and ``store``; never torch, never Streamlit.
"""
