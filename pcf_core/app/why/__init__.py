"""The page Why?, a file for each tab: factors, what was read, sensitivity, knowledge."""
