"""Natural-log probabilities of whole words at ``[Y]``: one file for each family behind one seam.

``base``, ``seam``, ``fake``, ``endpoint`` and ``opening`` never import torch; the families that run a model
here do, and only a process that scores imports them.
"""
