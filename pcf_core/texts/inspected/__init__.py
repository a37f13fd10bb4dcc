"""FairPair and the criteria as Inspect tasks, for models of many providers, and the import of their logs."""
