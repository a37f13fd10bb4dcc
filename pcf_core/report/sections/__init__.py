"""A file a subject: the panels that pages and reports share, and the sections that reports make of them."""
