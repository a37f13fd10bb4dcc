"""The page Compare: two models, runs along an axis, the papers' tables, the ready comparisons."""
