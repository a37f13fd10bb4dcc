"""The page Topics: drafts, the form, and views of a topic."""
