"""Records of the criteria.

``runs``: what is asked of a model, what came of it, and what the store keeps; ``independence``: stories,
hobbies and the embedding score; ``separation``: answers by pronoun, for separation and sufficiency;
``quantities``: what all of them count and compare.
"""
