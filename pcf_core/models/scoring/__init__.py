"""Natural-log probabilities of whole words at ``[Y]``: one file for each family behind one interface.

``base``, ``seam``, ``trees`` and ``endpoint`` never import torch; only a process that scores imports the
others.
"""
