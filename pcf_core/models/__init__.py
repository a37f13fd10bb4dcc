"""Models: which there are, how they are described, loaded, scored and made to write.

``names`` and ``registry``: from a name to a model; ``folder``, ``gguf``, ``hub``, ``public`` and
``endpoint``: where a model may lie, and its description; ``connection`` and ``completions``: requests to an
endpoint; ``family``: how an architecture gives a word its probability; ``extent``, ``conversion`` and
``loading``: from files to weights in memory; ``shortcuts``: faster ways, and the test that they are exact.
``scoring`` holds a file for each family behind one interface, ``generation`` the same for texts; ``presets``
holds ready comparisons.

Layer: imports ``core``, ``measure`` and ``material``.  Torch is imported by ``conversion``, ``extent``,
``loading``, ``shortcuts``, the local families and local writers alone: only a process that scores imports
those.
"""
