"""The page Templates: drafts, edits and stored sets, their effect on the risk, and mining."""
