"""The page Models: its tables, the forms for a new model, one model, and the stored runs."""
