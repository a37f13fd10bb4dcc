"""Scoring: natural-log probabilities of whole words at ``[Y]``, one file per family behind one seam.

Layer: may import ``models``, ``records``, ``errors`` and ``settings``.  ``base``, ``seam``, ``fake``,
``endpoint`` and ``opening`` never import torch; the families that run a model here do, and only a process
that scores imports them.
"""
