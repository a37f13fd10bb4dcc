"""FairPair and the criteria as tasks of Inspect, which asks models of many providers, and its logs read."""
