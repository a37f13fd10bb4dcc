"""Known benchmarks beside our own audits: CrowS-Pairs, StereoSet (intrasentence), WinoBias and BBQ.

Their sentences are not shipped but read from files that the user provides (:mod:`~.material`).
"""
