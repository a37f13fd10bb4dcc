"""Models: which there are, what they need, how they are loaded, asked for probabilities and made to write.

``names`` and ``registry``: from a name to a model; ``folder``, ``hub`` and ``endpoint``: the three places
where one lies; ``connection`` and ``completions``: how an endpoint is asked; ``family``: how an architecture
gives a word its probability; ``products``: how a small one multiplies.  ``scoring`` holds a file for each
family behind one seam, ``generation`` the same for texts; ``entailment`` finds NLI models, ``presets`` holds
ready comparisons.

Layer: imports ``core``, ``measure`` and ``material``.  Torch is imported by ``loading``, ``products``, the
local families and local writers alone: only a process that scores imports those.
"""
