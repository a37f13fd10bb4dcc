"""The page Templates: what is drafted, edited and kept, what it does to R, and mining."""
