"""The page Why?, a file a tab: factors, what was read, sensitivity, knowledge."""
