"""Records that three or more features share, keys, one tree of errors, and the settings.

Axis names used everywhere: ``occupation`` (the evidence X), ``template`` (the context C), ``group`` (the
topic Y), ``word``.  Log-probabilities are natural logarithms (nats); probabilities lie in [0, 1].

``settings`` is the only reader of the environment, ``errors`` the tree of errors.  ``records`` is what every
record is made of, and the hash behind every key.  ``topics`` says what is asked about, ``run`` what is asked
and scored, ``generation`` under which key texts are written; ``risk``, ``factors``, ``tails``,
``sensitivity``, ``knowledge`` and ``probe`` hold what is reported.

Layer: the lowest; imports nothing of the other packages.  Numpy and pydantic.
"""
