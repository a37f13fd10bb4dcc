"""How a causal model is fine-tuned: the corpus, the training, and the folder that is written.

``tools/finetune.py`` joins them.
"""
