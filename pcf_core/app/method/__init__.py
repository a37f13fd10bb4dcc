"""The page Method: how it works, as in the papers, what numbers support, about."""
