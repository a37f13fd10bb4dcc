"""Known benchmarks beside our own audits: CrowS-Pairs, StereoSet (intrasentence) and WinoBias.

Their sentences are not shipped but read from files that the user provides (:mod:`~.files`).
"""
