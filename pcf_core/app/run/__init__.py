"""The page Run an audit: its form, and imports of what was made elsewhere."""
