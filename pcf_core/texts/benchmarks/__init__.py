"""Known benchmarks beside our own audits: CrowS-Pairs, StereoSet, WinoBias, BBQ and discrim-eval.

Their sentences are not shipped but read from files that the user provides (:mod:`~.material`).
"""
