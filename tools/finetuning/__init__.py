"""The parts of ``tools/finetune.py``: the corpus, the training, and the folder that it writes."""
