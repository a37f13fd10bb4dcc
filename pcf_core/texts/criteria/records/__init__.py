"""Records of the criteria.

``runs``: requests to models and their results, as the store keeps them; ``independence``: stories, hobbies
and the embedding score; ``separation``: answers by pronoun, for separation and sufficiency; ``quantities``:
counts and comparisons that all of them share.
"""
