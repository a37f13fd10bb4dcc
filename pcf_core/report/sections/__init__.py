"""The sections of a report, a file a subject: studies and results in, parts out."""
