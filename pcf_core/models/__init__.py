"""Models: which there are, how they are described, loaded, scored and made to write.

``names`` and ``registry``: from a name to a model; ``folder``, ``adapter``, ``gguf``, ``hub``, ``public`` and
``endpoint``: where it comes from; ``compression``: how its weights are stored; ``facts``: what is known of
shipped ones; ``connection`` and ``completions``: requests to an endpoint; ``family``:
how an architecture gives words probabilities; ``extent``, ``conversion`` and ``loading``: from files to
weights in memory; ``shortcuts``: faster computation; ``scoring`` and ``generation``: one file per family;
``presets``: ready comparisons.

Layer: imports ``core``, ``measure`` and ``material``.  Torch is imported only by ``conversion``, ``extent``,
``loading``, ``shortcuts``, and the local scorers and writers, in processes that score.
"""
