"""Records shared by several features, keys, the tree of errors, and the settings.

Axis names used everywhere: ``occupation`` (the evidence X), ``template`` (the context C), ``group`` (the
topic Y), ``word``.  Log-probabilities are natural logarithms (nats); probabilities lie in [0, 1].

Layer: the lowest; imports nothing of the other packages.  Numpy and pydantic.
"""
