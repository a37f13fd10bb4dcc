"""Texts that a model writes: one file for each kind of model behind one interface.

Only ``local`` and ``seq2seq`` import torch.
"""
