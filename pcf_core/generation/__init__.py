"""Generation: texts that a model writes behind a prompt, one file per kind of model behind one seam.

Layer: may import ``models``, ``scoring`` (where a tokenizer's text begins), ``records``, ``errors`` and
``settings``.  Only ``local`` and ``seq2seq`` import torch.
"""
