"""The page Topics: what is drafted, the form, and what is shown of a topic."""
