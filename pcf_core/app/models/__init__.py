"""The page Models: its tables, one model, the runs that are kept."""
