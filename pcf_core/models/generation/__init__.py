"""Texts that a model writes behind a prompt: one file for each kind of model behind one seam.

Only ``local`` and ``seq2seq`` import torch.
"""
