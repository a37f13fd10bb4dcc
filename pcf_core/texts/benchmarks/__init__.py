"""The known benchmarks beside our audits: CrowS-Pairs, StereoSet (intrasentence), WinoBias.

Their sentences are not shipped: they come from files that the user names (:mod:`~.files`).
"""
