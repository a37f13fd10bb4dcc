"""Records of the criteria: ``independence``, ``separation``, shared ``quantities``, and ``runs``."""
