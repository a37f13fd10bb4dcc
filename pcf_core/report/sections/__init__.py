"""Panels that pages and reports share, and sections of reports, a file per subject."""
